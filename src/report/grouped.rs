//! Tables by group: columns for the groups, and a total over all.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::{Column, Heading, IntoCell, Table, TableFinding, key_of};
use crate::agreement::Estimate;
use crate::score::{By, Counted, GroupLabels, Grouped};

/// The scores of a table by group.
#[derive(Debug, Clone, PartialEq)]
pub struct ScoresByGroup {
    /// The fields of the groups.
    pub by: Vec<String>,
    /// The groups, in the order of the rows.
    pub groups: Vec<GroupLabels>,
    /// The scores, the one that leads first.
    pub scores: Vec<GroupsScore>,
}

/// A score of every group.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupsScore {
    pub head: Heading,
    /// For each group its number; `None` where it has no row for the score.
    pub values: Vec<Option<Estimate>>,
}

impl ScoresByGroup {
    /// The scores with these columns, of which some hold no estimates. Scores of a protocol stand before shares.
    fn of(by: &[By], groups: Vec<GroupLabels>, columns: Vec<(Heading, Vec<Option<Estimate>>)>) -> Self {
        let mut scores: Vec<GroupsScore> = columns
            .into_iter()
            .filter(|(_, values)| values.iter().any(Option::is_some))
            .map(|(head, values)| GroupsScore { head, values })
            .collect();
        scores.sort_by_key(|score| score.head.better.is_none());
        ScoresByGroup { by: names(by).into_iter().map(str::to_owned).collect(), groups, scores }
    }

    /// Whether groups differ both by retriever and by summarizer, so that each of the two says something by itself.
    pub fn is_crossed(&self) -> bool {
        ["retriever", "summarizer"].iter().all(|field| {
            let at = self.by.iter().position(|by| by == field);
            let labels = self.groups.iter().filter_map(|group| group.get(at?)?.as_deref());
            labels.collect::<BTreeSet<&str>>().len() > 1
        })
    }
}

impl GroupsScore {
    /// The number of groups with a value.
    pub fn numbers(&self) -> usize {
        self.values.iter().flatten().filter(|estimate| estimate.value.is_ok()).count()
    }

    /// Whether people see the score, with a number, in every readable form.
    pub fn is_shown(&self) -> bool {
        self.head.better.is_some() && !self.head.detail && !self.head.spare && self.numbers() > 0
    }
}

/// The names of the groupings, for JSON.
pub fn names(by: &[By]) -> Vec<&str> {
    by.iter().map(By::name).collect()
}

/// The labels of a group as one text.
pub fn name_of(group: &GroupLabels) -> String {
    let labels = group.iter().map(|label| label.as_deref().unwrap_or("(none)"));
    labels.collect::<Vec<&str>>().join(" · ")
}

/// A column for each grouping.
pub fn group_columns(by: &[By]) -> impl Iterator<Item = Heading> {
    by.iter().map(|by| Heading::text(by.name(), by.name().replace('_', " ")))
}

/// Inserts a column for each grouping at a place of a table, with the labels of each row's group.
pub fn insert_groups<'g>(
    table: &mut Table,
    at: usize,
    by: &[By],
    groups: impl Iterator<Item = &'g GroupLabels>,
) {
    table.columns.splice(at..at, group_columns(by));
    for (row, group) in table.rows.iter_mut().zip(groups) {
        row.splice(at..at, group.iter().cloned().map(IntoCell::cell));
    }
}

/// A table with a row for each group: the columns of the groupings, then the others. The title is like
/// `Scores by retriever and summarizer`.
pub fn grouped_table<'a, T>(
    what: &str,
    found: &Grouped<T>,
    columns: impl IntoIterator<Item = Column<'a, T>>,
) -> Table {
    let by = &found.by;
    let title = match by.as_slice() {
        [] => what.to_owned(),
        by => format!("{what} by {}", names(by).join(" and ").replace('_', " ")),
    };
    let all = found.all.as_ref().filter(|_| !by.is_empty());
    let rows = found.rows.iter().map(|(_, row)| row).chain(all);
    let (table, estimates) = Table::measured(title, columns, rows);
    let mut table = table.keyed(key_of(what)).fact("by", names(by));
    let own = estimates.into_iter().map(|mut values| {
        values.truncate(found.rows.len());
        values
    });
    let own = table.columns.iter().cloned().zip(own).collect();
    let groups = found.rows.iter().map(|(group, _)| group.clone()).collect();
    table.finding = TableFinding::Scores(Arc::new(ScoresByGroup::of(by, groups, own)));
    let of_all: GroupLabels =
        (0..by.len()).map(|at| Some(if at == 0 { "all" } else { "" }.to_owned())).collect();
    let groups = found.rows.iter().map(|(group, _)| group).chain([&of_all]);
    insert_groups(&mut table, 0, by, groups);
    if all.is_some() {
        table.total = table.rows.pop().unwrap_or_default();
    }
    table
}

/// The table with the scores named by `ranked`, by which systems are ranked, before all others.
pub fn led_by<'n>(mut table: Table, ranked: impl IntoIterator<Item = &'n str>) -> Table {
    let ranked: Vec<&str> = ranked.into_iter().collect();
    if let TableFinding::Scores(found) = &mut table.finding {
        let place = |name: &str| ranked.iter().position(|ranked| *ranked == name).unwrap_or(ranked.len());
        Arc::make_mut(found).scores.sort_by_key(|score| place(&score.head.name));
    }
    table
}

/// Columns for the number of judged items, under this heading, and of their judgments.
pub fn counted_columns<'a, T>(
    items: &str,
    counted: impl Fn(&T) -> Counted + Copy + 'a,
) -> [Column<'a, T>; 2] {
    [
        Column::new("items", items, move |row: &T| counted(row).items),
        Column::new("judgments", "judgments", move |row: &T| counted(row).judgments),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agreement::Undefined;
    use crate::score::Uncertainty;

    #[test]
    fn scores_are_the_estimates_of_groups_and_the_leading_one_stands_first() {
        type Row = (usize, [Option<f64>; 3]);
        let row = |items, values: [f64; 3]| (vec![Some("a".to_owned())], (items, values.map(Some)));
        let found: Grouped<Row> = Grouped {
            by: vec![By::own("system").expect("a field")],
            uncertainty: Uncertainty::default(),
            rows: vec![row(4, [1.0, 2.0, 3.0]), row(5, [4.0, 5.0, 6.0])],
            all: Some((9, [None; 3])),
        };
        let number = |at: usize| move |row: &Row| row.1[at].ok_or(Undefined::NothingJudged);
        let columns = [
            Column::new("items", "items", |row: &Row| row.0),
            Column::new("share_absent", "absent", number(0)).percent(),
            Column::new("share_absent_items", "of", |row: &Row| row.0),
            Column::new("kept", "kept", number(1)).score(),
            Column::new("useful", "useful", number(2)).score().detail(),
        ];
        let table = grouped_table("Scores", &found, columns);
        let of = |table: &Table| -> Vec<(String, Vec<f64>)> {
            let values = |score: &GroupsScore| {
                score.values.iter().flatten().filter_map(|estimate| estimate.value.ok()).collect()
            };
            let scores = &table.scores().expect("scores").scores;
            scores.iter().map(|score| (score.head.name.clone(), values(score))).collect()
        };
        let [absent, kept, useful] =
            [("share_absent", [1.0, 4.0]), ("kept", [2.0, 5.0]), ("useful", [3.0, 6.0])]
                .map(|(name, values)| (name.to_owned(), values.to_vec()));
        assert_eq!(of(&table), [kept.clone(), useful.clone(), absent.clone()]);
        let shown = |table: &Table| {
            table.scores().expect("scores").scores.iter().map(GroupsScore::is_shown).collect::<Vec<_>>()
        };
        assert_eq!(shown(&table), [true, false, false]);
        assert_eq!(of(&led_by(table, ["useful"])), [useful, kept, absent]);
    }
}
