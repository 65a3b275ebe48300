//! Texts that would steer the terminal are shown, not obeyed: on every screen and in every printed table.

use serde_json::{Value, json};

use crate::harness::{Desk, Session};

/// Commands to terminals: the clipboard, the title, colours, hidden text, erasing, a question, another screen, a
/// device string, the one-character form of a command, going back in the line, a bell, text from right to left.
const HOSTILE: &str = "\u{1b}]52;c;aGk=\u{7}\u{1b}]0;owned\u{1b}\\\u{1b}[31m\u{1b}[8m\u{1b}[2J\u{1b}[6n\u{1b}[?1049l\
                       \u{1b}Pq\u{1b}\\\u{9b}5m\r\u{8}\u{7f}\u{c}\u{202e}";

/// How the beginning of [`HOSTILE`] is drawn.
const DRAWN: &str = "␛]52;c;aGk=␇␛]0;owned␛\\␛[31m␛[8m";

/// `text` with hostile characters behind it.
fn hostile(text: &str) -> String {
    format!("{text}{HOSTILE}")
}

/// A study in which every text, name and id ends like this: something to judge under both protocols, and two annotators.
pub fn records(tail: &str) -> Vec<Value> {
    let hostile = |text: &str| format!("{text}{tail}");
    let collection = hostile("c");
    let mut records = vec![
        json!({"type": "collection", "id": collection, "title": hostile("Title"), "domain": hostile("domain")}),
        json!({"type": "document", "collection": collection, "id": hostile("d"), "number": 1,
            "title": hostile("Paper"), "text": hostile("Beginning ") + &hostile("\n\nmiddle ") + "\0\nend needle"}),
        json!({"type": "query", "collection": collection, "id": hostile("q"), "text": hostile("Why? "),
            "category": hostile("category"), "domain": hostile("domain")}),
    ];
    for kind in ["insight", "keypoint"] {
        records.push(
            json!({"type": "unit", "collection": collection, "query": hostile("q"), "id": hostile(kind),
            "kind": kind, "title": hostile("title"), "text": hostile("Because "), "documents": [hostile("d")],
            "evidence": [{"document": hostile("d"), "quote": hostile("Beginning ")}]}),
        );
    }
    records.push(
        json!({"type": "candidate", "collection": collection, "query": hostile("q"), "id": hostile("s"),
        "summarizer": hostile("model"), "retriever": hostile("retriever"), "order": hostile("order"),
        "text": hostile("- First [1] ") + "\n- Second."}),
    );
    for (name, answer) in [("ann", "none"), ("bob", "partial")] {
        records.push(json!({"type": "annotator", "id": hostile(name), "kind": "human"}));
        let bullet = if answer == "none" {
            json!({"coverage": answer})
        } else {
            json!({"coverage": answer, "bullet": 1})
        };
        records.push(json!({"type": "judgment", "protocol": "coverage", "annotator": hostile(name),
            "collection": collection, "query": hostile("q"), "unit": hostile("insight"), "candidate": hostile("s"),
            "answers": bullet, "comment": hostile("comment ")}));
        records.push(json!({"type": "judgment", "protocol": "keypoint", "annotator": hostile(name),
            "collection": collection, "query": hostile("q"), "document": hostile("d"), "unit": hostile("keypoint"),
            "answers": {"grounded": "yes", "validity": "agree"}}));
    }
    records
}

/// Imports the study; returns its path and what the import said.
fn import(home: &Desk) -> (String, String) {
    let lines: Vec<String> = records(HOSTILE).iter().map(Value::to_string).collect();
    let file = home.path("hostile.jsonl");
    std::fs::write(&file, lines.join("\n")).unwrap();
    let study = home.path("hostile.db").to_str().unwrap().to_owned();
    let said = home.out(&["import", &study, file.to_str().unwrap()]);
    (study, said)
}

/// Printed text holds no character that steers a terminal, other than the ends of lines.
pub fn check_printed(text: &str, what: &str) {
    for line in text.lines() {
        let steers = |sign: &char| sign.is_control() || ('\u{202a}'..='\u{202e}').contains(sign);
        assert_eq!(line.chars().find(steers), None, "{what}: {line:?}");
    }
    assert!(!text.contains('\r'), "{what}");
}

/// What a session wrote holds haymark's own sequences and nothing else that steers a terminal.
pub fn check_session(session: &Session) {
    let heard = session.terminal().heard();
    assert_eq!(heard.strange, [] as [&str; 0]);
    let output = String::from_utf8(session.output().to_vec()).unwrap();
    let (screens, after) = output.split_once("\x1b[?1049l").unwrap();
    check_printed(&after.replace("\r\n", "\n"), "after the screen");
    let mut sequences = screens.split('\x1b');
    check_printed(sequences.next().unwrap(), "at first");
    for sequence in sequences {
        check_printed(sequence, "a screen");
        let command = sequence.strip_prefix('[').unwrap_or_else(|| panic!("{sequence:?}"));
        let end = command.find(|sign: char| sign.is_ascii_alphabetic()).unwrap();
        let (parameters, rest) = command.split_at(end);
        // NO_COLOR is on: every colour, blinking and hiding would be the text's.
        let is_own_pen = parameters
            .split(';')
            .all(|pen| matches!(pen, "" | "0" | "1" | "2" | "3" | "4" | "7" | "22" | "23" | "24" | "27"));
        assert!(!rest.starts_with('m') || is_own_pen, "{sequence:?}");
    }
}

/// Shows everything that the screen has to show: panes, document, list, search, comment, zoom.
fn look_around(session: &mut Session) {
    session.wait_for(" 1 of 1 ─ ◆");
    for text in ["Why? ", "Because "] {
        assert!(session.shows(&format!("{text}{DRAWN}")), "{:#?}", session.rows());
    }
    session.type_keys("/needle\r").wait_for("hit 1 of ");
    session.type_keys("\x1b").wait_while("hit ");
    for keys in ["\t", "z", "j", "\x1b[F", "z", "]", "[", "\x1b[Z"] {
        session.type_keys(keys).catch_up();
    }
    session.type_keys("g").wait_for("1 of 1 item ");
    session.type_keys("\r").wait_while("Go to");
    session.type_keys("c").wait_for("─ Comment ─");
    session.type_keys("more").wait_for("more");
    session.type_keys("\r").wait_for("─ already judged · “");
}

#[test]
fn hostile_texts_are_drawn_on_every_screen() {
    let home = Desk::new();
    let (study, said) = import(&home);
    check_printed(&said, "import");
    for protocol in ["coverage", "keypoint"] {
        for size in [(80, 24), (200, 60)] {
            let name = hostile("ann");
            let arguments = ["annotate", &study, "--as", &name, "--protocol", protocol, "--show-systems"];
            let mut session = home.start_in(size, &arguments, &[("NO_COLOR", "1")]);
            look_around(&mut session);
            session.quit();
            check_session(&session);
        }
    }
}

#[test]
fn hostile_names_are_drawn_in_printed_tables() {
    let home = Desk::new();
    let (study, _) = import(&home);
    for arguments in [
        vec!["score", &study],
        vec!["score", &study, "--by", "system,annotator"],
        vec!["score", &study, "--by", "retriever,summarizer,order"],
        vec!["score", &study, "--by", "domain,category,query,collection"],
        vec!["score", &study, "--by", "summary", "--average", "summary"],
        vec!["agree", &study],
        vec!["agree", &study, "--question", "coverage"],
    ] {
        let output = home.run(&arguments);
        assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        check_printed(&String::from_utf8(output.stderr).unwrap(), "complaint");
        let table = String::from_utf8(output.stdout).unwrap();
        check_printed(&table, &arguments.join(" "));
    }
    let table = home.out(&["agree", &study, "--protocol", "coverage"]);
    assert!(table.contains("ann␛]52;c;aGk=␇"), "{table}");
}

#[test]
fn nothing_printed_in_a_terminal_steers_it_and_in_a_file_nothing_is_changed() {
    let home = Desk::new();
    let (study, _) = import(&home);
    let protocol = home.path("mine.toml");
    std::fs::write(&protocol, home.out(&["protocol", "new"])).unwrap();
    let guideline = home.path("guideline.md");
    std::fs::write(&guideline, hostile("# Guideline\r\n\n")).unwrap();
    let [protocol, guideline] = [&protocol, &guideline].map(|path| path.to_str().unwrap());
    home.out(&["protocol", "add", &study, protocol, "--guideline", guideline]);
    for arguments in [
        &["protocol", "show", "mine", &study, "--guideline"][..],
        &["export", &study],
        &["export", &study, "-o", "/dev/tty"],
        &["export", &study, "--what", "judgments", "--names", "--with-text", "--format", "csv", "--raw"],
        &["export", &study, "--what", "candidates", "--with-text", "--card", "-"],
        &["export", &study, "--what", "view", "--table", "candidates", "--format", "csv"],
        &["export", &study, "--what", "view", "--table", "candidates", "--format", "markdown"],
        &["score", &study, "--by", "system,annotator", "--format", "json"],
        &["score", &study, "--by", "system,annotator", "--format", "csv"],
        &["agree", &study, "--full", "--format", "latex"],
        &["split", &study, "--for", &hostile("ann"), "--to", "part.db"],
        &["status", &study, "--full"],
    ] {
        let mut session = home.start_in((200, 60), arguments, &[]);
        let printed = String::from_utf8(session.expect_success().to_vec()).unwrap();
        check_printed(&printed.replace("\r\n", "\n").replace('\t', " "), &arguments.join(" "));
        assert_eq!(session.terminal().heard().strange, [] as [&str; 0], "{arguments:?}");
        assert!(printed.contains('␛') || printed.contains("\\u001b"), "{arguments:?}: {printed}");
    }
    let shown = home.run(&["protocol", "show", "mine", &study, "--guideline"]);
    assert_eq!(shown.stdout, std::fs::read(guideline).unwrap(), "byte by byte where nobody looks");
}

/// A complaint is one line that steers nothing.
fn check_complaint(complaint: Vec<u8>, what: &str) {
    let complaint = String::from_utf8(complaint).unwrap();
    check_printed(&complaint, what);
    assert_eq!(complaint.lines().count(), 1, "{complaint}");
}

#[test]
fn hostile_names_are_drawn_in_complaints() {
    let home = Desk::new();
    let (study, _) = import(&home);
    let file = home.path(&hostile("bad"));
    let bad = [
        json!({"type": "document", "collection": hostile("nowhere"), "id": "d", "number": 1, "text": ""}),
        json!({"type": hostile("type"), "id": "c"}),
        json!({"type": "collection", "id": "c", hostile("field"): 1}),
        json!({"type": "judgment", "protocol": hostile("p"), "annotator": "a"}),
    ];
    for record in bad {
        std::fs::write(&file, record.to_string()).unwrap();
        let output = home.run(&["import", &study, file.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(1), "{record}");
        check_complaint(output.stderr, &record.to_string());
    }
    let name = hostile("nobody");
    for arguments in [
        vec!["score", &study, "--annotators", &name],
        vec!["score", &study, "--protocol", &name],
        vec!["score", &study, "--by", &name],
        vec!["agree", &study, "--question", &name],
        vec!["export", &name],
        vec!["annotate", &study, "--as", "zoe", "--protocol", &name],
    ] {
        let output = home.run(&arguments);
        assert!(!output.status.success(), "{arguments:?}");
        check_complaint(output.stderr, &arguments.join(" "));
    }
}

#[test]
fn what_is_typed_is_drawn_in_complaints_of_the_command_line() {
    let home = Desk::new();
    let (study, _) = import(&home);
    let bad = format!("x{HOSTILE}\nerror: forged");
    let long = format!("--{bad}");
    let assigned = format!("--limit={bad}");
    for arguments in [
        &[bad.as_str()][..],
        &[long.as_str()],
        &["score", &study, &bad],
        &["score", &study, &study, &bad],
        &["score", &study, &long],
        &["score", &study, "--format", &bad],
        &["score", &study, "--resamples", &bad],
        &["score", &study, "--interval", &bad],
        &["score", &study, "--by", &bad],
        &["score", &bad],
        &["agree", &study, "--cluster", &bad],
        &["agree", &study, "--filter", &bad],
        &["assign", &study, "--to", "ann", "--overlap", &bad],
        &["session", &study, "--as", "ann", &assigned],
        &["plot", &study, "--width", &bad],
        &["plot", &study, &bad],
        &["protocol", &bad],
        &["help", &bad],
        &["completions", &bad],
        &["hub", "join", &bad, "-o", "mine.db"],
        &["annotate", &study, "--as", "zoe", "--size", &bad],
        &["export", &study, "--what", &bad],
    ] {
        let output = home.run(arguments);
        assert!(!output.status.success(), "{arguments:?}");
        let told = String::from_utf8(output.stderr).unwrap();
        check_printed(&told, &arguments.join(" "));
        assert!(!told.lines().any(|line| line.starts_with("error: forged")), "{arguments:?}: {told}");
        let mut session = home.start_in((200, 60), arguments, &[]);
        session.wait_for_exit();
        assert_eq!(session.terminal().heard().strange, [] as [&str; 0], "{arguments:?}");
    }
}

/// A page of Markdown, which others turn into HTML, or a browser takes for it: names in it are no markup and steer nothing.
#[test]
fn hostile_names_are_text_in_a_datasheet_and_in_figures() {
    let home = Desk::new();
    let tail = format!("{HOSTILE}<script>alert(1)</script> & [a](b) `c` *d*\nend");
    home.import("hostile.jsonl", &records(&tail));
    home.out(&["export", "study.db", "--what", "dataset", "-o", "published", "--names", "--with-text"]);
    home.out(&["export", "study.db", "--what", "judgments", "--names", "--card", "card.md", "-o", "j.jsonl"]);
    for card in ["published/README.md", "card.md"] {
        let card = String::from_utf8(home.bytes(card)).unwrap();
        check_printed(&card, "a datasheet");
        assert!(!card.contains("<script"), "{card}");
        let body = card.rsplit("\n---\n").next().unwrap();
        assert!(!body.contains(" [a](b)") && !body.contains(" `c`"), "{body}");
        assert!(body.contains("ann␛\\]52;c;aGk=␇") && body.contains("&lt;script&gt;"), "{body}");
        assert!(card.contains("alert(1)&lt;/script&gt; &amp; \\[a\\](b) \\`c\\` \\*d\\*␊end"), "{card}");
    }
    home.out(&["plot", "study.db", "--figures", "figures"]);
    let drawn = home.files().into_keys().filter(|name| name.starts_with("figures")).count();
    assert!(drawn > 8, "{drawn} files");
}
