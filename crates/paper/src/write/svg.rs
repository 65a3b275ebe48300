//! Writing a scene as SVG: with classes for a page that has [`style`], and with plain attributes and outlined letters for
//! papers.

use std::fmt::Write;

use super::outline::Outlines;
use super::{BASELINE, LOOKS, look};
use crate::{Anchor, ColourRole, FigureText, Mark, PaperError, Scene, Typeface};
use graphemes::markup;

/// Millimetres in a point.
const MILLIMETRES: f32 = 25.4 / 72.0;

/// The alternative text of a drawing.
#[derive(Debug, Clone, Copy)]
pub struct AltText<'a> {
    /// An identifier that is unique in the page: letters, digits and hyphens.
    pub id: &'a str,
    pub title: &'a str,
    pub text: &'a str,
}

/// A number with up to two decimals.
fn short(value: f32) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

/// Escapes text for elements and attributes.
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    markup::escape(text, &mut escaped);
    escaped
}

/// The CSS, light and dark, for the drawings of a page, which have the class `figure-drawing`.
pub fn style() -> String {
    let variables = |colour: fn(&(char, u32, u32)) -> u32| -> String {
        LOOKS.iter().map(|look| format!("--{}:#{:06x};", look.0, colour(look))).collect()
    };
    let rule = |(class, ..): &(char, u32, u32)| {
        format!(
            ".figure-drawing .{class}{{fill:var(--{class})}}.figure-drawing .s{class}{{stroke:var(--{class})}}"
        )
    };
    let rules: String = LOOKS.iter().map(rule).collect();
    format!(
        ".figure-drawing{{{}font-family:'Open Sans','Noto Sans',Helvetica,Arial,sans-serif;\
         font-variant-numeric:tabular-nums;max-width:100%;height:auto;overflow:visible}}\
         @media(prefers-color-scheme:dark){{.figure-drawing{{{}}}}}\
         @media print{{.figure-drawing{{{}}}}}\
         .figure-drawing .l{{fill:none;stroke-linejoin:round;stroke-linecap:round}}.figure-drawing .n{{fill:none}}{rules}",
        variables(|look| look.1),
        variables(|look| look.2),
        variables(|look| look.1),
    )
}

/// A drawing for a page that has [`style`]; the drawing itself has no colours, styles or scripts.
pub fn for_page(scene: &Scene, about: AltText<'_>) -> String {
    let mut out = head(scene, about, " class=\"figure-drawing\"");
    let class = |role| look(role).0;
    let paint = Paint {
        fill: &|role| format!(" class=\"{}\"", class(role)),
        line: &|role| format!(" class=\"l s{}\"", class(role)),
        both: &|fill, stroke| {
            let fill = fill.map_or('n', class);
            let stroke = stroke.map_or(String::new(), |role| format!(" s{}", class(role)));
            format!(" class=\"{fill}{stroke}\"")
        },
    };
    for mark in &scene.marks {
        match mark {
            Mark::Text(text) => letters(&mut out, text, &(paint.fill)(text.role)),
            mark => shape(&mut out, mark, &paint),
        }
    }
    out.push_str("</svg>\n");
    out
}

/// A file for papers, with plain attributes and letters as outlines, so that it looks the same everywhere.
///
/// # Errors
/// The face lacks a letter.
pub fn file(scene: &Scene, face: &Typeface, about: AltText<'_>) -> Result<String, PaperError> {
    let scene = &face.shown(scene);
    let mut out = head(scene, about, "");
    let outlines = Outlines::of(scene, face)?;
    out.push_str(&outlines.definitions());
    let hex = |role| format!("#{:06x}", look(role).1);
    let paint = Paint {
        fill: &|role| format!(" fill=\"{}\"", hex(role)),
        line: &|role| {
            format!(
                " fill=\"none\" stroke=\"{}\" stroke-linejoin=\"round\" stroke-linecap=\"round\"",
                hex(role)
            )
        },
        both: &|fill, stroke| {
            let fill = fill.map_or("none".to_owned(), hex);
            let stroke = stroke.map_or(String::new(), |role| format!(" stroke=\"{}\"", hex(role)));
            format!(" fill=\"{fill}\"{stroke}")
        },
    };
    for mark in &scene.marks {
        match mark {
            Mark::Text(text) => out.push_str(&outlines.text(text, &hex(text.role))),
            mark => shape(&mut out, mark, &paint),
        }
    }
    out.push_str("</svg>\n");
    Ok(out)
}

fn head(scene: &Scene, AltText { id, title, text }: AltText<'_>, class: &str) -> String {
    let (width, height) = (scene.width, scene.height);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\"{class} role=\"img\" aria-labelledby=\"{id}-t {id}-d\" width=\"{}mm\" \
         height=\"{}mm\" viewBox=\"0 0 {} {}\"><title id=\"{id}-t\">{}</title><desc id=\"{id}-d\">{}</desc>\n",
        short(width * MILLIMETRES),
        short(height * MILLIMETRES),
        short(width),
        short(height),
        escape(title),
        escape(text),
    )
}

/// The attributes of roles: for fills, for lines, and for both together.
struct Paint<'a> {
    fill: &'a dyn Fn(ColourRole) -> String,
    line: &'a dyn Fn(ColourRole) -> String,
    both: &'a dyn Fn(Option<ColourRole>, Option<ColourRole>) -> String,
}

/// Writes a mark that is no text; writing into a string cannot fail.
fn shape(out: &mut String, mark: &Mark, paint: &Paint<'_>) {
    let _ = match mark {
        Mark::Text(_) => Ok(()),
        // SVG refuses a path without points.
        Mark::Line { points, .. } if points.is_empty() => Ok(()),
        Mark::Line { points, role, width } => {
            let points: Vec<String> =
                points.iter().map(|(x, y)| format!("{} {}", short(*x), short(*y))).collect();
            let (attributes, width) = ((paint.line)(*role), short(*width));
            writeln!(out, "<path{attributes} stroke-width=\"{width}\" d=\"M{}\"/>", points.join("L"))
        }
        Mark::Rect { at, size, fill, stroke } => {
            let attributes = (paint.both)(fill.map(|(role, _)| role), stroke.map(|(role, _)| role));
            let opacity = fill.filter(|(_, share)| *share < 1.0);
            let opacity =
                opacity.map_or(String::new(), |(_, share)| format!(" fill-opacity=\"{}\"", short(share)));
            let line =
                stroke.map_or(String::new(), |(_, width)| format!(" stroke-width=\"{}\"", short(width)));
            writeln!(
                out,
                "<rect{attributes}{opacity}{line} x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>",
                short(at.0),
                short(at.1),
                short(size.0.max(0.0)),
                short(size.1.max(0.0))
            )
        }
        Mark::Dot { at, radius, fill, stroke } => {
            let attributes = (paint.both)(Some(*fill), Some(*stroke));
            writeln!(
                out,
                "<circle{attributes} cx=\"{}\" cy=\"{}\" r=\"{}\"/>",
                short(at.0),
                short(at.1),
                short(*radius)
            )
        }
    };
}

fn letters(out: &mut String, text: &FigureText, attributes: &str) {
    let anchor = match text.anchor {
        Anchor::Start => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::End => " text-anchor=\"end\"",
    };
    let (x, y) = text.at;
    let turn = match text.turn {
        0.0 => String::new(),
        turn => format!(" transform=\"rotate({} {} {})\"", short(-turn), short(x), short(y)),
    };
    let size = text.size.points();
    let _ = writeln!(
        out,
        "<text{attributes} x=\"{}\" y=\"{}\" font-size=\"{}\"{anchor}{turn}>{}</text>",
        short(x),
        short(y + size * BASELINE),
        short(size),
        escape(&text.text)
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::TextSize;

    #[test]
    fn no_text_becomes_markup() {
        let hostile = "\"><script>alert('1')</script>&\u{1}\u{202e}";
        let mut scene = Scene::new(50.0, 20.0);
        scene.text((0.0, 5.0), (TextSize::Label, ColourRole::Ink, Anchor::Start), hostile);
        let drawn = for_page(&scene, AltText { id: "f", title: hostile, text: hostile });
        assert!(!drawn.contains("<script") && !drawn.contains('\u{1}'), "{drawn}");
        assert_eq!(drawn.matches("&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;").count(), 3);
        assert!(!drawn.contains("style"), "{drawn}");
    }

    #[test]
    fn numbers_are_short_and_never_minus_nothing() {
        assert_eq!([1.0, -0.001, 2.345, 10.1].map(short), ["1", "0", "2.35", "10.1"].map(str::to_owned));
    }
}
