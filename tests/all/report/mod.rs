//! The page of a study: what is on it, what may never be on it, and what a browser makes of it.

#[cfg(unix)]
mod browser;
mod markup;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::{Desk, SAMPLES, sample};
use markup::Page;

impl Desk {
    /// The page of a study, with these options.
    fn page(&self, study: &str, options: &[&str]) -> Page {
        Page::read(&self.report(study, options))
    }

    fn report(&self, study: &str, options: &[&str]) -> String {
        let arguments = ["report", study, "-o", "page.html", "--force"];
        self.out(&[&arguments, options].concat());
        String::from_utf8(self.bytes("page.html")).expect("UTF-8")
    }

    /// A study with all of the sample data, and a comment and an adjudication in which a name stands.
    fn judged_study(&self) -> &'static str {
        self.samples("study.db", &SAMPLES);
        let about = json!({"collection":"exam","query":"stress","unit":"coffee","candidate":"stress-1"});
        let with = |more: Value| {
            let mut record = about.as_object().expect("an object").clone();
            record.extend(more.as_object().expect("an object").clone());
            Value::Object(record)
        };
        self.import(
            "names.jsonl",
            &[
                json!({"type":"annotator","id":"carla","kind":"human"}),
                with(json!({"type":"judgment","protocol":"coverage","annotator":"carla","answers":{"coverage":"none"},
                    "comment":"as bora said: too little"})),
                with(json!({"type":"adjudication","protocol":"coverage","annotator":"carla","took":"bora",
                    "answers":{"coverage":"full","bullet":6},"reason":"slip","note":"bora is right, alice is not"})),
            ],
        );
        "study.db"
    }
}

const PEOPLE: [&str; 5] = ["alice", "bora", "carla", "mira", "jonas"];

/// Texts that would be markup, script, a way out of an attribute, a turn of direction or a key to a terminal.
const HOSTILE: &str = "\"'><script>alert(1)</script></style></title><img src=x onerror=alert(2)>--><svg onload=alert(3)>&lt;b&gt; \
                       javascript:alert(4) \u{202e}turned\u{2066} \u{1b}[31m\u{7f} שלום ```";

/// A study in which every field that takes any text is hostile.
fn hostile(desk: &Desk) -> &'static str {
    let h = |what: &str| format!("{what} {HOSTILE}");
    let meta = json!({ h("key"): h("value"), "cost_per_summary": 0.5 });
    let protocol = format!(
        concat!(
            "name = \"tone\"\ntitle = {title}\nversion = 1\nsource = {source}\ntarget = [\"candidate\"]\ngroup = \"candidate\"\n",
            "[layout]\nabove = [\"query\"]\nleft = [\"documents\"]\nright = [\"candidate\"]\n",
            "[[question]]\nkey = \"tone\"\nprompt = {prompt}\nkind = \"choice\"\nscale = \"nominal\"\nchoices = [\n",
            "  {{ value = {a}, label = {a_label}, key = \"g\" }},\n  {{ value = \"b\", label = {b_label}, key = \"b\" }},\n]\n",
            "[[question]]\nkey = \"words\"\nprompt = {prompt}\nkind = \"text\"\nhotkey = \"w\"\nrequired = false\n",
        ),
        title = json!(plain("title")),
        source = json!(plain("source")),
        prompt = json!(plain("prompt")),
        a = json!(plain("value")),
        a_label = json!(plain("label")),
        b_label = json!(plain("other label")),
    );
    let mut records = vec![
        json!({"type":"protocol","name":"tone","version":1,"text":protocol,"guideline":format!("# {}\n\n{}\n\n- {}", h("heading"), h("text"), h("entry"))}),
        json!({"type":"collection","id":h("c"),"title":h("title"),"domain":h("domain"),"meta":meta}),
        json!({"type":"document","collection":h("c"),"id":h("d"),"number":1,"title":h("document"),"text":h("a passage of"),"meta":meta}),
        json!({"type":"query","collection":h("c"),"id":h("q"),"text":h("query"),"category":h("category"),"domain":h("domain"),"meta":meta}),
        json!({"type":"unit","collection":h("c"),"query":h("q"),"id":h("u"),"kind":"insight","title":h("unit"),"text":h("insight"),
            "documents":[h("d")],"evidence":[{"document":h("d"),"quote":"passage of"}],"meta":meta}),
    ];
    for candidate in ["one", "two"] {
        records.push(json!({"type":"candidate","collection":h("c"),"query":h("q"),"id":h(candidate),"summarizer":h(candidate),
            "retriever":h("retriever"),"order":h("order"),"text":format!("- {}\n- {} [1]", h("first"), h("second")),"meta":meta}));
    }
    for (annotator, kind) in [("ann", "human"), ("bob", "human"), ("judge", "model")] {
        records.push(json!({"type":"annotator","id":h(annotator),"kind":kind,"meta":meta}));
        for candidate in ["one", "two"] {
            let about = |protocol: &str, answers: Value| {
                json!({"type":"judgment","protocol":protocol,"collection":h("c"),"query":h("q"),"candidate":h(candidate),
                    "annotator":h(annotator),"answers":answers,"comment":h("comment"),"seconds":9.5,"at":"2026-01-05T09:30:00Z"})
            };
            let mut coverage = about("coverage", json!({"coverage":"full","bullet":2}));
            coverage["unit"] = json!(h("u"));
            records.push(coverage);
            records.push(about("failure", json!({"failures":["other"],"other":h("written")})));
            let tone = if annotator == "ann" { plain("value") } else { "b".to_owned() };
            records.push(about("tone", json!({"tone":tone,"words":h("in words")})));
        }
    }
    records.push(json!({"type":"adjudication","protocol":"tone","collection":h("c"),"query":h("q"),"candidate":h("one"),
        "annotator":h("ann"),"took":h("bob"),"answers":{"tone":"b"},"note":h("note")}));
    desk.import("hostile.jsonl", &records);
    "study.db"
}

/// A hostile text without signs that a protocol refuses.
fn plain(what: &str) -> String {
    let clean = HOSTILE.chars().filter(|sign| !sign.is_control() && !('\u{2000}'..'\u{2070}').contains(sign));
    format!("{what} {}", clean.collect::<String>())
}

#[test]
fn nothing_of_a_hostile_study_becomes_markup() {
    let desk = Desk::new();
    let study = hostile(&desk);
    desk.file("intro.md", format!("# {HOSTILE}\n\n{HOSTILE} [x](javascript:alert(5))\n\n- {HOSTILE}"));
    for options in [&["--with-items", "--names", "--intro", "intro.md"][..], &["--with-items"], &[]] {
        let page = desk.page(study, options);
        page.is_safe();
        assert!(!page.text.contains(['\u{202e}', '\u{2066}', '\u{1b}', '\u{7f}']), "nothing steers");
    }
    let page = desk.page(study, &["--with-items", "--names", "--intro", "intro.md"]);
    // All of it is there, as the text that it is.
    let shown = HOSTILE.replace(['\u{202e}', '\u{2066}'], "�").replace('\u{1b}', "␛").replace('\u{7f}', "␡");
    for what in [
        "query", "insight", "first", "second", "comment", "written", "in words", "document", "note", "ann",
        "judge", "one",
    ] {
        assert!(page.text.contains(&format!("{what} {shown}")), "{what} is shown");
    }
    for what in ["title", "source", "prompt", "label"] {
        assert!(page.text.contains(&plain(what)), "{what} is shown");
    }
}

#[test]
fn the_same_study_gives_the_same_bytes() {
    let desk = Desk::new();
    let study = desk.judged_study();
    let first = desk.report(study, &["--with-items"]);
    assert_eq!(desk.report(study, &["--with-items"]), first);
    let before = desk.bytes(study);
    desk.report(study, &[]);
    assert_eq!(desk.bytes(study), before, "the study stays as it was");
    assert_eq!(desk.fails(&["report", study, "-o", "page.html"]).0, 1, "the page is there already");
    assert_eq!(desk.fails(&["report", study, "-o", study, "--force"]).0, 1, "never over a study");
    assert_eq!(desk.bytes(study), before);
}

#[test]
fn parts_are_chosen() {
    let desk = Desk::new();
    let study = desk.judged_study();
    let sections = |options: &[&str]| -> Vec<String> { desk.page(study, options).ids_of("section") };
    let all = [
        "short",
        "study",
        "agreement",
        "scores",
        "judges",
        "sessions",
        "failures",
        "disagreements",
        "quality",
        "method",
        "data",
    ];
    assert_eq!(sections(&[]), all);
    assert_eq!(sections(&["--only", "scores,short"]), ["short", "scores"]);
    assert_eq!(sections(&["--only", "method", "--with-items"]), ["method", "cases"]);
    assert_eq!(desk.fails(&["report", study, "-o", "x.html", "--only", "weather"]).0, 2);
    assert_eq!(desk.fails(&["report", study, "-o", "x.html", "--filter", "joint<20"]).0, 2, "of no cases");
    assert_eq!(desk.fails(&["report", study, "-o", "x.html", "--with-items", "--filter", "joint<"]).0, 2);
    assert!(!desk.path("x.html").exists());
    // What a part speaks of is the same whether the others are there or not.
    let short = |options: &[&str]| desk.page(study, options).section("short");
    assert_eq!(short(&["--only", "short"]), short(&[]));
}

#[test]
fn nobody_is_named_unless_it_is_asked_for() {
    let desk = Desk::new();
    let study = desk.judged_study();
    let named =
        |html: &str| -> BTreeSet<&str> { PEOPLE.into_iter().filter(|name| html.contains(name)).collect() };
    let page = desk.report(study, &[]);
    assert_eq!(named(&page), BTreeSet::new());
    assert!(!page.contains(": too little") && !page.contains("is right, A1"), "what people wrote stays out");
    let page = desk.report(study, &["--with-items"]);
    assert_eq!(named(&page), BTreeSet::new(), "neither a name nor one in a comment");
    let page = Page::read(&page);
    for told in ["as A2 said: too little", "A2 is right, A1 is not", "human:A3", "as A2 said"] {
        assert!(page.text.contains(told), "{told}");
    }
    // In the data too, which is encoded.
    for csv in page.files() {
        assert_eq!(named(&csv), BTreeSet::new(), "{csv}");
    }
    assert_eq!(named(&desk.report(study, &["--with-items", "--names"])), BTreeSet::from(PEOPLE));
    // Texts are there with this switch alone.
    let text = "All three agree to close their books at 10 p.m.";
    assert!(page.text.contains(text) && !desk.report(study, &[]).contains(text));
}

#[test]
fn numbers_are_those_of_the_terminal() {
    let desk = Desk::new();
    let study = desk.judged_study();
    let page = desk.page(study, &["--names"]);
    let mut compared = 0;
    for command in ["score", "judges", "status"] {
        let markdown = desk.out(&[command, study, "--format", "markdown", "--names"]);
        for (title, rows) in markup::markdown_tables(&markdown) {
            // A figure's table may have the same title.
            let found = page.tables(&title);
            if found.is_empty() {
                continue;
            }
            assert!(found.contains(&rows), "{command}: {title}: {found:?} and not {rows:?}");
            compared += 1;
        }
    }
    assert!(compared > 40, "only {compared} tables are on the page");
    // Each is there as a file too, at full precision, and once wherever it stands on the page.
    let asked =
        ["score", study, "--protocol", "entailment", "--table", "key_point_recall", "--format", "csv"];
    let scores = desk.out(&asked);
    assert!(page.files().contains(&scores), "{scores}");
    let named = |file: &str| page.text.matches(file).count();
    assert_eq!(
        (named("agreement-coverage-coverage-labels.csv"), named("quality-coverage-coverage-labels.csv")),
        (1, 0)
    );
    assert_eq!(page.files().iter().filter(|file| **file == scores).count(), 1);
}

/// What there is, what was asked and who judged come first, results behind them, quality and pace last; under a heading each protocol.
#[test]
fn the_page_is_read_from_the_study_to_its_numbers() {
    let desk = Desk::new();
    let study = desk.judged_study();
    let report = desk.report(study, &[]);
    let page = Page::read(&report);
    let head = report.split("<nav").next().expect("a head");
    for told in
        ["Study study", "coverage 1", "entailment 1", "judged from 2026-01-05", "95 % intervals over queries"]
    {
        assert!(head.contains(told), "{told} is in {head}");
    }
    let order = ["What there is", "What was asked", "Who judged"];
    let places = order.map(|title| page.section("study").find(title).expect("a table"));
    assert!(places.is_sorted(), "{places:?}");
    assert!(
        !page.section("study").contains("Pace")
            && page.section("quality").contains("pace over the order of work")
    );
    for (part, protocols) in [("agreement", 5), ("scores", 5), ("quality", 5)] {
        let section = report.split(&format!("<section id=\"{part}\"")).nth(1).expect("a part");
        let section = section.split("</section>").next().expect("its end");
        let headings: Vec<&str> =
            section.split("<h3>").skip(1).filter_map(|rest| rest.split("</h3>").next()).collect();
        assert!(headings.len() >= protocols, "{part}: {headings:?}");
        assert_eq!(headings.iter().collect::<BTreeSet<_>>().len(), headings.len(), "{part}: {headings:?}");
        assert!(headings.contains(&"coverage"), "{part}: {headings:?}");
    }
    // Each figure can be linked to, and is laid out for a narrow page and for a wide one.
    let figures = page.ids_of("figure");
    assert!(figures.len() > 20, "{figures:?}");
    for figure in figures {
        assert!(report.contains(&format!("href=\"#{figure}\"")), "{figure}");
        assert!(
            report.contains(&format!("id=\"{figure}-84-t\""))
                && report.contains(&format!("id=\"{figure}-174-t\""))
        );
    }
}

/// A page may be read by whoever may read the study, as an export may.
#[cfg(unix)]
#[test]
fn a_page_is_kept_as_the_study_is() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::new();
    let study = desk.judged_study();
    let mode = |name: &str| std::fs::metadata(desk.path(name)).expect("there").permissions().mode() & 0o777;
    std::fs::set_permissions(desk.path(study), std::fs::Permissions::from_mode(0o600)).expect("set");
    desk.file("usual", "as the umask has it");
    desk.out(&["report", study, "-o", "numbers.html", "--only", "short"]);
    desk.out(&["export", study, "-o", "export.jsonl"]);
    assert_eq!((mode("numbers.html"), mode("export.jsonl")), (0o600 & mode("usual"), 0o600 & mode("usual")));
}

#[test]
fn a_title_and_a_paragraph_of_ones_own_stand_first() {
    let desk = Desk::new();
    let study = desk.judged_study();
    desk.file("intro.md", "# Our study\n\nWhat *we* did.\n");
    let page = desk.page(study, &["--only", "short", "--intro", "intro.md"]);
    assert!(page.text.starts_with("Our study"), "{}", page.text);
    assert!(page.text.contains("What we did.") && page.text.matches("Our study").count() == 2);
    assert_eq!(desk.fails(&["report", study, "-o", "x.html", "--intro", "absent.md"]).0, 1);
}

#[test]
fn a_study_with_nothing_says_so() {
    let desk = Desk::new();
    desk.out(&["init", "empty.db"]);
    let page = desk.page("empty.db", &[]);
    page.is_safe();
    assert!(page.section("short").contains("nobody has judged"), "{}", page.section("short"));
    assert!(
        page.section("short").contains(
            "Left out, because there is nothing to show: Agreement, Scores, Judges, Sessions, Failures, \
             Disagreements and how they were settled and Quality and pace."
        ),
        "{}",
        page.section("short")
    );
    assert_eq!(page.ids_of("section"), ["short", "study", "method", "data"]);
    // A part that is asked for says why it is empty.
    let asked = desk.page("empty.db", &["--only", "agreement"]);
    assert!(asked.section("agreement").contains("Nobody"), "{}", asked.section("agreement"));
    assert_eq!(desk.fails(&["report", "empty.db", "-o", "x.html", "--with-items"]).0, 1, "no case");
    desk.out(&["import", "corpus.db", &sample("haystack")]);
    desk.page("corpus.db", &["--with-items"]).is_safe();
}

/// Two people judge the only summaries of two systems as wholly faithful, and differ on whether they are comprehensive.
#[test]
fn what_is_in_short_reads_well_where_there_is_little() {
    let short = in_short(&["one", "two"], "no");
    for sentence in [
        "There are 2 summaries and responses, 2 systems, 1 query and 1 document; 2 people gave 4 judgments.",
        // The score by which figures and rankings order systems, though others stand before it in the table.
        "Of 2 systems best in “useful”: two, 100.0 %; worst: one, 50.0 %.",
        "Of 2 items judged by people, 1 is unanimous and 1 is not settled.",
        "Left out, because there is nothing to show: Judges, Sessions and Failures.",
    ] {
        assert!(short.contains(sentence), "{sentence}: {short}");
    }
    let short = in_short(&["one", "two"], "yes");
    assert!(short.contains("All 2 systems are alike in “useful”: 100.0 %"), "{short}");
    let short = in_short(&["one", "two", "three"], "no");
    let both = "Of 3 systems best in “useful”: three and two, 100.0 %; worst: one, 50.0 %.";
    assert!(short.contains(both), "{short}");
}

/// The short part where the second person finds the first system's summary comprehensive or not, and all others are.
fn in_short(systems: &[&str], second: &str) -> String {
    let desk = Desk::new();
    let mut records = vec![
        json!({"type":"collection","id":"news"}),
        json!({"type":"document","collection":"news","id":"d","number":1,"text":"The bridge closes."}),
        json!({"type":"query","collection":"news","id":"q","text":"What closes?"}),
    ];
    records.extend(systems.iter().map(|id| {
        json!({"type":"candidate","collection":"news","query":"q","id":id,"summarizer":id,"text":"- It closes [1]."})
    }));
    records.extend(["ann", "ben"].map(|id| json!({"type":"annotator","id":id,"kind":"human"})));
    let judged = |who: &str, id: &str, comprehensive: &str| {
        json!({"type":"judgment","protocol":"faithfulness","annotator":who,"collection":"news","query":"q","candidate":id,
            "answers":{"faithful":"yes","comprehensive":comprehensive}})
    };
    for (who, comprehensive) in [("ann", "yes"), ("ben", second)] {
        records.push(judged(who, "one", comprehensive));
    }
    for id in &systems[1..] {
        records.extend([judged("ann", id, "yes"), judged("ben", id, "yes")]);
    }
    desk.import("news.jsonl", &records);
    desk.page("study.db", &[]).section("short").to_owned()
}

#[test]
fn cases_are_chosen_and_limited() {
    let desk = Desk::new();
    let study = desk.judged_study();
    let cases = |options: &[&str]| {
        let page = desk.page(study, &[&["--only", "data", "--with-items"], options].concat());
        page.ids_of("article")
    };
    let all = cases(&[]);
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), all.len(), "each has a place of its own");
    let filtered = cases(&["--filter", "system:large-a"]);
    assert!(!filtered.is_empty() && filtered.len() < all.len());
    assert!(filtered.iter().all(|case| all.contains(case)), "a link stays what it was");
    assert_eq!(cases(&["--limit", "3"]), all[..3]);
}

#[test]
fn a_page_of_thousands_of_cases_comes_with_a_warning() {
    let desk = Desk::new();
    let mut records = vec![
        json!({"type":"collection","id":"c"}),
        json!({"type":"query","collection":"c","id":"q","text":"What do they do?"}),
        json!({"type":"unit","query":"q","id":"u","kind":"insight","text":"They walk."}),
        json!({"type":"annotator","id":"ann","kind":"human"}),
    ];
    for number in 0..2_001 {
        let id = format!("s{number}");
        records.push(json!({"type":"candidate","query":"q","id":id,"summarizer":"m","text":"- They walk."}));
        records.push(
            json!({"type":"judgment","protocol":"coverage","annotator":"ann","collection":"c","query":"q",
            "unit":"u","candidate":id,"answers":{"coverage":"full","bullet":1}}),
        );
    }
    desk.import("many.jsonl", &records);
    let told = |most: &str| {
        let done = desk.run(&[
            "report",
            "study.db",
            "-o",
            "many.html",
            "--force",
            "--only",
            "data",
            "--with-items",
            "--limit",
            most,
        ]);
        assert!(done.status.success());
        String::from_utf8(done.stderr).expect("UTF-8").split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let words = "will be slow to open; --filter and --limit write parts of it";
    let many = told("3000");
    assert!(many.contains("the page has 2001 cases") && many.contains(words), "{many}");
    assert!(!told("2000").contains(words));
}

/// What annotators saw is drawn for nobody in particular, and only where texts may be on the page.
#[test]
fn the_screens_that_annotators_saw_come_with_the_texts() {
    let desk = Desk::new();
    let study = desk.judged_study();
    let before = desk.bytes(study);
    let screens = |page: &str| page.matches("<summary>Screen · ").count();
    assert_eq!(screens(&desk.report(study, &[])), 0);
    let page = desk.report(study, &["--with-items", "--limit", "1"]);
    // All protocols but that about lists were judged.
    assert_eq!(screens(&page), 20);
    assert!(PEOPLE.iter().all(|name| !page.contains(name)), "nobody is named on a screen");
    assert!(page.contains("Covered?") && page.contains("<svg xmlns"));
    assert_eq!(desk.bytes(study), before, "the study stays as it is");
}
