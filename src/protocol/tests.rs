//! Mistakes in protocol files: each is named with its line and its rule.

use super::{Answer, Answers, Protocol, check};

const GOOD: &str = include_str!("../../assets/protocols/coverage.toml");

fn found(text: &str) -> Vec<String> {
    check(text, &|key| (key == 's').then_some("skip")).iter().map(ToString::to_string).collect()
}

/// The file with one change has exactly these findings, and is refused with the first.
fn finds(from: &str, to: &str, expected: &[&str]) {
    assert!(GOOD.contains(from), "{from:?} stands in the file");
    let text = GOOD.replacen(from, to, 1);
    assert_eq!(found(&text), expected);
    if let Some(first) = expected.first().filter(|first| !first.contains("is needed for")) {
        let error = Protocol::parse(&text, "").expect_err(first).to_string();
        assert_eq!(error, *first);
    }
}

#[test]
fn a_good_file_has_no_findings() {
    finds("# Is", "# Is", &[]);
    finds("title = \"Coverage of insights\"", "title = '覆盖'", &[]);
}

#[test]
fn unknown_and_missing_keys() {
    finds(
        "title =",
        "titel =",
        &["line 3: the key \"titel\" of the protocol is not known; did you mean \"title\"?"],
    );
    finds("title = \"Coverage of insights\"\n", "", &["line 1: \"title\" of the protocol is missing"]);
    finds(
        "prompt = \"By bullet\"\n",
        "colour = 3\n",
        &[
            "line 26: \"prompt\" of question \"bullet\" is missing",
            "line 28: the key \"colour\" of question \"bullet\" is not known; \
             known are key, prompt, kind, scale, ends, required, ask_when, choices, instead, tags, severity, several, hotkey, starts_with, reveals, units, among, passages, in",
        ],
    );
    finds(
        "{ value = \"full\", label",
        "{ value = \"full\", lable",
        &[
            "line 23: the key \"lable\" of choice 3 of question \"coverage\" is not known; did you mean \"label\"?",
        ],
    );
    finds(
        "right = [\"unit\",",
        "right = [\"unitt\",",
        &["line 13: \"unitt\" is not known in \"right\" of the layout; did you mean \"unit\"?"],
    );
    finds(
        "version = 1",
        "version = 0",
        &["line 4: \"version\" of the protocol must be a whole number from 1"],
    );
    finds(
        "score = 50",
        "score = nan",
        &[
            "line 22: \"score\" of choice 2 of question \"coverage\" must be a finite number",
            "line 22: question \"coverage\": \"partial\" needs a score, because the scale is ordinal",
        ],
    );
}

#[test]
fn syntax() {
    let broken = GOOD.replacen("title = \"Coverage of insights\"", "title = \"Coverage", 1);
    let broken = broken.replacen("version = 1", "version = = 1", 1);
    let found = found(&broken);
    assert!(found.len() >= 2, "{found:?}");
    assert!(found[0].starts_with("line 3: ") && found[1].starts_with("line 4: "), "{found:?}");
    finds("units = [", "title = \"again\"\nunits = [", &["line 7: duplicate key"]);
}

#[test]
fn two_questions_share_a_key_also_for_other_labels() {
    let second = "[[question]]\nkey = \"again\"\nprompt = \"Again?\"\nkind = \"choice\"\nscale = \"nominal\"\nchoices = [\n  \
                  { value = \"a\", label = \"none\", key = \"x\" },\n  { value = \"b\", label = \"half\", key = \"p\" },\n]\n";
    let file = format!("{GOOD}\n{second}");
    let hints = |file: &str| Protocol::parse(file, "").expect("a protocol").key_hints();
    let alike = file.replace("label = \"half\"", "label = \"partial\"");
    assert!(hints(&alike).is_empty(), "{:?}", hints(&alike));
    assert_eq!(hints(&file).len(), 1, "{:?}", hints(&file));
}

#[test]
fn hotkeys() {
    finds(
        "key = \"p\"",
        "key = \"x\"",
        &["line 22: question \"coverage\": the key \"x\" answers twice, the first time in line 21; \
           give one of them another key"],
    );
    finds(
        "key = \"p\"",
        "key = \"P\"",
        &["line 22: question \"coverage\": the key \"P\" must be one letter from a to z, or a digit"],
    );
    finds(
        "key = \"p\"",
        "key = \"\"",
        &["line 22: question \"coverage\": the key \"\" must be one letter from a to z, or a digit"],
    );
    finds("key = \"p\"", "key = \"2\"", &[]);
    finds(
        "key = \"p\"",
        "key = \"s\"",
        &["line 22: question \"coverage\": the key \"s\" is needed for \"skip\"; \
           take another letter; `haymark keys` lists those that are taken"],
    );
}

#[test]
fn conditions() {
    finds(
        "question = \"coverage\"",
        "question = \"cover\"",
        &["line 30: question \"bullet\": \"ask_when\" looks at \"cover\", which is no question"],
    );
    finds(
        "question = \"coverage\"",
        "question = \"bullet\"",
        &["line 30: question \"bullet\": \"ask_when\" looks at \"bullet\", which is not asked before it"],
    );
    finds(
        "is = [\"partial\"",
        "is = [\"half\"",
        &["line 30: question \"bullet\": \"ask_when\" names \"half\", which is no choice of \"coverage\""],
    );
    finds(
        "is = [\"partial\", \"full\"]",
        "is = []",
        &["line 30: question \"bullet\" is never asked, because \"is\" names no answer"],
    );
}

#[test]
fn questions_and_scales() {
    finds(
        "key = \"bullet\"",
        "key = \"coverage\"",
        &["line 27: the question key \"coverage\" stands twice; the other question begins in line 15"],
    );
    finds(
        ", key = \"p\", score = 50",
        ", key = \"p\"",
        &["line 22: question \"coverage\": \"partial\" needs a score, because the scale is ordinal"],
    );
    finds(
        "score = 50",
        "score = 500",
        &["line 23: question \"coverage\": the score 100 is out of order; \
           list the choices of an ordinal scale from the lowest to the highest"],
    );
    finds(
        "value = \"full\"",
        "value = \"none\"",
        &[
            "line 23: question \"coverage\": the choice \"none\" stands twice",
            "line 30: question \"bullet\": \"ask_when\" names \"full\", which is no choice of \"coverage\"",
        ],
    );
    finds(
        "kind = \"bullet\"",
        "kind = \"bullet\"\nscale = \"nominal\"",
        &["line 30: question \"bullet\": a question of the kind \"bullet\" has no \"scale\""],
    );
}

#[test]
fn target_group_and_panes() {
    finds(
        "group = \"candidate\"",
        "group = \"document\"",
        &[
            "line 8: \"group\" is \"document\", which is no part of \"target\"; take a part of \"target\", or \"query\"",
        ],
    );
    finds(
        "target = [\"candidate\", \"unit\"]",
        "target = [\"unit\", \"unit\"]",
        &[
            "line 6: \"unit\" stands twice in \"target\"",
            "line 8: \"group\" is \"candidate\", which is no part of \"target\"; take a part of \"target\", or \"query\"",
            "line 13: the pane \"candidate\" has nothing to show, because \"target\" has no \"candidate\"",
            "line 29: question \"bullet\" asks for a bullet, but \"target\" has no \"candidate\"",
        ],
    );
    finds(
        "right = [\"unit\", \"candidate\"]",
        "right = [\"candidate\", \"candidate\"]",
        &[
            "line 6: \"target\" has \"unit\", but no pane of the layout shows it; add the pane \"unit\"",
            "line 13: the pane \"candidate\" stands twice in the layout",
        ],
    );
    finds(
        "target = [\"candidate\", \"unit\"]",
        "target = [\"candidate\"]",
        &[
            "line 7: \"units\" says something about units, but \"target\" has no \"unit\"",
            "line 13: the pane \"unit\" has nothing to show, because \"target\" has no \"unit\"",
        ],
    );
}

/// The built-in protocol with one change has exactly these findings.
fn finds_in(name: &str, from: &str, to: &str, expected: &[&str]) {
    let text = &super::builtin(name).expect("built in").file_text;
    assert!(text.contains(from), "{from:?} stands in the file");
    assert_eq!(found(&text.replacen(from, to, 1)), expected);
}

#[test]
fn fields_of_other_kinds_and_missing_ones() {
    finds_in(
        "refinement",
        "hotkey = \"e\"\n",
        "",
        &["line 24: question \"refined\": a question of the kind \"text\" needs a \"hotkey\""],
    );
    finds_in("refinement", "hotkey = \"e\"", "hotkey = \"r\"", &[]);
    finds_in(
        "refinement",
        "hotkey = \"e\"",
        "hotkey = \"s\"",
        &["line 28: question \"refined\": the key \"s\" is needed for \"skip\"; \
           take another letter; `haymark keys` lists those that are taken"],
    );
    finds_in(
        "refinement",
        "starts_with = \"query\"",
        "starts_with = \"unit\"\nreveals = \"answer\"\nseveral = true",
        &[
            "line 27: question \"refined\" reveals a field of a unit, but \"target\" has no \"unit\"",
            "line 29: question \"refined\" begins with a text that \"target\" does not have",
            "line 31: question \"refined\": a question of the kind \"text\" has no \"several\"",
        ],
    );
    finds_in(
        "match",
        "units = [\"keypoint\"]",
        "",
        &["line 16: question \"said_by\": \"units\" names no kind of units to choose from"],
    );
}

#[test]
fn panes_of_units_and_pairs_of_documents() {
    finds_in(
        "match",
        "right = [\"unit\", \"units\"]",
        "right = [\"unit\"]",
        &[
            "line 11: a question chooses from units, but no pane of the layout shows them; add the pane \"units\"",
        ],
    );
    finds_in(
        "extraction",
        "right = []",
        "right = [\"units\"]",
        &["line 12: the pane \"units\" has nothing to show, because no question chooses from units"],
    );
    finds_in(
        "attribution",
        "documents = \"cited\"",
        "documents = \"sampled\"",
        &["line 7: \"documents\" pairs documents, but \"target\" has no \"unit\""],
    );
    finds_in(
        "attribution",
        "documents = \"cited\"",
        "documents = \"sited\"",
        &["line 7: \"sited\" is not known in \"documents\" of the protocol; did you mean \"cited\"?"],
    );
}

#[test]
fn tags_and_rules() {
    let one = "tags = [{ value = \"a\", label = \"a\", key = \"a\" }]\nif_any = [\n";
    finds_in(
        "failure",
        "tags = [\n",
        one,
        &[
            "line 19: the key \"if_any\" of question \"failures\" is not known; \
         known are key, prompt, kind, scale, ends, required, ask_when, choices, instead, tags, severity, several, hotkey, starts_with, \
         reveals, units, among, passages, in",
            "line 32: question \"other\": \"ask_when\" names \"other\", which is no choice of \"failures\"",
        ],
    );
    let rule = |when: &str, then: &str| {
        format!(
            "{GOOD}\n[[rule]]\nwhen = {{ question = \"{when}\", is = [\"none\"] }}\n\
             then = {{ question = \"{then}\", is = [\"full\"] }}\nmessage = \"no\"\n"
        )
    };
    assert_eq!(found(&rule("coverage", "coverage")), [""; 0]);
    assert_eq!(
        found(&rule("cover", "bullet")),
        [
            "line 33: rule 1: \"when\" looks at \"cover\", which is no question",
            "line 34: rule 1: \"then\" names \"full\", which is no choice of \"bullet\"",
        ]
    );
}

#[test]
fn any_text_gets_an_answer() {
    for text in [
        "",
        "x",
        "[[question]]",
        "question = 3",
        "question = [3]",
        "\0",
        "[layout]\nabove = 1",
        "name = \"a b\"",
    ] {
        assert!(!found(text).is_empty(), "{text:?}");
        assert!(Protocol::parse(text, "").is_err(), "{text:?}");
    }
}

/// Counting every line from the beginning would take very long.
#[test]
fn a_long_file_is_checked_in_one_pass() {
    let text: String = (1..=20_000).map(|line| format!("k{line} = 1\n")).collect();
    let found = found(&text);
    // The eight keys that a protocol needs are missing, and every key that is there is not known.
    assert_eq!(found.len(), 20_008);
    let last = found.last().map(String::as_str).unwrap_or_default();
    assert!(last.starts_with("line 20000: the key \"k20000\" of the protocol is not known"), "{last}");
}

#[test]
fn a_scale_is_a_range_with_a_digit_a_step() {
    let scale = |lines: &str| {
        format!("{GOOD}\n[[question]]\nkey = \"clear\"\nprompt = \"Clear?\"\nkind = \"choice\"\n{lines}\n")
    };
    let file = scale("scale = \"0..10\"\nends = [\"garbled\", \"clear\"]");
    // The bullet takes digits too: where both could meet is said, and nothing is refused.
    assert_eq!(found(&file), Vec::<String>::new());
    let protocol = Protocol::parse(&file, "").expect("a protocol");
    assert_eq!(protocol.key_hints().len(), 2, "{:?}", protocol.key_hints());
    let question = protocol.question("clear").expect("asked");
    assert!(question.is_scale());
    let steps: Vec<(char, &str, Option<f64>)> =
        question.choices().iter().map(|step| (step.key, step.beside_key(), step.score)).collect();
    assert_eq!(steps.first(), Some(&('0', "garbled", Some(0.0))));
    assert_eq!(steps.get(3), Some(&('3', "", Some(3.0))));
    assert_eq!(steps.last(), Some(&('x', "10 clear", Some(10.0))));
    let read = |key: &str, value: serde_json::Value| protocol.answer_from_json(key, &value);
    for (value, step) in [(0.into(), "0"), (10.into(), "10"), ("5".into(), "5")] {
        assert_eq!(read("clear", value), Some(Answer::Text(step.into())), "a step may be a number in JSON");
    }
    assert_eq!(read("bullet", 2.into()), Some(Answer::Bullet(2)));
    assert_eq!(read("clear", 1.5.into()), None);
    for (lines, what) in [
        ("scale = \"5..1\"", "no range"),
        ("scale = \"0..11\"", "no range"),
        ("scale = \"1..5\"\nends = [\"one\"]", "two words"),
        ("scale = \"1..5\"\nchoices = []", "two choices or more"),
        ("scale = \"interval\"", "is not known"),
        ("scale = \"nominal\"\nends = [\"a\", \"b\"]", "two words"),
    ] {
        let found = found(&scale(lines));
        assert!(found.iter().any(|one| one.contains(what)), "{lines}: {found:?}");
    }
}

#[test]
fn ready_questions_are_included_and_one_stands_for_all_others() {
    let file = GOOD.replacen("group = ", "include = [\"confidence\", \"cannot_judge\"]\ngroup = ", 1);
    assert_eq!(found(&file), Vec::<String>::new());
    let protocol = Protocol::parse(&file, "").expect("a protocol");
    let keys: Vec<&str> = protocol.questions.iter().map(|question| question.key.as_str()).collect();
    assert_eq!(keys, ["coverage", "bullet", "confidence", "cannot_judge"]);
    let answers: Answers = [("cannot_judge".to_owned(), Answer::Text("in Dutch".to_owned()))].into();
    assert!(protocol.is_complete(&answers) && !protocol.counts(&answers), "done, and in no score");
    assert!(protocol.violations(&answers, 3).is_empty() && protocol.open_question(&answers).is_none());
    let wrong = found(&GOOD.replacen("group = ", "include = [\"mood\"]\ngroup = ", 1));
    assert!(wrong.len() == 1 && wrong[0].contains("known are confidence, cannot_judge"), "{wrong:?}");
}

/// A file about pairs with one change has exactly these findings.
#[test]
fn what_a_pair_needs() {
    let pairs = include_str!("../../assets/protocols/preference.toml");
    let finds = |from: &str, to: &str, expected: &[&str]| {
        assert!(pairs.contains(from), "{from:?} stands in the file");
        assert_eq!(found(&pairs.replacen(from, to, 1)), expected);
    };
    finds("pairs = \"all\"", "pairs = \"3 a query\"", &[]);
    finds("pairs = \"all\"\n", "", &[]);
    finds(
        "pairs = \"all\"",
        "pairs = \"0 a query\"",
        &[
            "line 7: \"pairs\" is \"0 a query\"; write \"all\", \"neighbours\", or how many, such as \"3 a query\"",
        ],
    );
    finds(
        "target = [\"pair\"]",
        "target = [\"pair\", \"candidate\"]",
        &[
            "line 6: \"target\" has \"candidate\" beside \"pair\"; a pair is of two candidates already: leave one of them out",
        ],
    );
    finds(
        "right = [\"other\", \"documents\"]",
        "right = [\"documents\"]",
        &["line 6: \"target\" has \"pair\", but no pane of the layout shows it; add the pane \"other\""],
    );
    let coverage = "target = [\"candidate\", \"unit\"]";
    let with_pairs = GOOD.replacen(coverage, &format!("{coverage}\npairs = \"all\""), 1);
    assert_eq!(
        found(&with_pairs),
        ["line 7: \"pairs\" says which candidates are compared, but \"target\" has no \"pair\""]
    );
}

#[test]
fn a_turned_pair_gives_the_keys_of_the_sides_to_the_other_candidates() {
    let protocol = super::builtin("preference").expect("built in");
    let keys = |is_turned: bool| -> Vec<(char, String)> {
        let shown = protocol.on_screen(is_turned);
        assert_eq!(
            (shown.questions.len(), shown.hash),
            (1, protocol.hash),
            "what the screen says is not asked"
        );
        shown.questions[0].choices().iter().map(|choice| (choice.key, choice.value.clone())).collect()
    };
    let named = |values: [&str; 3]| -> Vec<(char, String)> {
        ['1', '2', '3'].into_iter().zip(values.map(str::to_owned)).collect()
    };
    assert_eq!(keys(false), named(["candidate", "other", "tie"]));
    assert_eq!(keys(true), named(["other", "candidate", "tie"]));
    let called = |shown: &super::Protocol, value: &str| shown.questions[0].label_of(value).to_owned();
    assert_eq!(called(protocol, "other"), "other", "tables know no side");
    assert_eq!(called(&protocol.on_screen(false), "other"), "second");
    assert_eq!(called(&protocol.on_screen(true), "other"), "first");
    let mut answers: Answers = [("better", "candidate"), ("first", "other")]
        .map(|(key, value)| (key.to_owned(), Answer::Text(value.to_owned())))
        .into();
    assert_eq!(protocol.was_turned(&answers), Some(true));
    protocol.exchange_sides(&mut answers);
    assert_eq!(answers["better"], Answer::Text("other".to_owned()));
    assert_eq!(protocol.was_turned(&answers), Some(false));
    assert_eq!(protocol.was_turned(&Answers::new()), None);
}
