//! First steps: where there is nothing yet, or nothing any more, a command says what comes next.

use serde_json::json;

use crate::harness::Desk;

#[test]
fn an_empty_study_says_how_it_is_filled() {
    let desk = Desk::new();
    desk.out(&["init", "study.db"]);
    for command in ["status", "score", "agree", "collect"] {
        let (status, told) = desk.fails(&[command, "study.db"]);
        assert_eq!(status, 1, "{command}");
        assert!(
            told.contains("the study is empty: `haymark import STUDY FILE...` fills it"),
            "{command}: {told}"
        );
    }
    // In a picture every word stands by itself.
    let picture = desk.out(&["browse", "study.db", "--svg", "-"]);
    let words = picture
        .split('<')
        .filter_map(|part| part.split_once('>'))
        .flat_map(|(_, text)| text.split_whitespace());
    let drawn = words.collect::<Vec<_>>().join(" ");
    assert!(drawn.contains("the study is empty; haymark import STUDY FILE fills it"), "{drawn}");
    assert!(
        desk.fails(&["annotate", "study.db", "--as", "ann", "--svg", "-"]).1.contains("import some queries")
    );
}

#[test]
fn the_demo_is_copied_to_a_file_of_ones_own() {
    let desk = Desk::new();
    let told = desk.out(&["demo", "--copy", "study.db"]);
    assert!(told.starts_with("made study.db, the demo's study"), "{told}");
    desk.samples("same.db", &crate::harness::SAMPLES);
    let scores = |study: &str| desk.out(&["score", study, "--format", "json"]);
    assert_eq!(scores("study.db"), scores("same.db"));
    let (status, told) = desk.fails(&["demo", "--copy", "study.db"]);
    assert!(status == 1 && told.contains("study.db"), "{told}");
}

#[test]
fn a_study_that_nobody_judged_says_how_to_begin() {
    let desk = Desk::new();
    desk.samples("study.db", &["haystack"]);
    let told = desk.out(&["status", "study.db"]);
    assert!(told.contains("`haymark annotate STUDY --as NAME` begins"), "{told}");
    for command in ["score", "agree", "collect"] {
        let (_, told) = desk.fails(&[command, "study.db"]);
        assert!(told.contains("`haymark annotate STUDY --as NAME` begins"), "{command}: {told}");
        assert!(!told.contains("these annotators"), "nobody was named: {told}");
    }
    let (_, told) = desk.fails(&["score", "study.db", "--annotators", "ann"]);
    assert!(
        told.contains("there is no annotator \"ann\"; `haymark annotate STUDY --as NAME` begins"),
        "{told}"
    );
    let told = desk.out(&["adjudicate", "study.db", "--as", "ann", "--svg", "-"]);
    assert!(
        told.contains("nothing to settle") && told.contains("Next:\n  haymark status study.db   says "),
        "{told}"
    );
}

#[test]
fn errors_name_the_topic_that_explains_more() {
    let desk = Desk::new();
    desk.samples("study.db", &["haystack", "haystack_judgments"]);
    desk.file("odd.jsonl", "{\"type\":\"collection\"}\n");
    desk.file("unknown.txt", "what is this?\n");
    desk.file("tone.toml", "name = 3\n");
    let cases: [(&[&str], &str); 7] = [
        (&["score", "study.db", "--filter", "joint<"], "filters"),
        (&["export", "study.db", "--what", "view", "--table", "items", "--filter", "no:such"], "filters"),
        (&["import", "study.db", "odd.jsonl"], "formats"),
        (&["import", "study.db", "unknown.txt"], "formats"),
        (&["protocol", "check", "tone.toml"], "protocols"),
        (&["score", "study.db", "--protocol", "nothing-like-it"], "protocols"),
        (&["agree", "study.db", "--best", "2", "--best-by", "luck"], "statistics"),
    ];
    for (arguments, topic) in cases {
        let told = desk.fails(arguments).1;
        assert!(told.trim_end().ends_with(&format!("(haymark help {topic})")), "{arguments:?}: {told}");
        desk.out(&["help", topic]);
    }
    // What no reading helps against names none.
    assert!(!desk.fails(&["score", "absent.db"]).1.contains("haymark help"));
}

#[test]
fn the_demo_has_its_tour_once() {
    let desk = Desk::new();
    let mut session = desk.start_in((80, 24), &["demo"], &[]);
    session.wait_for(" 1 of 5 How much of the insight does the summary say, and which bullet says it?");
    session.settle().type_keys("f").wait_for("3 of 5");
    session.settle().type_keys("2").wait_for("4 of 5 it is on disk");
    session.quit();
    let mut again = desk.start_in((80, 24), &["demo"], &[]);
    again.wait_for("95 judged");
    assert!(!again.shows("1 of 5"), "the tour is for the first time");
    again.type_keys("\x1bOQ").wait_for(" 1 of 5 How much of the insight");
    again.quit();
}

#[test]
fn one_item_is_not_called_all() {
    let desk = Desk::new();
    desk.import("all.jsonl", &[
        json!({"type":"collection","id":"news"}),
        json!({"type":"document","collection":"news","id":"d1","number":1,"text":"The bridge closes on Monday."}),
        json!({"type":"query","collection":"news","id":"q1","text":"What of the bridge?"}),
        json!({"type":"unit","collection":"news","query":"q1","id":"u1","kind":"insight","text":"It closes."}),
        json!({"type":"candidate","collection":"news","query":"q1","id":"c1","summarizer":"m","text":"- It closes."}),
    ]);
    let mut session = desk.start(&["annotate", "study.db", "--as", "ann"]);
    session.wait_for("item 1 of 1");
    session.settle().type_keys("x").wait_for("The only item is judged.");
    let written = session.quit();
    let told = String::from_utf8_lossy(written).into_owned();
    assert!(told.contains("1 of 1 judged; everything is saved"), "{told}");
    assert!(told.contains("Next:\r\n  haymark status study.db   says "), "{told}");
}

#[test]
fn labels_that_are_numbers_are_asked_about_their_order() {
    let desk = Desk::new();
    desk.file("scores.csv", "item,annotator,value\na,x,1\na,y,2\nb,x,3\nb,y,3\nc,x,2\nc,y,2\n");
    desk.file("words.csv", "item,annotator,value\na,x,low\na,y,mid\nb,x,high\nb,y,high\n");
    desk.file("two.csv", "item,annotator,value\na,x,1\na,y,0\nb,x,1\nb,y,1\n");
    let warns = |arguments: &[&str]| {
        let told = desk.out(&[&["agree", "--format", "json"], arguments].concat());
        told.contains("the labels are numbers, and are compared as if they had no order; --scale ordinal where it counts")
    };
    assert!(warns(&["scores.csv"]) && warns(&["scores.csv", "--categories", "1,2,3,4"]));
    for asked in [&["scores.csv", "--scale", "ordinal"][..], &["scores.csv", "--scale", "nominal"]] {
        assert!(!warns(asked), "{asked:?}");
    }
    // Infinity is no number of a scale.
    desk.file("infinite.csv", "item,annotator,value\na,x,100\na,y,1\nb,x,2\nb,y,inf\n");
    let (_, told) = desk.fails(&["agree", "infinite.csv", "--scale", "interval"]);
    assert!(told.contains("the order of the labels is not known"), "{told}");
    // Words say nothing of an order, and two labels have none.
    assert!(!warns(&["words.csv"]) && !warns(&["two.csv"]));
}

#[test]
fn judgments_that_have_no_agreement_are_not_called_missing() {
    let desk = Desk::new();
    desk.out(&["demo", "--copy", "study.db"]);
    for (protocol, takes) in
        [("match", "any number of units"), ("decomposition", "what people write or select")]
    {
        let (status, told) = desk.fails(&["agree", "study.db", "--protocol", protocol]);
        assert_eq!(status, 1, "{told}");
        assert!(told.contains("agreement on ") && told.contains(takes) && !told.contains("nobody"), "{told}");
    }
}
