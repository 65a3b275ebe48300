//! Groups: the rows of a table by the value of a field.

use indexmap::IndexSet;

use super::{
    BrowseTable, ColumnKind, ColumnSource, ColumnValues, Entity, LENGTHS, NONE, TableValue, Tables, at,
    exactly, unpack, written,
};
use crate::error::{Error, Result, Topic};
use crate::number::short;
use crate::text::natural::natural;

/// The rows of a table in groups.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldGroups {
    /// For each row, the place of its group in `groups`; `u32::MAX` for rows without a value.
    pub codes: Vec<u32>,
    /// The groups: numbers and lengths by size, words in natural order.
    pub groups: Vec<FieldGroup>,
}

/// The fields of an item that are those of its one summary.
const OF_ONE_SUMMARY: [&str; 6] =
    ["system", "summarizer", "retriever", "order", "candidate", "other_candidate"];

/// Rows with the same value of a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldGroup {
    pub label: String,
    /// The filter that chooses exactly the rows of the group.
    pub filter: String,
}

impl FieldGroups {
    /// Groups the rows by their numbers; numbers with equal labels are one group.
    fn of_numbers(name: &str, values: &[Option<f64>], label: impl Fn(f64) -> String) -> FieldGroups {
        let mut distinct: Vec<f64> = values.iter().flatten().copied().collect();
        distinct.sort_unstable_by(f64::total_cmp);
        distinct.dedup();
        let labelled: Vec<(f64, String)> = distinct.iter().map(|value| (*value, label(*value))).collect();
        let name = written(name);
        let mut groups = Vec::new();
        let mut place_of = Vec::with_capacity(distinct.len());
        for same in labelled.chunk_by(|one, other| one.1 == other.1) {
            let (Some((low, label)), Some((high, _))) = (same.first(), same.last()) else { continue };
            place_of.extend(same.iter().map(|_| short(groups.len())));
            groups.push(FieldGroup { label: label.clone(), filter: format!("{name}>={low} {name}<={high}") });
        }
        let code = |value: &Option<f64>| {
            let found = value.and_then(|value| distinct.binary_search_by(|one| one.total_cmp(&value)).ok());
            found.and_then(|place| place_of.get(place)).copied().unwrap_or(NONE)
        };
        FieldGroups { codes: values.iter().map(code).collect(), groups }
    }

    /// Groups the rows by their words, given as codes: in the given order for a scale, else in natural order.
    fn of_words(name: &str, codes: &[u32], words: &[Option<&str>], is_scale: bool) -> FieldGroups {
        let mut is_used = vec![false; words.len()];
        for code in codes {
            if let Some(is_used) = is_used.get_mut(*code as usize) {
                *is_used = true;
            }
        }
        let used = words.iter().zip(is_used).filter_map(|(word, is_used)| word.filter(|_| is_used));
        let mut distinct: IndexSet<&str> = used.collect();
        if !is_scale {
            distinct.sort_unstable();
            distinct.sort_by_cached_key(|word| natural(word));
        }
        let place_of: Vec<u32> = words
            .iter()
            .map(|word| word.and_then(|word| distinct.get_index_of(word)).map_or(NONE, short))
            .collect();
        FieldGroups {
            codes: codes.iter().map(|code| at(&place_of, *code).copied().unwrap_or(NONE)).collect(),
            groups: distinct
                .into_iter()
                .map(|word| FieldGroup { label: word.to_owned(), filter: exactly(name, word) })
                .collect(),
        }
    }
}

impl Tables {
    /// Groups the rows of a table by a field: by word, by number, or by step for a length; by the majority's label where
    /// the name ends in `@majority`, by the gold label where it ends in `@gold`.
    ///
    /// # Errors
    /// The table has no such field, or rows have several of its labels (usage).
    pub fn groups(&self, table: BrowseTable, name: &str) -> Result<FieldGroups> {
        let wrong = |what: String| Error::usage(what).under(Topic::Filters);
        let source = self
            .field_named(table, name, name.contains('@'))
            .ok_or_else(|| wrong(self.no_field(table, name, "`haymark help filters` lists them")))?;
        let several = || wrong(format!("{name} has several labels at once, so nothing is grouped by it"));
        if let ColumnSource::Label(question)
        | ColumnSource::LabelBy(question, _)
        | ColumnSource::LabelOfAny(question) = source
        {
            let what = format!("{name} is what each says, so an item would fall into two groups");
            let asked = self.questions.get(usize::from(question)).map_or("", |place| &place.short);
            return Err(wrong(what).advise(format!("{asked}@majority is what most say")));
        }
        let values = self.column_of(table, source);
        let mut found = match values {
            None => FieldGroups::default(),
            Some(ColumnValues::Words { codes, words }) => {
                let words: Vec<Option<&str>> = words.iter().map(Option::as_deref).collect();
                FieldGroups::of_words(name, codes, &words, false)
            }
            Some(ColumnValues::Sets(sets)) => {
                let is_tie = |set: &Vec<u32>| set.len() > 1;
                let has_one = matches!(source, ColumnSource::Majority(question) | ColumnSource::Gold(question)
                    if self.asked(question).is_some_and(|(_, asked, _)| !asked.choices().is_empty()));
                if source.is_list() || !has_one && sets.sets.iter().any(is_tie) {
                    return Err(several());
                }
                // A tie between two labels gives no label.
                let word = |set: &Vec<u32>| set.first().copied().filter(|_| !is_tie(set)).unwrap_or(NONE);
                let code = |set: &u32| at(&sets.sets, *set).map_or(NONE, word);
                let codes: Vec<u32> = sets.codes.iter().map(code).collect();
                let words: Vec<Option<&str>> = sets.words.iter().map(|word| Some(word.as_str())).collect();
                FieldGroups::of_words(name, &codes, &words, true)
            }
            Some(ColumnValues::Numbers(numbers)) => {
                let values: Vec<Option<f64>> = numbers.iter().map(|number| unpack(*number).ok()).collect();
                FieldGroups::of_numbers(name, &values, |value| self.number_label(source, value))
            }
            Some(ColumnValues::Counts(counts)) => {
                let value = |count: &u32| Some(f64::from(*count)).filter(|_| *count != NONE);
                let values: Vec<Option<f64>> = counts.iter().map(value).collect();
                FieldGroups::of_numbers(name, &values, |value| self.number_label(source, value))
            }
        };
        // The columns of a pair show its first summary, and it is in no group by a field of one summary.
        let is_of_one = matches!(source, ColumnSource::Joined(Entity::Candidate, _))
            || OF_ONE_SUMMARY.contains(&source.name());
        if table == BrowseTable::Items && is_of_one {
            let codes = found.codes.iter_mut().zip(&self.relations.items);
            codes.filter(|(_, item)| item.other != NONE).for_each(|(code, _)| *code = NONE);
        }
        Ok(found)
    }

    /// A number as the label of its group.
    fn number_label(&self, source: ColumnSource, value: f64) -> String {
        match (source.part(), source) {
            (Some(part), _) => step_label(value, part),
            (None, ColumnSource::Meta(_)) => value.to_string(),
            (None, _) => TableValue::Number(value).shown(match self.kind_of(source) {
                ColumnKind::Count => ColumnKind::Number(0),
                kind => kind,
            }),
        }
    }
}

/// The label of a length's step, such as `1,000–1,999 words`.
fn step_label(words: f64, part: usize) -> String {
    let starts = LENGTHS.map(|start| start / part);
    let step = starts.partition_point(|start| *start as f64 <= words).saturating_sub(1);
    let start = starts.get(step).copied().unwrap_or(0);
    match starts.get(step + 1) {
        Some(next) => format!("{}–{} words", grouped(start), grouped(next - 1)),
        None => format!("{} words and more", grouped(start)),
    }
}

/// A number with commas between thousands.
fn grouped(number: usize) -> String {
    match number / 1_000 {
        0 => number.to_string(),
        thousands => format!("{},{:03}", grouped(thousands), number % 1_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::browse::tests::small;

    fn labels(tables: &Tables, table: BrowseTable, name: &str) -> Vec<String> {
        let groups = tables.groups(table, name).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(groups.codes.len(), tables.len(table));
        let label = |code: &u32| at(&groups.groups, *code).map_or("?", |group| &group.label).to_owned();
        groups.codes.iter().map(label).collect()
    }

    #[test]
    fn any_field_makes_groups() {
        let tables = small::tables();
        let items = |name: &str| labels(&tables, BrowseTable::Items, name);
        assert_eq!(items("category")[5..], ["explanatory", "?", "explanatory"]);
        assert_eq!(items("unit.kind")[6..], ["insight", "?"]);
        // breaks has full twice, walk partial and none, so no majority; a single annotator's label is the majority's.
        assert_eq!(items("coverage@majority"), ["full", "?", "none", "partial", "none", "full", "full", "?"]);
        assert_eq!(items("outcome")[..3], ["unanimous", "unresolved", "unanimous"]);
        assert_eq!(items("candidate.coverage")[..4], ["41.7", "41.7", "41.7", "50.0"]);
        assert_eq!(items("response_length")[..2], ["0–49 words", "0–49 words"]);
    }

    #[test]
    fn each_group_is_a_filter() {
        let tables = small::tables();
        for name in ["system", "words", "words_per_bullet", "coverage", "order", "query.units"] {
            let groups = tables.groups(BrowseTable::Candidates, name).expect(name);
            for (place, group) in groups.groups.iter().enumerate() {
                let view = crate::browse::View {
                    filter: group.filter.clone(),
                    ..crate::browse::View::of(BrowseTable::Candidates)
                };
                let rows = (0..).zip(&groups.codes).filter(|(_, code)| **code == place as u32);
                let rows: Vec<u32> = rows.map(|(row, _)| row).collect();
                assert_eq!(tables.rows(&view).expect("a filter"), rows, "{}", group.filter);
            }
        }
    }

    #[test]
    fn what_makes_no_groups_says_so() {
        let tables = small::tables();
        let told = |name: &str| tables.groups(BrowseTable::Items, name).expect_err(name).to_string();
        assert!(told("tag").contains("several labels"), "{}", told("tag"));
        assert!(told("coverage@alice").contains("coverage@majority"), "{}", told("coverage@alice"));
        assert!(told("sistem").contains("did you mean system?"), "{}", told("sistem"));
        assert!(told("colour").starts_with("there is no field \"colour\""), "{}", told("colour"));
    }

    #[test]
    fn lengths_go_by_their_steps() {
        for (words, label) in [
            (0.0, "0–49 words"),
            (50.0, "50–99 words"),
            (1_999.0, "1,000–1,999 words"),
            (16_000.0, "16,000–31,999 words"),
            (300_000.0, "256,000 words and more"),
        ] {
            assert_eq!(step_label(words, 1), label);
        }
        assert_eq!(step_label(12.5, 10), "10–19 words");
        let groups =
            FieldGroups::of_numbers("n", &[Some(10.0), None, Some(9.0), Some(10.0)], |n| n.to_string());
        assert_eq!((groups.codes, groups.groups.len()), (vec![1, NONE, 0, 1], 2), "9 before 10");
    }
}
