//! `haymark plot`: the list, a figure in the terminal, and the files for papers.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::harness::{Desk, about_summaries, shared};

/// The SVG and PDF files in a folder of a desk.
fn drawn(desk: &Desk, folder: &str) -> BTreeMap<PathBuf, Vec<u8>> {
    let in_folder = |(name, _): &(PathBuf, Vec<u8>)| name.starts_with(folder);
    let own =
        |(name, bytes): (PathBuf, Vec<u8>)| (name.strip_prefix(folder).expect("inside").to_owned(), bytes);
    desk.files().into_iter().filter(in_folder).map(own).collect()
}

/// What a program says of a file in a folder, where it is installed; it may complain of nothing.
fn told_of(program: &str, arguments: &[&str], folder: &Path) -> Option<String> {
    let Ok(told) = Command::new(program).args(arguments).current_dir(folder).output() else {
        println!("skipped: there is no {program}");
        return None;
    };
    let [out, complaints] =
        [&told.stdout, &told.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(told.status.success() && complaints.is_empty(), "{program} {arguments:?}: {out}{complaints}");
    Some(out)
}

/// Panics where a PDF's table of objects does not lead to its objects.
fn assert_is_pdf(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    assert!(bytes.starts_with(b"%PDF-1."), "a header");
    let find = |what: &[u8]| bytes.windows(what.len()).rposition(|window| window == what).expect("found");
    let start = String::from_utf8_lossy(&bytes[find(b"startxref")..]);
    let start: usize = start.lines().nth(1).and_then(|line| line.parse().ok()).expect("a place");
    let table = String::from_utf8_lossy(&bytes[start..]);
    let mut lines = table.lines();
    assert_eq!(lines.next(), Some("xref"));
    let count: usize = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).expect("a count");
    for number in 1..count {
        let line = lines.nth(if number == 1 { 1 } else { 0 }).expect("a line an object");
        let place: usize = line.get(..10).expect("ten digits").parse().expect("a place");
        assert!(bytes[place..].starts_with(format!("{number} 0 obj").as_bytes()), "object {number}");
    }
    assert!(
        text.contains("/FontFile") && text.contains("/ToUnicode"),
        "the font is in it, and its text can be read"
    );
}

#[test]
fn every_figure_is_listed_with_what_it_shows_or_why_not() {
    let desk = Desk::new();
    let study = desk.sample();
    let told = desk.out(&["plot", study]);
    assert!(told.lines().any(|line| line.starts_with("systems/coverage/joint ")), "{told}");
    for kind in haymark::figure::KINDS {
        assert!(told.lines().any(|line| line.starts_with(kind.name)), "{} is in {told}", kind.name);
    }
    desk.out(&["init", "empty.db"]);
    let told = desk.out(&["plot", "empty.db"]);
    for kind in haymark::figure::KINDS {
        assert!(told.lines().any(|line| line.starts_with(kind.name)), "{} is in {told}", kind.name);
    }
    let (status, told) = desk.fails(&["plot", "empty.db", "agreement"]);
    assert!(status == 1 && told.contains("agreement\" has nothing to show"), "{told}");
    let (status, told) = desk.fails(&["plot", study, "pie"]);
    assert!(status == 2 && told.contains("there is no figure \"pie\"; there are systems, "), "{told}");
    let (status, told) = desk.fails(&["plot", study, "systems/coverage/fluency"]);
    assert!(status == 2 && told.contains("systems/coverage/joint"), "{told}");
}

#[test]
fn a_figure_has_the_numbers_of_its_table() {
    let desk = Desk::new();
    let study = desk.sample();
    let told = desk.out(&["plot", study, "systems/coverage/coverage"]);
    let scores =
        desk.json(&["score", study, "--by", "system", "--protocol", "coverage", "--table", "scores"]);
    for row in scores["rows"].as_array().expect("rows") {
        let (system, value) = (row["system"].as_str().expect("a name"), &row["coverage"]);
        if let Some(value) = value.as_f64() {
            let line = told.lines().find(|line| line.starts_with(&format!("{system} "))).expect(system);
            assert!(line.contains(&format!("{value:.1}")), "{line} has {value}");
        }
    }
    // What agrees is told as in the first lines of `agree`.
    let told = desk.out(&["plot", study, "agreement"]);
    let found = desk.agreements(&["agree", study, "--protocol", "coverage"]);
    let alpha = found[0]["coefficients"].as_array().expect("rows").iter();
    let mut alpha = alpha.filter(|row| row["name"] == "krippendorff_alpha_ordinal");
    let alpha = alpha.next().and_then(|row| row["value"].as_f64()).expect("an alpha");
    assert!(told.contains(&format!("{alpha:.2}")), "{told} has {alpha}");
}

#[test]
fn files_are_well_formed_and_the_same_each_time() {
    let desk = Desk::new();
    let study = desk.sample();
    let told = desk.told(&["plot", study, "--figures", "one"]);
    assert!(told.starts_with("wrote ") && told.ends_with(" files to one\n"), "{told}");
    desk.out(&["plot", study, "--figures", "other/folder"]);
    let (one, other) = (drawn(&desk, "one"), drawn(&desk, "other/folder"));
    assert_eq!(one, other, "the same study gives the same bytes");
    assert!(one.len() >= 15, "{:?}", one.keys());
    for (name, bytes) in &one {
        match name.extension().and_then(|ending| ending.to_str()) {
            Some("svg") => {
                let text = std::str::from_utf8(bytes).expect("UTF-8");
                roxmltree::Document::parse(text).unwrap_or_else(|error| panic!("{name:?}: {error}"));
                let width = if name.to_string_lossy().contains("-84mm") { "84mm" } else { "174mm" };
                assert!(text.contains(&format!(" width=\"{width}\"")), "{name:?}");
                assert!(text.contains("role=\"img\"") && text.contains("<title") && text.contains("<desc"));
                assert!(
                    !text.contains("style") && !text.contains("class=") && !text.contains("<text"),
                    "{name:?}"
                );
            }
            Some("pdf") => assert_is_pdf(bytes),
            Some("csv") => assert!(!bytes.is_empty(), "{name:?}"),
            other => panic!("{name:?} ends with {other:?}"),
        }
    }
    let (status, told) = desk.fails(&["plot", study, "systems", "--figures", "one"]);
    assert!(status == 1 && told.contains("is there already") && told.contains("--force"), "{told}");
    desk.out(&["plot", study, "systems", "--figures", "one", "--force", "--width", "77"]);
    assert!(desk.path("one/systems-coverage-joint-77mm.pdf").exists());
}

/// A paper of two columns takes every file at the width of a column.
#[test]
fn latex_takes_the_files() {
    let is_there = Command::new("pdflatex").arg("--version").output().is_ok_and(|told| told.status.success());
    if !is_there {
        println!("skipped: there is no pdflatex");
        return;
    }
    let desk = Desk::new();
    desk.out(&["plot", desk.sample(), "--figures", "figures", "--width", "84"]);
    let files = drawn(&desk, "figures");
    let names = files.keys().filter(|name| name.extension().is_some_and(|ending| ending == "pdf"));
    let included: String =
        names.map(|name| format!("\\includegraphics{{figures/{}}}\n\n", name.display())).collect();
    desk.file(
        "paper.tex",
        format!(
            "\\documentclass[twocolumn]{{article}}\\usepackage{{graphicx}}\\begin{{document}}{included}\\end{{document}}"
        ),
    );
    let told = Command::new("pdflatex")
        .args(["-interaction=nonstopmode", "-halt-on-error", "paper.tex"])
        .current_dir(desk.folder())
        .output()
        .expect("pdflatex runs");
    let told = String::from_utf8_lossy(&told.stdout).into_owned();
    assert!(desk.path("paper.pdf").exists(), "{told}");
    assert!(!told.contains("warning"), "{told}");
}

#[test]
fn letters_that_the_font_lacks_are_named_and_another_font_has_them() {
    let desk = Desk::new();
    let names = ["haystack", "haystack_judgments"];
    desk.samples("study.db", &names);
    let text = fs::read_to_string(crate::harness::sample("haystack")).expect("the sample");
    let other = text.replace("\"small-a\"", "\"小模型\"");
    assert_ne!(text, other);
    desk.file("haystack.jsonl", other);
    desk.out(&["import", "chinese.db", "haystack.jsonl", &crate::harness::sample("haystack_judgments")]);
    let told = desk.out(&["plot", "chinese.db", "systems/coverage/joint"]);
    assert!(told.contains("小模型"), "{told}");
    let (status, told) = desk.fails(&["plot", "chinese.db", "systems", "--figures", "files"]);
    assert!(status == 1 && told.contains("lacks 型 小 模") || told.contains("lacks 小 型 模"), "{told}");
    assert!(told.contains("--font") && !desk.path("files").exists(), "{told}");
    let font = PathBuf::from("/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc");
    if !font.exists() {
        println!("skipped: there is no {}", font.display());
        return;
    }
    let font = font.to_string_lossy();
    desk.out(&["plot", "chinese.db", "systems", "--figures", "files", "--font", &font]);
    let named = |options: &[&str]| -> String {
        let arguments =
            ["plot", "chinese.db", "systems/coverage/joint", "--figures", "files", "--force", "--font"];
        desk.out(&[&arguments, options].concat());
        let file = desk.bytes("files/systems-coverage-joint-84mm.pdf");
        assert_is_pdf(&file);
        // The compact outlines alone: a whole OpenType file under this name is no font to a reader.
        let text = String::from_utf8_lossy(&file).into_owned();
        assert!(text.contains("/Subtype /CIDFontType0C") && !text.contains("OTTO"), "bare outlines");
        told_of("qpdf", &["--check", "systems-coverage-joint-84mm.pdf"], &desk.path("files"));
        for program in ["pdftotext", "pdffonts"] {
            told_of(
                program,
                &["systems-coverage-joint-84mm.pdf", "-"][..if program == "pdffonts" { 1 } else { 2 }],
                &desk.path("files"),
            )
            .into_iter()
            .for_each(|told| assert!(program == "pdffonts" || told.contains("小模型"), "{told}"));
        }
        text
    };
    // The gaps of the face inside are filled, in the language of the names; a place and a replacement are asked for.
    let filled = named(&[&font]);
    assert!(filled.contains("+OpenSans") && filled.contains("+NotoSansCJKsc-Regular"));
    let japanese = named(&[&format!("{font}#0")]);
    assert!(japanese.contains("+OpenSans") && japanese.contains("+NotoSansCJKjp-Regular"));
    let replaced = named(&[&font, "--only-font"]);
    assert!(!replaced.contains("OpenSans") && replaced.contains("+NotoSansCJKsc-Regular"));
    let (status, told) =
        desk.fails(&["plot", "chinese.db", "--figures", "more", "--font", &format!("{font}#77")]);
    assert!(
        status == 2 && told.contains("there is no face #77") && told.contains("#2 Noto Sans CJK SC"),
        "{told}"
    );
    let (status, told) = desk.fails(&["plot", "chinese.db", "--figures", "more", "--font", "study.db"]);
    assert!(status == 1 && told.contains("this is no font"), "{told}");
}

/// The published benchmark has 53 systems of nine summarizers: these are ranked, with letters, and the grid has all.
#[test]
fn the_published_benchmark_is_drawn_in_eighty_columns() {
    let Some(data) = shared("data/summhay/eval_benchmark_data.json") else { return };
    let desk = Desk::new();
    desk.out(&["import", "study.db", &data.to_string_lossy()]);
    let told = desk.out(&["plot", "study.db", "systems"]);
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
    let scores = desk.json(&["score", "study.db", "--by", "summarizer", "--table", "scores"]);
    let mut lines = 0;
    for row in scores["rows"].as_array().expect("rows") {
        let (name, value) =
            (row["summarizer"].as_str().expect("a name"), row["coverage"].as_f64().expect("a score"));
        let line = told.lines().find(|line| line.starts_with(&format!("{name} "))).expect(name);
        let mut words = line.split_whitespace().rev();
        let letters = words.next().expect("letters");
        assert!(letters.chars().all(|letter| letter.is_ascii_lowercase()), "{line}");
        assert!(line.contains(&format!("{value:.1}")) && line.contains('●'), "{line} has {value}");
        lines += 1;
    }
    assert_eq!(lines, 9);
    let ranked = ["score", "study.db", "--annotators", "each,human", "--by", "summarizer"];
    let found = desk.json(&[&ranked[..], &["--table", "differences_between_systems"]].concat());
    let open =
        found["rows"].as_array().expect("rows").iter().filter(|row| row["difference_low"].is_null()).count();
    let said = told.replace('\n', " ");
    assert!(open > 0 && said.contains(&format!("of {} pairs", 36 - open)), "{told}");
    assert!(said.contains("A letter says nothing of ") && said.matches(" and ").count() >= open, "{told}");
    let told = desk.out(&["plot", "study.db", "grid"]);
    assert!(told.lines().filter(|line| line.starts_with("claude3-") || line.starts_with("gpt")).count() >= 6);
    assert!(told.lines().all(|line| line.chars().count() <= 80), "{told}");
    // One judge a panel; nothing needs more than the page.
    desk.out(&["plot", "study.db", "--figures", "figures"]);
    assert!(desk.path("figures/bias-coverage-84mm.pdf").exists());
}

/// Systems on eight queries, each insight with one label everywhere: what differs by the same on every query is told apart, and
/// what has no query in common is not said to be alike.
#[test]
fn letters_say_only_what_is_tested() {
    let desk = Desk::new();
    let mut records = vec![
        json!({"type": "collection", "id": "c"}),
        json!({"type": "annotator", "id": "ana", "kind": "human"}),
    ];
    let scores: [(&str, &[&str], std::ops::Range<u32>); 5] = [
        ("C", &["full", "full"], 0..8),
        ("A", &["full", "partial"], 0..8),
        ("A2", &["partial", "full"], 0..8),
        ("B", &["partial", "none"], 0..8),
        ("elsewhere", &["full", "none"], 8..16),
    ];
    for query in 0..16 {
        records.push(json!({"type": "query", "collection": "c", "id": format!("q{query}"), "text": "?"}));
        for unit in ["u1", "u2"] {
            records.push(json!({"type": "unit", "collection": "c", "query": format!("q{query}"), "id": unit,
                                "kind": "insight", "text": unit}));
        }
    }
    for (system, labels, queries) in &scores {
        for query in queries.clone() {
            let (query, candidate) = (format!("q{query}"), format!("{system}-{query}"));
            records.push(json!({"type": "candidate", "collection": "c", "query": query, "id": candidate,
                                "summarizer": system, "text": "- it"}));
            for (unit, label) in ["u1", "u2"].iter().zip(*labels) {
                let answers = match *label {
                    "none" => json!({"coverage": "none"}),
                    label => json!({"coverage": label, "bullet": 1}),
                };
                records.push(json!({"type": "judgment", "protocol": "coverage", "annotator": "ana", "collection": "c",
                                    "query": query, "unit": unit, "candidate": candidate, "answers": answers}));
            }
        }
    }
    desk.import("constant.jsonl", &records);
    let letters = |filter: &str| -> (BTreeMap<String, String>, String) {
        let told = desk.out(&["plot", "study.db", "systems/coverage/coverage", "--filter", filter]);
        let of = |line: &str| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let (first, last) = (words.first()?, words.last()?);
            let is_row = line.contains('●') && scores.iter().any(|(system, ..)| system == first);
            is_row.then(|| ((*first).to_owned(), (*last).to_owned()))
        };
        (told.lines().filter_map(of).collect(), told.split_whitespace().collect::<Vec<_>>().join(" "))
    };
    let (found, told) = letters("-summarizer=elsewhere");
    let letter = |system: &str| found.get(system).map(String::as_str);
    assert_eq!(["C", "A", "A2", "B"].map(letter), [Some("a"), Some("b"), Some("b"), Some("c")], "{told}");
    assert!(
        told.contains("5 pairs differ by the same on every query") && told.contains("1 of 6 pairs"),
        "{told}"
    );
    let (found, told) = letters("query:q");
    assert!(
        found.values().all(|last| last.chars().any(|one| !one.is_ascii_lowercase())),
        "{found:?}: {told}"
    );
    assert!(told.contains("No letters: of 10 pairs 4 are not tested"), "{told}");
    // What a sample of the same size must show: nothing where nothing varies.
    let asked = ["score", "study.db", "--annotators", "each", "--full", "--filter", "-summarizer=elsewhere"];
    let tables = desk.json(&asked);
    let of_coverage = |table: &&Value| table["table"] == "power" && table["measure"] == "coverage";
    let power =
        tables.as_array().expect("tables").iter().find(of_coverage).expect("a table of power").clone();
    for row in power["rows"].as_array().expect("rows") {
        assert_eq!(row["queries_needed"], Value::Null, "{row}");
        let alike = row["difference"] == 0.0;
        assert_eq!(row["detectable_undefined"], "equal_differences", "{row}");
        assert!(alike || row["queries_needed_undefined"] == "equal_differences", "{row}");
    }
}

/// A and b beat c, and nobody finds one of them better than the other: 1.5 of 2 for each.
#[test]
fn systems_that_are_equally_good_are_all_named() {
    let desk = Desk::new();
    let mut records = vec![
        json!({"type":"collection","id":"c"}),
        json!({"type":"query","collection":"c","id":"q","text":"What?"}),
        json!({"type":"annotator","id":"ann","kind":"human"}),
    ];
    for system in ["a", "b", "c"] {
        records.push(json!({"type":"candidate","collection":"c","query":"q","id":system,"summarizer":system,"text":"- It is."}));
    }
    for (one, other, better) in [("a", "b", "tie"), ("a", "c", "candidate"), ("b", "c", "candidate")] {
        records.push(
            json!({"type":"judgment","protocol":"preference","annotator":"ann","collection":"c","query":"q",
            "candidate":one,"other":other,"answers":{"better":better,"first":"candidate"}}),
        );
    }
    desk.import("records.jsonl", &records);
    let told = desk.out(&["plot", "study.db", "systems", "--protocol", "preference"]);
    assert!(told.contains("a and b win most often: 75.0."), "{told}");
}

/// Coverage of one insight in the summaries of two models with two retrievers: ann finds it in a with x and in b with y, ben in a
/// with x and in a with y, cem in a with x alone.
#[test]
fn what_ties_is_named_in_full() {
    let desk = Desk::new();
    let mut records = vec![
        json!({"type":"collection","id":"c"}),
        json!({"type":"document","collection":"c","id":"d1","number":1,"text":"They rest."}),
        json!({"type":"query","collection":"c","id":"q","text":"What?"}),
        json!({"type":"unit","collection":"c","query":"q","id":"u","kind":"insight","text":"rest","documents":["d1"]}),
        json!({"type":"annotator","id":"ann","kind":"human"}),
        json!({"type":"annotator","id":"ben","kind":"human"}),
        json!({"type":"annotator","id":"cem","kind":"human"}),
    ];
    for (summarizer, retriever) in [("a", "x"), ("a", "y"), ("b", "x"), ("b", "y")] {
        let id = format!("{summarizer}-{retriever}");
        records.push(json!({"type":"candidate","collection":"c","query":"q","id":id,"summarizer":summarizer,"retriever":retriever,
            "text":"- They rest [1]"}));
        for (name, covered) in [("ann", ["a-x", "b-y"]), ("ben", ["a-x", "a-y"]), ("cem", ["a-x", ""])] {
            let answers = match covered.contains(&id.as_str()) {
                true => json!({"coverage":"full","bullet":1}),
                false => json!({"coverage":"none"}),
            };
            records.push(
                json!({"type":"judgment","protocol":"coverage","annotator":name,"collection":"c","query":"q",
                "unit":"u","candidate":id,"answers":answers}),
            );
        }
    }
    desk.import("records.jsonl", &records);
    let told = |more: &[&str]| desk.out(&[&["plot", "study.db"][..], more].concat());
    let grid = told(&["grid", "--annotators", "ann"]);
    assert!(grid.contains("a with x and b with y score best: 100.0."), "{grid}");
    // All people: x a 100, y a and y b 33.3, x b 0. The majority and cem find it in x a alone, so that x b shares the second rank.
    let ranks = told(&["ranks"]).replace('\n', " ");
    let moves = "x b, 4 by all people, 2 by majority; x b, 4 by all people, 2 by cem.";
    assert!(ranks.contains(&format!("These move farthest: {moves}")), "{ranks}");
    let tables = desk.json(&["score", "study.db", "--annotators", "each", "--full"]);
    let all = tables.as_array().expect("tables").iter();
    let mut differences = all.filter(|table| table["title"] == "joint: differences between systems");
    let rows = differences.next().expect("differences")["rows"].as_array().cloned().expect("rows");
    let tied =
        rows.iter().find(|row| row["judged_by"] == "all people" && row["difference"] == 0.0).expect("a tie");
    // The majority and cem have y a and y b alike too, ann and ben do not.
    assert_eq!((&tied["same_order"], &tied["compared"]), (&json!(2), &json!(4)), "{tied}");
    let alike = rows.iter().find(|row| row["judged_by"] == "ann" && row["difference"] == 0.0).expect("a tie");
    assert_eq!(alike["same_order"], 0, "{alike}");
}

#[test]
fn what_is_of_no_groups_takes_no_field() {
    let desk = Desk::new();
    desk.out(&["demo", "--copy", "study.db"]);
    let by = |name: &'static str, more: &[&'static str]| {
        [&["plot", "study.db", name, "--by", "retriever"][..], more].concat()
    };
    let (_, told) = desk.fails(&by("agreement", &[]));
    assert!(
        told.contains("the figure agreement is of no groups") && told.contains("draw systems, ranks"),
        "{told}"
    );
    // A pair is in no group by a field of one summary, so that by retrievers nothing is won.
    let (_, told) = desk.fails(&by("systems", &["--protocol", "preference"]));
    assert!(told.contains("gives no system a score of its own"), "{told}");
    assert!(desk.out(&by("systems", &["--protocol", "coverage"])).contains("joint by retriever"));
}

#[test]
fn preferences_are_drawn_as_win_rates_and_their_labels_as_no_shares() {
    let desk = Desk::new();
    desk.out(&["demo", "--copy", "demo.db"]);
    let told = desk.out(&["plot", "demo.db", "systems", "--protocol", "preference"]);
    assert!(told.contains("preference: win rate by system") && told.contains("oracle large-a"), "{told}");
    let (_, told) = desk.fails(&["plot", "demo.db", "shares", "--protocol", "preference"]);
    assert!(told.contains("\"shares\" has nothing to show"), "{told}");
    let gold =
        desk.out(&["export", "demo.db", "--what", "gold", "--protocol", "preference", "--format", "csv"]);
    assert!(gold.contains(",better,source,"), "{gold}");
}

/// m has all three orders, and n the two that differ as much: how much more n depends on the third nobody knows. Nobody gives
/// the tag.
#[test]
fn what_is_not_known_of_some_is_said_of_the_others() {
    let desk = Desk::new();
    let tags = "[[question]]\nkey = \"ok\"\nprompt = \"Ok?\"\nkind = \"choice\"\nscale = \"nominal\"\nchoices = [\n\
                { value = \"yes\", label = \"yes\", key = \"y\" },\n{ value = \"no\", label = \"no\", key = \"n\" },\n]\n\
                [[question]]\nkey = \"flaws\"\nprompt = \"Flaws\"\nkind = \"tags\"\nrequired = false\ntags = [\n\
                { value = \"made\", label = \"made up\", key = \"u\" },\n{ value = \"old\", label = \"old\", key = \"o\" },\n]\n";
    let mut records = vec![
        json!({"type":"collection","id":"c"}),
        json!({"type":"document","collection":"c","id":"d","number":1,"text":"It is."}),
        json!({"type":"query","collection":"c","id":"q","text":"?"}),
        json!({"type":"unit","collection":"c","query":"q","id":"u","kind":"insight","text":"it","documents":["d"]}),
        json!({"type":"protocol","name":"flaws","version":1,"text":about_summaries("flaws", 1, "query", tags),"guideline":"# Flaws\n"}),
        json!({"type":"annotator","id":"ann","kind":"human"}),
    ];
    for (system, order, covered) in [
        ("m", "top", "full"),
        ("m", "random", "none"),
        ("m", "bottom", "none"),
        ("n", "top", "none"),
        ("n", "random", "full"),
    ] {
        let id = format!("{system}-{order}");
        let text = "- It is [1].";
        records.push(json!({"type":"candidate","collection":"c","query":"q","id":id,"summarizer":system,"order":order,"text":text}));
        let mut answers = json!({"coverage":covered});
        if covered == "full" {
            answers["bullet"] = json!(1);
        }
        let about = |protocol: &str, unit: Value, answers: Value| {
            let mut record = json!({"type":"judgment","protocol":protocol,"annotator":"ann","collection":"c","query":"q",
                "candidate":id,"answers":answers});
            if !unit.is_null() {
                record["unit"] = unit;
            }
            record
        };
        records.push(about("coverage", json!("u"), answers));
        records.push(about("flaws", Value::Null, json!({"ok":"yes","flaws":[]})));
    }
    desk.import("study.jsonl", &records);
    let drawn = |name: &str| {
        let text = desk.out(&["plot", "study.db", name]);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let order = drawn("order");
    assert!(
        order.contains(
            "m depends most on where the relevant documents stand, of the systems with scores in all three orders: up to 100.0 from random order."
        ),
        "{order}"
    );
    let missed = drawn("missed");
    assert!(missed.contains("None of these was found.") && !missed.contains("Most often"), "{missed}");
}
