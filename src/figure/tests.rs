//! The forms with names and numbers of all kinds: in the cells of a terminal as they are seen, on paper nothing hangs over.

use super::face::Face;
use super::forms::{
    Axis, DotRow, Dots, FigureForm, Grid, LineField, LinePlot, Panel, PlotLine, PlotPoint, Ranks, Series,
    Shaded,
};
use super::page::FigurePage;
use super::scene::{Anchor, ColourRole, Mark, Scene};
use super::write::{cells, pdf, svg};

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
    let widest = text.lines().map(crate::text::width::width).max().unwrap_or(0);
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
    let face = Face::bundled();
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
    let face = Face::bundled();
    let scene = dots(2, 1).scene(&FigurePage::paper(84.0, &face));
    let about = svg::AltText { id: "dots", title: "Dots", text: "Two." };
    let drawn = || {
        (svg::file(&scene, &face, about).expect("drawn"), pdf::file(&scene, &face, "Dots").expect("drawn"))
    };
    assert_eq!(drawn(), drawn());
    let chinese = dots(3, 1).scene(&FigurePage::paper(84.0, &face));
    let told = pdf::file(&chinese, &face, "Dots").expect_err("it lacks letters").to_string();
    assert!(
        told.contains("the typeface lacks 增 强 摘 检 系 索 统 要") && told.contains("--font /"),
        "{told}"
    );
    assert!(svg::file(&chinese, &face, about).is_err());
    // A page letters itself.
    assert!(svg::for_page(&chinese, about).contains("检索增强摘要系统"));
}
