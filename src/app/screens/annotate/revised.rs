//! Revisions since the answers were given: in brief as a notice, and as a page.

use super::App;
use crate::app::kit::{Action, Overlay, Paragraph, Tone};
use crate::journal::{Loaded, RevisedText};
use crate::text::difference::{WordChange, difference, difference_in_brief};

impl App {
    /// Says on a stale item what makes it stale, and which keys help.
    pub(super) fn warn_if_stale(&mut self) {
        let confirm = self.frame.keymap.sign(Action::Confirm);
        let told = self.loaded.as_ref().and_then(|loaded| {
            let revised = loaded.was.first()?;
            let change = difference_in_brief(&revised.before, &revised.now);
            let keys = format!("{confirm} confirms, {} shows all", self.frame.keymap.sign(Action::Changes));
            // The keys come first: a long difference is cut.
            Some(format!("{keys} · {} revised: {change}", name_of(loaded, revised)))
        });
        if let Some(told) = told {
            self.frame.warn(told);
        } else if self.is_stale() {
            self.frame.warn(format!(
                "judged on other texts or under another version of the protocol: answer again, or {confirm} confirms"
            ));
        }
    }

    /// Opens the page of what was revised.
    pub(super) fn open_changes(&mut self) {
        // The page is made once: a long text takes longer to compare than a frame may.
        let page = self.changes();
        match page.is_empty() {
            true => self.frame.say("no text of this item was revised since it was judged"),
            false => self.frame.overlays.push(Overlay::Changes { scroll: 0, page }),
        }
    }

    /// The revised texts as they were and are, word by word.
    pub fn changes(&self) -> Vec<Paragraph> {
        let mut page = Vec::new();
        let Some(loaded) = &self.loaded else { return page };
        for revised in &loaded.was {
            page.extend((!page.is_empty()).then(Paragraph::gap));
            page.push(Paragraph::heading(format!("The {}, revised", name_of(loaded, revised))));
            page.extend(paragraphs(revised));
        }
        page
    }
}

/// The name of a revised text on the screen.
fn name_of<'l>(loaded: &'l Loaded, revised: &RevisedText) -> &'l str {
    match revised.of {
        "unit" => loaded.item.unit.as_ref().map_or("unit", |unit| unit.kind.as_str()),
        "candidate" => "summary",
        of => of,
    }
}

/// A revised text: words taken out in brackets, words put in in braces, so that they differ without colour.
fn paragraphs(revised: &RevisedText) -> Vec<Paragraph> {
    let mut all = vec![Paragraph::default()];
    for change in difference(&revised.before, &revised.now) {
        let tone = match change {
            WordChange::Kept(_) => Tone::Plain,
            WordChange::Removed(_) => Tone::Removed,
            WordChange::Added(_) => Tone::Added,
        };
        for (number, line) in change.text().split('\n').enumerate() {
            if number > 0 {
                all.push(Paragraph::default());
            }
            let [before, after] = if line.trim().is_empty() { ["", ""] } else { change.signs() };
            if let Some(last) = all.pop() {
                all.push(last.toned(format!("{before}{line}{after}"), tone));
            }
        }
    }
    all
}
