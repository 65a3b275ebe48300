//! Looking up the field of a test.

use super::FilterError;
use super::ast::{Comparison, Test};
use crate::browse::field::Field;
use crate::browse::table::Table;
use crate::browse::tables::Tables;

/// What a test is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    Field(Field),
    /// The comments of everyone.
    Comment,
    /// The texts of the row's documents.
    Documents,
}

/// Other names that people will try.
const OTHER_NAMES: [(&str, &str); 6] = [
    ("tags", "tag"),
    ("flag", "flags"),
    ("label", "coverage"),
    ("annotations", "judgments"),
    ("model", "summarizer"),
    ("f1", "citation"),
];

impl Tables {
    /// What a test is about; `wants_label` where its value is no number, so that labels are meant by a name
    /// that a score has too.
    pub(super) fn subject(
        &self,
        table: Table,
        test: &Test,
        wants_label: bool,
    ) -> Result<Subject, FilterError> {
        let name = test.field.to_lowercase();
        match name.as_str() {
            "comment" => return Ok(Subject::Comment),
            // Exactly a document is its key, where the table has one.
            "document" | "documents" if test.comparison == Comparison::Has => return Ok(Subject::Documents),
            _ => {}
        }
        self.field_named(table, &name, wants_label)
            .map(Subject::Field)
            .ok_or_else(|| self.unknown_field(table, test, &name))
    }

    /// The field of this name in lower case.
    pub(super) fn field_named(&self, table: Table, name: &str, wants_label: bool) -> Option<Field> {
        let same = |other: &str| !other.is_empty() && other.to_lowercase() == name;
        let alias = OTHER_NAMES.iter().find(|(other, _)| *other == name).map_or(name, |(_, meant)| meant);
        let is_number = |field: &Field| field.head(table).kind.is_number();
        let found = || {
            let mut fields = self.named_fields(table).filter(|(_, other)| same(other));
            let first = fields.next().map(|(field, _)| field);
            match first {
                // `citation` is a score, and what became of the citations; `coverage` a score and a label.
                Some(field) if wants_label && is_number(&field) => {
                    let other = fields.next().map(|(field, _)| field);
                    other.or_else(|| self.label_of(table, name)).or(first)
                }
                _ => first,
            }
        };
        let aliased = || {
            let mut fields = self.named_fields(table).filter(|(_, other)| *other == alias);
            fields.next().map(|(field, _)| field)
        };
        found().or_else(|| self.label_of(table, name)).or_else(aliased)
    }

    /// A question by its key or by protocol and key, with or without an annotator.
    fn label_of(&self, table: Table, name: &str) -> Option<Field> {
        if table == Table::Documents {
            return None;
        }
        let (question, annotator) = match name.split_once('@') {
            Some((question, annotator)) => (question, Some(annotator)),
            None => (name, None),
        };
        let named = |key: &str| key.to_lowercase() == question;
        let place = self.questions.iter().position(|place| {
            let protocol = self.judged.get(place.protocol).map_or("", |table| &table.protocol.name);
            named(&place.name) || named(&place.short) || named(&format!("{protocol}.{}", place.key))
        });
        let place = place.or_else(|| self.questions.iter().position(|place| named(&place.key)));
        let number = u16::try_from(place?).ok()?;
        match annotator {
            None => Some(Field::Label(number)),
            Some("*") => Some(Field::LabelOfAny(number)),
            Some(key) => match self.annotator_named(key) {
                Some(annotator) => Some(Field::LabelBy(number, annotator)),
                None => (key == "gold").then_some(Field::Gold(number)),
            },
        }
    }

    /// The place of the annotator of this key, in any case.
    pub(super) fn annotator_named(&self, key: &str) -> Option<u16> {
        let annotators = &self.corpus.annotators;
        let exact = annotators.iter().position(|(_, annotator)| annotator.id == key);
        let same = |id: &str| id.to_lowercase() == key.to_lowercase();
        let found = exact.or_else(|| annotators.iter().position(|(_, annotator)| same(&annotator.id)));
        found.and_then(|place| u16::try_from(place).ok())
    }

    fn unknown_field(&self, table: Table, test: &Test, name: &str) -> FilterError {
        let place = test.field_place.0.clone();
        let field = &test.field;
        let mut near: Vec<(f64, &str)> = self
            .named_fields(table)
            .filter(|(_, other)| !other.is_empty())
            .map(|(_, other)| (strsim::jaro_winkler(name, other), other))
            .collect();
        near.sort_by(|one, other| other.0.total_cmp(&one.0));
        let elsewhere = Table::ALL.into_iter().find(|other| self.field_named(*other, name, false).is_some());
        let advice = match near.first() {
            Some((likeness, other)) if *likeness > 0.85 => format!("did you mean {other}?"),
            _ => match elsewhere {
                Some(other) => format!("the table of {other} has it"),
                None => "press tab for the fields, or quote it to search for it as text".to_owned(),
            },
        };
        FilterError::new(place, format!("there is no field {field:?} in the table of {table}; {advice}"))
    }
}
