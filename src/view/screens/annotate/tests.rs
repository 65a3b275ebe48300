//! The screens, drawn: rows of cells, and under each row the styles that differ from plain text.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use super::draw;
use crate::app::kit::{Input, Mouse, MouseKind};
use crate::app::screens::annotate::tests::desk::{Desk, coverage_desk, items_for, keypoint_desk};
use crate::protocol::builtin;
use crate::text::width::width;
use crate::view::kit::picture::tests::faint;
use crate::view::kit::themes;

/// The state of the hub stands at the end of the top line, at any width, and takes no room from the progress.
#[test]
fn the_top_line_ends_with_the_hub() {
    for (mut desk, columns) in [(coverage_desk(), 80), (keypoint_desk(), 80), (coverage_desk(), 200)] {
        desk.resize(columns, 24);
        let without = rows(&buffer(&desk))[0].clone();
        for word in ["synced", "12 wait"] {
            desk.app.frame.sharing = word.to_owned();
            let with = rows(&buffer(&desk))[0].clone();
            assert!(with.ends_with(&format!(" {word}")) && width(&with) < usize::from(columns), "{with}");
            assert!(with.contains(" judged") && without.contains(" judged"), "{with}");
        }
    }
}

fn buffer(desk: &Desk) -> Buffer {
    let (columns, rows) = desk.app.frame.size;
    let mut buffer = Buffer::empty(Rect::new(0, 0, columns, rows));
    draw(&desk.app, &themes()[0], &mut buffer);
    buffer
}

/// The rows as a terminal shows them, trailing blanks cut.
pub(in crate::view) fn rows(buffer: &Buffer) -> Vec<String> {
    let area = buffer.area;
    (0..area.height)
        .map(|y| {
            let mut row = String::new();
            let mut x = 0;
            while x < area.width {
                let symbol = buffer[(x, y)].symbol();
                row.push_str(symbol);
                x += u16::try_from(width(symbol).max(1)).unwrap();
            }
            row.trim_end().to_owned()
        })
        .collect()
}

/// The rows, each followed by a row of letters where cells are styled: `#` background, `_`
/// underlined, `*` bold, `r` reversed; colours alone are not shown.
pub(in crate::view) fn styled(buffer: &Buffer) -> String {
    let area = buffer.area;
    let mut text = String::new();
    for (y, row) in (0..area.height).zip(rows(buffer)) {
        text.push_str(&row);
        text.push('\n');
        let marks: String = (0..area.width).map(|x| sign(buffer[(x, y)].style())).collect();
        if !marks.trim().is_empty() {
            text.push_str(&format!("~{}\n", marks.trim_end().get(1..).unwrap_or("")));
        }
    }
    text
}

fn sign(style: Style) -> char {
    use ratatui::style::{Color, Modifier};
    let has = |modifier| style.add_modifier.contains(modifier);
    if has(Modifier::REVERSED) {
        'r'
    } else if style.bg.is_some_and(|colour| colour != Color::Reset) {
        '#'
    } else if has(Modifier::UNDERLINED) {
        '_'
    } else if has(Modifier::BOLD) {
        '*'
    } else {
        ' '
    }
}

fn snapshot(name: &str, desk: &Desk) {
    insta::assert_snapshot!(name, styled(&buffer(desk)));
}

/// A title on a rule has a colour of its own.
#[test]
fn every_letter_can_be_read_in_every_theme() {
    for theme in themes() {
        for (mut desk, columns, lines) in [
            (coverage_desk(), 80, 24),
            (keypoint_desk(), 80, 24),
            (coverage_desk(), 200, 60),
            (keypoint_desk(), 200, 60),
        ] {
            desk.resize(columns, lines);
            for keys in ["", "f 2", "tab", "/ s", "esc ?"] {
                desk.press(keys);
                let mut buffer = Buffer::empty(Rect::new(0, 0, columns, lines));
                draw(&desk.app, theme, &mut buffer);
                assert_eq!(faint(&buffer, theme), [""; 0], "{} {columns}×{lines} {keys:?}", theme.name);
            }
        }
    }
}

#[test]
fn coverage_narrow() {
    let mut desk = coverage_desk();
    desk.resize(80, 24).press("f 2");
    snapshot("coverage_80x24", &desk);
    desk.press("left");
    snapshot("coverage_80x24_judged", &desk);
    desk.press("tab / s t u d e n t");
    snapshot("coverage_80x24_search", &desk);
}

#[test]
fn what_was_not_taken_stands_out_on_the_bottom_line() {
    let mut desk = coverage_desk();
    desk.resize(80, 24).wait(1_000);
    for key in ["x", "p", "3"] {
        desk.press_now(key);
    }
    desk.show();
    let buffer = buffer(&desk);
    let row = rows(&buffer).pop().expect("a bottom line");
    assert!(row.starts_with("  p 3 not taken   typed before this item was on the screen   ⏎ next"), "{row}");
    assert!(buffer[(3, 23)].modifier.contains(ratatui::style::Modifier::REVERSED));
}

#[test]
fn the_help_is_searched_and_leaves_out_what_does_not_apply() {
    let shown = |desk: &Desk| rows(&buffer(desk)).join("\n");
    let all_of = |mut desk: Desk| {
        desk.resize(100, 200).press("?");
        shown(&desk)
    };
    let (coverage, keypoint) = (all_of(coverage_desk()), all_of(keypoint_desk()));
    for words in ["the lowest answer to all", "mark the most similar bullet", "the summary cites next"] {
        assert!(coverage.contains(words) && !keypoint.contains(words), "{words}");
    }
    let extraction = builtin("extraction").expect("built in").clone();
    let selects = all_of(Desk::under(extraction.clone(), items_for(&extraction, 1)));
    assert!(selects.contains("Selecting a passage") && !coverage.contains("Selecting a passage"));
    let mut desk = coverage_desk();
    desk.resize(80, 24).press("? / F l a g");
    let found = shown(&desk);
    assert!(found.contains("─ Keys  Flag") && found.contains("next flagged item"), "{found}");
    assert!(!found.contains("take the last step back"), "{found}");
    assert_eq!(desk.stored(1), "{}", "letters are words");
    desk.press("x x");
    assert!(shown(&desk).contains("no key is told with these words"));
    desk.press("enter ?");
    assert!(desk.app.frame.overlays.is_empty());
    desk.press("? / esc");
    assert!(desk.app.frame.overlays.is_empty());
}

#[test]
fn an_empty_summary_says_so() {
    let mut desk = coverage_desk();
    desk.items[3].candidate.as_mut().expect("a summary").text = " \n".to_owned();
    desk.resize(80, 24).press(": 4 enter");
    let shown = rows(&buffer(&desk));
    assert!(shown.iter().any(|row| row.starts_with(" this summary is empty")), "{shown:#?}");
}

#[test]
fn another_summary_is_seen_to_be_another() {
    let mut desk = coverage_desk();
    desk.resize(80, 24).press("x x x");
    let query = |desk: &Desk| {
        let buffer = buffer(desk);
        let row =
            rows(&buffer).iter().position(|row| row.contains("What do the students")).expect("the query");
        buffer[(1, u16::try_from(row).unwrap())].style().fg
    };
    let shown = rows(&buffer(&desk));
    assert!(shown[23].starts_with(" ✓ insight 3: none · a new summary   u undo"), "{}", shown[23]);
    assert_eq!(query(&desk), themes()[0].text.0.fg.or(Some(ratatui::style::Color::Reset)));
    desk.press("x");
    assert_eq!(query(&desk), themes()[0].quiet.0.fg, "the same summary");
}

#[test]
fn what_was_recorded_is_echoed_and_the_group_carries_its_answers() {
    let mut desk = coverage_desk();
    desk.resize(80, 24).press("f 3");
    let shown = rows(&buffer(&desk));
    assert!(shown[23].starts_with(" ✓ insight 1: full, bullet 3   u undo  ⏎ next"), "{}", shown[23]);
    assert!(shown.iter().any(|row| row.contains("─ Insight 2 of 3 ─ f3 ◇ ○ ─")), "{shown:#?}");
    assert!(shown.iter().any(|row| row.starts_with(" 3•An app called Calm")), "{shown:#?}");
    desk.press("p 0");
    let shown = rows(&buffer(&desk));
    assert!(shown[23].starts_with(" ✓ insight 2: partial, no single bullet   u undo"), "{}", shown[23]);
    assert!(shown.iter().any(|row| row.contains("─ Insight 3 of 3 ─ f3 p0 ◇ ─")), "{shown:#?}");
    desk.press("left x");
    let shown = rows(&buffer(&desk));
    assert!(shown.iter().any(|row| row.contains("─ f3 ◆x ○ ─")), "{shown:#?}");
    desk.press("s !");
    let said = &desk.app.frame.notice.text;
    assert_eq!(said, "✓ insight 2: flagged");
}

#[test]
fn an_item_says_by_what_it_is_sorted_and_is_given_back() {
    let mut desk = coverage_desk();
    (desk.is_assigned, desk.sorted_by) = (true, Some("confidence@judge-a".to_owned()));
    desk.resize(80, 24).press("right left R o l d");
    snapshot("give_back_80x24", &desk);
}

#[test]
fn a_tour_of_five_steps_leads_through_an_item() {
    let mut desk = coverage_desk();
    desk.resize(80, 24);
    let bottom = |desk: &Desk| rows(&buffer(desk)).pop().expect("a bottom line");
    assert!(bottom(&desk).contains("next"), "nobody asked for a tour");
    desk.app.begin_tour(false);
    snapshot("tour_80x24", &desk);
    for (key, says) in [
        ("down", "2 of 5 press the letter beside your answer  i how to decide"),
        ("f", "3 of 5 answer what is in colour now"),
        // On an item where no answer is given yet, the hint steps back.
        ("right", "2 of 5"),
        ("p", "3 of 5"),
        ("left", "3 of 5"),
        ("3", "4 of 5 it is on disk  u takes it back"),
        ("down", "5 of 5 that was all  ? all keys, at any time  F2 all this again"),
    ] {
        desk.press(key);
        assert!(bottom(&desk).contains(says), "{key}: {}", bottom(&desk));
    }
    desk.press("down");
    assert!(bottom(&desk).contains("⏎ next") && desk.app.tour().is_none(), "{}", bottom(&desk));
    desk.press("f2");
    assert!(
        bottom(&desk).contains("1 of 5 How much of the insight does the summary say"),
        "{}",
        bottom(&desk)
    );
    let mut desk = coverage_desk();
    desk.app.begin_tour(false);
    desk.resize(200, 60).press("p");
    snapshot("tour_200x60", &desk);
    let mut desk = coverage_desk();
    desk.app.begin_tour(false);
    desk.resize(40, 10);
    assert_eq!(bottom(&desk), " 1 of 5 How much of the insight does th…");
    // A person who answers at once skips the hints on answering.
    let mut desk = coverage_desk();
    desk.app.begin_tour(false);
    desk.resize(80, 24).press("x");
    assert!(bottom(&desk).contains("4 of 5"), "{}", bottom(&desk));
}

#[test]
fn the_list_of_last_answers_shows_what_was_answered() {
    let mut desk = coverage_desk();
    desk.resize(80, 24).press("f 3 p 0 H");
    let shown = rows(&buffer(&desk));
    let row = |words: &str| shown.iter().find(|row| row.contains(words)).cloned().unwrap_or_default();
    assert!(row("Last answers").contains("─ Last answers ─ 2 items ─"), "{shown:#?}");
    assert!(row("▸     2").contains("partial, no single bullet  A student uses"), "{shown:#?}");
    assert!(row("    1 ●").contains("full, bullet 3             One student works"), "{shown:#?}");
    let ends = |words: &str| row(words).trim_end().chars().last();
    assert_eq!(
        (ends("▸     2"), ends("    1 ●")),
        (Some('…'), Some('…')),
        "what has no room ends so: {shown:#?}"
    );
}

#[test]
fn coverage_wide() {
    let mut desk = coverage_desk();
    desk.resize(120, 30).press("f 2 left ! c n o t space s u r e enter");
    snapshot("coverage_120x30", &desk);
    desk.resize(200, 60);
    snapshot("coverage_200x60", &desk);
}

#[test]
fn keypoint_in_chinese() {
    let mut desk = keypoint_desk();
    desk.resize(80, 24).press("y");
    snapshot("keypoint_80x24", &desk);
    desk.resize(120, 30);
    snapshot("keypoint_120x30", &desk);
}

#[test]
fn a_known_answer() {
    let mut desk = crate::app::screens::annotate::tests::desk::calibration_desk();
    desk.resize(80, 24).press("f 1");
    snapshot("known_80x24", &desk);
    desk.press("enter p 0");
    snapshot("known_80x24_last", &desk);
}

/// A desk of three items under a built-in protocol.
fn desk_for(protocol: &str) -> Desk {
    let protocol = builtin(protocol).expect("built in").clone();
    let items = items_for(&protocol, 3);
    Desk::under(protocol, items)
}

#[test]
fn questions_of_every_kind() {
    let mut desk = desk_for("refinement");
    desk.resize(80, 24).press("n 压 力");
    snapshot("refinement_80x24_written", &desk);
    desk.press("enter left").resize(120, 30);
    snapshot("refinement_120x30", &desk);

    let mut desk = desk_for("extraction");
    desk.resize(120, 30).press("a C a l m space i n space t h e space m o r n i n g enter");
    snapshot("extraction_120x30_selecting", &desk);
    desk.press("enter").resize(80, 24);
    snapshot("extraction_80x24_written", &desk);

    let mut desk = desk_for("failure");
    desk.resize(80, 24).press("v h");
    snapshot("failure_80x24", &desk);

    // Two passages of the summary, and a third whose tag is asked for.
    let mut desk = desk_for("hallucination");
    desk.resize(80, 24).press("a enter f m a j enter v x a j enter");
    snapshot("hallucination_80x24", &desk);

    let mut desk = desk_for("match");
    desk.resize(120, 30).press("1 3");
    snapshot("match_120x30", &desk);
    desk.resize(80, 24);
    snapshot("match_80x24", &desk);

    let mut desk = desk_for("attribution");
    desk.resize(120, 30).press("}");
    snapshot("attribution_120x30", &desk);
    desk.resize(80, 24);
    snapshot("attribution_80x24", &desk);
}

#[test]
fn a_full_row_has_room_for_the_signs_of_its_passages() {
    let protocol = builtin("hallucination").expect("built in").clone();
    let mut items = items_for(&protocol, 1);
    if let Some(candidate) = &mut items[0].candidate {
        candidate.text = "他们每二十五分钟休息五分钟，".repeat(8);
    }
    let mut desk = Desk::under(protocol, items);
    desk.resize(80, 24).press("a enter f m");
    let rows = rows(&buffer(&desk));
    let signs = rows.iter().filter(|row| row.contains("二十五") && row.ends_with(" 1fm"));
    assert_eq!(signs.count(), 1, "{rows:#?}");
}

#[test]
fn documents_that_have_no_room_are_told_by_an_ellipsis() {
    let mut desk = coverage_desk();
    for item in &mut desk.items {
        let numbered = |number| crate::study::Document { number, ..item.documents[0].clone() };
        item.documents = (1..=40).map(numbered).collect();
        item.relevant = None;
        item.evidence.clear();
    }
    desk.resize(80, 24).press("right left tab");
    let strip = |desk: &Desk| {
        let mut rows = rows(&buffer(desk)).into_iter();
        rows.find(|row| row.contains('[') && row.contains('▸')).expect("a strip")
    };
    let row = strip(&desk);
    assert!(row.starts_with(" ▸1  [2] ") && row.ends_with("] …"), "{row}");
    desk.press("o 4 0 enter");
    let row = strip(&desk);
    assert!(row.starts_with(" … [37] ") && row.ends_with("▸40"), "{row}");
}

#[test]
fn overlays() {
    let mut desk = coverage_desk();
    desk.resize(80, 24).press("?");
    snapshot("help_80x24", &desk);
    desk.press("esc i");
    snapshot("guideline_80x24", &desk);
    desk.press("esc g w a l k");
    snapshot("go_to_80x24", &desk);
    desk.press("esc c 好 1");
    snapshot("comment_80x24", &desk);
    desk.press("esc x x x x x x");
    snapshot("done_80x24", &desk);
}

#[test]
fn hostile_text_reaches_no_cell() {
    let mut desk = coverage_desk();
    for item in &mut desk.items {
        item.query.text = "red \u{1b}[31m\u{7}\u{9b}2J\u{202e}evil\u{0}".into();
        item.candidate.as_mut().unwrap().text = "- a\u{1b}]52;c;AAAA\u{7}b\r\n- c\u{8}\u{8}".into();
    }
    desk.app.study = "\u{1b}[2Jstudy".into();
    desk.app.queue.name = "al\u{1b}ice\n".into();
    desk.press("right left");
    for (columns, lines) in [(80, 24), (200, 60), (30, 8)] {
        desk.resize(columns, lines);
        for cell in buffer(&desk).content() {
            let is_safe = cell
                .symbol()
                .chars()
                .all(|character| !character.is_control() && !('\u{202a}'..='\u{202e}').contains(&character));
            assert!(is_safe, "{:?}", cell.symbol());
        }
    }
}

#[test]
fn every_size_is_drawn_and_drawing_changes_nothing() {
    let mut desk = coverage_desk();
    desk.press("f");
    for columns in (0..24).chain([79, 80, 99, 100, 101, 400]) {
        for lines in (0..16).chain([24, 100]) {
            desk.resize(columns, lines);
            assert_eq!(buffer(&desk), buffer(&desk));
        }
    }
    let mut writing = desk_for("extraction");
    writing.press("a x enter");
    for (columns, lines) in [(0, 0), (1, 1), (3, 2), (10, 4), (40, 12), (400, 100)] {
        buffer(writing.resize(columns, lines));
    }
    writing.press("enter 第 一 alt-enter");
    for (columns, lines) in [(0, 0), (1, 1), (3, 2), (10, 4), (40, 12), (400, 100)] {
        buffer(writing.resize(columns, lines));
    }
    for keys in ["?", "esc i", "esc g", "esc c", "esc /"] {
        desk.press(keys);
        for (columns, lines) in [(0, 0), (1, 1), (3, 2), (10, 4), (40, 12)] {
            desk.resize(columns, lines);
            buffer(&desk);
        }
    }
}

#[test]
fn two_summaries_stand_over_each_other_or_side_by_side() {
    let protocol = builtin("preference").expect("built in").clone();
    let items = items_for(&protocol, 2);
    let mut desk = Desk::under(protocol, items);
    desk.resize(80, 24);
    snapshot("preference_80x24", &desk);
    desk.press("P");
    snapshot("preference_80x24_words", &desk);
    desk.press("tab tab");
    snapshot("preference_80x24_documents", &desk);
    desk.press("backtab").resize(200, 60);
    snapshot("preference_200x60", &desk);
}

/// A note of 4,500 letters has 57 rows of 80 columns at least, and the screen has 24.
#[test]
fn the_judgment_says_that_it_goes_on() {
    let protocol = builtin("refinement").expect("built in").clone();
    let items = items_for(&protocol, 2);
    let mut desk = Desk::under(protocol, items);
    desk.resize(80, 24).press("n");
    desk.send(Input::Paste("a word ".repeat(640), desk.now));
    let title = |desk: &Desk| {
        let row = desk.app.layout.judgment.title.y;
        rows(&buffer(desk))[usize::from(row)].clone()
    };
    assert!(title(&desk).contains(" % ─"), "{}", title(&desk));
    let body = desk.app.layout.judgment.body;
    for _ in 0..60 {
        let mouse = Mouse { kind: MouseKind::WheelUp, column: body.x, row: body.y };
        desk.send(Input::Mouse(mouse, desk.now));
    }
    assert!(title(&desk).ends_with("─ more ↓ ─"), "{}", title(&desk));
}
