//! The forms with names and numbers of all kinds: cells of a terminal as they are seen; on paper, nothing hangs over the edges.

use super::forms::{
    Axis, DotRow, Dots, FigureForm, Grid, LineField, LinePlot, Panel, PlotLine, PlotPoint, Ranks, Series,
    Shaded,
};
use super::write::{cells, pdf, svg};
use super::{Anchor, ColourRole, FigurePage, FigureText, Mark, Scene, TextSize, Typeface};

const NAMES: [&str; 11] = [
    "claude3-opus",
    "a-system-with-a-very-long-name-and-a-version-2024-05-13-preview",
    "检索增强摘要系统",
    "gpt-4o",
    "x",
    "gemini-1.5-pro",
    "gemini-1.5-flash",
    "command-r-plus",
    "llama-3-70b-instruct",
    "mixtral-8x22b",
    "gpt-3.5-turbo",
];

fn point(value: f64, reach: f64) -> PlotPoint {
    PlotPoint { value: Some(value), interval: (reach > 0.0).then_some((value - reach, value + reach)) }
}

fn series(name: &str, role: ColourRole, is_ring: bool) -> Series {
    Series { name: name.to_owned(), role, is_ring }
}

/// So many systems, the third without an interval and the fourth without a score.
fn dots(count: usize, panels: usize) -> Dots {
    let row = |(at, name): (usize, &&str)| DotRow {
        name: (*name).to_owned(),
        points: vec![match at {
            2 => point(60.0, 0.0),
            3 => PlotPoint::default(),
            at => point(70.0 - 5.0 * at as f64, 8.0),
        }],
        texts: vec![
            if at == 3 { "–".to_owned() } else { format!("{:.1}", 70.0 - 5.0 * at as f64) },
            "ab".to_owned(),
        ],
    };
    let rows: Vec<DotRow> = NAMES.iter().enumerate().take(count).map(row).collect();
    let title = |at: usize| if panels > 1 { format!("panel {at}") } else { String::new() };
    Dots {
        axis: Axis {
            title: "joint, % (dot) with 95 % interval (line)".to_owned(),
            bounds: Some((0.0, 100.0)),
            reference: None,
        },
        series: vec![series("", ColourRole::A, false)],
        columns: vec![String::new(); 2],
        panels: (0..panels).map(|at| Panel { title: title(at), rows: rows.clone() }).collect(),
    }
}

fn grid(count: usize) -> Grid {
    let field = |share: f64| Shaded {
        text: format!("{:.1}", share * 100.0),
        note: "10–20".to_owned(),
        share: Some(share),
        ..Shaded::default()
    };
    let names: Vec<String> = NAMES.iter().take(count).map(|name| (*name).to_owned()).collect();
    Grid {
        titles: ["one".to_owned(), "other".to_owned()],
        fields: (0..count).map(|a| (0..count).map(|b| field((a * b % 10) as f64 / 10.0)).collect()).collect(),
        outside: Some(("all".to_owned(), vec!["120".to_owned(); count], vec!["77".to_owned(); count])),
        rows: names.clone(),
        columns: names,
        foot: "counts, shaded by their share of the row".to_owned(),
        note_foot: "below them the share".to_owned(),
    }
}

fn lines(fields: usize) -> LinePlot {
    let line = |name: &str, role, step: f64| PlotLine {
        name: name.to_owned(),
        role,
        points: (0..8).map(|at| (10.0 * f64::from(at), point(5.0 + step * f64::from(at), 4.0))).collect(),
    };
    let field = |at: usize| LineField {
        title: if fields > 1 { NAMES[at].to_owned() } else { String::new() },
        lines: vec![line("people", ColourRole::A, 7.0), line(NAMES[1], ColourRole::B, 3.0)],
        levels: vec![("gpt-4o".to_owned(), 54.0), ("检索增强".to_owned(), 55.0)],
    };
    LinePlot {
        is_scatter: false,
        across: Axis { title: "active minutes".to_owned(), ..Axis::default() },
        up: Axis { title: "coverage, %".to_owned(), bounds: Some((0.0, 100.0)), reference: Some(0.0) },
        fields: (0..fields).map(field).collect(),
    }
}

fn ranks(views: usize) -> Ranks {
    let rank =
        |at: usize, view: usize| (view != 1 || at != 4).then_some((at + view * (at % 3)) % NAMES.len() + 1);
    Ranks {
        views: (0..views).map(|view| format!("annotator {view}")).collect(),
        rows: NAMES
            .iter()
            .enumerate()
            .map(|(at, name)| ((*name).to_owned(), (0..views).map(|view| rank(at, view)).collect()))
            .collect(),
    }
}

fn seen(form: &dyn FigureForm) -> String {
    let scene = form.scene(&FigurePage::cells(80));
    let text = cells::text(&cells::buffer(&scene));
    let widest = text.lines().map(graphemes::width::width).max().unwrap_or(0);
    assert!(widest <= 80, "{widest} columns\n{text}");
    text
}

#[test]
fn dots_in_eighty_columns() {
    insta::assert_snapshot!(seen(&dots(11, 1)));
    insta::assert_snapshot!(seen(&dots(1, 1)));
    insta::assert_snapshot!(seen(&dots(4, 3)));
}

#[test]
fn grids_lines_and_ranks_in_eighty_columns() {
    insta::assert_snapshot!(seen(&grid(3)));
    insta::assert_snapshot!(seen(&grid(9)));
    insta::assert_snapshot!(seen(&lines(1)));
    insta::assert_snapshot!(seen(&ranks(5)));
}

/// A dot under a ring, and a number at the edge.
#[test]
fn nothing_in_a_terminal_hides_or_cuts_what_is_there() {
    let mut scene = Scene::new(6.0, 2.0);
    scene.dot((1.5, 0.5), 2.6, ColourRole::A);
    scene.ring((1.5, 0.5), 2.2, ColourRole::B);
    scene.ring((3.5, 0.5), 2.2, ColourRole::B);
    scene.text((5.5, 1.5), (TextSize::Note, ColourRole::Muted, Anchor::Middle), "100".to_owned());
    assert_eq!(cells::text(&cells::buffer(&scene)), " ◉ ○\n   100\n");
}

/// Kappas of so many annotators below the diagonal, with their items below them.
fn pairs(count: usize) -> Grid {
    let names: Vec<String> = (1..=count).map(|at| format!("person{at:02}")).collect();
    let field = |a: usize, b: usize| match b <= a {
        true => Shaded {
            text: format!("0.{}{b}", a % 10),
            note: "21".to_owned(),
            share: Some(0.5),
            ..Shaded::default()
        },
        false => Shaded::default(),
    };
    Grid {
        fields: (0..count - 1).map(|a| (0..count - 1).map(|b| field(a, b)).collect()).collect(),
        rows: names[1..].to_vec(),
        columns: names[..count - 1].to_vec(),
        foot: "Cohen’s κ".to_owned(),
        note_foot: "below it the items of both".to_owned(),
        ..Grid::default()
    }
}

/// A field without room for its larger number showed only the smaller one.
#[test]
fn every_field_shows_its_number_and_no_note_stands_without() {
    let face = Typeface::bundled();
    let papers = [77.0, 84.0, 174.0].map(|wide| FigurePage::paper(wide, &face));
    for page in papers.iter().chain([&FigurePage::cells(80), &FigurePage::cells(60)]) {
        for count in 3..=24 {
            let scene = pairs(count).scene(page);
            let numbers = scene.texts().filter(|text| text.text.starts_with("0.")).count();
            let is_note = |text: &&FigureText| text.text == "21" && text.size == TextSize::Note;
            let notes = scene.texts().filter(is_note).count();
            assert_eq!(numbers, count * (count - 1) / 2, "of {count} at {}", page.width);
            assert!(notes == 0 || notes == numbers, "{notes} of {count} at {}", page.width);
            let says = scene.texts().any(|text| text.text.contains("items of both"));
            assert_eq!(says, notes > 0, "what is said of the notes is true, of {count} at {}", page.width);
        }
    }
}

/// On paper turned headings that begin beside each other are further apart than they are high; in a terminal nothing is cut.
#[test]
fn headings_of_rankings_are_whole_and_do_not_overlap() {
    let face = Typeface::bundled();
    let form = |count: usize| Ranks {
        views: (0..count).map(|view| format!("prompted_gemini-1.5-pro-{view}")).collect(),
        ..ranks(count)
    };
    for count in [2, 7, 9, 16, 30] {
        for millimetres in [77.0, 84.0, 174.0] {
            let page = FigurePage::paper(millimetres, &face);
            let scene = form(count).scene(&page);
            let heads: Vec<_> = scene.texts().filter(|text| text.turn != 0.0).collect();
            for pair in heads.windows(2).filter(|pair| pair[0].at.1 == pair[1].at.1) {
                let apart = (pair[1].at.0 - pair[0].at.0) * 45_f32.to_radians().sin();
                assert!(apart >= TextSize::Note.points(), "{apart} points at {millimetres} mm of {count}");
            }
            let is_whole = |view: usize| {
                scene.texts().any(|text| {
                    text.text.ends_with(&format!("…{view}")) || text.text.ends_with(&format!("-{view}"))
                })
            };
            assert!((0..count).all(is_whole), "{count} at {millimetres} mm");
        }
        seen(&form(count));
        let scene = form(count).scene(&FigurePage::cells(80));
        let mut heads = scene.texts().filter(|text| text.role == ColourRole::Muted);
        assert!(heads.all(|head| !head.text.contains('…')), "nothing is cut, of {count}");
    }
}

#[test]
fn names_lose_what_they_begin_with_alike_before_their_middle() {
    let named = ["opus", "sonnet-20240620", "sonnet-20241022", "模型乙"];
    let mut form = dots(4, 3);
    for row in form.panels.iter_mut().flat_map(|panel| panel.rows.iter_mut().zip(named)) {
        row.0.name = format!("anthropic/deployment-west/{}", row.1);
    }
    let face = Typeface::bundled();
    for page in [FigurePage::paper(84.0, &face), FigurePage::cells(80)] {
        let scene = form.scene(&page);
        for name in named {
            assert!(scene.texts().any(|text| text.text == format!("…{name}")), "{name} at {}", page.width);
        }
    }
}

#[test]
fn a_form_without_a_number_is_empty() {
    let (mut points, mut shares, mut over) = (dots(3, 2), grid(3), lines(2));
    assert!(!points.is_empty() && !shares.is_empty() && !over.is_empty() && !ranks(2).is_empty());
    let rows = points.panels.iter_mut().flat_map(|panel| &mut panel.rows);
    rows.flat_map(|row| &mut row.points).for_each(|point| point.value = None);
    shares.fields.iter_mut().flatten().for_each(|field| field.share = None);
    let lines = over.fields.iter_mut().flat_map(|field| &mut field.lines);
    lines.flat_map(|line| &mut line.points).for_each(|(_, point)| point.value = None);
    assert!(points.is_empty() && shares.is_empty() && over.is_empty());
    assert!(ranks(1).is_empty(), "one ranking is like no other");
}

#[test]
fn two_names_are_never_shown_as_one() {
    let named = ["x-small-of-the-second-try-2024-x", "x-small-of-the-first-run-in-2024-x"];
    let mut form = dots(2, 1);
    let long = "words".repeat(30);
    let named = named.map(|name| format!("系统{name}{long}{name}甲"));
    for (row, name) in form.panels[0].rows.iter_mut().zip(&named) {
        row.name = name.clone();
    }
    let scene = form.scene(&FigurePage::cells(80));
    let cut: Vec<&str> =
        scene.texts().map(|text| text.text.as_str()).filter(|text| text.contains('…')).collect();
    assert!(cut.len() == 2 && cut[0] != cut[1], "{cut:?}");
}

/// The labels of the axes of a scene, which are its smallest numbers.
#[test]
fn every_axis_has_three_ticks() {
    let face = Typeface::bundled();
    for (count, panels) in [(1, 1), (4, 2), (4, 6), (11, 11)] {
        for millimetres in [77.0, 84.0, 174.0] {
            let page = FigurePage::paper(millimetres, &face);
            let scene = dots(count, panels).scene(&page);
            let is_tick = |text: &&FigureText| {
                text.size == TextSize::Note
                    && text.anchor == Anchor::Middle
                    && text.text.parse::<f64>().is_ok()
            };
            let mut ticks: Vec<&FigureText> = scene.texts().filter(is_tick).collect();
            assert!(ticks.len() >= 3 * panels, "{panels} panels have {} ticks", ticks.len());
            ticks.sort_by(|one, other| {
                (one.at.1, one.at.0).partial_cmp(&(other.at.1, other.at.0)).expect("numbers")
            });
            for pair in ticks.windows(2).filter(|pair| pair[0].at.1 == pair[1].at.1) {
                let half = |text: &FigureText| page.width_of(&text.text, text.size) / 2.0;
                let apart = pair[1].at.0 - pair[0].at.0 - half(pair[0]) - half(pair[1]);
                assert!(apart > 0.0, "{:?} and {:?} at {millimetres} mm", pair[0].text, pair[1].text);
            }
        }
    }
}

/// The texts of a scene that lie beyond its edges, with the place of their corners.
fn hanging(scene: &Scene, page: &FigurePage<'_>) -> Vec<String> {
    let hangs = |mark: &Mark| {
        let Mark::Text(text) = mark else { return None };
        let (width, high) = (page.width_of(&text.text, text.size), text.size.points() * 0.36);
        let start = match text.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -width / 2.0,
            Anchor::End => -width,
        };
        let (sine, cosine) = text.turn.to_radians().sin_cos();
        let corners = [(start, -high), (start, high), (start + width, -high), (start + width, high)];
        let place = |(along, down): (f32, f32)| {
            (text.at.0 + along * cosine + down * sine, text.at.1 - along * sine + down * cosine)
        };
        let is_out =
            |(x, y): (f32, f32)| x < -0.5 || x > scene.width + 0.5 || y < -0.5 || y > scene.height + 0.5;
        let out = corners.map(place).into_iter().find(|corner| is_out(*corner))?;
        Some(format!("{:?} at {out:?} of {:?}", text.text, (scene.width, scene.height)))
    };
    scene.marks.iter().filter_map(hangs).collect()
}

#[test]
fn nothing_hangs_over_the_paper() {
    let face = Typeface::bundled();
    let mut forms: Vec<(String, Box<dyn FigureForm>)> = Vec::new();
    for count in [1, 2, 11] {
        forms.push((format!("dots {count}"), Box::new(dots(count, 1))));
        forms.push((format!("panels {count}"), Box::new(dots(4, count))));
        forms.push((format!("grid {count}"), Box::new(grid(count))));
        forms.push((format!("lines {count}"), Box::new(lines(count))));
        forms.push((format!("ranks {count}"), Box::new(ranks(count))));
    }
    let mut wrong = Vec::new();
    for (name, form) in &forms {
        for millimetres in [77.0, 84.0, 174.0] {
            let page = FigurePage::paper(millimetres, &face);
            let scene = form.scene(&page);
            wrong.extend(
                hanging(&scene, &page).into_iter().map(|text| format!("{name}, {millimetres} mm: {text}")),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_same_scene_gives_the_same_bytes_and_lacking_letters_are_refused() {
    let face = Typeface::bundled();
    let scene = dots(2, 1).scene(&FigurePage::paper(84.0, &face));
    let about = svg::AltText { id: "dots", title: "Dots", text: "Two." };
    let drawn = || {
        (svg::file(&scene, &face, about).expect("drawn"), pdf::file(&scene, &face, "Dots").expect("drawn"))
    };
    assert_eq!(drawn(), drawn());
    let chinese = dots(3, 1).scene(&FigurePage::paper(84.0, &face));
    let told = pdf::file(&chinese, &face, "Dots").expect_err("it lacks letters").to_string();
    assert_eq!(told, "the typeface lacks 增 强 摘 检 系 索 统 要");
    assert!(svg::file(&chinese, &face, about).is_err());
    // A page letters itself.
    assert!(svg::for_page(&chinese, about).contains("检索增强摘要系统"));
}
