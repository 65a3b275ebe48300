//! The records of a study, as files name them: references are keys, texts are kept byte for byte.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_with::skip_serializing_none;

use super::amendment::Amendment;
use super::assignment::{Aside, Assignment};
use super::item::TargetKeys;
use crate::text::citation::cited;
use crate::text::hash::fingerprint;

/// Free fields that haymark keeps and gives back but does not read.
pub type Meta = serde_json::Map<String, serde_json::Value>;

/// Documents that belong together: a haystack, or what was retrieved for a question.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Collection {
    /// Key, unique in the study.
    pub id: String,
    pub title: Option<String>,
    /// The domain, such as `conversation` or `news`; scores can be grouped by it.
    pub domain: Option<String>,
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    pub meta: Meta,
}

/// A text of a collection.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Key of its collection.
    pub collection: String,
    /// Key, unique in the collection.
    pub id: String,
    /// 1-based position in the collection; `[8]` in a summary cites number 8.
    pub number: u32,
    pub title: Option<String>,
    pub text: String,
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    pub meta: Meta,
}

/// A question or topic that is asked of a collection.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query {
    /// Key of its collection.
    pub collection: String,
    /// Key, unique in the collection.
    pub id: String,
    pub text: String,
    pub category: Option<String>,
    pub domain: Option<String>,
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    pub meta: Meta,
}

/// A part that a good answer should contain: an insight, a key point, a reference question.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Unit {
    /// Key of its collection; may be left out where the query's key is unique in the study.
    #[serde(default)]
    pub collection: String,
    /// Key of its query.
    pub query: String,
    /// Key, unique in the query.
    pub id: String,
    /// The word by which screens call the unit: `insight`, `keypoint`, ….
    pub kind: String,
    /// Key of the candidate of the same query that the unit was taken from; `None` for a unit that every answer to the
    /// query should contain.
    pub candidate: Option<String>,
    pub title: Option<String>,
    pub text: String,
    /// Keys of the documents that contain the unit; `None` where that is not known.
    pub documents: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// A machine's score of the unit, 0 to 1.
    pub score: Option<f64>,
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    pub meta: Meta,
}

/// A passage of a document that supports a unit.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// Key of the document, in the unit's collection.
    pub document: String,
    /// The passage, word for word.
    pub quote: String,
    /// Byte offset of the passage in the document's text, where it is not the first occurrence.
    pub start: Option<u64>,
}

/// A summary or response to a query, by a system or a person.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Candidate {
    /// Key of its collection; may be left out where the query's key is unique in the study.
    #[serde(default)]
    pub collection: String,
    /// Key of its query.
    pub query: String,
    /// Key, unique in the query.
    pub id: String,
    pub summarizer: Option<String>,
    /// The retriever; `None` for a candidate made from the whole collection.
    pub retriever: Option<String>,
    /// Order in which the documents were given: `top`, `bottom`, `random`.
    pub order: Option<String>,
    pub text: String,
    /// The list that the candidate's citations count in; `None` where they are the numbers of documents.
    pub cites: Option<CitedList>,
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    pub meta: Meta,
}

/// The list in which the citations of a candidate count: `[3]` is the third document of the ranking of its retriever. In
/// files it is the word `list`; the documents are known of a candidate that a study gives.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(from = "CitesWord", into = "CitesWord")]
pub struct CitedList(Arc<[ListedDocument]>);

/// A document of such a list.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ListedDocument {
    pub number: u32,
    /// The retriever's own score, of whatever scale.
    pub score: Option<f64>,
}

/// The word in a file for a candidate's citations.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum CitesWord {
    List,
}

impl From<CitesWord> for CitedList {
    fn from(_: CitesWord) -> CitedList {
        CitedList::default()
    }
}

impl From<CitedList> for CitesWord {
    fn from(_: CitedList) -> CitesWord {
        CitesWord::List
    }
}

/// Lists are equal whatever they hold, since their documents stand in another record.
impl PartialEq for CitedList {
    fn eq(&self, _: &CitedList) -> bool {
        true
    }
}

impl CitedList {
    /// The list of these documents, best first.
    pub fn of(documents: Vec<ListedDocument>) -> CitedList {
        CitedList(documents.into())
    }

    /// The numbers of its documents, best first.
    pub fn numbers(&self) -> impl Iterator<Item = u32> + Clone {
        self.0.iter().map(|document| document.number)
    }

    /// The retriever's score for the document of this number.
    pub fn score_of(&self, number: u32) -> Option<f64> {
        self.0.iter().find(|document| document.number == number)?.score
    }

    /// The same list where documents are counted in another order; `order` has their numbers so far.
    #[must_use]
    pub fn counted_by(&self, order: &[u32]) -> CitedList {
        let place = |number| (1..).zip(order).find(|(_, other)| **other == number);
        let moved = |document: &ListedDocument| {
            place(document.number).map(|(number, _)| ListedDocument { number, ..*document })
        };
        CitedList(self.0.iter().filter_map(moved).collect())
    }

    /// The number of the document that `[written]` means. Where the list has no such place, a number that no document
    /// has, and another one for each place.
    pub fn meant(&self, written: u32) -> u32 {
        let place = written.checked_sub(1).and_then(|place| self.0.get(place as usize));
        place.map_or(u32::MAX - written, |document| document.number)
    }
}

/// The name of a system in tables: `oracle gpt-4o`, or the summarizer alone for full context and where both have one name.
pub fn system_name(retriever: Option<&str>, summarizer: Option<&str>) -> String {
    let summarizer = summarizer.unwrap_or("unnamed");
    match retriever {
        Some(retriever) if retriever != summarizer => format!("{retriever} {summarizer}"),
        _ => summarizer.to_owned(),
    }
}

/// The name of a system's retriever in tables: full context where it has none, and nothing where the system has no name at
/// all, as where a hub hides it.
pub fn retriever_name(retriever: Option<&str>, summarizer: Option<&str>) -> Option<String> {
    retriever.or(summarizer.and(Some("full context"))).map(str::to_owned)
}

impl Candidate {
    /// The name of the system that made it; see [`system_name`].
    pub fn system(&self) -> String {
        system_name(self.retriever.as_deref(), self.summarizer.as_deref())
    }

    /// The number of the document that `[written]` means in the candidate's text.
    pub fn meant(&self, written: u32) -> u32 {
        self.cites.as_ref().map_or(written, |list| list.meant(written))
    }

    /// The numbers of the documents that a bullet of the candidate cites.
    pub fn cited(&self, bullet: &str) -> BTreeSet<u32> {
        cited(bullet).into_iter().map(|written| self.meant(written)).collect()
    }

    /// The citation by which the candidate cites the document of this number; a dash for one that is not in its list.
    pub fn citing(&self, number: u32) -> String {
        match &self.cites {
            None => number.to_string(),
            Some(list) => match list.numbers().position(|other| other == number) {
                Some(place) => (place + 1).to_string(),
                None => "–".to_owned(),
            },
        }
    }
}

/// The documents that a retriever found for a query, best first. Each retriever has a list of its own, and none changes
/// another's.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankedList {
    /// Key of its collection; may be left out where the query's key is unique in the study.
    #[serde(default)]
    pub collection: String,
    /// Key of its query.
    pub query: String,
    /// The retriever, as in the candidates that were made from the list; unique in the query.
    pub retriever: String,
    pub documents: Vec<RankedDocument>,
}

/// A place in a ranking.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RankedDocument {
    /// Key of the document, in the query's collection.
    pub document: String,
    /// The retriever's own score, of whatever scale.
    pub score: Option<f64>,
    /// Fields that the retriever gives the document, and others do not.
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    pub meta: Meta,
}

/// A person or a model that judges.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Annotator {
    /// Key, unique in the study: a name or pseudonym.
    pub id: String,
    pub kind: AnnotatorKind,
    #[serde(default, skip_serializing_if = "Meta::is_empty")]
    pub meta: Meta,
}

/// The key in a model's `meta` that names another judge, whose further answers to the same items this model holds.
pub const AGAIN_OF: &str = "again_of";

impl Annotator {
    /// The judge whose further answers to the same items this annotator holds. They show how far that judge agrees with itself,
    /// and count nowhere else.
    pub fn again_of(&self) -> Option<&str> {
        self.meta.get(AGAIN_OF)?.as_str()
    }
}

named! {
    /// A person, or a model acting as judge.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    pub enum AnnotatorKind {
        Human = "human",
        Model = "model",
    }
}

/// One version of a protocol that does not come with haymark.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProtocolText {
    /// The name in the text.
    pub name: String,
    /// The version in the text.
    pub version: u32,
    /// The TOML file.
    pub text: String,
    /// Markdown for the annotator; empty for none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub guideline: String,
}

/// An import map: how files of one shape are read. The study keeps it for the next file of that shape.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapText {
    /// The name in the text.
    pub name: String,
    /// The TOML file.
    pub text: String,
}

/// One annotator's answers to the questions of one item, as the outside writes them.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judgment {
    pub protocol: String,
    /// The version of the protocol; the current one when left out.
    pub version: Option<u32>,
    pub annotator: String,
    /// Key of the collection; may be left out where the other keys name the item without it.
    pub collection: Option<String>,
    pub query: Option<String>,
    pub document: Option<String>,
    pub unit: Option<String>,
    pub candidate: Option<String>,
    pub bullet: Option<u32>,
    /// The second candidate of a pair.
    pub other: Option<String>,
    /// Answers by question key, in the form of files: string, number, list or null.
    #[serde(default, deserialize_with = "answered_once")]
    pub answers: Meta,
    /// Active seconds spent.
    pub seconds: Option<f64>,
    /// Whether the seconds are those of several judgments of the item together, of which files brought some.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub total: bool,
    /// The time, as RFC 3339.
    pub at: Option<String>,
    pub comment: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub flagged: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skipped: bool,
    /// Set where the judgment was given beside the study, and counts in no score and no agreement.
    pub aside: Option<Aside>,
    /// Whether scores and agreement count the judgment: every required question that is asked has an answer. `export`
    /// writes it; `import` finds it anew.
    pub complete: Option<bool>,
    /// The sum of the other fields, from an export that has the journal too: an import then needs no more than the journal.
    pub sum: Option<String>,
    /// Whether answers to other questions stay as they are, as beside a row of a table that has a row for each question. Else a
    /// question without an answer has none.
    #[serde(skip)]
    pub is_part: bool,
}

/// The last decision of one adjudicator on one item that people disagree on, as the outside writes it.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Adjudication {
    pub protocol: String,
    /// The version of the protocol; the current one when left out.
    pub version: Option<u32>,
    /// Key of the adjudicator.
    pub annotator: String,
    /// Key of the collection; may be left out where the other keys name the item without it.
    pub collection: Option<String>,
    pub query: Option<String>,
    pub document: Option<String>,
    pub unit: Option<String>,
    pub candidate: Option<String>,
    pub bullet: Option<u32>,
    /// The second candidate of a pair.
    pub other: Option<String>,
    /// The final answers, in the form of those of a judgment; none where the item was put aside.
    #[serde(default)]
    pub answers: Meta,
    /// Key of the annotator whose answers were taken.
    pub took: Option<String>,
    /// Why people disagreed: `slip`, `guideline unclear`, `ambiguous item`, `evidence overlooked`, `other`.
    pub reason: Option<String>,
    pub note: Option<String>,
    /// Whether the guideline shows the item as an example.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub example: bool,
    /// Whether the item was put aside.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub skipped: bool,
    /// Active seconds spent.
    pub seconds: Option<f64>,
    /// The time, as RFC 3339.
    pub at: Option<String>,
    /// As in a [`Judgment`].
    pub sum: Option<String>,
}

impl Adjudication {
    /// The decision as the judgment of an annotator, so that both are checked alike.
    pub fn as_judgment(&self) -> Judgment {
        Judgment {
            protocol: self.protocol.clone(),
            version: self.version,
            annotator: self.annotator.clone(),
            collection: self.collection.clone(),
            query: self.query.clone(),
            document: self.document.clone(),
            unit: self.unit.clone(),
            candidate: self.candidate.clone(),
            bullet: self.bullet,
            other: self.other.clone(),
            answers: self.answers.clone(),
            seconds: self.seconds,
            at: self.at.clone(),
            comment: self.note.clone(),
            flagged: self.example,
            skipped: self.skipped,
            ..Judgment::default()
        }
    }
}

/// The keys of an item, out of a record and into it.
macro_rules! about_an_item {
    ($($record:ident),*) => {$(
        impl $record {
            /// The keys of the record's item; a collection or query that the record does not name is empty.
            pub fn about(&self) -> TargetKeys {
                TargetKeys {
                    collection: self.collection.clone().unwrap_or_default(),
                    query: self.query.clone().unwrap_or_default(),
                    document: self.document.clone(),
                    unit: self.unit.clone(),
                    candidate: self.candidate.clone(),
                    bullet: self.bullet,
                    other: self.other.clone(),
                }
            }

            /// The record about this item.
            #[must_use]
            pub fn on(self, about: TargetKeys) -> $record {
                let TargetKeys { collection, query, document, unit, candidate, bullet, other } = about;
                let (collection, query) = (Some(collection), Some(query));
                $record { collection, query, document, unit, candidate, bullet, other, ..self }
            }
        }
    )*};
}

about_an_item!(Judgment, Adjudication, Assignment, JournalRecord);

/// The sum of a record that follows from the journal: an import that has the journal takes nothing more from the record,
/// unless somebody changed it.
macro_rules! summed {
    ($($record:ident),*) => {$(
        impl $record {
            /// The sum of the other fields: 16 hexadecimal digits.
            fn sum_of(&self) -> Option<String> {
                let text = serde_json::to_string(&$record { sum: None, ..self.clone() }).ok()?;
                Some(fingerprint([text]).to_string().chars().take(16).collect())
            }

            /// The record with its sum.
            #[must_use]
            pub fn with_sum(self) -> $record {
                $record { sum: self.sum_of(), ..self }
            }

            /// Whether the record stands as it was exported.
            pub fn is_as_exported(&self) -> bool {
                self.sum.is_some() && self.sum == self.sum_of()
            }
        }
    )*};
}

summed!(Judgment, Adjudication, Assignment);

/// Answers, none of them to a question that another one answers too: of two, JSON would keep the last without a word.
pub(super) fn answered_once<'de, D: Deserializer<'de>>(answers: D) -> Result<Meta, D::Error> {
    answers.deserialize_map(AnsweredOnce)
}

struct AnsweredOnce;

impl<'de> Visitor<'de> for AnsweredOnce {
    type Value = Meta;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a map")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Meta, A::Error> {
        let mut answers = Meta::new();
        while let Some((question, answer)) = map.next_entry::<String, serde_json::Value>()? {
            if answers.contains_key(&question) {
                return Err(A::Error::custom(format!("duplicate field `{question}`")));
            }
            answers.insert(question, answer);
        }
        Ok(answers)
    }
}

impl Judgment {
    /// Whether there is neither an answer nor a comment, flag or skip.
    pub fn says_nothing(&self) -> bool {
        let comment = self.comment.as_deref().unwrap_or_default();
        self.answers.is_empty() && comment.is_empty() && !self.flagged && !self.skipped
    }
}

/// Active milliseconds as the seconds of a record; `None` without a time. Whole milliseconds up to 2^53: exact in both
/// directions.
pub fn seconds_of(active: i64) -> Option<f64> {
    (active > 0).then(|| active as f64 / 1_000.0)
}

/// One person's writing of one summary against the clock, with everything that happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionRecord {
    /// Key, unique everywhere: 32 hexadecimal digits, drawn when it began.
    pub id: String,
    pub annotator: String,
    /// Key of the query's collection; may be left out where the query's key is unique in the study.
    #[serde(default)]
    pub collection: String,
    /// Key of its query.
    pub query: String,
    /// The setup that was decided before the session began.
    pub setup: Meta,
    /// Events by writer (16 hexadecimal digits), ascending by number.
    pub events: std::collections::BTreeMap<String, Vec<StoredEvent>>,
}

/// An event of a session as the outside writes it: number within its writer, wall time in milliseconds since 1970,
/// active milliseconds since the session began, kind, and the rest of it.
pub type StoredEvent = (i64, i64, i64, String, serde_json::Value);

/// A row of the journal under the name that it has in every file: what one writer put on record at one time.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalRecord {
    pub of: JournalPart,
    /// An opening of a study file, or an imported file under one version of a protocol: 16 hexadecimal digits.
    pub writer: String,
    /// The annotator; nobody for a saved view.
    pub annotator: Option<String>,
    /// The protocol of its item.
    pub protocol: Option<String>,
    /// Fingerprint of the version that was judged under: 32 hexadecimal digits.
    pub version: Option<String>,
    /// Set where the item stands beside the study.
    pub aside: Option<Aside>,
    /// The keys of its item, as in a judgment.
    pub collection: Option<String>,
    pub query: Option<String>,
    pub document: Option<String>,
    pub unit: Option<String>,
    pub candidate: Option<String>,
    pub bullet: Option<u32>,
    /// The second candidate of a pair.
    pub other: Option<String>,
    /// Fingerprint of the texts that were judged: 32 hexadecimal digits.
    pub texts: Option<String>,
    /// Wall time in milliseconds since 1970.
    pub at: Option<i64>,
    /// Active milliseconds, spent before the first of its events.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub active: i64,
    /// Events ascending by number: number within the writer, kind, and the rest of each event.
    pub events: Vec<(i64, String, serde_json::Value)>,
}

fn is_zero(active: &i64) -> bool {
    *active == 0
}

/// A file whose judgments came in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImportedFile {
    /// The name that the file had.
    pub source: String,
    /// Fingerprint of its bytes: 32 hexadecimal digits.
    pub content: String,
}

/// A journal of a study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum JournalPart {
    /// Judgments of people and models, and the verdicts on their disagreements.
    #[default]
    Judging,
    /// Assignments.
    Assigning,
    /// Saved views of tables.
    Views,
}

/// Every kind of record once: its name in files, and what holds it.
macro_rules! records {
    ($($kind:ident($record:ty) = $name:literal,)*) => {
        /// A record that comes in from a file or goes out to one. In JSON the name of its kind comes first, as `type`.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(tag = "type")]
        pub enum Record {
            $(#[serde(rename = $name)] $kind($record),)*
        }

        named! {
            /// The kinds of records, by the `type` of their lines, in the order in which they refer back to each other.
            #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
            pub enum RecordKind {
                $($kind = $name,)*
            }
        }

        impl RecordKind {
            /// Reads the fields of a record of this kind.
            pub fn read<'de, D: Deserializer<'de>>(self, fields: D) -> Result<Record, D::Error> {
                match self {
                    $(RecordKind::$kind => Deserialize::deserialize(fields).map(Record::$kind),)*
                }
            }
        }

        impl Record {
            pub fn kind(&self) -> RecordKind {
                match self {
                    $(Record::$kind(_) => RecordKind::$kind,)*
                }
            }
        }
    };
}

records! {
    Collection(Collection) = "collection",
    Document(Document) = "document",
    Query(Query) = "query",
    Unit(Unit) = "unit",
    Candidate(Candidate) = "candidate",
    Ranking(RankedList) = "ranking",
    Annotator(Annotator) = "annotator",
    Protocol(ProtocolText) = "protocol",
    Map(MapText) = "map",
    Judgment(Judgment) = "judgment",
    Adjudication(Adjudication) = "adjudication",
    Session(SessionRecord) = "session",
    Assignment(Assignment) = "assignment",
    Amendment(Amendment) = "amendment",
    Import(ImportedFile) = "import",
    Journal(JournalRecord) = "journal",
}

impl Record {
    /// A corpus record's or annotator's keys: collection, query and its own; empty where its kind has none.
    pub fn keys(&self) -> Option<[&str; 3]> {
        Some(match self {
            Record::Collection(one) => ["", "", &one.id],
            Record::Document(one) => [&one.collection, "", &one.id],
            Record::Query(one) => [&one.collection, "", &one.id],
            Record::Unit(one) => [&one.collection, &one.query, &one.id],
            Record::Candidate(one) => [&one.collection, &one.query, &one.id],
            Record::Annotator(one) => ["", "", &one.id],
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_citation_is_a_number_or_a_place_in_a_list() {
        let listed = |number: u32| ListedDocument { number, score: Some(f64::from(number)) };
        let plain = Candidate::default();
        assert_eq!((plain.meant(3), plain.citing(3)), (3, "3".to_owned()));
        let listed =
            Candidate { cites: Some(CitedList::of(vec![listed(7), listed(2)])), ..Candidate::default() };
        assert_eq!((listed.meant(1), listed.meant(2)), (7, 2));
        let list = listed.cites.clone().expect("a list");
        let counted = Candidate { cites: Some(list.counted_by(&[2, 3, 7])), ..Candidate::default() };
        assert_eq!((counted.meant(1), counted.meant(2)), (3, 1));
        assert_eq!([2, 3].map(|number| list.score_of(number)), [Some(2.0), None]);
        assert_eq!((listed.citing(2), listed.citing(9)), ("2".to_owned(), "–".to_owned()));
        // Places behind the end of the list mean documents that nobody has, each another one.
        assert_eq!(
            listed.cited("They rest [1, 3][4] [0]."),
            [7, u32::MAX - 3, u32::MAX - 4, u32::MAX].into()
        );
    }
}
