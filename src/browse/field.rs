//! Which columns each table has.

use super::table::{ColumnHead, Kind, Table};
use crate::protocol::QuestionKind;

/// What a column or a part of a filter is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Field {
    Name,
    /// The row's own text, its first line.
    Text,
    Protocol,
    Collection,
    Query,
    /// The first line of the query's text, where the row is no query itself.
    QueryText,
    Domain,
    Category,
    Kind,
    System,
    Summarizer,
    Retriever,
    Order,
    Candidate,
    Unit,
    /// The first line of the unit's text, where the row is no unit itself.
    UnitText,
    Document,
    Bullet,
    Number,
    Candidates,
    Units,
    Items,
    Cited,
    Bullets,
    Words,
    WordsPerBullet,
    Coverage,
    Citation,
    Precision,
    Recall,
    Joint,
    Covered,
    Uncovered,
    Missed,
    Wrong,
    /// Covered units for which nothing is cited, in percent.
    Uncited,
    Judgments,
    Disagreement,
    Tags,
    Flags,
    Comments,
    Seconds,
    /// Flagged, skipped, commented, open.
    Is,
    /// Unanimous, single, adjudicated or unresolved.
    Outcome,
    /// Why people disagreed.
    Reason,
    /// What became of the citations: right, wrong, missed, unlinked, uncited.
    Citations,
    /// The label that most gave, by the number of the question.
    Label(u16),
    /// What one annotator says: question and annotator.
    LabelBy(u16, u16),
    /// What anyone says.
    LabelOfAny(u16),
    /// What counts.
    Gold(u16),
}

use Field::{
    Bullet, Bullets, Candidate, Candidates, Category, Citation, Cited, Collection, Comments, Coverage,
    Covered, Disagreement, Document, Domain, Flags, Items, Joint, Judgments, Missed, Name, Number, Order,
    Precision, Protocol, Query, QueryText, Recall, Retriever, Seconds, Summarizer, System, Tags, Text,
    Uncited, Uncovered, Unit, UnitText, Units, Words, WordsPerBullet, Wrong,
};

/// Scores and judgments, which every table but that of documents has.
const SCORES: [Field; 18] = [
    Coverage,
    Citation,
    Joint,
    Precision,
    Recall,
    Covered,
    Uncovered,
    Missed,
    Wrong,
    Uncited,
    Disagreement,
    Judgments,
    Tags,
    Flags,
    Comments,
    Seconds,
    Field::Outcome,
    Items,
];

/// The columns of a table, in the order of the screen; labels come behind them.
pub(super) fn fields(table: Table) -> Vec<Field> {
    let own: &[Field] = match table {
        Table::Queries => &[Name, Text, Collection, Domain, Category, Units, Candidates],
        Table::Units => &[Name, Text, Query, QueryText, Collection, Domain, Category, Field::Kind, Cited],
        Table::Candidates => &[
            Query,
            QueryText,
            Name,
            System,
            Summarizer,
            Retriever,
            Order,
            Collection,
            Domain,
            Category,
            Text,
            Bullets,
            Words,
            WordsPerBullet,
        ],
        Table::Systems => &[Name, Summarizer, Retriever, Candidates, Bullets, Words, WordsPerBullet],
        Table::Items => &[
            Protocol, Query, QueryText, Unit, UnitText, System, Candidate, Document, Bullet, Summarizer,
            Retriever, Order, Collection, Domain, Category,
        ],
        Table::Documents => {
            return vec![
                Collection, Number, Name, Text, Domain, Words, Units, Cited, Judgments, Flags, Comments,
            ];
        }
    };
    let scores = SCORES.iter().filter(|field| (table, **field) != (Table::Items, Items));
    own.iter().chain(scores).copied().collect()
}

/// Fields that filters know and that are no columns.
pub(super) const UNSEEN: [Field; 3] = [Field::Is, Field::Citations, Field::Reason];

impl Field {
    /// The name in filters, views and exports; empty for labels, whose names depend on the study.
    pub(super) fn name(self) -> &'static str {
        match self {
            Name => "name",
            Text => "text",
            Protocol => "protocol",
            Collection => "collection",
            Query => "query",
            QueryText => "query_line",
            Domain => "domain",
            Category => "category",
            Field::Kind => "kind",
            System => "system",
            Summarizer => "summarizer",
            Retriever => "retriever",
            Order => "order",
            Candidate => "candidate",
            Unit => "unit",
            UnitText => "unit_line",
            Document => "document",
            Bullet => "bullet",
            Number => "number",
            Candidates => "candidates",
            Units => "units",
            Items => "items",
            Cited => "cited",
            Bullets => "bullets",
            Words => "words",
            WordsPerBullet => "words_per_bullet",
            Coverage => "coverage",
            Citation => "citation",
            Precision => "precision",
            Recall => "recall",
            Joint => "joint",
            Covered => "covered",
            Uncovered => "uncovered",
            Missed => "missed",
            Wrong => "wrong",
            Uncited => "uncited",
            Judgments => "judgments",
            Disagreement => "disagreement",
            Tags => "tag",
            Flags => "flags",
            Comments => "comments",
            Seconds => "seconds",
            Field::Is => "is",
            Field::Citations => "citation",
            Field::Outcome => "outcome",
            Field::Reason => "reason",
            Field::Label(_) | Field::LabelBy(..) | Field::LabelOfAny(_) | Field::Gold(_) => "",
        }
    }

    /// The question that it is about.
    pub(super) fn question(self) -> Option<u16> {
        match self {
            Field::Label(question)
            | Field::LabelBy(question, _)
            | Field::LabelOfAny(question)
            | Field::Gold(question) => Some(question),
            _ => None,
        }
    }

    /// Whether judgments under another protocol than that of coverage leave it as it is.
    pub(super) fn is_score(self) -> bool {
        matches!(
            self,
            Coverage
                | Citation
                | Joint
                | Precision
                | Recall
                | Covered
                | Uncovered
                | Missed
                | Wrong
                | Uncited
                | Field::Citations
        ) || self.is_of_corpus()
    }

    /// Whether judgments leave it as it is.
    fn is_of_corpus(self) -> bool {
        !matches!(
            self,
            Items
                | Judgments
                | Disagreement
                | Tags
                | Flags
                | Comments
                | Seconds
                | Field::Is
                | Field::Label(_)
                | Field::LabelBy(..)
                | Field::LabelOfAny(_)
                | Field::Gold(_)
                | Field::Outcome
                | Field::Reason
        )
    }

    /// Whether a field has this name, so that a question needs another.
    pub(super) fn is_name(name: &str) -> bool {
        let seen = Table::ALL.into_iter().flat_map(fields);
        seen.chain(UNSEEN).any(|field| field.name() == name)
            || ["tags", "comment", "flag", "documents", "not", "or", "and"].contains(&name)
    }

    /// What stands over the column.
    fn heading(self) -> &'static str {
        match self {
            WordsPerBullet => "w/bullet",
            Precision => "P",
            Recall => "R",
            Tags => "tags",
            Uncovered => "not covered",
            QueryText => "query",
            UnitText => "unit",
            Number => "nr",
            other => other.name(),
        }
    }

    fn kind(self) -> Kind {
        match self {
            Number | Bullet | Candidates | Units | Items | Cited | Covered | Uncovered | Judgments
            | Flags | Comments => Kind::Count,
            Bullets | Words | WordsPerBullet | Missed | Wrong | Seconds => Kind::Number(1),
            Coverage | Citation | Precision | Recall | Joint | Uncited | Disagreement => Kind::Percent,
            Tags | Field::Is | Field::Citations | Field::Outcome | Field::Reason => Kind::Labels,
            Field::Label(_) | Field::LabelBy(..) | Field::LabelOfAny(_) | Field::Gold(_) => Kind::Labels,
            _ => Kind::Text,
        }
    }

    /// One sentence for whoever chooses columns, and for completion.
    fn about(self, table: Table) -> &'static str {
        match self {
            Name if table == Table::Systems => "Retriever and summarizer.",
            Name => "The key that the study knows it by.",
            Text => "The first line of its text.",
            Protocol => "The protocol that the item is judged under.",
            Collection => "The haystack, or the documents retrieved for a question.",
            Query => "The key of the query; a filter looks into its text too.",
            QueryText => "The first line of the query's text.",
            Domain => "The domain of the query, else of its collection.",
            Category => "The category of the query.",
            Field::Kind => "The kind of unit.",
            System => "Retriever and summarizer.",
            Summarizer => "What wrote the summary.",
            Retriever => "What chose the documents.",
            Order => "The order in which the documents were given.",
            Candidate => "The key of the candidate.",
            Unit => "The key of the unit; a filter looks into its text too.",
            UnitText => "The first line of the unit's text.",
            Document => "The key of the document that is judged.",
            Bullet => "The number of the bullet that is judged.",
            Number => "The number by which a summary cites it.",
            Candidates => "How many candidates there are.",
            Units if table == Table::Documents => "How many units it contains.",
            Units => "How many units there are.",
            Items => "How many items were asked or judged.",
            Cited if table == Table::Units => "How many documents contain it.",
            Cited => "How many candidates cite it.",
            Bullets => "Bullets of a summary.",
            Words => "Words of a summary, or of the document.",
            WordsPerBullet => "Words of the summaries by their bullets.",
            Coverage => "Mean coverage over the judged units: 0 to 100.",
            Citation => "Mean F1 of the citations over the covered units: 0 to 100.",
            Precision => "Share of the cited documents that contain the unit.",
            Recall => "Share of the documents that contain the unit that are cited.",
            Joint => "Coverage times citation F1, mean over the judged units: 0 to 100.",
            Covered => "Judgments that say covered, partially or fully.",
            Uncovered => "Judgments that say not covered.",
            Missed => "Documents that contain a covered unit and that its bullet does not cite.",
            Wrong => "Documents that the bullet of a covered unit cites and that do not contain it.",
            Uncited => "Share of the covered units for which nothing is cited.",
            Judgments => "Judgments of those who are counted.",
            Disagreement => "Share of the pairs of annotators who answer the first question differently.",
            Tags => "Tags that anyone who is counted gave.",
            Flags => "Judgments that someone marked for a second look.",
            Comments => "Judgments with a comment.",
            Seconds => "Mean active seconds of a judgment.",
            Field::Is => "flagged, skipped, commented, judged or open.",
            Field::Citations => "right, wrong, missed, unlinked or uncited.",
            Field::Label(_) => "What most of those who are counted say.",
            Field::LabelBy(..) => "What this annotator says.",
            Field::LabelOfAny(_) => "What anyone says.",
            Field::Gold(_) => "What counts: where all agree, or somebody decided.",
            Field::Outcome => "unanimous, single, adjudicated or unresolved.",
            Field::Reason => "Why people disagreed, where somebody decided.",
        }
    }

    /// Whether a table shows the column unless a view says otherwise.
    fn is_shown(self, table: Table) -> bool {
        let shown: &[Field] = match table {
            Table::Queries => &[Name, Text, Units, Candidates, Coverage, Citation, Joint, Disagreement],
            Table::Units => {
                &[Text, QueryText, Coverage, Citation, Joint, Covered, Uncovered, Missed, Wrong, Disagreement]
            }
            Table::Candidates => &[QueryText, System, Order, Coverage, Citation, Joint, Disagreement, Tags],
            Table::Systems => &[
                Name,
                Candidates,
                Coverage,
                Citation,
                Joint,
                Precision,
                Recall,
                Uncited,
                WordsPerBullet,
                Disagreement,
            ],
            Table::Items => &[UnitText, System, Joint, Disagreement, Flags],
            // Words of long documents are counted when someone wants to see them.
            Table::Documents => &[Collection, Number, Text, Units, Cited],
        };
        shown.contains(&self)
    }

    /// The head of the column.
    pub(super) fn head(self, table: Table) -> ColumnHead {
        let decimal = |kind| match (self, table) {
            // Of one summary or document these are whole; of a system they are means.
            (Bullets | Words, Table::Candidates | Table::Documents) => Kind::Count,
            _ => kind,
        };
        ColumnHead {
            name: self.name().to_owned(),
            heading: self.heading().to_owned(),
            about: self.about(table).to_owned(),
            kind: decimal(self.kind()),
            shown: self.is_shown(table),
        }
    }

    /// The head of a column of labels of this name.
    pub(super) fn label_head(self, table: Table, name: String, heading: String) -> ColumnHead {
        ColumnHead { name, heading, shown: false, ..self.head(table) }
    }
}

/// Whether answers to such a question are labels that can be counted, rather than texts.
pub(super) fn has_labels(kind: &QuestionKind) -> bool {
    matches!(
        kind,
        QuestionKind::Choice { .. }
            | QuestionKind::Tags { .. }
            | QuestionKind::Bullet { .. }
            | QuestionKind::Units { .. }
    )
}
