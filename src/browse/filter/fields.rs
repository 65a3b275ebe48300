//! Looking up the field of a test.

use super::{FilterError, Relation, Test, quoted};
use crate::browse::{BrowseTable, ColumnSource, Entity, Tables, WhoComments};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TestSubject {
    Of(ColumnSource),
    /// The comments of people and judges on their judgments.
    Comment(WhoComments),
    /// The texts of the row's documents.
    Documents,
}

impl Tables {
    /// Whose comments a field names: everyone's (`comment`), or one annotator's (`comment@alice`, or `reason@judge-a` for a
    /// judge's reason); `None` where the field is not about comments.
    fn comments_named(&self, name: &str) -> Option<WhoComments> {
        let Some((what, annotator)) = name.split_once('@') else {
            return (name == "comment").then_some(WhoComments::Everyone);
        };
        let is_question = || self.questions.iter().any(|place| place.key.to_lowercase() == what);
        let is_meant = ["comment", "reason"].contains(&what) && !is_question();
        self.annotator_named(annotator).filter(|_| is_meant).map(WhoComments::One)
    }

    /// The subject of a test. With `wants_label` (the value is no number) a name that is both a score and a label means
    /// the label.
    pub(super) fn subject(
        &self,
        table: BrowseTable,
        test: &Test,
        wants_label: bool,
    ) -> Result<TestSubject, FilterError> {
        let name = test.field.to_lowercase();
        if let Some(who) = self.comments_named(&name) {
            return Ok(TestSubject::Comment(who));
        }
        match name.as_str() {
            // With `=`, `document` is the key of the judged document, where the table has one.
            "document" | "documents" if test.comparison == Relation::Has => {
                return Ok(TestSubject::Documents);
            }
            _ => {}
        }
        self.field_named(table, &test.field, wants_label)
            .map(TestSubject::Of)
            .ok_or_else(|| self.unknown_field(table, test))
    }

    /// The field of this name: as written, else ignoring case.
    pub(in crate::browse) fn field_named(
        &self,
        table: BrowseTable,
        name: &str,
        wants_label: bool,
    ) -> Option<ColumnSource> {
        let exact = || {
            let is_it =
                |(_, other): &(ColumnSource, &str)| *other == name && !wants_label && !name.is_empty();
            self.named_sources(table).find(is_it).map(|(source, _)| source)
        };
        if let Some(found) = exact() {
            return Some(found);
        }
        let name = name.to_lowercase();
        let name = name.as_str();
        let same = |other: &str| !other.is_empty() && other.to_lowercase() == name;
        let found = || {
            let mut sources = self.named_sources(table).filter(|(_, other)| same(other));
            let first = sources.next().map(|(source, _)| source);
            match first {
                // `citation` is a score and the fate of the citations; `coverage` is a score and a label.
                Some(source) if wants_label && self.kind_of(source).is_number() => {
                    let other = sources.next().map(|(source, _)| source);
                    other.or_else(|| self.label_of(table, name)).or(first)
                }
                _ => first,
            }
        };
        let has_alias =
            |source: &ColumnSource| matches!(source, ColumnSource::Field(field) if field.alias == Some(name));
        let aliased = || self.named_sources(table).map(|(source, _)| source).find(has_alias);
        let of_itself = || self.field_named(table, Tables::without_thing(table, name)?, wants_label);
        let joined = || self.joined_under(table, name);
        found().or_else(|| self.label_of(table, name)).or_else(aliased).or_else(joined).or_else(of_itself)
    }

    /// Answers about a thing, named with their protocol though only one protocol asks the question:
    /// `unit.keypoint.validity`.
    fn joined_under(&self, table: BrowseTable, name: &str) -> Option<ColumnSource> {
        let (thing, rest) = name.split_once('.')?;
        let (_, thing) = Entity::THINGS.into_iter().find(|(known, _)| *known == thing)?;
        let is_named = |number: &u16| {
            let place = self.questions.get(usize::from(*number));
            place.is_some_and(|place| {
                let protocol = self.judged.get(place.protocol).map_or("", |table| &table.protocol.name);
                format!("{protocol}.{}", place.key).to_lowercase() == rest
            })
        };
        let question = self.asked_of(thing).filter(|_| table.things().contains(&thing)).find(is_named)?;
        Some(ColumnSource::Joined(thing, question))
    }

    /// A question by its key or by protocol and key, with or without an annotator.
    fn label_of(&self, table: BrowseTable, name: &str) -> Option<ColumnSource> {
        if table == BrowseTable::Documents {
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
            None => Some(ColumnSource::Label(number)),
            Some("*") => Some(ColumnSource::LabelOfAny(number)),
            Some(key) => match (self.annotator_named(key), key) {
                (Some(annotator), _) => Some(ColumnSource::LabelBy(number, annotator)),
                (None, "gold") => Some(ColumnSource::Gold(number)),
                (None, "majority") => Some(ColumnSource::Majority(number)),
                (None, _) => None,
            },
        }
    }

    /// The place of the annotator with this key, ignoring case.
    pub(in crate::browse) fn annotator_named(&self, key: &str) -> Option<u16> {
        let annotators = &self.corpus.annotators;
        let exact = annotators.iter().position(|(_, annotator)| annotator.id == key);
        let same = |id: &str| id.to_lowercase() == key.to_lowercase();
        let found = exact.or_else(|| annotators.iter().position(|(_, annotator)| same(&annotator.id)));
        found.and_then(|place| u16::try_from(place).ok())
    }

    fn unknown_field(&self, table: BrowseTable, test: &Test) -> FilterError {
        let otherwise = "choose another, or quote it to search for it as text";
        FilterError::new(test.field_place.0.clone(), self.no_field(table, &test.field, otherwise))
    }

    /// The sentence that says why a name is no field of a table, and what to write instead.
    pub(in crate::browse) fn no_field(&self, table: BrowseTable, field: &str, otherwise: &str) -> String {
        let name = field.to_lowercase();
        let mut near: Vec<(f64, &str)> = self
            .named_sources(table)
            .filter(|(_, other)| !other.is_empty())
            .map(|(_, other)| (strsim::jaro_winkler(&name, other), other))
            .collect();
        near.sort_by(|one, other| other.0.total_cmp(&one.0));
        let elsewhere =
            BrowseTable::ALL.into_iter().find(|other| self.field_named(*other, &name, false).is_some());
        let of_meta = format!("meta.{name}");
        let advice = match near.first() {
            _ if near.iter().any(|(_, other)| *other == of_meta) => format!("did you mean {of_meta}?"),
            Some((likeness, other)) if *likeness > 0.85 => format!("did you mean {other}?"),
            _ => match elsewhere {
                Some(other) => format!("the table of {other} has it"),
                None => otherwise.to_owned(),
            },
        };
        format!("there is no field {} in the table of {table}; {advice}", quoted(field))
    }
}
