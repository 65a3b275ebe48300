//! Tables of counts whose cells open their rows: tags by system, annotators by annotators, labels by labels.

use std::collections::BTreeMap;

use super::{
    Bits, BrowseTable, ColumnId, ColumnSource, Crosstab, CrosstabCell, FilteredRows, TableValue, Tables,
    exactly, from, written,
};
use crate::score::{Undefined, percent};

impl Tables {
    /// For each system and tag, the summaries with the tag among those that pass the filter, and their share of the system's
    /// summaries that were looked through for tags. `None` without any tag.
    pub fn failures(&self, kept: &FilteredRows) -> Option<Crosstab> {
        let column = self.column(BrowseTable::Candidates, "tag")?;
        let mut looked_at: BTreeMap<u32, usize> = BTreeMap::new();
        let mut counts: BTreeMap<(u32, &str), usize> = BTreeMap::new();
        let mut tags: Vec<&str> = self.tags_offered().into_iter().map(|(value, _)| value).collect();
        let tagged = self.tagged();
        for candidate in (0..self.corpus.candidates.len() as u32).filter(|candidate| kept.has(*candidate)) {
            let system = from(&self.relations.system_of_candidate, candidate);
            *looked_at.entry(system).or_default() += usize::from(tagged.has(candidate));
            if let TableValue::Labels(found) = self.value(BrowseTable::Candidates, candidate, column) {
                for tag in found {
                    *counts.entry((system, tag)).or_default() += 1;
                    if !tags.contains(&tag) {
                        tags.push(tag);
                    }
                }
            }
        }
        if counts.is_empty() {
            return None;
        }
        let row = |system: u32| {
            let all = looked_at.get(&system).copied().unwrap_or(0);
            let cell = |tag: &&str| {
                let count = counts.get(&(system, *tag)).copied().unwrap_or(0);
                let filter =
                    format!("{} {}", exactly("system", &self.system_name(system)), exactly("tag", tag));
                let filter = kept.with(&filter);
                CrosstabCell { value: percent(count, all, Undefined::NothingJudged), count, filter }
            };
            tags.iter().map(cell).collect()
        };
        let systems = looked_at.keys().copied();
        Some(Crosstab {
            title: "Failures".to_owned(),
            of_rows: "system".to_owned(),
            of_columns: "tag".to_owned(),
            rows: systems.clone().map(|system| self.system_name(system)).collect(),
            cells: systems.map(row).collect(),
            columns: tags.into_iter().map(str::to_owned).collect(),
            table: BrowseTable::Candidates,
        })
    }

    /// The candidates that a counted annotator looked through for tags, whether or not any was given.
    fn tagged(&self) -> Bits {
        let mut tagged = Bits::none(self.corpus.candidates.len());
        for (item, table, row) in self.counted_rows() {
            let questions = table.protocol.questions.iter();
            let mut asked = questions.filter(|question| !question.tags().is_empty());
            if asked.any(|question| table.answers(row).contains_key(&question.key)) {
                tagged.insert(self.row_of_item(BrowseTable::Candidates, item));
            }
        }
        tagged
    }

    /// The share of equal answers to a question for each two annotators, over the items that both answered and that pass the
    /// filter; a cell opens the items on which they differ. The diagonal counts the items that an annotator answered. `None` where there is no
    /// such question.
    pub fn pairs(&self, question: &str, kept: &FilteredRows) -> Option<Crosstab> {
        let place = self.questions.iter().find(|place| place.name == question || place.short == question)?;
        let short = place.short.clone();
        let names: Vec<String> = (place.annotators.iter())
            .filter_map(|annotator| self.corpus.annotators.get(usize::from(*annotator)))
            .map(|(_, annotator)| annotator.id.clone())
            .collect();
        let columns: Vec<Option<ColumnId>> =
            names.iter().map(|name| self.column(BrowseTable::Items, &format!("{short}@{name}"))).collect();
        let cell = |one: usize, other: usize| {
            let (items, equal) =
                self.compared([one, other].map(|place| columns.get(place).copied().flatten()), kept);
            let name = |place: usize| names.get(place).map_or("", String::as_str);
            let field = written(&format!("{short}@{}", name(one)));
            let filter = match one == other {
                true => format!("-{field}:\"\""),
                false => format!("{field}!=@{}", written(name(other))),
            };
            let (value, filter) = (percent(equal, items, Undefined::NotTwo), kept.with(&filter));
            CrosstabCell { value, count: items, filter }
        };
        let row = |one: usize| (0..names.len()).map(|other| cell(one, other)).collect();
        Some(Crosstab {
            title: format!("equal answers to {short}"),
            of_rows: "annotator".to_owned(),
            of_columns: "annotator".to_owned(),
            cells: (0..names.len()).map(row).collect(),
            rows: names.clone(),
            columns: names,
            table: BrowseTable::Items,
        })
    }

    /// The labels of one annotator against those of another, as counts of items that pass the filter; a cell opens its items. `None` where one
    /// of the two never answered the question.
    pub fn confusion(
        &self,
        question: &str,
        (one, other): (&str, &str),
        kept: &FilteredRows,
    ) -> Option<Crosstab> {
        let number =
            self.questions.iter().position(|place| place.name == question || place.short == question)?;
        let short = self.questions.get(number)?.short.clone();
        let fields = [one, other].map(|name| format!("{short}@{name}"));
        let columns =
            [self.column(BrowseTable::Items, &fields[0])?, self.column(BrowseTable::Items, &fields[1])?];
        let label = ColumnSource::Label(u16::try_from(number).ok()?);
        let offered: Vec<String> =
            self.offered(label).into_iter().map(|(value, _)| value.to_owned()).collect();
        let mut labels = offered.clone();
        let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
        for row in (0..self.len(BrowseTable::Items) as u32).filter(|row| kept.has(*row)) {
            let said = columns.map(|column| self.shown(BrowseTable::Items, row, column));
            let [first, second] = said;
            if first.is_empty() || second.is_empty() {
                continue;
            }
            for word in [&first, &second] {
                if !labels.contains(word) {
                    labels.push(word.clone());
                }
            }
            *counts.entry((first, second)).or_default() += 1;
        }
        let all: usize = counts.values().sum();
        // Several tags are shown as one label, and each is a test of its own.
        let has_sets = labels.len() > offered.len();
        let has_all = |field: &String, shown: &String| match has_sets {
            false => exactly(field, shown),
            true => {
                let test = |tag: &String| {
                    let is_given = shown.split(", ").any(|given| given == tag);
                    format!("{}{}", if is_given { "" } else { "-" }, exactly(field, tag))
                };
                offered.iter().map(test).collect::<Vec<_>>().join(" ")
            }
        };
        let cell = |first: &String, second: &String| {
            let count = counts.get(&(first.clone(), second.clone())).copied().unwrap_or(0);
            let filter =
                kept.with(&format!("{} {}", has_all(&fields[0], first), has_all(&fields[1], second)));
            CrosstabCell { value: percent(count, all, Undefined::NotTwo), count, filter }
        };
        let row = |first: &String| labels.iter().map(|second| cell(first, second)).collect();
        Some(Crosstab {
            title: format!("{short}: {one} against {other}"),
            of_rows: one.to_owned(),
            of_columns: other.to_owned(),
            cells: labels.iter().map(row).collect(),
            rows: labels.clone(),
            columns: labels,
            table: BrowseTable::Items,
        })
    }

    /// Counts the items that pass the filter with an answer in both columns, and those with equal answers.
    fn compared(&self, columns: [Option<ColumnId>; 2], kept: &FilteredRows) -> (usize, usize) {
        let [Some(one), Some(other)] = columns else { return (0, 0) };
        let mut both = 0;
        let mut equal = 0;
        for row in (0..self.len(BrowseTable::Items) as u32).filter(|row| kept.has(*row)) {
            let said = [one, other].map(|column| self.value(BrowseTable::Items, row, column));
            if let [TableValue::Labels(mut first), TableValue::Labels(mut second)] = said {
                first.sort_unstable();
                second.sort_unstable();
                both += 1;
                equal += usize::from(first == second);
            }
        }
        (both, equal)
    }
}
