//! Questions of every kind: keys, the mouse, and the answers that are stored.

use super::desk::{Desk, items_for};
use crate::app::kit::{Input, Mouse, MouseKind, Overlay};
use crate::protocol::{Pane, Protocol, builtin, builtins};
use crate::study::{CitedList, ItemId, ListedDocument};

pub(super) fn desk_for(protocol: &str) -> Desk {
    let protocol = builtin(protocol).expect("built in").clone();
    let items = items_for(&protocol, 3);
    let mut desk = Desk::under(protocol, items);
    desk.resize(120, 40);
    desk
}

pub(super) fn typed(desk: &mut Desk, text: &str) {
    for character in text.chars() {
        desk.press(&if character == ' ' { "space".to_owned() } else { character.to_string() });
    }
}

pub(super) fn first(desk: &Desk) -> serde_json::Value {
    serde_json::from_str(&desk.stored(1)).expect("JSON")
}

#[test]
fn a_query_is_refined_in_place_and_the_item_goes_by() {
    let mut desk = desk_for("refinement");
    desk.press("r");
    assert_eq!((desk.item_number(), desk.stored(1).as_str()), (2, r#"{"verdict":"reasonable"}"#));
    desk.press("left n");
    assert_eq!(desk.item_number(), 1, "the text is asked for");
    assert!(desk.app.frame.prompt().is_none());
    for _ in "about stress?".chars() {
        desk.press("backspace");
    }
    typed(&mut desk, "about 压力?");
    desk.press("enter");
    assert_eq!(first(&desk)["refined"], "What do the students say about 压力?");
    assert_eq!(desk.item_number(), 1, "it was judged before, so nothing goes on by itself");
    desk.press("enter u");
    assert_eq!((desk.item_number(), desk.stored(1).as_str()), (1, r#"{"verdict":"needs_refinement"}"#));
}

#[test]
fn what_is_written_is_no_answer_before_it_is_kept() {
    let mut desk = desk_for("refinement");
    desk.press("n enter");
    assert!(
        desk.app.frame.notice.text.starts_with("it is not changed yet"),
        "{}",
        desk.app.frame.notice.text
    );
    desk.press("x y esc");
    assert_eq!(desk.stored(1), r#"{"verdict":"needs_refinement"}"#);
    desk.press("e alt-enter z enter");
    assert_eq!(first(&desk)["refined"], "What do the students say about stress?xy\nz", "it was put aside");
    desk.press("left e");
    typed(&mut desk, "!");
    desk.press("ctrl-u esc right");
    assert_eq!(first(&desk)["refined"], "What do the students say about stress?xy\nz");
}

#[test]
fn the_reference_is_shown_after_ones_own_answer_only() {
    let mut desk = desk_for("answerability");
    for item in &mut desk.items {
        let unit = item.unit.as_mut().expect("a question");
        unit.meta.insert("answer".into(), "every 25 minutes".into());
    }
    desk.press("right left y");
    let shown = |desk: &Desk| {
        let lines = desk.app.judgment_lines(80).lines;
        lines.iter().flatten().any(|piece| piece.text.contains("every 25"))
    };
    assert!(!shown(&desk));
    typed(&mut desk, "after 25 minutes");
    assert!(!shown(&desk));
    desk.press("enter");
    assert_eq!((desk.item_number(), shown(&desk)), (1, true), "there is something to look at");
    assert_eq!(desk.progress().judged, 1);
    desk.press("enter n");
    assert_eq!((desk.item_number(), desk.progress().judged), (3, 2));
}

#[test]
fn tags_go_on_and_off_and_none_is_an_answer() {
    let mut desk = desk_for("failure");
    desk.press("h v");
    assert_eq!(
        (desk.item_number(), first(&desk)["failures"].clone()),
        (1, serde_json::json!(["general", "hallucinated"]))
    );
    desk.press("v h");
    assert_eq!(desk.stored(1), "{}", "without a tag there is no answer");
    desk.press("h u");
    assert_eq!(desk.stored(1), "{}");
    desk.press("0");
    assert_eq!((desk.item_number(), desk.stored(1).as_str()), (2, r#"{"failures":null}"#));
    desk.press("left x");
    typed(&mut desk, "odd");
    assert_eq!(first(&desk)["failures"], serde_json::json!(["other"]));
    desk.press("enter left x");
    assert_eq!(desk.stored(1), "{}", "what else is no longer asked");
}

#[test]
fn points_are_written_and_their_passages_selected() {
    let mut desk = desk_for("extraction");
    desk.press("a");
    typed(&mut desk, "Calm every morning");
    desk.press("enter");
    assert_eq!(first(&desk)["points"][0]["text"], "Calm every morning", "kept before the passage is");
    let selected = |desk: &Desk| {
        let span = desk.app.selection().expect("a selection").span;
        span.slice(desk.app.text(Pane::Documents)).to_owned()
    };
    assert_eq!(
        selected(&desk),
        "Fifteen minutes every morning, before the others wake up."
            .to_owned()
            .as_str()
            .replace("Fifteen", "Ana: Fifteen")
    );
    desk.press("<");
    assert!(
        selected(&desk).starts_with("Calm.\nAna: Fifteen"),
        "a full stop is no word: {}",
        selected(&desk)
    );
    desk.press("> > > > left");
    assert_eq!(selected(&desk), "Fifteen minutes every morning, before the others wake up");
    desk.press("enter");
    let passage = first(&desk)["points"][0]["passages"][0].clone();
    assert_eq!(passage["quote"], "Fifteen minutes every morning, before the others wake up");
    assert_eq!(passage["document"], "d2");
    assert_eq!(desk.item_number(), 1, "there may be more of them");

    desk.press("enter 1 enter");
    assert_eq!(selected(&desk), "Fifteen minutes every morning, before the others wake up");
    desk.press("down a");
    assert_eq!(first(&desk)["points"][0]["passages"].as_array().map(Vec::len), Some(2));
    desk.press("1 enter backspace");
    assert_eq!(first(&desk)["points"][0]["passages"][0]["quote"], "Ben: Does it help?");
    desk.press("1");
    for _ in "Calm every morning".chars() {
        desk.press("backspace");
    }
    desk.press("enter");
    assert_eq!(desk.stored(1), "{}", "an empty point is taken away");
    desk.press("u u u u");
    assert_eq!(desk.stored(1), r#"{"points":[{"text":"Calm every morning","passages":[]}]}"#, "one by one");
}

#[test]
fn behind_a_new_point_the_next_one_is_open_and_an_empty_one_ends() {
    let texts = |desk: &Desk| {
        let points = first(desk)["points"].as_array().cloned().unwrap_or_default();
        points.iter().map(|point| point["text"].as_str().unwrap_or("").to_owned()).collect::<Vec<_>>()
    };
    let mut desk = desk_for("decomposition");
    desk.press("a o n e enter t w o enter enter");
    assert_eq!(texts(&desk), ["one", "two"]);
    assert!(desk.app.frame.overlays.is_empty());
    assert_eq!(
        (desk.item_number(), desk.app.frame.notice.text.as_str()),
        (1, "the list ends here; ⏎ goes on")
    );
    desk.press("1 ! enter");
    assert!(desk.app.frame.overlays.is_empty(), "a changed point opens no other");
    desk.press("a x enter esc");
    assert_eq!(texts(&desk), ["one!", "two", "x"]);
    desk.press("enter");
    assert_eq!(desk.item_number(), 2);

    let mut desk = desk_for("extraction");
    desk.press("a o n e enter enter t w o enter enter enter");
    assert_eq!(texts(&desk), ["one", "two"]);
    assert!(desk.app.frame.overlays.is_empty());
    desk.press("a s i x enter esc a t e n enter enter");
    assert!(!desk.app.frame.overlays.is_empty());
    desk.press("enter enter");
    assert_eq!(
        (texts(&desk).len(), desk.item_number()),
        (4, 2),
        "where a passage is left out, the list ends too"
    );
}

#[test]
fn a_number_begins_a_point_with_the_words_of_the_bullet() {
    let text = |desk: &Desk| first(desk)["points"][0]["text"].as_str().unwrap_or("").to_owned();
    let mut desk = desk_for("decomposition");
    desk.press("a 3 enter esc");
    assert_eq!(text(&desk), "An app called Calm helps one of them in the morning.");
    desk.press("u a 2 backspace 5 enter esc");
    assert_eq!(text(&desk), "25", "a number can be written");
    desk.press("u a 2 5 enter esc");
    assert_eq!(text(&desk), "25", "and is, where there is no such bullet");
    desk.press("u a 9");
    assert_eq!(desk.app.frame.notice.text, "there is no bullet 9; what you write begins with 9");
    desk.press("enter esc");
    assert_eq!(text(&desk), "9");
    desk.press("u a 2 ! 3 enter esc");
    assert_eq!(text(&desk), "They work in blocks of 25 minutes with 5 off.!3");

    let mut items = desk.items.clone();
    let lines: Vec<String> = (1..=12).map(|number| format!("- Line {number} [1]")).collect();
    items[0].candidate.as_mut().expect("a response").text = lines.join("\n");
    let mut desk = Desk::new("decomposition", items);
    desk.press("a 1 2 enter 1 enter esc");
    assert_eq!(text(&desk), "Line 12");
    assert_eq!(first(&desk)["points"][1]["text"], "Line 1");

    let mut desk = desk_for("extraction");
    desk.press("a 1 enter esc");
    assert_eq!(text(&desk), "1", "a document has no bullets");
}

#[test]
fn nothing_alone_completes_the_answer_and_goes_on() {
    for (protocol, before) in
        [("coverage", "f"), ("failure", ""), ("extraction", ""), ("decomposition", ""), ("match", "")]
    {
        let mut desk = desk_for(protocol);
        for item in &mut desk.items {
            // So many bullets that a number waits for its second digit.
            if let Some(candidate) = &mut item.candidate {
                candidate.text = "- A line.\n".repeat(22);
            }
        }
        desk.press(&format!("right left {before} 0").replace("  ", " "));
        assert_eq!((desk.item_number(), desk.progress().judged), (2, 1), "{protocol}");
    }
}

#[test]
fn a_passage_that_is_taken_back_is_said_to_be() {
    let mut desk = desk_for("extraction");
    desk.press("a");
    typed(&mut desk, "It was downloaded");
    desk.press("enter enter enter u");
    assert_eq!(desk.app.frame.notice.text, "taken back · Key points 1 passage → 0 passages");
}

#[test]
fn units_are_chosen_by_their_numbers() {
    let mut desk = desk_for("match");
    assert_eq!(desk.app.text(Pane::Units).lines().nth(1), Some("They sleep longer."), "one line each");
    desk.press("3 1");
    assert_eq!(desk.stored(1), r#"{"said_by":["m1","m3"]}"#);
    desk.press("4");
    assert_eq!(desk.app.frame.notice.text, "there is no choice 4: the last is 3");
    desk.press("1 3");
    assert_eq!(desk.stored(1), "{}");
    desk.press("2 enter 0");
    assert_eq!(
        (desk.item_number(), desk.stored(1).as_str(), desk.stored(2).as_str()),
        (3, r#"{"said_by":["m2"]}"#, r#"{"said_by":null}"#)
    );
}

#[test]
fn a_cited_document_is_opened_and_left_again() {
    let mut desk = desk_for("attribution");
    assert_eq!(desk.app.reading.number, Some(2), "the document of the item");
    desk.press("}");
    // The judged bullet is the third line: [2, 1].
    assert_eq!(
        (desk.app.reading.number, desk.app.frame.notice.text.as_str()),
        (Some(2), "cited [2], 2 of 3 · ^o goes back")
    );
    desk.press("}");
    assert_eq!(desk.app.reading.number, Some(1));
    desk.press("ctrl-o ctrl-o");
    assert_eq!(desk.app.reading.number, Some(2));
    desk.press("ctrl-o");
    assert_eq!(desk.app.frame.notice.text, "no document was opened from anywhere else");
    desk.press("f");
    assert_eq!((desk.item_number(), desk.stored(1).as_str()), (2, r#"{"supported":"full"}"#));
}

#[test]
fn a_summary_judged_as_a_whole_opens_at_what_it_cites_first() {
    let protocol = builtin("faithfulness").expect("built in").clone();
    let mut items = items_for(&protocol, 3);
    for (item, text) in items.iter_mut().zip(["- They walk [9, 2].", "- They rest [1].", "- They sleep."]) {
        item.candidate.as_mut().expect("a summary").text = text.to_owned();
    }
    let mut desk = Desk::under(protocol, items);
    desk.resize(120, 40);
    assert_eq!(desk.app.reading.number, Some(2), "there is no document 9");
    desk.press("right");
    assert_eq!(desk.app.reading.number, Some(1));
    desk.press(". right");
    assert_eq!((desk.item_number(), desk.app.reading.number), (3, Some(2)), "what is read stays");
}

/// A system cites from its own list: what stands behind the end of the list is no document, though others were found.
#[test]
fn a_citation_is_looked_up_in_the_list_of_its_summary() {
    let protocol = builtin("faithfulness").expect("built in").clone();
    let mut items = items_for(&protocol, 1);
    let summary = items[0].candidate.as_mut().expect("a summary");
    (summary.text, summary.cites) = ("- They walk [1].\n- They rest [2].".to_owned(), Some(listed(1)));
    let mut desk = Desk::under(protocol, items);
    desk.resize(120, 40);
    desk.press("}");
    assert_eq!((desk.app.reading.number, desk.app.strip().len()), (Some(1), 2));
    desk.press("}");
    let told = &desk.app.frame.notice.text;
    assert_eq!(told, "there is no document [2] in the list that this summary cites from");
    assert_eq!(desk.app.reading.number, Some(1));

    let protocol = builtin("preference").expect("built in").clone();
    let mut items = items_for(&protocol, 1);
    let item = &mut items[0];
    for (summary, number) in [&mut item.candidate, &mut item.other].into_iter().flatten().zip([1, 2]) {
        (summary.text, summary.cites) = (format!("- Summary {number} [1]."), Some(listed(number)));
    }
    let mut desk = Desk::under(protocol, items);
    desk.resize(120, 40);
    desk.app.focus = Pane::Candidate;
    desk.press("}");
    assert_eq!(desk.app.reading.number, Some(1));
    desk.app.focus = Pane::Other;
    desk.press("}");
    assert_eq!(desk.app.reading.number, Some(2));
    let told = &desk.app.frame.notice.text;
    assert!(told.starts_with("second summary: cited [1], document 2 here, 1 of 1"), "{told}");
}

/// The list of one document.
fn listed(number: u32) -> CitedList {
    CitedList::of(vec![ListedDocument { number, score: None }])
}

#[test]
fn what_hides_evidence_hides_likely_passages_too() {
    let hiding = builtins().iter().filter(|protocol| !protocol.shows_evidence);
    assert!(hiding.clone().any(|protocol| protocol.name == "placement"));
    let made_to_hide =
        builtins().iter().cloned().map(|protocol| Protocol { shows_evidence: false, ..protocol });
    for protocol in hiding.cloned().chain(made_to_hide) {
        let mut items = items_for(&protocol, 3);
        for item in &mut items {
            // As the study hands the item out under such a protocol.
            (item.evidence, item.relevant) = (Vec::new(), None);
            let opened = item.document.unwrap_or(1);
            if let (Some(unit), Some(document)) = (&mut item.unit, item.documents.get(opened as usize - 1)) {
                // Word for word the end of the document, so that nothing is more likely.
                unit.text = document.text.lines().last().expect("a line").to_owned();
            }
        }
        let mut desk = Desk::under(protocol, items);
        desk.resize(120, 40);
        for key in ["]", "[", "z", "right"] {
            let name = &desk.protocol.name;
            assert_eq!(desk.app.passages(), [], "{name} before {key}");
            assert_eq!(
                (desk.app.reading.mark, desk.app.boards[Pane::Documents].scroll),
                (None, 0),
                "{name} before {key}"
            );
            desk.press(key);
        }
        desk.press("left ]");
        let said = &desk.app.frame.notice.text;
        let is_said = said == "evidence is not shown here; / finds words";
        assert!(is_said || !desk.app.has_documents(), "{}: {said}", desk.protocol.name);
    }
}

#[test]
fn what_is_cited_and_is_not_in_the_study_is_said_to_be_so() {
    let mut items = super::desk::coverage_desk().study.items;
    for item in &mut items {
        (item.documents, item.evidence) = ([].into(), Vec::new());
    }
    let mut desk = Desk::new("coverage", items);
    desk.press("}");
    assert_eq!(desk.app.frame.notice.text, "what is cited here is not in the study");
}

/// A protocol with several bullets, passages, and answers that do not go together.
const OWN: &str = r#"
name = "own"
title = "Own"
version = 1
source = "a test"
target = ["candidate", "unit"]
group = "candidate"
[layout]
above = ["query"]
left = ["documents"]
right = ["unit", "candidate"]
[[question]]
key = "covered"
prompt = "Covered?"
kind = "choice"
choices = [
  { value = "yes", label = "yes", key = "y" },
  { value = "no", label = "no", key = "n" },
]
[[question]]
key = "bullets"
prompt = "Bullets"
kind = "bullet"
several = true
ask_when = { question = "covered", is = ["yes"] }
[[question]]
key = "where"
prompt = "Where"
kind = "passages"
hotkey = "m"
required = false
[[question]]
key = "kind"
prompt = "Kind"
kind = "tags"
required = false
tags = [{ value = "short", label = "short", key = "h" }]
[[rule]]
when = { question = "covered", is = ["no"] }
then = { question = "kind", is = ["long"] }
message = "what is not covered has no kind"
"#;

fn own_desk() -> Desk {
    // A rule may name answers that no tag has; only a file is held to those it offers.
    let text = OWN.replace("is = [\"long\"]", "is = [\"short\"]");
    let mut protocol = Protocol::parse(&text, "").unwrap_or_else(|error| panic!("{error}"));
    protocol.rules[0].then.is = vec!["long".into()];
    let items = items_for(&protocol, 3);
    let mut desk = Desk::under(protocol, items);
    desk.resize(120, 40);
    desk
}

#[test]
fn several_bullets_are_linked_and_the_item_waits() {
    let mut desk = own_desk();
    desk.press("y 3 2");
    assert_eq!((desk.item_number(), first(&desk)["bullets"].clone()), (1, serde_json::json!([2, 3])));
    desk.press("3");
    assert_eq!(first(&desk)["bullets"], serde_json::json!([2]));
    desk.press("enter");
    assert_eq!((desk.item_number(), desk.progress().judged), (2, 1));
    desk.press("y 0");
    assert_eq!((desk.item_number(), desk.progress().judged), (2, 2), "what is optional can be answered");
    desk.press("enter");
    assert_eq!(desk.item_number(), 3);
}

/// A text that may be left out, behind the one question that must be answered.
const OPTIONAL: &str = r#"
name = "optional"
title = "Optional"
version = 1
source = "a test"
target = ["candidate"]
group = "query"
[layout]
above = ["query"]
left = []
right = ["candidate"]
[[question]]
key = "good"
prompt = "Good?"
kind = "choice"
choices = [
  { value = "yes", label = "yes", key = "y" },
  { value = "no", label = "no", key = "n" },
]
[[question]]
key = "why"
prompt = "Why"
kind = "text"
hotkey = "e"
required = false
ask_when = { question = "good", is = ["no"] }
"#;

#[test]
fn an_optional_question_at_the_end_can_be_answered_and_opens_when_it_is_asked_to() {
    let protocol = Protocol::parse(OPTIONAL, "").unwrap_or_else(|error| panic!("{error}"));
    let items = items_for(&protocol, 3);
    let mut desk = Desk::under(protocol, items);
    desk.press("n");
    assert_eq!((desk.item_number(), desk.progress().judged), (1, 1), "it is not passed over");
    assert!(desk.app.frame.overlays.is_empty(), "and no key is swallowed");
    desk.press("e x enter enter y left left n");
    assert_eq!((desk.item_number(), desk.stored(1).as_str()), (1, r#"{"good":"no","why":"x"}"#));
    desk.press("right n");
    assert!(desk.app.frame.overlays.is_empty(), "nor is it on a second visit");
    assert_eq!((desk.item_number(), desk.stored(2).as_str()), (2, r#"{"good":"no"}"#));
}

#[test]
fn passages_stand_by_themselves() {
    let mut desk = own_desk();
    desk.press("m down enter m enter");
    let quotes = |desk: &Desk| {
        let answers = first(desk);
        let passages = answers["where"].as_array().cloned().unwrap_or_default();
        passages
            .iter()
            .map(|passage| passage["quote"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(quotes(&desk).len(), 2, "{:?}", quotes(&desk));
    let before = quotes(&desk);
    desk.press("m esc");
    assert_eq!(quotes(&desk), before);
    assert_eq!(desk.app.taken_passages().len(), 2);
}

#[test]
fn answers_that_do_not_go_together_are_kept_when_one_insists() {
    let mut desk = own_desk();
    desk.press("h n");
    assert_eq!(first(&desk).get("covered"), None);
    assert_eq!(desk.app.frame.notice.text, "what is not covered has no kind (the same key again keeps it)");
    desk.press("n");
    assert_eq!(first(&desk)["covered"], "no");
    let answers = desk.standing(crate::study::ItemId(1)).answers;
    assert_eq!(desk.protocol.violations(&answers, 3).len(), 1, "and that is on record");
}

#[test]
fn a_kill_between_any_two_keys_loses_no_kept_answer() {
    let keys = "a o n e enter down enter t w o enter enter enter 1 ! enter esc right 0";
    let mut desk = desk_for("extraction");
    let mut stored = String::new();
    for key in keys.split(' ') {
        desk.press(key);
        let reopened = desk.reopened();
        assert_eq!(reopened.stored(1), desk.stored(1), "after {key}");
        if desk.app.frame.notice.text.starts_with('✓') {
            stored = desk.stored(1);
        }
        assert!(stored.is_empty() || desk.stored(1) != "{}", "after {key}");
    }
    assert_eq!(desk.progress().judged, 2);
}

#[test]
fn the_guideline_opens_where_the_question_is_explained() {
    use crate::app::kit::overlay::Overlay;
    use crate::app::kit::page::{Page, columns};
    use crate::app::screens::annotate::guideline::paragraphs;
    let mut desk = super::desk::coverage_desk();
    desk.press("i");
    assert!(matches!(desk.app.frame.overlays.last(), Some(Overlay::Guideline { scroll: 0 })));
    desk.press("esc f i");
    let Some(Overlay::Guideline { scroll }) = desk.app.frame.overlays.last() else { panic!("the guideline") };
    let mut page = Page::new(paragraphs(&desk.protocol.guideline));
    page.wrap(columns(80));
    assert_eq!(page.row(*scroll).map(|(_, paragraph)| paragraph.text()), Some("By bullet"));
}

#[test]
fn what_was_written_and_left_is_there_again_and_nowhere_else() {
    let mut desk = desk_for("extraction");
    desk.press("a o n e enter esc a t w o enter esc");
    desk.press("a n e w esc 1 X esc");
    desk.press("a");
    desk.press("enter");
    assert_eq!(first(&desk)["points"][2]["text"], "new", "the draft of a new point");
    desk.press("esc 1 enter");
    assert_eq!(first(&desk)["points"][0]["text"], "oneX");
    desk.press("esc 2 Y esc right left 2 esc u u 2");
    let lines = desk.app.judgment_lines(80);
    let shown: Vec<&str> = lines.lines.iter().flatten().map(|piece| piece.text.as_str()).collect();
    assert!(shown.contains(&"twoY"), "{shown:?}");
    desk.press("esc q");
    assert!(!desk.has_quit, "something is not kept yet");
    desk.press("q");
    assert!(desk.has_quit);
}

#[test]
fn nothing_is_said_twice_before_it_does_away_with_a_list() {
    let mut desk = desk_for("extraction");
    desk.press("a o n e enter enter enter 0");
    assert_eq!(first(&desk)["points"][0]["text"], "one");
    assert_eq!(desk.app.frame.notice.text, "0 would do away with all 1; the same key again does");
    desk.press("0");
    assert_eq!(desk.stored(1), r#"{"points":null}"#);
}

#[test]
fn answers_under_an_older_version_are_gone_on_from() {
    use crate::text::hash::fingerprint;
    let mut desk = own_desk();
    desk.press("y 2 3 h m enter");
    let mut newer = (*desk.protocol).clone();
    newer.hash = fingerprint(["a newer version"]);
    desk.protocol = newer.into();
    let mut desk = desk.reopened();
    desk.resize(120, 40).show();
    assert!(desk.app.is_stale());
    desk.press("y 1");
    assert_eq!(
        first(&desk)["bullets"],
        serde_json::json!([1]),
        "the judgment begins anew with its first answer"
    );
    desk.press("m enter");
    assert_eq!(first(&desk)["where"].as_array().map(Vec::len), Some(1));
}

#[test]
fn one_key_confirms_a_stale_judgment_as_a_whole() {
    use crate::journal::RevisedText;
    use crate::text::hash::fingerprint;
    let mut desk = desk_for("coverage");
    desk.press("f 1");
    let before = first(&desk);
    desk.press("backspace =");
    assert_eq!(desk.app.frame.notice.text, "nothing here is stale");
    let mut newer = (*desk.protocol).clone();
    newer.hash = fingerprint(["a newer version"]);
    desk.protocol = newer.into();
    let mut desk = desk.reopened();
    desk.resize(120, 40).show();
    assert!(desk.app.is_stale());
    // The message names the revision, where it is known.
    desk.was = vec![RevisedText { of: "unit", before: "25 minutes".into(), now: "50 minutes".into() }];
    let mut desk = desk.reopened();
    assert_eq!(desk.app.frame.notice.text, "= confirms, D shows all · insight revised: [-25-] {+50+}");
    desk.press("D");
    let page: Vec<String> = desk.app.changes().iter().map(|line| line.text().to_owned()).collect();
    assert_eq!(page, ["The insight, revised", "[-25-]{+50+} minutes"]);
    desk.press("D");
    assert!(desk.app.frame.overlays.is_empty());
    desk.resize(120, 40).show();
    desk.was = Vec::new();
    desk.press("=");
    assert_eq!(first(&desk), before);
    assert_eq!(desk.item_number(), 2, "and the next one comes");
    desk.press("backspace");
    assert!(!desk.app.is_stale());
    desk.press("u");
    assert_eq!(desk.app.frame.notice.text, "taken back · stale again");
    desk.press("U");
    assert_eq!(desk.app.frame.notice.text, "done again · no longer stale");
}

#[test]
fn the_cursor_goes_up_and_down_by_the_rows_on_the_screen() {
    let mut desk = desk_for("refinement");
    desk.resize(60, 20).press("n");
    typed(&mut desk, " Their sleep, their walks, and 早上 the breaks they take");
    let cursor =
        |desk: &Desk| desk.app.judgment_lines(desk.app.layout.judgment.body.width).cursor.expect("one");
    let end = cursor(&desk);
    desk.press("up");
    assert_eq!(cursor(&desk).0, end.0 - 1);
    assert!(cursor(&desk).1.abs_diff(end.1) <= 1);
    desk.press("down");
    assert_eq!(cursor(&desk), end);
    desk.press("up up up up");
    desk.press("home < enter");
    assert!(
        first(&desk)["refined"].as_str().is_some_and(|text| text.starts_with("<What")),
        "{}",
        desk.stored(1)
    );
}

#[test]
fn a_click_answers_the_question_of_its_pane() {
    let text = OWN.replace("[\"unit\", \"candidate\"]", "[\"unit\", \"candidate\", \"units\"]")
        + "[[question]]\nkey = \"like\"\nprompt = \"Like\"\nkind = \"units\"\nunits = [\"keypoint\"]\n";
    let text = text.replace("is = [\"long\"]", "is = [\"short\"]");
    let protocol = Protocol::parse(&text, "").unwrap_or_else(|error| panic!("{error}"));
    let items = items_for(&protocol, 3);
    let mut desk = Desk::under(protocol, items);
    desk.resize(120, 60).press("y");
    let body = desk.app.layout.panes.place(Pane::Units).expect("a place").body;
    let mouse = Mouse { kind: MouseKind::Click, column: body.x + 4, row: body.y + 1 };
    desk.wait(1_000);
    desk.send(Input::Mouse(mouse, desk.now));
    assert_eq!(desk.stored(1), r#"{"covered":"yes","like":["m2"]}"#);
}

/// The summary says: - Here is what they say: - They work in blocks … - An app called Calm …
#[test]
fn words_of_the_summary_are_taken_as_the_answer() {
    let mut desk = desk_for("answerability");
    desk.press("y tab");
    let text = |desk: &Desk| match desk.app.frame.overlays.last() {
        Some(Overlay::Editor(editor)) => editor.text(),
        _ => panic!("no editor"),
    };
    assert_eq!(
        text(&desk),
        "They work in blocks of 25 minutes with 5 off.",
        "most like the unit, no citation"
    );
    desk.press("tab");
    let second = text(&desk);
    assert_ne!(second, "They work in blocks of 25 minutes with 5 off.");
    desk.press("! tab");
    assert_eq!(text(&desk), format!("{second}!"), "what is written is not overwritten");
    assert_eq!(desk.app.frame.notice.text, "tab takes words of the summary where nothing is written yet");
    desk.press("enter");
    assert_eq!(desk.standing(ItemId(1)).answers["answer"].as_text(), Some(format!("{second}!").as_str()));
    // Where the text begins with the query, nothing is taken.
    let mut desk = desk_for("refinement");
    desk.press("n tab");
    assert_eq!(text(&desk), "What do the students say about stress?");
}

/// A protocol about summaries with these questions.
fn lab(top: &str, questions: &str) -> Desk {
    let text = format!(
        "name = \"lab\"\ntitle = \"Lab\"\nversion = 1\nsource = \"a test\"\ntarget = [\"candidate\"]\ngroup = \"query\"\n{top}\n\
         [layout]\nabove = [\"query\"]\nleft = [\"documents\"]\nright = [\"candidate\"]\n{questions}"
    );
    let protocol = Protocol::parse(&text, "").unwrap_or_else(|error| panic!("{error}"));
    let items = items_for(&protocol, 3);
    let mut desk = Desk::under(protocol, items);
    desk.resize(120, 40);
    desk
}

fn scale(key: &str) -> String {
    format!(
        "[[question]]\nkey = \"{key}\"\nprompt = \"{key}\"\nkind = \"choice\"\nscale = \"1..5\"\nends = [\"bad\", \"good\"]\n"
    )
}

#[test]
fn three_scales_are_three_digits() {
    let mut desk = lab("", &["fluent", "complete", "useful"].map(scale).concat());
    desk.press("4 2");
    assert_eq!((desk.item_number(), desk.stored(1).as_str()), (1, r#"{"complete":"2","fluent":"4"}"#));
    desk.press("5");
    assert_eq!((desk.item_number(), first(&desk)["useful"].clone()), (2, "5".into()));
    desk.press("left u");
    assert_eq!(desk.stored(1), r#"{"complete":"2","fluent":"4"}"#);
    let lines = desk.app.judgment_lines(78).lines;
    let told: Vec<String> =
        lines.iter().map(|line| line.iter().map(|piece| piece.text.as_str()).collect()).collect();
    assert_eq!(told.len(), 3, "{told:?}");
    assert_eq!(told[0].trim_end(), "fluent    ○ 1 bad   ○ 2   ○ 3   ● 4   ○ 5 good");
}

#[test]
fn what_cannot_be_judged_takes_the_place_of_the_answers_and_gives_it_back() {
    let mut desk = lab("include = [\"cannot_judge\"]", &["fluent", "complete"].map(scale).concat());
    desk.press("4 w");
    typed(&mut desk, "in Dutch");
    desk.press("enter");
    assert_eq!((desk.item_number(), desk.stored(1).as_str()), (2, r#"{"cannot_judge":"in Dutch"}"#));
    assert_eq!(desk.progress().judged, 1);
    desk.press("left 3");
    assert_eq!(desk.stored(1), r#"{"fluent":"3"}"#, "an answer takes its place back");
}

#[test]
fn passages_of_the_summary_are_marked_with_what_they_are() {
    let mut desk = desk_for("hallucination");
    desk.press("a enter");
    assert_eq!(desk.stored(1), "{}", "nothing is kept before it is said what it is");
    assert!(desk.app.frame.notice.text.starts_with("it is: n name"), "{}", desk.app.frame.notice.text);
    desk.press("q");
    assert!(desk.app.selection().is_some(), "another key says what it takes");
    desk.press("f m");
    let stored = first(&desk);
    let text = desk.app.text(Pane::Candidate).to_owned();
    let quote = stored["invented"][0]["quote"].as_str().expect("a quote").to_owned();
    assert!(text.contains(&quote) && stored["invented"][0].get("document").is_none(), "{stored}");
    assert_eq!(
        (&stored["invented"][0]["tag"], &stored["invented"][0]["severity"]),
        (&"number".into(), &"minor".into())
    );
    let marked = desk.app.marked_passages();
    assert_eq!((marked.len(), marked[0].1.as_str(), marked[0].2), (1, "1fm", 1));
    // Its number opens the passage again, and its mark can be changed.
    desk.press("1 enter v x");
    assert_eq!(first(&desk)["invented"][0]["tag"], "statement");
    desk.press("1 backspace");
    assert_eq!(desk.stored(1), "{}");
    desk.press("0");
    assert_eq!(desk.stored(1), r#"{"invented":null}"#);
    // The sentences of the next summary are its own.
    desk.press("a enter f m");
    let next: serde_json::Value = serde_json::from_str(&desk.stored(2)).expect("JSON");
    let quote = next["invented"][0]["quote"].as_str().expect("a quote");
    assert!(desk.app.text(Pane::Candidate).contains(quote), "{quote:?}");
}

/// Questions of a lab about a summary: three scales, marked passages, a comment, and a score of its own.
fn with_passages(passages: &str) -> String {
    let scale = |key: &str| {
        format!("[[question]]\nkey = \"{key}\"\nprompt = \"{key}\"\nkind = \"choice\"\nscale = \"1..5\"\n")
    };
    let head = OPTIONAL
        .split("[[question]]")
        .next()
        .unwrap_or_default()
        .replace("left = []", "left = [\"documents\"]");
    let scales = ["fluent", "useful", "complete"].map(scale).concat();
    let comment = "[[question]]\nkey = \"note\"\nprompt = \"Note\"\nkind = \"text\"\nhotkey = \"e\"\nrequired = false\n";
    let score = "[[score]]\nname = \"fluent_enough\"\ntitle = \"fluent\"\nvalue = \"fluent:4 or fluent:5\"\n";
    let tags = "tags = [{ value = \"name\", label = \"name\", key = \"n\" }, { value = \"date\", label = \"date\", key = \"d\" }]";
    let marked = format!(
        "[[question]]\nkey = \"wrong\"\nprompt = \"Wrong\"\nkind = \"passages\"\nhotkey = \"l\"\n{passages}\n"
    );
    format!("{head}{scales}{}{comment}{score}", marked.replace("TAGS", tags))
}

#[test]
fn digits_answer_scales_beside_marked_passages() {
    for (passages, tag) in [("in = \"candidate\"\nTAGS", " n"), ("", ""), ("required = false", "")] {
        let file = with_passages(passages);
        assert_eq!(crate::protocol::check(&file, &|_| None), [], "{passages}");
        let protocol = Protocol::parse(&file, "").unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(protocol.key_hints(), Vec::<String>::new());
        let items = items_for(&protocol, 3);
        let mut desk = Desk::under(protocol, items);
        desk.resize(120, 40);
        desk.press("4 3 5");
        assert_eq!(desk.stored(1), r#"{"complete":"5","fluent":"4","useful":"3"}"#, "{passages}");
        desk.press("2");
        assert_eq!(first(&desk)["complete"], "2", "there is no passage yet: the scale is corrected");
        assert_eq!(desk.app.frame.notice.text, "✓ changed · complete 5 → 2");
        desk.press(&format!("l enter{tag} 1"));
        assert!(desk.app.selection().is_some(), "while passages are marked, a digit is one of them");
        desk.press("esc 3");
        assert_eq!(desk.app.frame.notice.text, "there is no passage 3: the last is 1");
        typed(&mut desk, "e");
        typed(&mut desk, "so");
        desk.press("enter 4");
        assert_eq!(
            (first(&desk)["complete"].clone(), first(&desk)["note"].clone()),
            ("4".into(), "so".into())
        );
        desk.press("l esc 1");
        assert!(desk.app.selection().is_some(), "what was opened is in hand again");
        desk.press("esc enter 1 2 3 0");
        assert_eq!(first(&desk)["wrong"].as_array().map(Vec::len), Some(1));
        assert_eq!(
            desk.stored(2),
            r#"{"complete":"3","fluent":"1","useful":"2","wrong":null}"#,
            "{passages}"
        );
    }
}

#[test]
fn marking_begins_with_the_first_sentence_of_the_bullet_in_view() {
    let protocol = builtin("hallucination").expect("built in").clone();
    let mut items = items_for(&protocol, 3);
    let long = "word ".repeat(60);
    let text = format!("- They walk. [2, 4, 8] They {long}. Then rest [1].\n- 他们走。[2] 他们睡。");
    items[0].candidate.as_mut().expect("a summary").text = text.clone();
    let mut desk = Desk::under(protocol, items);
    desk.resize(80, 24);
    let selected = |desk: &Desk| desk.app.selection().expect("a selection").span.slice(&text).to_owned();
    desk.press("a");
    assert_eq!(selected(&desk), "They walk. [2, 4, 8]");
    desk.press("down down");
    assert_eq!(selected(&desk), "Then rest [1].");
    desk.press("down");
    assert_eq!(selected(&desk), "他们走。[2]");
    // The second row of the first bullet is the first in view.
    desk.press("esc");
    desk.app.boards[Pane::Candidate].scroll = 1;
    desk.press("a");
    assert_eq!(selected(&desk), "他们走。[2]");
}

/// The second of three pairs is shown the other way round.
fn pair_desk() -> Desk {
    let protocol = builtin("preference").expect("built in").clone();
    let mut items = items_for(&protocol, 3);
    items[1] = items[1].clone().turned();
    let mut desk = Desk::under(protocol, items);
    desk.resize(80, 24);
    desk
}

#[test]
fn the_key_of_a_side_names_the_candidate_that_stands_there() {
    let mut desk = pair_desk();
    desk.press("1");
    assert_eq!(
        (desk.item_number(), desk.stored(1).as_str()),
        (2, r#"{"better":"candidate","first":"candidate"}"#)
    );
    assert_eq!(desk.app.text(Pane::Candidate), desk.items[1].candidate.as_ref().expect("shown").text);
    desk.press("1");
    assert_eq!((desk.item_number(), desk.stored(2).as_str()), (3, r#"{"better":"other","first":"other"}"#));
    // The answer is corrected in place; the side shown first is on record once.
    desk.press("left 2");
    assert_eq!(desk.stored(2), r#"{"better":"candidate","first":"other"}"#);
    let told = &desk.app.frame.notice.text;
    assert!(told.contains("first → second"), "{told}");
    desk.press("3 u u");
    assert_eq!(desk.stored(2), r#"{"better":"other","first":"other"}"#);
    desk.press("u");
    assert_eq!(desk.stored(2), "{}", "both are taken back");
}

#[test]
fn words_that_only_one_of_two_has_are_marked() {
    let mut desk = pair_desk();
    assert_eq!(desk.app.reading.differing, [Vec::new(), Vec::new()]);
    desk.press("P");
    let words = |desk: &Desk, side: usize, pane: Pane| -> Vec<String> {
        desk.app.reading.differing[side]
            .iter()
            .map(|span| span.slice(desk.app.text(pane)).to_owned())
            .collect()
    };
    let of = |desk: &Desk| [words(desk, 0, Pane::Candidate).join("|"), words(desk, 1, Pane::Other).join("|")];
    let [first, second] = of(&desk);
    assert!(first.contains("25") && second.contains("45"), "{first} {second}");
    desk.press("2");
    let [first, second] = of(&desk);
    assert!(first.contains("45") && second.contains("25"), "on the next pair too: {first} {second}");
    desk.press("P");
    assert_eq!(desk.app.reading.differing, [Vec::new(), Vec::new()]);
}

#[test]
fn citations_are_followed_in_the_summary_of_a_pair_that_is_in_focus() {
    let mut desk = pair_desk();
    desk.app.focus = Pane::Other;
    desk.press("}");
    let told = desk.app.frame.notice.text.clone();
    assert!(told.starts_with("second summary: cited ["), "{told}");
    assert!(desk.app.opened_citation(Pane::Other).is_some());
    assert_eq!(desk.app.opened_citation(Pane::Candidate), None);
    desk.press("}");
    assert!(desk.app.frame.notice.text.starts_with("second summary: cited ["), "from the documents on");
    desk.app.focus = Pane::Candidate;
    desk.press("}");
    let told = &desk.app.frame.notice.text;
    assert!(told.starts_with("first summary: cited [") && told.contains("1 of"), "{told}");
}
