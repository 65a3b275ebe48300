//! The working of scores: the bullet that covers an insight, the documents that it cites rightly, wrongly and not at all.

use super::unit_name;
use crate::app::kit::{Paragraph, Tone};
use crate::browse::{Detail, DocumentRole, Working};
use crate::score::{Measure, Scores};
use crate::study::Candidate;
use crate::text::citation::citations;

/// A percentage as screens write it; a dash where it is undefined.
pub fn percent(measure: Measure) -> String {
    measure.map_or_else(|_| "–".to_owned(), |value| format!("{value:.1}"))
}

/// The scores of a summary or a system on one line.
pub fn scores_line(scores: &Scores) -> Paragraph {
    let mut paragraph = Paragraph::default();
    let mut gap = "";
    // The last measure, words per bullet without citations, is left out.
    let [measures @ .., _] = scores.measures();
    for (name, measure) in measures {
        let name = name.replace('_', " ");
        paragraph = paragraph.toned(format!("{gap}{name} "), Tone::Quiet).and(percent(measure));
        gap = " · ";
    }
    paragraph
}

/// Scores of other protocols beside each other; `None` where there is none.
pub fn other_scores_line(scores: &[(String, String)]) -> Option<Paragraph> {
    let mut paragraph = Paragraph::default();
    for (at, (heading, value)) in scores.iter().enumerate() {
        let gap = if at == 0 { "" } else { " · " };
        paragraph = paragraph.toned(format!("{gap}{heading} "), Tone::Quiet).and(value.clone());
    }
    (!scores.is_empty()).then_some(paragraph)
}

/// The scores with their working, insight by insight.
pub fn working_paragraphs(detail: &Detail) -> Vec<Paragraph> {
    let mut paragraphs = Vec::new();
    if let Some(scores) = &detail.scores {
        paragraphs.push(scores_line(scores));
        let reasons = scores.measures().into_iter().filter_map(|(_, measure)| measure.err());
        if let Some(reason) = reasons.into_iter().next() {
            paragraphs.push(Paragraph::quiet(format!("– {reason}")));
        }
        paragraphs.push(Paragraph::gap());
    }
    let several = detail
        .working
        .iter()
        .any(|working| Some(working.annotator) != detail.working.first().map(|w| w.annotator));
    for working in &detail.working {
        paragraphs.push(insight(working));
        paragraphs.push(reckoning(working, several).led("    ", Tone::Quiet));
    }
    paragraphs
}

/// The insight with the sign and the word of its label.
pub fn insight(working: &Working) -> Paragraph {
    let lead = format!("{} {:<8}", sign(working), working.label);
    Paragraph::plain(unit_name(working.unit)).led(lead, tone(working))
}

/// The bullets, their citations, and the scores that follow.
pub fn reckoning(working: &Working, names_annotator: bool) -> Paragraph {
    let mut paragraph = Paragraph::default();
    if names_annotator {
        paragraph = paragraph.toned(format!("{} · ", working.annotator.id), Tone::Accent);
    }
    let numbers: Vec<String> = working.bullets.iter().map(u32::to_string).collect();
    paragraph = match (numbers.is_empty(), working.coverage > 0.0) {
        (false, _) => paragraph.toned("bullet ", Tone::Quiet).and(numbers.join(" ")),
        (true, true) => paragraph.toned("linked to no bullet", Tone::Missed),
        (true, false) => paragraph.toned("nowhere", Tone::Quiet),
    };
    if working.citation.is_err() && !working.cited.is_empty() {
        paragraph = paragraph.toned(" · cites ", Tone::Quiet).and(working.citing(&working.cited, " "));
    }
    let parts = [
        (&working.right, DocumentRole::Right, Tone::Right),
        (&working.wrong, DocumentRole::Wrong, Tone::Wrong),
        (&working.missed, DocumentRole::Missed, Tone::Missed),
    ];
    let looks_at_citations = working.citation.is_ok();
    for (numbers, role, tone) in parts {
        if looks_at_citations && !numbers.is_empty() {
            let words = format!(" · {} {} {}", role.glyph(), role.name(), working.citing(numbers, " "));
            paragraph = paragraph.toned(words, tone);
        }
    }
    if let Ok(citation) = working.citation {
        let numbers =
            format!(" · P {:.1} R {:.1} F1 {:.1}", citation.precision, citation.recall, citation.f1);
        paragraph = paragraph.toned(numbers, Tone::Quiet);
    }
    match working.joint {
        Ok(joint) => paragraph.toned(format!(" · joint {joint:.1}"), Tone::Quiet),
        Err(_) => paragraph,
    }
}

/// A bullet behind its number; its citations stand out by the judgment on them.
pub fn cited<'w>(
    (candidate, text): (&Candidate, &str),
    number: u32,
    said: impl Iterator<Item = &'w Working<'w>> + Clone,
) -> Paragraph {
    let mut paragraph = Paragraph::default().led(format!("{number:>2} "), Tone::Quiet);
    let mut at = 0;
    for citation in citations(text) {
        let is_wrong =
            |number: &u32| said.clone().any(|working| working.wrong.contains(&candidate.meant(*number)));
        let is_right =
            |number: &u32| said.clone().any(|working| working.right.contains(&candidate.meant(*number)));
        let tone = if citation.numbers.iter().all(is_right) {
            Tone::Right
        } else if citation.numbers.iter().any(is_wrong) {
            Tone::Wrong
        } else {
            Tone::Accent
        };
        paragraph = paragraph.and(text.get(at..citation.span.start()).unwrap_or(""));
        paragraph = paragraph.toned(citation.span.slice(text), tone);
        at = citation.span.end();
    }
    paragraph.and(text.get(at..).unwrap_or(""))
}

/// The sign of a label: full, half, empty.
pub fn sign(working: &Working) -> &'static str {
    if working.coverage >= 100.0 {
        "●"
    } else if working.coverage > 0.0 {
        "◐"
    } else {
        "○"
    }
}

fn tone(working: &Working) -> Tone {
    if working.coverage >= 100.0 {
        Tone::Right
    } else if working.coverage > 0.0 {
        Tone::Accent
    } else {
        Tone::Missed
    }
}
