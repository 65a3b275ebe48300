//! Rows of one study file, typed so that a unit is never taken for a candidate.

macro_rules! row_ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub i64);

        impl From<$name> for i64 {
            fn from(id: $name) -> i64 {
                id.0
            }
        }
    )*};
}

row_ids!(
    /// A collection in this study file.
    CollectionId,
    /// A document in this study file.
    DocumentId,
    /// A query in this study file.
    QueryId,
    /// A content unit in this study file.
    UnitId,
    /// A candidate in this study file.
    CandidateId,
    /// An annotator in this study file.
    AnnotatorId,
    /// An item (one thing to judge) in this study file.
    ItemId,
    /// A session in this study file.
    SessionId,
);
