//! The things that are judged: collections, documents, queries, content units, candidates, annotators, and the items that
//! a protocol makes of them. They are input that must not change.
//!
//! Two kinds of identity: a `key` is the text by which the outside names a thing and is equal in
//! every file; an `…Id` is the row of one study file and means nothing outside it.

pub mod amendment;
pub mod assignment;
pub mod corpus;
pub mod ids;
pub mod incoming;
pub mod item;
pub mod judge_run;
pub mod record;
pub mod sample;
pub mod target;
pub mod time;

pub use amendment::{Act, AmendedKind, Amendment, RevisedFields};
pub use assignment::{Aside, Assignment, Role, SortedPlace, Terms};
pub use corpus::{Corpus, place_of};
pub use ids::{AnnotatorId, CandidateId, CollectionId, DocumentId, ItemId, QueryId, SessionId, UnitId};
pub use incoming::{AskedItem, JudgmentLine, Place, Remark, Sink};
pub use item::{Item, ItemKey, Passage, TargetKeys};
pub use judge_run::{JudgeAnswered, JudgeRun, RunExample, RunMark, RunOnRecord, run_of};
pub use record::{
    AGAIN_OF, Adjudication, Annotator, AnnotatorKind, Candidate, CitedList, Collection, Document, Evidence,
    ImportedFile, JournalPart, JournalRecord, Judgment, ListedDocument, MapText, Meta, ProtocolText, Query,
    RankedDocument, RankedList, Record, RecordKind, SessionRecord, StoredEvent, Unit, retriever_name,
    seconds_of, system_name,
};
pub use sample::{Sample, SampleStratum, SampledThing, StandingSample};
pub use target::{ItemRow, Target};
pub use time::{time_of, whole_second};
