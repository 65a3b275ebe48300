//! The browse screen with a study in memory: keys written as a string, judgments kept in a list.

pub(crate) mod desk;

use self::desk::{Desk, desk};
use super::{BrowseContent, BrowseDesk, GridsKind, JudgeInPlace, PaneKind, page};
use crate::app::kit::{Input, Moment, NOT_KEPT, Overlay, Prompt, Screen};
use crate::browse::{BrowseTable, WhoCounts};
use crate::error::Error;
use crate::journal::fold_under;
use crate::protocol::{Answer, Answers, builtin};
use crate::study::{AnnotatorId, ItemId};

#[test]
fn the_items_of_the_table_are_settled_from_the_row_under_the_cursor() {
    let mut desk = desk();
    desk.press("D");
    assert_eq!(desk.browse.frame.notice.text, "items are settled: open those of this row first");
    desk.press("5 down D");
    let asked = desk.to_settle.pop().expect("asked");
    // An item of another protocol stands behind these seven.
    assert_eq!(desk.rows().len(), 8);
    assert_eq!(asked.items, (1..=7).map(ItemId).collect::<Vec<_>>());
    assert_eq!((asked.first, asked.protocol.as_str()), (ItemId(2), "coverage"));
    assert_eq!(desk.browse.frame.notice.text, "nobody disagrees");
    let mut reader = Desk::opened_by(None);
    reader.press("5 D");
    assert!(reader.to_settle.is_empty() && reader.browse.frame.notice.text.starts_with("read only"));
}

#[test]
fn rows_open_and_the_way_back_leads_to_the_same_place() {
    let mut desk = desk();
    assert_eq!((desk.table(), desk.rows().len()), (BrowseTable::Candidates, 3));
    desk.press("j enter");
    assert_eq!(desk.table(), BrowseTable::Items);
    assert_eq!(desk.rows().len(), 4, "three judgments of coverage and one of its failures");
    desk.press("down 4");
    assert_eq!((desk.table(), desk.rows().len()), (BrowseTable::Systems, 2));
    desk.press("3");
    assert_eq!((desk.table(), desk.cursor()), (BrowseTable::Items, 1), "as it was left");
    desk.press("backspace");
    assert_eq!((desk.table(), desk.cursor()), (BrowseTable::Candidates, 1));
    desk.press("backspace");
    assert_eq!(desk.table(), BrowseTable::Candidates, "there is nothing behind the whole table");
    desk.press("enter n");
    assert_eq!(desk.rows().len(), 1, "the next candidate has one item");
    desk.press("n");
    assert!(desk.browse.frame.notice.text.contains("no further row"));
}

#[test]
fn columns_are_sorted_up_and_down_and_not_at_all() {
    let mut desk = desk();
    // Joint of the candidates, from the table of the small study: c1 of stress pools alice 100, 33.3, 0 and bob
    // 100, 0, 0; c2 has 0, 0, 0; c1 of sleep has 100.
    desk.press("S").type_text("joint").press("enter");
    assert_eq!(desk.rows(), {
        let mut sorted = desk.rows();
        sorted.sort_by_key(|name| if name.contains("sleep") { 2 } else { usize::from(name.contains("c1")) });
        sorted
    });
    let up = desk.rows();
    desk.press("S").type_text("joint").press("enter");
    assert_eq!(desk.rows(), up.iter().rev().cloned().collect::<Vec<String>>());
    desk.press("S").type_text("joint").press("enter");
    assert_eq!(desk.browse.table().expect("a table").sorted(), None);
    desk.press("l l s");
    assert!(desk.browse.table().expect("a table").sorted().is_some(), "by the column of the cursor");
}

#[test]
fn a_filter_shows_what_fits_while_it_is_typed_and_says_what_is_wrong() {
    let mut desk = desk();
    desk.press("/").type_text("system:gpt-4o");
    assert_eq!(desk.rows().len(), 2);
    desk.type_text(" (");
    let Some(Overlay::Filter(line)) = desk.browse.frame.overlays.last() else {
        panic!("the filter is open");
    };
    let error = line.error.as_ref().expect("that is no filter");
    assert!(error.place.start >= "system:gpt-4o".len(), "{error:?}");
    assert_eq!(desk.rows().len(), 2, "the rows stay");
    desk.press("enter");
    assert!(matches!(desk.browse.frame.overlays.last(), Some(Overlay::Filter(_))), "it is not accepted");
    desk.press("esc");
    assert_eq!(desk.rows().len(), 3, "as before");
    desk.press("/").type_text("pomodoro").press("enter 5 3");
    assert_eq!(desk.browse.table().expect("a table").view.filter, "pomodoro", "kept while elsewhere");
    desk.press("esc");
    assert_eq!(desk.rows().len(), 3);
}

#[test]
fn completion_offers_fields_and_puts_them_in() {
    let mut desk = desk();
    desk.press("/").type_text("syst").press("tab");
    let Some(Overlay::Filter(line)) = desk.browse.frame.overlays.last() else {
        panic!("the filter is open");
    };
    assert!(line.text().starts_with("system"), "{}", line.text());
    desk.press("ctrl-u");
    let Some(Overlay::Filter(line)) = desk.browse.frame.overlays.last() else {
        panic!("the filter is open");
    };
    assert_eq!((line.text().as_str(), desk.rows().len()), ("", 3));
}

#[test]
fn tags_flags_and_comments_are_kept_under_a_name_and_can_be_undone() {
    let mut desk = desk();
    desk.press("j");
    assert_eq!(desk.tags(), "general, hallucinated", "those of alice");
    desk.press("k t h");
    assert!(desk.tags().contains("hallucinated"));
    desk.press("w");
    let Some(Overlay::List(list)) = desk.browse.frame.overlays.last() else {
        panic!("the tags stay open");
    };
    assert_eq!(list.entries.iter().filter(|entry| entry.is_on).count(), 2);
    desk.press("h esc u");
    assert!(desk.tags().contains("hallucinated"), "{}", desk.tags());
    desk.press("u u");
    assert_eq!(desk.tags(), "");
    desk.press("U");
    assert!(desk.tags().contains("hallucinated"));
    desk.press("!");
    assert_eq!(desk.browse.frame.notice.text, "flagged · saved");
    desk.press("c").type_text("nobody said so").press("enter");
    desk.press("c");
    assert!(
        matches!(desk.browse.frame.overlays.last(), Some(Overlay::Prompt(prompt)) if prompt.text() == "nobody said so")
    );
    desk.press("esc 4 t");
    assert!(desk.browse.frame.notice.text.contains("no summary to judge"));
}

#[test]
fn a_comment_that_was_begun_is_there_again_and_leaving_asks_once() {
    let mut desk = desk();
    let typed = |desk: &Desk| desk.browse.frame.prompt().map(Prompt::text);
    desk.press("c").type_text("nobody said so").press("esc j c");
    assert_eq!(typed(&desk).as_deref(), Some(""), "another row has its own");
    desk.press("esc q");
    assert!(!desk.has_quit && desk.browse.frame.notice.text == NOT_KEPT);
    desk.press("k q");
    assert!(!desk.has_quit && desk.browse.frame.notice.text == NOT_KEPT, "only the same key again leaves");
    desk.press("c");
    assert_eq!(typed(&desk).as_deref(), Some("nobody said so"));
    desk.press("enter q");
    assert!(desk.has_quit);
}

#[test]
fn marked_rows_get_a_tag_in_one_step_that_is_undone_in_one() {
    let mut desk = desk();
    let of_row = |desk: &mut Desk, row: usize| {
        desk.press("home");
        for _ in 0..row {
            desk.press("j");
        }
        desk.tags()
    };
    let before = [0, 1].map(|row| of_row(&mut desk, row));
    desk.press("home M M");
    assert_eq!(desk.browse.frame.notice.text, "2 rows marked; t gives them a tag, esc unmarks them");
    desk.press("t v");
    assert_eq!(desk.browse.frame.notice.text, "too general · saved on 2 summaries");
    let after = [0, 1].map(|row| of_row(&mut desk, row));
    assert!(after.iter().all(|tags| tags.contains("general")), "{after:?}");
    desk.press("u");
    assert_eq!([0, 1].map(|row| of_row(&mut desk, row)), before, "undone in one");
    desk.press("U");
    assert_eq!([0, 1].map(|row| of_row(&mut desk, row)), after);
    desk.press("home M M t v");
    assert_eq!(desk.browse.frame.notice.text, "all of them have it already");
    desk.press("M esc");
    assert!(desk.browse.chosen.is_empty());
}

#[test]
fn enter_keeps_the_tags_as_they_are_and_a_letter_confirms_a_stale_one() {
    let mut desk = desk();
    // The cursor stands on a tag that is off, before anything is put on and after it was taken off again.
    desk.press("t enter");
    assert!(desk.browse.frame.overlays.is_empty() && desk.events.is_empty());
    desk.press("t v v enter");
    assert_eq!((desk.browse.frame.overlays.len(), desk.tags().as_str()), (0, ""));
    desk.press("home M M t enter");
    assert_eq!((desk.browse.frame.overlays.len(), desk.events.len()), (0, 1), "nor of several rows");
    desk.press("esc home t v");
    assert_eq!(desk.browse.frame.notice.text, "too general · saved");
    desk.press("enter");
    assert!(desk.browse.frame.overlays.is_empty());
    assert_eq!(desk.tags(), "general", "kept");
    // The summary is another one now.
    desk.texts = ["u"];
    desk.press("t v");
    assert_eq!(desk.browse.frame.notice.text, "too general: confirmed on the texts as they are now · saved");
    assert_eq!(desk.tags(), "general");
    desk.press("v");
    assert_eq!(
        (desk.browse.frame.notice.text.as_str(), desk.tags().as_str()),
        ("no longer too general · saved", "")
    );
}

#[test]
fn a_tag_that_wants_words_asks_for_them_and_says_what_it_is_worth_without() {
    let mut desk = desk();
    desk.press("t x");
    let asked = |desk: &Desk| match desk.browse.frame.overlays.last() {
        Some(Overlay::Prompt(prompt)) => prompt.question.clone(),
        _ => String::new(),
    };
    assert_eq!(asked(&desk), "What else");
    desk.press("esc");
    let open = "\"What else\" is open, so the tag counts nowhere; off and on asks again";
    assert_eq!(desk.browse.frame.notice.text, open);
    desk.press("x x").type_text("bullets 2 and 5 say the same").press("enter");
    assert_eq!((asked(&desk).as_str(), desk.browse.frame.notice.text.as_str()), ("", "saved"));
    let protocol = builtin("failure").expect("built in");
    let folded = |desk: &Desk| {
        let folds = desk.events.values().map(|events| fold_under(events, protocol));
        folds.map(|standing| standing.answers).collect::<Vec<_>>()
    };
    let said = |answers: &Answers| {
        answers.get("other") == Some(&Answer::Text("bullets 2 and 5 say the same".into()))
    };
    assert!(folded(&desk).iter().any(|answers| said(answers) && protocol.is_complete(answers)));
    // Marked rows are asked once.
    desk.press("esc u u home j M M t x").type_text("cut off").press("enter");
    let cut = folded(&desk);
    let count =
        cut.iter().filter(|answers| answers.get("other") == Some(&Answer::Text("cut off".into()))).count();
    assert_eq!(count, 2, "{cut:?}");
}

#[test]
fn a_text_that_a_tag_asks_for_is_there_again_and_leaving_asks_once() {
    let mut desk = desk();
    let typed = |desk: &Desk| desk.browse.frame.prompt().map(Prompt::text);
    desk.press("t x").type_text("cut off").press("esc");
    assert!(desk.browse.frame.notice.text.ends_with("off and on asks again, with what you wrote"));
    desk.press("esc q");
    assert!(!desk.has_quit && desk.browse.frame.notice.text == NOT_KEPT);
    desk.press("t x x");
    assert_eq!(typed(&desk).as_deref(), Some("cut off"));
    // What was deleted is gone.
    desk.press(&"backspace ".repeat(7)).press("esc t x x");
    assert_eq!(typed(&desk).as_deref(), Some(""));
    desk.type_text("late").press("enter esc q");
    assert!(desk.has_quit);
}

#[test]
fn columns_without_a_value_are_left_out() {
    let mut desk = desk();
    let names = |desk: &Desk| desk.browse.table().expect("a table").column_names(&desk.browse.tables);
    assert!(names(&desk).iter().any(|name| name == "tag"), "{:?}", names(&desk));
    // Bob has said nothing of failures.
    desk.press("w").type_text("bob").press("enter");
    assert!(!names(&desk).iter().any(|name| name == "tag"), "{:?}", names(&desk));
    desk.press("t h enter w").type_text("people").press("enter");
    assert!(names(&desk).iter().any(|name| name == "tag"), "{:?}", names(&desk));
}

mod elsewhere;

#[test]
fn without_a_name_nothing_is_changed() {
    let mut desk = Desk::opened_by(None);
    for keys in ["t", "!", "c", "V enter"] {
        desk.press(keys);
        assert!(
            desk.browse.frame.notice.text.starts_with("read only"),
            "{keys}: {}",
            desk.browse.frame.notice.text
        );
    }
    assert!(desk.events.is_empty() && desk.views.is_empty());
}

#[test]
fn what_cannot_be_written_is_tried_again_and_holds_everything_up() {
    let mut desk = desk();
    desk.fault = Some(Error::new("the disk is full").in_file("/a/long/way/study.db"));
    desk.press("!");
    let text = &desk.browse.frame.notice.text;
    assert!(desk.browse.is_waiting() && text == "not saved: the disk is full");
    desk.press("j");
    assert_eq!(desk.cursor(), 0);
    desk.fault = None;
    desk.send(Input::Tick(Moment { wall: 0, monotonic: 1_000_000 }));
    assert!(!desk.browse.is_waiting());
    assert_eq!(desk.browse.frame.notice.text, "flagged · saved");
}

#[test]
fn the_second_marked_candidate_is_compared_with_the_first() {
    let mut desk = desk();
    desk.press("m end m");
    assert!(desk.browse.frame.notice.text.contains("another query"), "{}", desk.browse.frame.notice.text);
    desk.press("m home m down m");
    let BrowseContent::Compare(screen) = desk.browse.content() else {
        panic!("a comparison");
    };
    // The scores, three insights, and no bullet that covers none.
    assert_eq!((screen.rows(), screen.bands.len()), ((0, 1), 4));
    desk.press("d n");
    assert!(desk.browse.frame.notice.text.contains("no further query"));
    desk.press("j enter");
    assert_eq!((desk.table(), desk.rows().len()), (BrowseTable::Items, 2), "one insight, two candidates");
    desk.press("esc esc");
    assert_eq!(desk.table(), BrowseTable::Candidates);
}

#[test]
fn systems_are_compared_query_by_query() {
    let mut desk = desk();
    desk.press("4 m j m");
    let place = |desk: &Desk| match desk.browse.content() {
        BrowseContent::Grids(screen) => (screen.kind.clone(), screen.grid().map(|grid| grid.cursor)),
        other => panic!("{other:?}"),
    };
    let at_first = place(&desk);
    desk.press("n p");
    assert_eq!(place(&desk), at_first, "it stays in the comparison");
    let BrowseContent::Grids(screen) = desk.browse.content() else {
        panic!("numbers");
    };
    let grid = screen.grid().expect("one");
    assert_eq!(grid.rows.len(), 1, "one query is answered by both");
    desk.press("enter");
    assert!(matches!(desk.browse.content(), BrowseContent::Compare(_)));
}

#[test]
fn numbers_are_of_the_rows_that_the_filter_keeps() {
    let mut desk = desk();
    let grids = |desk: &Desk| match desk.browse.content() {
        BrowseContent::Grids(screen) => (screen.filter.clone(), screen.count),
        _ => panic!("numbers"),
    };
    desk.press("/").type_text("system:claude").press("enter P");
    assert_eq!(grids(&desk), ("system:claude".to_owned(), 1));
    desk.press("T");
    assert_eq!(grids(&desk), ("system:claude".to_owned(), 1), "of the same rows");
    desk.press("A");
    assert_eq!(grids(&desk).0, "", "a filter on summaries says nothing of items");
    desk.press("5 /").type_text("unit:walk").press("enter A");
    assert_eq!(grids(&desk).0, "unit:walk");
    // What the cell of the pair opens is of these items too.
    desk.press("l enter");
    let count = grids(&desk);
    assert_eq!((count.0.as_str(), count.1 > 0), ("unit:walk", true));
    desk.press("end enter");
    assert_eq!((desk.table(), desk.rows().len()), (BrowseTable::Items, 1));
}

#[test]
fn agreement_is_walked_from_the_pair_to_the_items() {
    let mut desk = desk();
    desk.press("w down enter A");
    let BrowseContent::Grids(screen) = desk.browse.content() else {
        panic!("numbers");
    };
    assert!(matches!(&screen.kind, GridsKind::Agreement { question } if question.contains("coverage")));
    let grid = screen.grid().expect("one");
    let place = |name: &str| grid.rows.iter().position(|row| row == name).expect(name);
    let (alice, bob) = (place("alice"), place("bob"));
    // Alice and bob: full/full, partial/none, none/none.
    assert_eq!(grid.cell(bob.max(alice), bob.min(alice)).map(|cell| cell.text.as_str()), Some("3"));
    let steps = "l ".repeat(bob.max(alice));
    desk.press(&steps).press(&"j ".repeat(bob.min(alice))).press("enter");
    let BrowseContent::Grids(screen) = desk.browse.content() else {
        panic!("the confusion of the two");
    };
    let grid = screen.grid().expect("one");
    let count = |row: usize, column: usize| grid.cell(row, column).map(|cell| cell.text.clone());
    let label = |name: &str| grid.rows.iter().position(|row| row == name).expect(name);
    let (none, partial) = (label("none"), label("partial"));
    assert_eq!(count(partial, none).as_deref(), Some("1"));
    let last = grid.rows.len() - 1;
    assert_eq!(count(last, 0).as_deref(), Some("1"), "all that differ");
    desk.press("end l enter");
    assert_eq!((desk.table(), desk.rows().len()), (BrowseTable::Items, 1), "from any of its cells");
    desk.press("esc h");
    desk.press("home").press(&"j ".repeat(partial)).press(&"l ".repeat(none)).press("enter");
    assert_eq!((desk.table(), desk.rows().len()), (BrowseTable::Items, 1));
    desk.press("esc esc esc");
    assert_eq!(desk.table(), BrowseTable::Candidates);
}

#[test]
fn a_judgment_that_does_not_count_says_so_in_the_pane() {
    let desk = desk();
    let mut detail = desk.browse.tables.detail(BrowseTable::Items, 0);
    let said = |detail: &crate::browse::Detail<'_>| page(PaneKind::Judgments, detail, 0, &[]).to_text();
    assert!(!said(&detail).contains("stale"), "{}", said(&detail));
    detail.judgments[0].uncounted = Some("stale, its text was revised".to_owned());
    let stale = |line: &&str| line.contains("stale, its text was revised");
    assert_eq!(said(&detail).lines().filter(stale).count(), 1, "{}", said(&detail));
}

#[test]
fn a_view_keeps_whose_judgments_count() {
    let mut desk = desk();
    // Bob says so of walk and timer in c1; among people alice does too of walk in c2.
    desk.press("5 /").type_text("coverage:none").press("enter");
    let of_people = desk.rows().len();
    desk.press("V enter").type_text("usual").press("enter");
    desk.press("w").type_text("bob").press("enter V enter").type_text("bobs").press("enter");
    assert_eq!((of_people, desk.rows().len()), (3, 2));
    assert!(!desk.views["usual"].contains("counts"), "as views were saved before: {}", desk.views["usual"]);
    desk.press("V");
    let Some(Overlay::List(list)) = desk.browse.frame.overlays.last() else { panic!("the views") };
    let about =
        |name: &str| list.entries.iter().find(|entry| entry.name == name).expect("a view").about.clone();
    assert!(about("bobs").ends_with("scores of bob"), "{}", about("bobs"));
    assert!(!about("usual").contains("scores of"));
    desk.press("esc");
    desk.browse.open_view("usual").expect("opened");
    assert_eq!((desk.browse.counted_name().as_str(), desk.rows().len()), ("people", 3));
    desk.browse.open_view("bobs").expect("opened");
    assert_eq!((desk.browse.counted_name().as_str(), desk.rows().len()), ("bob", 2));
    let gone = desk.views["bobs"].replace("\"bob\"", "\"rob\"");
    desk.browse.views.push(("robs".into(), gone));
    let told = desk.browse.open_view("robs").expect_err("rob is not there").to_string();
    assert!(told.contains("\"rob\", who is not in this study"), "{told}");
}

#[test]
fn views_are_saved_opened_and_deleted() {
    let mut desk = desk();
    desk.press("/").type_text("claude").press("enter V enter").type_text("worst").press("enter");
    assert_eq!(desk.views.len(), 1);
    desk.press("esc V down enter");
    assert_eq!((desk.rows().len(), desk.browse.depth()), (1, 1));
    desk.press("esc V down delete");
    assert!(desk.views.is_empty());
}

#[test]
fn columns_are_switched_and_moved() {
    let mut desk = desk();
    let names = |desk: &Desk| desk.browse.table().expect("a table").column_names(&desk.browse.tables);
    let before = names(&desk);
    desk.press("C enter");
    assert_eq!(names(&desk), before.get(1..).expect("some are left"));
    desk.press("enter alt-down esc");
    let mut moved = before.clone();
    moved.swap(0, 1);
    assert_eq!(names(&desk), moved);
}

#[test]
fn whose_judgments_count_is_chosen() {
    let mut desk = desk();
    desk.press("w").type_text("people and").press("enter");
    assert_eq!(*desk.browse.tables.counted(), WhoCounts::Everyone);
    desk.press("w").type_text("judge").press("down down enter");
    assert_eq!(*desk.browse.tables.counted(), WhoCounts::Only(vec![AnnotatorId(3)]));
}

#[test]
fn panes_follow_the_row_and_are_walked_with_tab() {
    let mut desk = desk();
    let shown = |desk: &Desk| desk.browse.table().expect("a table").kind;
    desk.press("tab tab");
    assert_eq!((shown(&desk), desk.browse.is_in_pane), (Some(PaneKind::Working), true));
    desk.press("Y");
    assert!(desk.copied.last().expect("copied").contains("✓ right 1 2"), "{:?}", desk.copied);
    desk.press("esc j");
    assert_eq!((shown(&desk), desk.browse.is_in_pane), (Some(PaneKind::Working), false));
    desk.press("Y");
    assert!(desk.copied.last().expect("copied").contains("system: claude"), "{:?}", desk.copied.last());
    desk.press("3 . .").press("q");
    assert!(desk.has_quit);
}

#[test]
fn no_key_is_too_many() {
    let keys = [
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
        "enter",
        "enter",
        "enter",
        "backspace",
        "esc",
        "esc",
        "left",
        "right",
        "j",
        "k",
        "down",
        "up",
        "space",
        "b",
        "home",
        "end",
        "tab",
        "backtab",
        "z",
        "s",
        "S",
        "C",
        "V",
        "w",
        "t",
        "h",
        "!",
        "c",
        "u",
        "U",
        "m",
        "m",
        "n",
        "p",
        "d",
        "P",
        "T",
        "A",
        "/",
        "g",
        "x",
        ":",
        "~",
        "(",
        ")",
        ".",
        ",",
        "[",
        "]",
        "Y",
        "?",
        "ctrl-t",
        "delete",
    ];
    let mut desk = desk();
    let mut state = 7_u64;
    for _ in 0..3_000 {
        // Knuth's multiplier: any sequence that is the same every time will do.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let pick = usize::try_from(state >> 33).expect("31 bits") % keys.len();
        desk.press(keys[pick]);
        if pick == 3 {
            desk.resize((state % 211) as u16, (state % 61) as u16);
        }
    }
    for _ in 0..60 {
        desk.press("esc");
    }
    assert_eq!(desk.browse.depth(), 0);
}
