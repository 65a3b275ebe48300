//! Two candidates of one query side by side: bullets stand beside those that cover the same insight.

use super::{OpensTo, cited, other_scores_line, reckoning, scores_line, sign};
use crate::app::kit::{MEASURE, Page, Paragraph, Tone};
use crate::browse::{Aligned, BrowseTable, BulletDetail, Side, Tables, Working};
use crate::text::bullets::without_mark;
use crate::text::difference::{WordChange, difference};

/// The bullets of two candidates on one insight.
#[derive(Debug, Clone)]
pub struct Band {
    /// The insight, over both columns.
    pub head: Page,
    pub sides: [Page; 2],
    /// The items of both candidates on this insight.
    opens: Option<OpensTo>,
}

/// Two candidates beside each other.
#[derive(Debug, Clone, Default)]
pub struct CompareScreen {
    /// Rows of the table of candidates.
    rows: [u32; 2],
    pub title: String,
    /// The systems.
    pub names: [String; 2],
    pub bands: Vec<Band>,
    /// Index of the band under the cursor.
    pub band: usize,
    /// Whether the right candidate has the focus: it is tagged, flagged and marked.
    pub is_right: bool,
    /// Whether words that differ stand out.
    pub shows_difference: bool,
    /// First visible row.
    pub scroll: usize,
    width: u16,
}

/// A row of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BandRow {
    /// A row of the head of a band.
    Head(usize, usize),
    /// A row of both sides of a band; either may have ended.
    Sides(usize, usize),
    Gap,
}

impl CompareScreen {
    /// Compares two rows of the table of candidates.
    pub fn new(tables: &Tables, left: u32, right: u32) -> CompareScreen {
        let mut screen = CompareScreen { rows: [left, right], ..CompareScreen::default() };
        screen.rebuild(tables);
        screen
    }

    /// Compares two other candidates in the same way.
    pub fn beside(before: &CompareScreen, tables: &Tables, left: u32, right: u32) -> CompareScreen {
        let mut screen = CompareScreen::new(tables, left, right);
        screen.is_right = before.is_right;
        if before.shows_difference {
            screen.shows_difference = true;
            screen.rebuild(tables);
        }
        screen
    }

    /// The two rows of the table of candidates.
    pub fn rows(&self) -> (u32, u32) {
        (self.rows[0], self.rows[1])
    }

    /// The row of the candidate that has the focus.
    pub fn focused(&self) -> u32 {
        self.rows[usize::from(self.is_right)]
    }

    /// Makes the bands anew; cursor and scroll stay.
    pub fn rebuild(&mut self, tables: &Tables) {
        let comparison = tables.compare(self.rows[0], self.rows[1]);
        self.title = comparison.query.map_or_else(String::new, |query| query.text.clone());
        self.names = [0, 1].map(|side| {
            let side = &comparison.sides[side];
            match side.candidate.and_then(|candidate| candidate.order.as_ref()) {
                Some(order) => format!("{} · {order}", side.system),
                None => side.system.clone(),
            }
        });
        let first = Band {
            head: Page::default(),
            sides: [0, 1].map(|side| {
                let side = &comparison.sides[side];
                let own = side.scores.iter().map(scores_line);
                Page::new(own.chain(other_scores_line(&side.other_scores)).collect())
            }),
            opens: None,
        };
        self.bands = vec![first];
        let several =
            comparison.insights.iter().any(|aligned| aligned.sides.iter().any(|side| side.len() > 1));
        for (number, aligned) in (1..).zip(&comparison.insights) {
            self.bands.push(self.insight_band(number, aligned, &comparison.sides, several));
        }
        if comparison.unaligned.iter().any(|numbers| !numbers.is_empty()) {
            // Without insights the whole summaries are compared.
            let is_whole = comparison.insights.is_empty();
            let changes = (self.shows_difference && is_whole).then(|| {
                let texts = [0, 1].map(|side| texts_of(&comparison.sides[side], &comparison.unaligned[side]));
                difference(&texts[0], &texts[1])
            });
            let heading = if is_whole { "Bullets" } else { "Bullets that cover no insight" };
            self.bands.push(Band {
                head: Page::new(vec![Paragraph::heading(heading)]),
                sides: [0, 1].map(|side| match &changes {
                    Some(changes) => Page::new(vec![changed(changes, side)]),
                    None => {
                        let side_of = &comparison.sides[side];
                        let numbers = comparison.unaligned[side].iter();
                        Page::new(numbers.filter_map(|number| bullet(side_of, *number, &[])).collect())
                    }
                }),
                opens: None,
            });
        }
        self.band = self.band.min(self.bands.len().saturating_sub(1));
        let width = std::mem::take(&mut self.width);
        self.wrap(width, u16::MAX);
    }

    fn insight_band(&self, number: usize, aligned: &Aligned, sides: &[Side; 2], several: bool) -> Band {
        let mut head = vec![Paragraph::plain(&aligned.unit.text).led(format!("{number} "), Tone::Heading)];
        if let Some(gold) = &aligned.gold {
            let gold: Vec<String> = gold.iter().map(|number| format!("[{number}]")).collect();
            head.push(Paragraph::quiet(format!("stands in {}", gold.join(" "))).led("  ", Tone::Quiet));
        }
        let changes = self.shows_difference.then(|| {
            let texts = [0, 1].map(|side| covering(&sides[side], &aligned.sides[side]));
            difference(&texts[0], &texts[1])
        });
        let pages =
            [0, 1].map(|side| {
                let mut paragraphs = Vec::new();
                for working in &aligned.sides[side] {
                    let label = format!("{} {}", sign(working), working.label);
                    let label = Paragraph::default().toned(label, Tone::Heading);
                    paragraphs.push(if several {
                        label.toned(format!(" {}", working.annotator.id), Tone::Accent)
                    } else {
                        label
                    });
                    if changes.is_none() {
                        let numbers = working.bullets.iter();
                        paragraphs.extend(numbers.filter_map(|number| {
                            bullet(&sides[side], *number, std::slice::from_ref(working))
                        }));
                    }
                    paragraphs.push(reckoning(working, false).led("  ", Tone::Quiet));
                }
                if let Some(changes) = &changes {
                    paragraphs.push(changed(changes, side));
                }
                if aligned.sides[side].is_empty() {
                    paragraphs.push(Paragraph::quiet("not judged"));
                }
                Page::new(paragraphs)
            });
        Band { head: Page::new(head), sides: pages, opens: items(aligned, sides) }
    }

    /// Wraps for a body of this width and keeps the scroll inside.
    pub fn wrap(&mut self, width: u16, height: u16) {
        self.width = width;
        let half = width.saturating_sub(3) / 2;
        for band in &mut self.bands {
            band.head.wrap(width.saturating_sub(2).min(MEASURE));
            for side in &mut band.sides {
                side.wrap(half.saturating_sub(1).min(MEASURE));
            }
        }
        let last = self.height().saturating_sub(usize::from(height).max(1));
        self.scroll = self.scroll.min(last);
    }

    /// Rows of all bands.
    pub fn height(&self) -> usize {
        self.bands.iter().map(Band::height).sum()
    }

    /// The rows that are visible in a body of so many rows.
    pub fn visible(&self, height: u16) -> Vec<BandRow> {
        let rows = self.bands.iter().enumerate().flat_map(|(index, band)| {
            let head = (0..band.head.len()).map(move |row| BandRow::Head(index, row));
            let sides = (0..band.sides_height()).map(move |row| BandRow::Sides(index, row));
            head.chain(sides).chain([BandRow::Gap])
        });
        rows.skip(self.scroll).take(usize::from(height)).collect()
    }

    /// Moves the cursor to the next insight for a single row; scrolls for more.
    pub fn scroll_by(&mut self, rows: isize, height: u16) {
        if rows.unsigned_abs() > 1 {
            let last = self.height().saturating_sub(usize::from(height).max(1));
            self.scroll = self.scroll.saturating_add_signed(rows).min(last);
            self.band = self.band_at(self.scroll);
            return;
        }
        self.band = self.band.saturating_add_signed(rows).min(self.bands.len().saturating_sub(1));
        let start: usize = self.bands.iter().take(self.band).map(Band::height).sum();
        let end = start + self.bands.get(self.band).map_or(0, Band::height);
        let room = usize::from(height).max(1);
        if end > self.scroll + room {
            self.scroll = end - room;
        }
        self.scroll = self.scroll.min(start);
    }

    fn band_at(&self, row: usize) -> usize {
        let mut end = 0;
        let is_before = |band: &&Band| {
            end += band.height();
            end <= row
        };
        self.bands.iter().take_while(is_before).count().min(self.bands.len().saturating_sub(1))
    }

    /// The way to the items of both candidates on the insight under the cursor.
    pub fn items_of_band(&self) -> Option<OpensTo> {
        self.bands.get(self.band)?.opens.clone()
    }

    /// The comparison as it is copied.
    pub fn to_text(&self) -> String {
        let mut text = format!("{}\n{} | {}\n", self.title, self.names[0], self.names[1]);
        for band in &self.bands {
            text.push_str(&format!("\n{}\n", band.head.to_text()));
            for (name, side) in self.names.iter().zip(&band.sides) {
                text.push_str(&format!("{name}:\n{}\n", side.to_text()));
            }
        }
        text
    }
}

impl Band {
    fn sides_height(&self) -> usize {
        self.sides.iter().map(Page::len).max().unwrap_or(0)
    }

    /// Rows of the band with the gap under it.
    fn height(&self) -> usize {
        self.head.len() + self.sides_height() + 1
    }
}

/// The bullet of this number; its citations stand out by the judgment on them.
fn bullet(side: &Side, number: u32, working: &[Working]) -> Option<Paragraph> {
    Some(cited((side.candidate?, text_of(side, number)?), number, working.iter()))
}

fn text_of<'t>(side: &Side<'t>, number: u32) -> Option<&'t str> {
    let of_number = |bullet: &&BulletDetail| bullet.number == number;
    let bullet = side.bullets.iter().find(of_number)?;
    Some(without_mark(bullet.span.slice(&side.candidate?.text)))
}

/// The bullets that cover an insight, one after the other.
fn covering(side: &Side, workings: &[Working]) -> String {
    let mut numbers: Vec<u32> = workings.iter().flat_map(|working| working.bullets.iter().copied()).collect();
    numbers.sort_unstable();
    numbers.dedup();
    texts_of(side, &numbers)
}

/// The bullets of these numbers, one after the other.
fn texts_of(side: &Side, numbers: &[u32]) -> String {
    let texts: Vec<&str> = numbers.iter().filter_map(|number| text_of(side, *number)).collect();
    texts.join("\n")
}

/// One side of a difference; words that only this side has stand out.
fn changed(changes: &[WordChange], side: usize) -> Paragraph {
    let lead = if side == 0 { "− " } else { "+ " };
    let mut paragraph = Paragraph::default().led(lead, Tone::Quiet);
    for change in changes {
        paragraph = match (change, side) {
            (WordChange::Kept(text), _) => paragraph.and(text),
            (WordChange::Removed(text), 0) => paragraph.toned(text, Tone::Hit),
            (WordChange::Added(text), 1) => paragraph.toned(text, Tone::Hit),
            _ => paragraph,
        };
    }
    paragraph
}

/// The items of both candidates on an insight.
fn items(aligned: &Aligned, sides: &[Side; 2]) -> Option<OpensTo> {
    let unit = aligned.unit;
    let is_quotable = |text: &&String| !text.contains('"');
    let keys = [&unit.id, &unit.query, &sides[0].candidate?.id, &sides[1].candidate?.id];
    if !keys.iter().all(is_quotable) {
        return None;
    }
    let [unit, query, left, right] = keys;
    Some(OpensTo::Rows {
        table: BrowseTable::Items,
        filter: format!("query=\"{query}\" unit=\"{unit}\" (candidate=\"{left}\" or candidate=\"{right}\")"),
        title: aligned.unit.title.clone().unwrap_or_else(|| "this insight".to_owned()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::browse::WhoCounts;
    use crate::browse::tests::small;
    use crate::journal::Material;
    use crate::study::Corpus;

    #[test]
    fn without_insights_the_whole_summaries_are_compared() {
        let corpus = Corpus { units: Vec::new(), ..small::tables().corpus().clone() };
        let tables = Tables::new(corpus, Vec::<Material>::new(), WhoCounts::People);
        let mut screen = CompareScreen::new(&tables, 0, 1);
        let heads = |screen: &CompareScreen| screen.bands.last().map(|band| band.head.to_text());
        assert_eq!(heads(&screen).as_deref().map(str::trim), Some("Bullets"));
        screen.shows_difference = true;
        screen.rebuild(&tables);
        let told = screen.to_text();
        assert!(told.contains("− They take breaks") && told.contains("+ Breaks help"), "{told}");
    }
}
