//! The editor: a marked text, what is done, and the marked text afterwards; `|` is the cursor.

use std::time::Instant;

use proptest::prelude::*;

use super::*;

fn at(marked: &str) -> SummaryEditor {
    let cursor = marked.find('|').expect("a cursor");
    let mut summary = SummaryEditor::new(&marked.replacen('|', "", 1), Arc::new(BTreeSet::from([3, 5, 8])));
    summary.set_width(20);
    summary.put_cursor(cursor);
    summary
}

fn marked(summary: &SummaryEditor) -> String {
    let mut text = summary.text().to_owned();
    text.insert(summary.cursor(), '|');
    text
}

fn check(before: &str, act: impl FnOnce(&mut SummaryEditor), after: &str) {
    let mut summary = at(before);
    act(&mut summary);
    assert_eq!(marked(&summary), after, "from {before:?}");
    let lines: Vec<&str> = summary.text().split('\n').collect();
    assert_eq!(summary.area.lines(), lines);
}

#[test]
fn the_cursor_goes_by_characters_words_rows_and_bullets() {
    use Action::{
        WriteBulletDown as BulletDown, WriteBulletUp as BulletUp, WriteDown as Down, WriteEnd as End,
        WriteLeft as Left, WriteRight as Right, WriteRowEnd as RowEnd, WriteRowStart as RowStart,
        WriteStart as Start, WriteUp as Up, WriteWordLeft as WordLeft, WriteWordRight as WordRight,
    };
    let go = |steps: &'static [Action]| {
        move |summary: &mut SummaryEditor| steps.iter().for_each(|step| assert!(summary.go(*step)))
    };
    check("one tw|o", go(&[Left]), "one t|wo");
    check("e\u{301}|x", go(&[Left]), "|e\u{301}x");
    check("|👩\u{200d}🔬x", go(&[Right]), "👩\u{200d}🔬|x");
    check("a\n|b", go(&[Left]), "a|\nb");
    check("|", go(&[Left]), "|");
    check("a|", go(&[Right]), "a|");
    check("one two|", go(&[WordLeft, WordLeft]), "|one two");
    check("|one, two", go(&[WordRight, WordRight]), "one,| two");
    check("|压力很大", go(&[WordRight, WordRight]), "压力|很大");
    check("one|\ntwo", go(&[WordRight]), "one\n|two");
    check("one\n|two", go(&[WordLeft]), "one|\ntwo");
    // At 20 columns: "aaaa bbbb cccc dddd" and "eeee ffff".
    check("aaaa bbbb cc|cc dddd eeee ffff", go(&[Down]), "aaaa bbbb cccc dddd eeee ffff|");
    check("aaaa b|bbb cccc dddd eeee ffff", go(&[Down, Up]), "aaaa b|bbb cccc dddd eeee ffff");
    check("aaaa b|bbb cccc dddd eeee ffff", go(&[RowEnd]), "aaaa bbbb cccc dddd| eeee ffff");
    check("aaaa bbbb cccc dddd eeee f|fff", go(&[RowStart]), "aaaa bbbb cccc dddd |eeee ffff");
    check("long line\nx\nlong li|ne", go(&[Up, Up]), "long li|ne\nx\nlong line");
    check("中文字|x\nabcdefg", go(&[Down]), "中文字x\nabcdef|g");
    check("one|\ntwo", go(&[Up]), "|one\ntwo");
    check("one\nt|wo", go(&[Down]), "one\ntwo|");
    check("one\ntw|o", go(&[BulletUp, BulletUp]), "|one\ntwo");
    check("o|ne\ntwo", go(&[BulletDown]), "one\n|two");
    check("one\ntw|o", go(&[BulletDown]), "one\ntwo|");
    check("one\nt|wo", go(&[Start]), "|one\ntwo");
    check("o|ne\ntwo", go(&[End]), "one\ntwo|");
}

#[test]
fn whole_characters_and_words_are_deleted() {
    use Action::{
        WriteDelete as CharacterBefore, WriteDeleteNext as CharacterAfter, WriteDeleteNextWord as WordAfter,
        WriteDeleteRest as RestOfLine, WriteDeleteWord as WordBefore,
    };
    let delete = |piece: Action| move |summary: &mut SummaryEditor| drop(summary.delete(piece));
    check("ae\u{301}|", delete(CharacterBefore), "a|");
    check("|👩\u{200d}🔬x", delete(CharacterAfter), "|x");
    check("a\n|b", delete(CharacterBefore), "a|b");
    check("|", delete(CharacterBefore), "|");
    check("|", delete(CharacterAfter), "|");
    check("one two|", delete(WordBefore), "one |");
    check("压力很|大", delete(WordBefore), "压力|大");
    check("one |two three", delete(WordAfter), "one | three");
    check("o|ne\ntwo", delete(RestOfLine), "o|\ntwo");
    check("one|\ntwo", delete(RestOfLine), "one|two");
    check(
        "one| two\nx",
        |summary| {
            summary.delete(RestOfLine);
            summary.go(Action::WriteEnd);
            summary.put_back();
        },
        "one\nx two|",
    );
}

#[test]
fn typing_is_undone_word_by_word() {
    let mut summary = at("|");
    for character in "one two\nthree".chars() {
        summary.insert(character);
    }
    let mut states = vec![marked(&summary)];
    while summary.undo().is_some() {
        states.push(marked(&summary));
    }
    assert_eq!(states, ["one two\nthree|", "one two\n|", "one two|", "one |", "|"]);
    while summary.redo().is_some() {}
    assert_eq!(marked(&summary), "one two\nthree|");
    for _ in 0..3 {
        summary.delete(Action::WriteDelete);
    }
    assert_eq!(summary.text(), "one two\nth");
    summary.undo();
    assert_eq!(summary.text(), "one two\nthree", "characters deleted in a row come back together");
    summary.undo();
    summary.insert('x');
    assert_eq!(summary.redo(), None, "what is typed after an undo ends what could be done again");
}

#[test]
fn bullets_move_and_take_the_cursor_along() {
    check("one\nt|wo\nthree", |summary| drop(summary.move_line(false)), "t|wo\none\nthree");
    check("one\nt|wo\nthree", |summary| drop(summary.move_line(true)), "one\nthree\nt|wo");
    check("o|ne\ntwo", |summary| drop(summary.move_line(false)), "o|ne\ntwo");
    check("one\ntw|o", |summary| drop(summary.move_line(true)), "one\ntw|o");
    check(
        "one\nt|wo",
        |summary| {
            summary.move_line(false);
            summary.undo();
        },
        "one\ntwo|",
    );
}

#[test]
fn citations_stand_at_the_bullets_end() {
    let cite = |number: u32| move |summary: &mut SummaryEditor| drop(summary.cite(number));
    check("One| two", cite(8), "One| two [8]");
    check("One two|", cite(8), "One two [8]|");
    check("One [8]|\nnext", cite(5), "One [8,5]|\nnext");
    check("O|ne [8].", cite(5), "O|ne [8,5].");
    check("One [8]| and on", cite(5), "One [8]| and on [5]");
    check("One [8]|", cite(8), "One [8]|");
    let mut empty = at("One\n|");
    assert_eq!(empty.cite(8), Err(EmptyLine));
    assert_eq!(at("One [8]|").cite(8), Ok(None));
}

#[test]
fn control_characters_are_no_text() {
    let mut summary = at("|");
    for character in ['\u{1b}', '\u{7}', '\r', '\u{9b}', '\0'] {
        assert_eq!(summary.insert(character), None);
    }
    assert_eq!(summary.text(), "");
}

/// A summary of 5,000 words in 100 bullets.
fn long() -> String {
    // Each Han character is a word.
    let bullet = "word ".repeat(46) + "Übung 压力 [8]\n";
    bullet.repeat(100)
}

#[test]
fn a_long_summary_is_written_as_quickly_as_a_short_one() {
    let text = long();
    assert_eq!(crate::text::words::count(&text), 5_000);
    let mut summary = SummaryEditor::new(&text, Arc::new(BTreeSet::from([8])));
    summary.set_width(60);
    summary.put_cursor(text.len() / 2);
    let begun = Instant::now();
    for _ in 0..200 {
        summary.insert('x');
        summary.go(Action::WriteDown);
        summary.delete(Action::WriteDelete);
        summary.go(Action::WriteWordLeft);
    }
    // 800 keys; the target is 2 ms a key, and a debug build on a busy machine may take all of it.
    assert!(begun.elapsed().as_millis() < 1_600, "{:?}", begun.elapsed());
}

#[derive(Debug, Clone, Copy)]
enum Act {
    Insert(char),
    Delete(Action),
    Go(Action),
    Undo,
    Redo,
    Cite(u32),
    Move(bool),
    PutBack,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    use Action::{WriteDelete, WriteDeleteNext, WriteDeleteNextWord, WriteDeleteRest, WriteDeleteWord};
    let signs = vec!['a', ' ', '\n', '中', '\u{301}', '👩', '\u{200d}', '🔬', '[', '8', ']', '.', '🇩', '🇪'];
    let pieces = vec![WriteDeleteNext, WriteDelete, WriteDeleteRest, WriteDeleteNextWord, WriteDeleteWord];
    let steps = vec![
        Action::WriteLeft,
        Action::WriteRight,
        Action::WriteUp,
        Action::WriteDown,
        Action::WriteWordLeft,
        Action::WriteRowEnd,
        Action::WriteBulletUp,
    ];
    let act = prop_oneof![
        8 => proptest::sample::select(signs).prop_map(Act::Insert),
        3 => proptest::sample::select(pieces).prop_map(Act::Delete),
        3 => proptest::sample::select(steps).prop_map(Act::Go),
        2 => Just(Act::Undo),
        1 => Just(Act::Redo),
        1 => Just(Act::Cite(8)),
        1 => any::<bool>().prop_map(Act::Move),
        1 => Just(Act::PutBack),
    ];
    proptest::collection::vec(act, 0..60)
}

proptest! {
    #[test]
    fn every_change_is_told_and_the_cursor_stays_on_a_boundary(acts in acts()) {
        let mut summary = at("One 中文 [3]\n|two");
        let mut told = summary.text().to_owned();
        for act in acts {
            let change = match act {
                Act::Insert(character) => summary.insert(character),
                Act::Delete(piece) => summary.delete(piece),
                Act::Go(step) => {
                    summary.go(step);
                    None
                }
                Act::Undo => summary.undo(),
                Act::Redo => summary.redo(),
                Act::Cite(number) => summary.cite(number).ok().flatten(),
                Act::Move(down) => summary.move_line(down),
                Act::PutBack => summary.put_back(),
            };
            if let Some(change) = change {
                prop_assert!(change.apply(&mut told));
            }
            prop_assert_eq!(&told, summary.text());
            prop_assert!(is_boundary(summary.text(), summary.cursor()), "{:?}", marked(&summary));
            prop_assert_eq!(summary.area.lines().join("\n"), summary.text());
            let mut fresh = BulletSheet::new(summary.text(), Arc::new(BTreeSet::from([3, 5, 8])));
            fresh.set_width(summary.text(), 20);
            prop_assert_eq!(&summary.sheet, &fresh);
        }
    }
}
