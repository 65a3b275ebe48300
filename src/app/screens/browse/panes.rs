//! The panes of the row under the cursor: its texts, the judgments of everyone, and the working of its scores. A right
//! or wrong citation has a sign and a word besides its colour.

use super::{cited, other_scores_line, scores_line, sign, working_paragraphs};
use crate::app::kit::{Page, Paragraph, Tone};
use crate::browse::{BrowseTable, Detail, DocumentDetail, DocumentRole, JudgmentDetail};
use crate::study::Unit;
use crate::text::bullets::without_mark;
use crate::text::search::Finder;
use crate::text::span::Span;
use crate::text::width::{padded, width};
use crate::text::words::capitalised;

/// The content of a pane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PaneKind {
    Summary,
    /// Scores with their working.
    Working,
    /// The judgments of everyone.
    Judgments,
    Unit,
    /// The query, or other facts about the row.
    About,
    Documents,
}

#[derive(Debug, Clone, PartialEq)]
pub struct RowPane {
    pub kind: PaneKind,
    pub title: String,
    /// The page, made when it is first on the screen.
    pub page: Option<Page>,
}

impl PaneKind {
    /// The panes of a table's rows, the most telling first.
    fn of(table: BrowseTable) -> &'static [PaneKind] {
        use PaneKind::{About, Documents, Judgments, Summary, Unit, Working};
        match table {
            BrowseTable::Queries => &[About, Working, Judgments, Documents],
            BrowseTable::Units => &[Unit, Judgments, Working, Documents, About],
            BrowseTable::Candidates => &[Summary, Working, Judgments, Documents, About],
            BrowseTable::Systems => &[About, Working, Judgments],
            BrowseTable::Items => &[Judgments, Summary, Working, Documents, Unit, About],
            BrowseTable::Documents => &[Documents, Judgments, About],
        }
    }

    /// Whether the row has anything for this pane.
    fn is_in(self, detail: &Detail) -> bool {
        match self {
            PaneKind::Summary => detail.candidate.is_some(),
            PaneKind::Working => !detail.working.is_empty(),
            PaneKind::Judgments => !detail.judgments.is_empty(),
            PaneKind::Unit => detail.unit.is_some(),
            PaneKind::About => true,
            PaneKind::Documents => !detail.documents.is_empty(),
        }
    }

    fn title(self, detail: &Detail) -> String {
        match self {
            PaneKind::Summary => "Summary".to_owned(),
            PaneKind::Working => "Scores".to_owned(),
            PaneKind::Judgments => "Judgments".to_owned(),
            PaneKind::Unit => {
                let kind = detail.unit.map(|unit| unit.kind.as_str()).filter(|kind| !kind.is_empty());
                capitalised(kind.unwrap_or("unit"))
            }
            PaneKind::About if detail.query.is_some() => "Query".to_owned(),
            PaneKind::About => "About".to_owned(),
            PaneKind::Documents => format!("Documents {}", detail.documents.len()),
        }
    }
}

/// The panes of a row, without pages.
pub fn panes(table: BrowseTable, detail: &Detail) -> Vec<RowPane> {
    let kinds = PaneKind::of(table).iter().filter(|kind| kind.is_in(detail));
    kinds.map(|kind| RowPane { kind: *kind, title: kind.title(detail), page: None }).collect()
}

/// The page of a pane. `document` is the index of the document in view; the words that were filtered for stand out.
pub fn page(kind: PaneKind, detail: &Detail, document: usize, words: &[Finder]) -> Page {
    let paragraphs = match kind {
        PaneKind::Summary => summary(detail),
        PaneKind::Working => working_paragraphs(detail),
        PaneKind::Judgments => judgments(detail),
        PaneKind::Unit => detail.unit.map_or_else(Vec::new, |unit| unit_paragraphs(unit, detail)),
        PaneKind::About => about(detail),
        PaneKind::Documents => documents(detail, document),
    };
    Page::new(paragraphs.into_iter().map(|paragraph| with_hits(paragraph, words)).collect())
}

fn with_hits(paragraph: Paragraph, words: &[Finder]) -> Paragraph {
    let mut spans: Vec<Span> = words.iter().flat_map(|word| word.find_all(paragraph.text())).collect();
    spans.sort_unstable_by_key(|span| (span.start(), span.end()));
    let mut kept: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        if kept.last().is_none_or(|last| last.end() <= span.start()) {
            kept.push(span);
        }
    }
    if kept.is_empty() { paragraph } else { paragraph.marked(&kept, Tone::Hit) }
}

/// The bullets, whose citations stand out by the judgment on them, each with the insights that it covers.
fn summary(detail: &Detail) -> Vec<Paragraph> {
    let Some(candidate) = detail.candidate else { return Vec::new() };
    let mut paragraphs = vec![Paragraph::quiet(candidate.system()), Paragraph::gap()];
    for bullet in &detail.bullets {
        let text = without_mark(bullet.span.slice(&candidate.text));
        let covers: Vec<_> = bullet.covers.iter().filter_map(|index| detail.working.get(*index)).collect();
        paragraphs.push(cited((candidate, text), bullet.number, covers.iter().copied()));
        for working in covers {
            let what = unit_name(working.unit);
            let says = format!("{} {} “{what}” {}", sign(working), working.label, working.annotator.id);
            paragraphs.push(Paragraph::quiet(says).led("   ", Tone::Quiet));
        }
    }
    paragraphs
}

/// A unit in a few words.
pub fn unit_name(unit: &Unit) -> &str {
    unit.title.as_deref().unwrap_or(&unit.text)
}

/// The judgments of everyone, item by item.
fn judgments(detail: &Detail) -> Vec<Paragraph> {
    let mut paragraphs = Vec::new();
    let mut before = None;
    let longest = detail.judgments.iter().map(|judgment| width(&judgment.annotator.id)).max();
    for judgment in &detail.judgments {
        if before != Some(judgment.item) {
            if before.is_some() {
                paragraphs.push(Paragraph::gap());
            }
            paragraphs.push(judged_item(judgment));
            before = Some(judgment.item);
        }
        paragraphs.push(said(judgment, longest.unwrap_or(0).min(24)));
        if let Some(comment) = judgment.comment.filter(|comment| !comment.is_empty()) {
            paragraphs.push(Paragraph::plain(format!("“{comment}”")).led("    ", Tone::Quiet));
        }
    }
    paragraphs
}

fn judged_item(judgment: &JudgmentDetail) -> Paragraph {
    let mut paragraph = Paragraph::heading(&judgment.protocol.title);
    if let Some(unit) = judgment.unit {
        paragraph = paragraph.toned(format!(" · {}", unit.text), Tone::Plain);
    }
    if let Some(document) = judgment.document {
        paragraph = paragraph.toned(format!(" · document {}", document.number), Tone::Plain);
    }
    if let Some([one, other]) = judgment.pair {
        paragraph = paragraph.toned(format!(" · {} or {}", one.system(), other.system()), Tone::Plain);
    }
    if let Some(bullet) = judgment.bullet {
        paragraph = paragraph.toned(format!(" · bullet {bullet}"), Tone::Plain);
    }
    paragraph
}

/// One annotator's answers on one line.
fn said(judgment: &JudgmentDetail, longest: usize) -> Paragraph {
    let name = &judgment.annotator.id;
    let lead = format!("  {}  ", padded(name, longest));
    let mut paragraph = Paragraph::default().led(lead, Tone::Accent);
    let mut gap = "";
    for (question, answer) in &judgment.answers {
        paragraph = paragraph.toned(format!("{gap}{} ", question.prompt), Tone::Quiet).and(answer);
        gap = " · ";
    }
    if judgment.answers.is_empty() {
        paragraph = paragraph.toned("no answer", Tone::Quiet);
    }
    let marks = [(judgment.flagged, "! flagged"), (judgment.skipped, "– put aside")];
    let marks = marks.into_iter().filter(|(is_so, _)| *is_so).map(|(_, word)| word);
    for word in marks.chain(judgment.uncounted.as_deref()) {
        paragraph = paragraph.toned(format!(" · {word}"), Tone::Missed);
    }
    match judgment.seconds {
        Some(seconds) => paragraph.toned(format!(" · {seconds:.1} s"), Tone::Quiet),
        None => paragraph,
    }
}

fn unit_paragraphs(unit: &Unit, detail: &Detail) -> Vec<Paragraph> {
    let mut paragraphs = Vec::new();
    if let Some(title) = &unit.title {
        paragraphs.push(Paragraph::heading(title));
    }
    paragraphs.push(Paragraph::plain(&unit.text));
    paragraphs.push(Paragraph::gap());
    let gold = detail.documents.iter().filter(|document| is_gold(document.role));
    let gold: Vec<String> = gold.map(|document| format!("[{}]", document.document.number)).collect();
    if !gold.is_empty() {
        paragraphs.push(Paragraph::quiet("stands in ").and(gold.join(" ")));
    } else if unit.documents.is_none() {
        paragraphs.push(Paragraph::quiet("it is not known which documents contain it"));
    }
    for evidence in &unit.evidence {
        let lead = format!("{} ", evidence.document);
        paragraphs.push(Paragraph::default().toned(&evidence.quote, Tone::Evidence).led(lead, Tone::Quiet));
    }
    paragraphs.extend(facts(detail));
    paragraphs
}

fn about(detail: &Detail) -> Vec<Paragraph> {
    let mut paragraphs = Vec::new();
    match detail.query {
        Some(query) => paragraphs.push(Paragraph::plain(&query.text)),
        None => paragraphs.push(Paragraph::heading(&detail.title)),
    }
    if let Some(title) = detail.collection.and_then(|collection| collection.title.as_ref()) {
        paragraphs.push(Paragraph::quiet(title));
    }
    paragraphs.push(Paragraph::gap());
    paragraphs.extend(detail.scores.as_ref().map(scores_line));
    paragraphs.extend(other_scores_line(&detail.other_scores));
    paragraphs.extend(facts(detail));
    paragraphs
}

fn facts(detail: &Detail) -> Vec<Paragraph> {
    let longest = detail.facts.iter().map(|(name, _)| width(name)).max().unwrap_or(0);
    let line = |(name, value): &(&str, String)| {
        Paragraph::plain(value).led(format!("{}  ", padded(name, longest)), Tone::Quiet)
    };
    detail.facts.iter().map(line).collect()
}

/// The documents that matter on one line, then the one in view.
fn documents(detail: &Detail, shown: usize) -> Vec<Paragraph> {
    let shown = shown.min(detail.documents.len().saturating_sub(1));
    let Some(document) = detail.documents.get(shown) else { return Vec::new() };
    let mut strip = Paragraph::default();
    for (index, other) in detail.documents.iter().enumerate() {
        let number = format!("{}{}", other.role.glyph(), detail.citing(other.document));
        strip = if index == shown {
            strip.toned(format!("[{number}]"), Tone::Heading)
        } else {
            strip.toned(number, tone_of(other.role))
        };
        strip = strip.and("  ");
    }
    let mut title = document_title(document, &detail.citing(document.document));
    let list = detail.candidate.and_then(|candidate| candidate.cites.as_ref());
    if let Some(score) = list.and_then(|list| list.score_of(document.document.number)) {
        title = title.toned(format!("  retriever's score {score}"), Tone::Quiet);
    }
    let mut paragraphs = vec![strip, Paragraph::gap(), title];
    let text = &document.document.text;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        let shown = line.trim_end_matches(['\n', '\r']);
        let within = document.evidence.iter().filter_map(|span| {
            let (from, to) = (span.start().max(start), span.end().min(start + shown.len()));
            (from < to).then(|| Span::around(shown, from - start, to - start))
        });
        let spans: Vec<Span> = within.collect();
        paragraphs.push(Paragraph::plain(shown).marked(&spans, Tone::Evidence));
        start = end;
    }
    paragraphs
}

fn document_title(document: &DocumentDetail, number: &str) -> Paragraph {
    let number = format!("Document {number} ");
    let role = format!("{} {}", document.role.glyph(), document.role.name());
    let paragraph = Paragraph::heading(number).toned(role, tone_of(document.role));
    match &document.document.title {
        Some(title) => paragraph.toned(format!("  {title}"), Tone::Heading),
        None => paragraph,
    }
}

/// Whether the document contains the unit.
fn is_gold(role: DocumentRole) -> bool {
    matches!(role, DocumentRole::Right | DocumentRole::Missed | DocumentRole::Gold)
}

fn tone_of(role: DocumentRole) -> Tone {
    match role {
        DocumentRole::Right => Tone::Right,
        DocumentRole::Wrong => Tone::Wrong,
        DocumentRole::Missed => Tone::Missed,
        DocumentRole::Judged | DocumentRole::Gold | DocumentRole::Cited => Tone::Plain,
        DocumentRole::Given => Tone::Quiet,
    }
}
