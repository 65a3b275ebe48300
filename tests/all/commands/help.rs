//! Help that can be followed: examples that run, topics, and near names.

use std::process::Command;

use haymark::cli::command;

use crate::harness::{Desk, PROGRAM, SAMPLES};

/// Commands that open a screen; tests draw it instead.
const SCREENS: &[&str] = &["annotate", "browse", "adjudicate", "session study.db", "demo"];

/// The demo's study, and the files that examples name.
fn desk() -> Desk {
    let desk = Desk::new();
    desk.samples("study.db", &SAMPLES);
    desk.out(&["export", "study.db", "-o", "study.jsonl"]);
    desk.out(&["split", "study.db", "--for", "bora"]);
    desk.file(
        "right.jsonl",
        r#"{"type":"query","collection":"exam","id":"stress","text":"What of stress?"}"#,
    );
    desk.file("ratings.csv", "item,annotator,value\na,x,yes\na,y,yes\nb,x,no\nb,y,yes\nc,x,no\nc,y,no\n");
    desk
}

#[test]
fn every_command_ends_its_help_with_examples_that_run() {
    for of_command in command().get_subcommands() {
        let name = of_command.get_name().to_owned();
        // Its examples name a server; `hub::commands` runs the like.
        if name == "hub" {
            continue;
        }
        let help = of_command.clone().render_long_help().to_string();
        let (_, examples) = help.split_once("Examples:").unwrap_or_else(|| panic!("{name} has no examples"));
        let desk = desk();
        let lines = examples.lines().filter_map(|line| line.strip_prefix("  haymark "));
        let mut count = 0;
        for line in lines {
            count += 1;
            let drawn = SCREENS.iter().any(|screen| line.starts_with(screen)) && !line.contains("--svg");
            let program = std::path::Path::new(PROGRAM).parent().expect("a folder").display();
            let typed =
                format!("PATH={program}:$PATH; haymark {line}{}", if drawn { " --svg -" } else { "" });
            let mut shell = Command::new("sh");
            shell.args(["-c", &typed]).current_dir(desk.folder()).env_clear().envs(desk.environment());
            let output = shell.output().expect("a shell");
            assert!(output.status.success(), "{typed}: {}", String::from_utf8_lossy(&output.stderr));
        }
        assert!((2..=3).contains(&count), "{name} has {count} examples");
    }
}

#[test]
fn topics_and_commands_are_explained_and_near_words_suggested() {
    let desk = Desk::new();
    for (topic, holds) in [
        ("filters", ["coverage@alice:none", "Share of the pairs of annotators"]),
        ("filters", ["：＝＜＞ of an input method", "in quotation marks"]),
        ("formats", ["\"type\":\"judgment\"", "summhay-topic"]),
        ("protocols", ["haymark protocol new", "faithfulness"]),
        ("statistics", ["an item counts once", "krippendorff_alpha_ordinal"]),
    ] {
        let told = desk.out(&["help", topic]);
        assert!(holds.iter().all(|part| told.contains(part)), "{told}");
        assert!(told.lines().all(|line| line.chars().count() <= 140), "{told}");
    }
    assert!(desk.out(&["help", "session", "replay"]).contains("--speed"));
    assert!(desk.out(&["help"]).contains("haymark demo"));
    assert!(desk.fails(&["help", "filtres"]).1.contains("did you mean filters?"));
    desk.samples("study.db", &["haystack", "haystack_judgments"]);
    assert!(desk.fails(&["score", "study.db", "--protocol", "covrage"]).1.contains("did you mean coverage?"));
    assert!(
        desk.fails(&["agree", "study.db", "--annotators", "alcie,bora"]).1.contains("did you mean alice?")
    );
}
