//! Screens as SVG: without a terminal, without a trace in the study, and the same every time.

use crate::harness::Desk;

/// Every screen, as it is called on the command line.
const SCREENS: &[&[&str]] = &[
    &["annotate", "study.db", "--as", "zoe"],
    &["annotate", "study.db", "--as", "zoe", "--protocol", "keypoint"],
    &["browse", "study.db"],
    &["adjudicate", "study.db", "--as", "lead"],
    &["session", "study.db", "--as", "zoe"],
    &["session", "replay", "study.db"],
];

#[test]
fn every_screen_is_drawn_and_leaves_no_trace() {
    let desk = Desk::new();
    let names =
        ["haystack", "questions", "questions_zh", "haystack_judgments", "questions_judgments", "sessions"];
    desk.samples("study.db", &names);
    let before = desk.bytes("study.db");
    for screen in SCREENS {
        let drawn = |theme: &str| {
            let options = ["--svg", "-", "--size", "90x28", "--theme", theme];
            desk.out(&[*screen, &options[..]].concat())
        };
        let picture = drawn("dark");
        let document =
            roxmltree::Document::parse(&picture).unwrap_or_else(|error| panic!("{error}: {picture}"));
        let root = document.root_element();
        assert_eq!((root.attribute("width"), root.attribute("height")), (Some("720"), Some("476")));
        // The first row names the study; a letter stands in its own cell.
        let first = root.descendants().find(|node| node.has_tag_name("text")).expect("text");
        assert!(first.text().is_some_and(|text| text.contains("study.db")), "{screen:?}: {picture}");
        for node in root.descendants().filter(|node| node.has_tag_name("text")) {
            let places = node.attribute("x").expect("places").split(' ').count();
            assert_eq!(places, node.text().expect("letters").chars().count(), "{screen:?}");
        }
        assert_eq!(drawn("dark"), picture, "{screen:?}: the same study gives the same bytes");
        assert_ne!(drawn("light"), picture, "{screen:?}");
        assert_eq!(desk.bytes("study.db"), before, "{screen:?}: the study stays as it is");
    }
}

#[test]
fn a_size_that_no_terminal_has_is_refused() {
    let desk = Desk::new();
    desk.samples("study.db", &["haystack"]);
    for size in ["80", "0x24", "80x5000", "axb"] {
        let (status, told) = desk.fails(&["browse", "study.db", "--svg", "a.svg", "--size", size]);
        assert!(status == 2 && told.contains("columns x rows"), "{told}");
    }
    assert_eq!(desk.fails(&["browse", "study.db", "--size", "80x24"]).0, 2, "a size is for a picture");
}
