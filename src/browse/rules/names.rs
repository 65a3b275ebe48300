//! Looking up the names in scores.

use super::{JUDGED_FIELDS, Joined, JudgedField, RowsOf, WhoSays};
use crate::browse::{BrowseTable, ColumnSource, Entity, NONE, Tables};
use crate::number::short;
use crate::protocol::{Protocol, ScoreLevel, TargetPart};

/// The meaning of a name.
pub(super) enum NameMeant {
    /// The judgment's own answer to a question.
    Own(u16),
    /// The joined answer to a question, about the same item or about a thing.
    Joined(Joined),
    /// A field of a table; `places` has, for each row, its row of that table.
    Field { table: BrowseTable, name: String, places: Vec<u32> },
    /// A number of a judgment.
    Judged(&'static JudgedField),
    /// A name that only a study can settle, while no study is at hand.
    Later,
}

/// The tables whose fields an item has, the nearest first.
const NEAR: [BrowseTable; 4] =
    [BrowseTable::Candidates, BrowseTable::Units, BrowseTable::Documents, BrowseTable::Queries];

impl Tables {
    /// Looks a name up. The error is a sentence.
    pub(super) fn named(&self, of: RowsOf, name: &str) -> Result<NameMeant, String> {
        let (path, who) = name.split_once('@').map_or((name, None), |(path, who)| (path, Some(who)));
        let thing = path.split_once('.').and_then(|(head, rest)| {
            let level = ScoreLevel::named(head).filter(|level| *level != ScoreLevel::Item)?;
            (!rest.is_empty()).then_some((level, rest))
        });
        if let RowsOf::Protocol(protocol) = of
            && let Some(question) = self.question_of(protocol, path)
        {
            return match who {
                None => Ok(NameMeant::Own(question)),
                Some(who) => match self.whose(who)? {
                    Some(whose) => Ok(NameMeant::Joined(self.joined(of, None, question, whose))),
                    None => Ok(NameMeant::Later),
                },
            };
        }
        if let Some((level, key)) = thing
            && let Some(question) = self.question_asked(level, key, path)?
        {
            let whose = who.map_or(Ok(Some(WhoSays::Most)), |who| self.whose(who))?;
            let joined = |whose| NameMeant::Joined(self.joined(of, Some(level), question, whose));
            return Ok(whose.map_or(NameMeant::Later, joined));
        }
        if let Some(field) = JUDGED_FIELDS.iter().find(|field| field.name == path)
            && matches!(of, RowsOf::Protocol(place) if field.is_of(self, place))
        {
            return Ok(NameMeant::Judged(field));
        }
        let is_of_a_study = || self.is_without_study() && (thing.is_some() || path.starts_with("meta."));
        let found = self.field(of, name).or_else(|| is_of_a_study().then_some(NameMeant::Later));
        found.ok_or_else(|| self.unknown(of, name))
    }

    /// Whether the tables hold protocols without any records.
    fn is_without_study(&self) -> bool {
        self.corpus.collections.is_empty()
    }

    /// The number of a question of a protocol.
    pub(super) fn question_of(&self, protocol: usize, key: &str) -> Option<u16> {
        let place = self.questions.iter().position(|place| place.protocol == protocol && place.key == key);
        place.and_then(|place| u16::try_from(place).ok())
    }

    /// The question about a thing. Where several protocols ask it, the name must have the protocol.
    fn question_asked(&self, level: ScoreLevel, path: &str, whole: &str) -> Result<Option<u16>, String> {
        let asks = |number: &u16| {
            let Some(place) = self.questions.get(usize::from(*number)) else { return false };
            let protocol = self.judged.get(place.protocol).map(|table| &table.protocol);
            let is_named = |protocol: &&Protocol| {
                path == place.key || path == format!("{}.{}", protocol.name, place.key)
            };
            protocol.filter(is_named).is_some_and(|protocol| asks_of(protocol, level))
        };
        let asking: Vec<u16> = (0..short(self.questions.len()) as u16).filter(asks).collect();
        match asking.as_slice() {
            [] => Ok(None),
            [one] => Ok(Some(*one)),
            several => {
                let names = several.iter().filter_map(|number| self.questions.get(usize::from(*number)));
                let names: Vec<&str> = names
                    .filter_map(|place| self.judged.get(place.protocol))
                    .map(|table| table.protocol.name.as_str())
                    .collect();
                let first = names.first().copied().unwrap_or_default();
                Err(format!(
                    "{whole:?} is asked by {}; write {}.{first}.{path}",
                    names.join(" and "),
                    level.name()
                ))
            }
        }
    }

    /// Reads the part behind the `@`; `None` for a name that only a study can settle.
    fn whose(&self, who: &str) -> Result<Option<WhoSays>, String> {
        Ok(Some(match who {
            "majority" => WhoSays::Most,
            "gold" => WhoSays::Gold,
            "*" => WhoSays::Anyone,
            name => match self.annotator_named(name) {
                Some(place) => WhoSays::Annotator(place),
                None if self.is_without_study() => return Ok(None),
                None => return Err(format!("there is no annotator {name:?}")),
            },
        }))
    }

    /// A field of a row, or of a record that the row belongs to.
    fn field(&self, of: RowsOf, name: &str) -> Option<NameMeant> {
        let own = of.table();
        let has = |table: BrowseTable| {
            self.field_named(table, name, false).is_some_and(|source| source.question().is_none())
        };
        let place = |row: u32, table: BrowseTable| self.part(own, row, Entity::of(table));
        let rows = 0..short(self.len(own));
        if has(own) {
            return Some(NameMeant::Field { table: own, name: name.to_owned(), places: rows.collect() });
        }
        let table = NEAR.into_iter().find(|table| {
            has(*table) && (rows.is_empty() || rows.clone().any(|row| place(row, *table) != NONE))
        })?;
        let places = rows.map(|row| place(row, table)).collect();
        Some(NameMeant::Field { table, name: name.to_owned(), places })
    }

    fn unknown(&self, of: RowsOf, name: &str) -> String {
        let own = self
            .questions
            .iter()
            .filter(|place| RowsOf::Protocol(place.protocol) == of)
            .map(|place| place.key.as_str());
        let fields =
            self.named_sources(of.table()).filter(|(source, _)| matches!(source, ColumnSource::Field(_)));
        let known =
            own.chain(fields.map(|(_, name)| name)).chain(JUDGED_FIELDS.iter().map(|field| field.name));
        let near = crate::text::near::nearest(name, known.collect::<Vec<_>>());
        let advice = near.map_or(String::new(), |near| format!("; did you mean {near:?}?"));
        format!("there is no field or question {name:?}{advice}")
    }
}

/// Whether a protocol asks about things of this level, that is, its target has such a part.
pub(super) fn asks_of(protocol: &Protocol, level: ScoreLevel) -> bool {
    match level {
        ScoreLevel::Query => protocol.targets(TargetPart::Query),
        ScoreLevel::Item | ScoreLevel::Collection => false,
        level => is_about(protocol, level),
    }
}

/// Whether items of a protocol belong to a thing of this level.
pub(super) fn is_about(protocol: &Protocol, level: ScoreLevel) -> bool {
    let targets = |part: TargetPart| protocol.targets(part);
    match level {
        ScoreLevel::Item | ScoreLevel::Query | ScoreLevel::Collection => true,
        ScoreLevel::Bullet => targets(TargetPart::Bullet),
        ScoreLevel::Unit => targets(TargetPart::Unit),
        ScoreLevel::Document => targets(TargetPart::Document),
        ScoreLevel::Candidate => protocol.is_about_candidates(),
    }
}
