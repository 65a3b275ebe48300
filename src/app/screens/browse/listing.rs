//! The lists: columns, sorting, views, whose judgments count; and the effect of taking a line.

use super::{BrowseContent, BrowseDesk, BrowseScreen, GridsKind, GridsScreen, TableScreen};
use crate::app::kit::{Action, List, ListEntry, ListKind, Overlay, Picked, Prompt, PromptKind, not_saved};
use crate::browse::{FilterError, Tables, View, WhoCounts};
use crate::error::{Error, Result};
use crate::study::AnnotatorKind;

impl BrowseScreen {
    pub(super) fn open_list(&mut self, action: Action) {
        let list = match action {
            Action::Views => Some(List::new(ListKind::Views, "Views", self.view_entries())),
            Action::Whose => self.whose(),
            Action::Columns => self
                .table()
                .map(|screen| List::new(ListKind::Columns, "Columns", self.column_entries(screen))),
            _ => self.table().map(|screen| List::new(ListKind::Sort, "Sort by", self.sort_entries(screen))),
        };
        match list {
            Some(list) => self.frame.overlays.push(Overlay::List(list)),
            None => self.frame.say("this belongs to tables; open one first"),
        }
    }

    fn column_entries(&self, screen: &TableScreen) -> Vec<ListEntry> {
        let shown = screen.column_names(&self.tables);
        let heads = self.tables.columns(screen.table());
        // Columns that are shown come first, in their order.
        let on = shown.iter().filter_map(|name| heads.iter().find(|head| head.name == *name));
        let off = heads.iter().filter(|head| !shown.contains(&head.name));
        on.chain(off)
            .map(|head| ListEntry {
                name: head.name.clone(),
                about: head.about.clone(),
                is_on: shown.contains(&head.name),
                key: None,
            })
            .collect()
    }

    fn sort_entries(&self, screen: &TableScreen) -> Vec<ListEntry> {
        let sorted = screen.sorted();
        let mut entries = self.column_entries(screen);
        for entry in &mut entries {
            entry.is_on = sorted.is_some_and(|sort| sort.column == entry.name);
        }
        entries
    }

    fn view_entries(&self) -> Vec<ListEntry> {
        let save = ListEntry { name: "save this table as a view …".to_owned(), ..ListEntry::default() };
        let view = |(name, body): &(String, String)| ListEntry {
            name: name.clone(),
            about: View::from_json(body).map_or_else(|error| error.to_string(), |view| described(&view)),
            ..ListEntry::default()
        };
        std::iter::once(save).chain(self.views.iter().map(view)).collect()
    }

    /// The list of annotators whose judgments may count; on a screen of numbers, the list of its scores or questions.
    fn whose(&self) -> Option<List> {
        if let BrowseContent::Grids(screen) = self.content() {
            match &screen.kind {
                GridsKind::Scores(of) => {
                    return Some(List::new(ListKind::Score, "Score", score_entries(&self.tables, of)));
                }
                GridsKind::Agreement { question } => {
                    let entry = |asked: crate::browse::AskedQuestion| ListEntry {
                        is_on: asked.name == *question,
                        name: asked.name.to_owned(),
                        about: format!("{}: {}", asked.judged.protocol.title, asked.question.prompt),
                        key: None,
                    };
                    let entries = self.tables.asked_questions().into_iter().map(entry).collect();
                    return Some(List::new(ListKind::Question, "Question", entries));
                }
                _ => {}
            }
        }
        let counted = self.tables.counted();
        let entry = |name: &str, about: &str, counts: WhoCounts| ListEntry {
            name: name.to_owned(),
            about: about.to_owned(),
            is_on: *counted == counts,
            key: None,
        };
        let mut entries = vec![
            entry("people", "everyone but the judges", WhoCounts::People),
            entry("everyone", "people and judges", WhoCounts::Everyone),
        ];
        let annotator = |(id, annotator): &(_, crate::study::Annotator)| {
            let about = if annotator.kind == AnnotatorKind::Human { "a person" } else { "a judge" };
            entry(&annotator.id, about, WhoCounts::Only(vec![*id]))
        };
        entries.extend(self.tables.corpus().annotators.iter().map(annotator));
        Some(List::new(ListKind::Whose, "Whose judgments count", entries))
    }

    /// Carries out the outcome of a key in a list.
    pub(super) fn asked(&mut self, asked: Picked, desk: &mut dyn BrowseDesk) {
        let Some(Overlay::List(list)) = self.frame.overlays.last() else { return };
        let kind = list.kind;
        let entry = |index: usize| list.entries.get(index).cloned();
        match asked {
            Picked::Take(index) => {
                if let Some(entry) = entry(index) {
                    self.take_line(kind, index, &entry, desk);
                }
            }
            Picked::Delete(index) if kind == ListKind::Views && index > 0 => {
                if let Some(entry) = entry(index) {
                    self.delete_view(entry.name, desk);
                }
            }
            Picked::Move(index, by) if kind == ListKind::Columns => self.move_column(index, by),
            Picked::Done => self.close(),
            _ => {}
        }
    }

    fn take_line(&mut self, kind: ListKind, index: usize, entry: &ListEntry, desk: &mut dyn BrowseDesk) {
        match kind {
            ListKind::Tags => return self.switch_tag(index, desk),
            ListKind::Columns => return self.switch_column(index),
            _ => {}
        }
        self.frame.overlays.pop();
        match kind {
            ListKind::Sort => self.sort_by(&entry.name),
            ListKind::Views if index == 0 => self.ask_name(),
            ListKind::Views => {
                if let Err(error) = self.open_view(&entry.name) {
                    self.frame.warn(error.to_string());
                }
            }
            ListKind::Whose => self.count(index),
            ListKind::Score => self.replace_grids(GridsKind::Scores(entry.name.clone())),
            ListKind::Question => self.replace_grids(GridsKind::Agreement { question: entry.name.clone() }),
            ListKind::Tags | ListKind::Columns => {}
        }
    }

    /// Replaces the numbers on the screen, on the same tab.
    fn replace_grids(&mut self, kind: GridsKind) {
        let filter = self.filter_for(&kind);
        let mut screen = GridsScreen::new(&self.tables, kind, &filter);
        if let BrowseContent::Grids(before) = self.stack.top_mut() {
            screen.stay_at(before);
            *before = screen;
        }
    }

    /// Lets the judgments of these annotators count.
    fn count(&mut self, index: usize) {
        let counted = match index {
            0 => WhoCounts::People,
            1 => WhoCounts::Everyone,
            _ => match self.tables.corpus().annotators.get(index - 2) {
                Some((id, _)) => WhoCounts::Only(vec![*id]),
                None => return,
            },
        };
        self.tables.count(counted);
        self.refresh_top();
        let name = self.counted_name();
        self.frame.say(format!("scores and labels are now those of {name}"));
    }

    fn switch_column(&mut self, index: usize) {
        self.change_columns(|entries| {
            if let Some(entry) = entries.get_mut(index) {
                entry.is_on = !entry.is_on;
            }
            index
        });
    }

    fn move_column(&mut self, index: usize, by: isize) {
        self.change_columns(|entries| {
            let to = index.saturating_add_signed(by).min(entries.len().saturating_sub(1));
            if index < entries.len() {
                entries.swap(index, to);
            }
            to
        });
    }

    /// Changes the list of columns and shows those that are switched on; at least one stays. `change` returns
    /// the index of the entry that has the cursor afterwards.
    fn change_columns(&mut self, change: impl FnOnce(&mut Vec<ListEntry>) -> usize) {
        let Some(Overlay::List(list)) = self.frame.overlays.last_mut() else { return };
        let mut entries = list.entries.clone();
        let at = change(&mut entries);
        let on: Vec<String> =
            entries.iter().filter(|entry| entry.is_on).map(|entry| entry.name.clone()).collect();
        if on.is_empty() {
            return self.frame.warn("one column has to stay");
        }
        list.entries = entries;
        list.picker.put_on(at);
        if let BrowseContent::Table(screen) = self.stack.top_mut() {
            screen.view.columns = on;
        }
        self.refresh_top();
    }

    /// Opens a saved view over the present screen.
    pub fn open_view(&mut self, name: &str) -> Result<()> {
        let Some((_, body)) = self.views.iter().find(|(other, _)| other == name) else {
            let names: Vec<&str> = self.views.iter().map(|(name, _)| name.as_str()).collect();
            let advice = if names.is_empty() {
                "none is saved".to_owned()
            } else {
                format!("there are {}", names.join(", "))
            };
            return Err(Error::new(format!("there is no view {name:?}")).advise(advice));
        };
        let view = View::from_json(body)?;
        let wrong = |error: FilterError| {
            Error::new(format!("the view {name:?} cannot be opened: {}", error.sentence))
        };
        self.tables.check(view.table, &view.filter).map_err(wrong)?;
        self.tables.count_as_in(&view)?;
        let screen = TableScreen::open(&self.tables, view, name).map_err(wrong)?;
        self.push(BrowseContent::Table(screen));
        Ok(())
    }

    fn ask_name(&mut self) {
        match self.table() {
            Some(_) if self.annotator.is_none() => {
                self.frame.warn("read only: open the study with --as NAME to save views");
            }
            Some(screen) => {
                let prompt = Prompt::new(PromptKind::ViewName, &screen.title);
                self.frame.overlays.push(Overlay::Prompt(prompt));
            }
            None => self.frame.say("views are made of tables; open one first"),
        }
    }

    pub(super) fn save_view(&mut self, name: String, desk: &mut dyn BrowseDesk) {
        let Some(screen) = self.table() else { return };
        if name.is_empty() {
            return self.frame.warn("a view needs a name");
        }
        let is_chosen = *self.tables.counted() != self.tables.usually_counted();
        let counts = is_chosen.then(|| self.tables.counted_by_name());
        let view = View { columns: screen.column_names(&self.tables), counts, ..screen.view.clone() };
        let kept = desk.keep_view(&name, Some(&view.to_json()), self.frame.now.wall);
        self.after_view(kept, format!("saved as {name:?}"), desk);
    }

    fn delete_view(&mut self, name: String, desk: &mut dyn BrowseDesk) {
        if self.annotator.is_none() {
            return self.frame.warn("read only: open the study with --as NAME to delete views");
        }
        self.frame.overlays.pop();
        let deleted = desk.keep_view(&name, None, self.frame.now.wall);
        self.after_view(deleted, format!("{name:?} is deleted"), desk);
    }

    /// Reads the views anew after one was saved or deleted, and says how that went.
    fn after_view(&mut self, written: Result<()>, said: String, desk: &mut dyn BrowseDesk) {
        if let Some(views) = self.frame.read(desk.views()) {
            self.views = views;
            self.frame.say(written.map_or_else(|error| not_saved(&error), |()| said));
        }
    }

    /// The filter on the rows that numbers of this kind count, where the present screen is of these rows; else an empty one.
    pub(super) fn filter_for(&self, kind: &GridsKind) -> String {
        let (table, filter) = match self.content() {
            BrowseContent::Table(screen) => (Some(screen.table()), &screen.view.filter),
            BrowseContent::Grids(screen) => (screen.kind.table(), &screen.filter),
            BrowseContent::Compare(_) => return String::new(),
        };
        if table == kind.table() { filter.clone() } else { String::new() }
    }

    pub(super) fn open_grids(&mut self, action: Action) {
        let kind = match action {
            Action::PositionLength => {
                let filter = self.filter_for(&GridsKind::Scores(String::new()));
                GridsKind::Scores(GridsScreen::known_score(&self.tables, &filter))
            }
            Action::TagCounts => GridsKind::Tags,
            _ => match self.tables.asked_questions().first() {
                Some(asked) => GridsKind::Agreement { question: asked.name.to_owned() },
                None => return self.frame.say("nothing is judged yet"),
            },
        };
        let filter = self.filter_for(&kind);
        match GridsScreen::of(&self.tables, kind.clone(), &filter) {
            Some(screen) => self.push(BrowseContent::Grids(screen)),
            None if kind != GridsKind::Tags => {
                self.push(BrowseContent::Grids(GridsScreen::new(&self.tables, kind, &filter)));
            }
            None if filter.is_empty() => self.frame.say("nothing is tagged yet"),
            None => self.frame.say("nothing that the filter keeps is tagged yet"),
        }
    }
}

/// The scores that grids can be of.
fn score_entries(tables: &Tables, present: &str) -> Vec<ListEntry> {
    let entry =
        |score: &str| ListEntry { name: score.to_owned(), is_on: score == present, ..ListEntry::default() };
    tables.scores_of_systems().into_iter().map(entry).collect()
}

/// A view in a few words.
fn described(view: &View) -> String {
    let mut text = view.table.name().to_owned();
    if !view.filter.is_empty() {
        text.push_str(&format!(" {}", view.filter));
    }
    if let Some(sort) = view.sort.first() {
        let sign = if sort.descending { "▼" } else { "▲" };
        text.push_str(&format!(" by {} {sign}", sort.column));
    }
    if let Some(whose) = &view.counts {
        text.push_str(&format!(" · scores of {whose}"));
    }
    text
}
