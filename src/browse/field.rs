//! The fields of a study, for the columns of tables and for filters. A new field is a row of [`FIELDS`].

use std::collections::BTreeSet;

use super::make::Entity::{self, Candidate, Collection, Document, Query, System, Unit};
use super::table::BrowseTable::{Candidates, Documents, Items, Queries, Systems, Units};
use super::{
    BrowseTable, ColumnHead, ColumnKind, ColumnValues, MetaField, NONE, Node, Relation, RowsOf,
    SummaryLengths, Tables, Test, WhoSays, lengths, parse,
};
use crate::number::short;
use crate::protocol::Question;
use crate::score::{best_f1, exact_match};
use crate::study::retriever_name;
use crate::text::words;

/// The changes that make a field's values stale while a study is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Feed {
    /// No change: the values come from the records.
    Corpus,
    /// Judgments under the protocol that scores coverage.
    Coverage,
    /// Any judgment.
    Judgments,
    /// Judgments that answer this question.
    Question(u16),
}

/// A field that every study has.
#[derive(Debug)]
pub struct Field {
    /// The name in filters, views and exports. Where tables mean different things by a name, each has a row.
    pub name: &'static str,
    /// The heading over the column.
    heading: &'static str,
    /// One sentence, shown where columns are chosen and in completion.
    pub about: &'static str,
    kind: ColumnKind,
    /// The tables that have the field.
    pub tables: &'static [BrowseTable],
    /// The tables that show the field unless a view says otherwise.
    shown: &'static [BrowseTable],
    /// Whether the field is a column; otherwise filters alone know it.
    is_column: bool,
    feed: Feed,
    make: fn(&Tables, BrowseTable) -> ColumnValues,
    /// The kind of record whose texts a filter looks into, besides the keys.
    pub(super) looks_into: Option<Entity>,
    /// For a length in words: the divisor of [`LENGTHS`] that gives the steps of its groups.
    part: Option<usize>,
    /// Whether the values are computed from the texts of documents.
    reads_documents: bool,
    /// Another name that people try.
    pub(super) alias: Option<&'static str>,
    /// The values that are offered, each with its label.
    offers: fn(&Tables) -> Vec<(&str, &str)>,
}

impl PartialEq for Field {
    fn eq(&self, other: &Field) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Field {}

const fn row(
    name: &'static str,
    about: &'static str,
    kind: ColumnKind,
    feed: Feed,
    tables: &'static [BrowseTable],
    make: fn(&Tables, BrowseTable) -> ColumnValues,
) -> Field {
    Field {
        name,
        heading: name,
        about,
        kind,
        tables,
        shown: &[],
        is_column: true,
        feed,
        make,
        looks_into: None,
        part: None,
        reads_documents: false,
        alias: None,
        offers: |_| Vec::new(),
    }
}

impl Field {
    const fn shown(mut self, shown: &'static [BrowseTable]) -> Field {
        self.shown = shown;
        self
    }

    const fn headed(mut self, heading: &'static str) -> Field {
        self.heading = heading;
        self
    }

    const fn alias(mut self, alias: &'static str) -> Field {
        self.alias = Some(alias);
        self
    }

    const fn into(mut self, entity: Entity) -> Field {
        self.looks_into = Some(entity);
        self
    }

    const fn offering(mut self, offers: fn(&Tables) -> Vec<(&str, &str)>) -> Field {
        self.offers = offers;
        self
    }

    const fn length(mut self, part: usize) -> Field {
        self.part = Some(part);
        self
    }

    const fn of_documents(mut self) -> Field {
        self.reads_documents = true;
        self
    }

    const fn for_filters(mut self) -> Field {
        self.is_column = false;
        self
    }

    /// Whether the name is taken, so that a question needs another.
    pub(super) fn is_name(name: &str) -> bool {
        FIELDS.iter().any(|field| field.name == name)
            || ["tags", "comment", "flag", "documents", "not", "or", "and"].contains(&name)
    }

    /// Whether the field of this name is a column of words, by which scores may be grouped.
    pub(super) fn is_of_words(name: &str) -> bool {
        let is_words = |field: &Field| matches!(field.kind, ColumnKind::Text | ColumnKind::Labels);
        FIELDS.iter().any(|field| field.name == name && field.is_column && is_words(field))
    }

    /// Whether the field of this name is a percentage.
    pub(super) fn is_percent(name: &str) -> bool {
        FIELDS.iter().any(|field| field.name == name && field.kind == ColumnKind::Percent)
    }

    /// The columns of a table that are fields, in the order of the screen.
    pub(super) fn columns(table: BrowseTable) -> impl Iterator<Item = &'static Field> {
        FIELDS.iter().filter(move |field| field.is_column && field.tables.contains(&table))
    }

    /// The fields of a table that filters know and that have no column.
    pub(super) fn unseen(table: BrowseTable) -> impl Iterator<Item = &'static Field> {
        FIELDS.iter().filter(move |field| !field.is_column && field.tables.contains(&table))
    }
}

/// Where the groups of lengths begin, in words.
pub(super) const LENGTHS: [usize; 14] =
    [0, 50, 100, 200, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 64_000, 128_000, 256_000];

/// Every table but that of documents.
const JUDGED: &[BrowseTable] = &[Queries, Units, Candidates, Systems, Items];

/// All fields, in the order in which their columns stand on the screen.
#[rustfmt::skip]
pub static FIELDS: &[Field] = {
    use Feed::{Corpus, Coverage, Judgments};
    use ColumnKind::{Count, Labels, Number, Percent, Text};
    &[
        row("protocol", "The protocol that the item is judged under.", Text, Corpus, &[Items], |all, _| all.protocols()),
        row("name", "The key that the study knows it by.", Text, Corpus, &[Queries, Units],
            |all, table| all.keys(table, Entity::of(table))).shown(&[Queries]),
        row("name", "Retriever and summarizer.", Text, Corpus, &[Systems],
            |all, table| all.keys(table, System)).shown(&[Systems]),
        row("text", "The first line of its text.", Text, Corpus, &[Queries, Units],
            |all, table| all.lines(table, Entity::of(table))).shown(&[Queries, Units]),
        row("query", "The key of the query; a filter looks into its text too.", Text, Corpus, &[Units, Candidates, Items],
            |all, table| all.keys(table, Query)).into(Query),
        row("query_line", "The first line of the query's text.", Text, Corpus, &[Units, Candidates, Items],
            |all, table| all.lines(table, Query)).headed("query").shown(&[Units, Candidates]),
        row("unit", "The key of the unit; a filter looks into its text too.", Text, Corpus, &[Items],
            |all, table| all.keys(table, Unit)).into(Unit),
        row("unit_line", "The first line of the unit's text.", Text, Corpus, &[Items],
            |all, table| all.lines(table, Unit)).headed("unit").shown(&[Items]),
        row("name", "The key that the study knows it by.", Text, Corpus, &[Candidates],
            |all, table| all.keys(table, Candidate)),
        row("system", "Retriever and summarizer.", Text, Corpus, &[Candidates, Items],
            |all, table| all.keys(table, System)).shown(&[Candidates, Items]),
        row("candidate", "The key of the candidate.", Text, Corpus, &[Items], |all, table| all.keys(table, Candidate)),
        row("other_candidate", "The key of the second candidate of a pair.", Text, Corpus, &[Items],
            |all, _| all.other_keys()),
        row("document", "The key of the document that is judged.", Text, Corpus, &[Items],
            |all, table| all.keys(table, Document)),
        row("bullet", "The number of the bullet that is judged.", Count, Corpus, &[Items],
            |all, _| ColumnValues::Counts(all.relations.items.iter().map(|item| item.bullet).collect())),
        row("summarizer", "What wrote the summary.", Text, Corpus, &[Candidates, Systems, Items],
            |all, table| all.words(table, System, |place| all.system(place)?.summarizer.clone())).alias("model"),
        row("retriever", "What chose the documents.", Text, Corpus, &[Candidates, Systems, Items],
            |all, table| all.words(table, System, |place| {
                let system = all.system(place)?;
                retriever_name(system.retriever.as_deref(), system.summarizer.as_deref())
            })),
        row("order", "The order in which the documents were given.", Text, Corpus, &[Candidates, Items],
            |all, table| all.words(table, Candidate, |place| all.candidate(place)?.order.clone()))
            .shown(&[Candidates]),
        row("collection", "The haystack, or the documents retrieved for a question.", Text, Corpus,
            &[Queries, Units, Candidates, Items, Documents],
            |all, table| all.keys(table, Collection)).into(Collection).shown(&[Documents]),
        row("number", "The number by which a summary cites it.", Count, Corpus, &[Documents],
            |all, _| ColumnValues::Counts(all.corpus.documents.iter().map(|(_, document)| document.number).collect()))
            .headed("nr").shown(&[Documents]),
        row("name", "The key that the study knows it by.", Text, Corpus, &[Documents],
            |all, table| all.keys(table, Document)),
        row("text", "The first line of its text.", Text, Corpus, &[Documents],
            |all, table| all.lines(table, Document)).shown(&[Documents]),
        row("domain", "The domain of the query, else of its collection.", Text, Corpus,
            &[Queries, Units, Candidates, Items],
            |all, table| all.words(table, Query, |place| all.domain(place).map(str::to_owned))),
        row("domain", "The domain of the query, else of its collection.", Text, Corpus, &[Documents],
            |all, table| all.words(table, Collection, |place| all.collection(place)?.domain.clone())),
        row("category", "The category of the query.", Text, Corpus, &[Queries, Units, Candidates, Items],
            |all, table| all.words(table, Query, |place| all.query(place)?.category.clone())),
        row("candidate", "The candidate that the unit was taken from.", Text, Corpus, &[Units],
            |all, table| all.parts(table, Candidate)),
        row("mapped", "Whether the document is among those that contain the unit, where these are known.", Text, Corpus,
            &[Items], |all, _| all.mapped()),
        row("has_reference", "Whether the reference answers the question that it is: no where meta.answerable is false.", Text, Corpus,
            &[Units], |all, _| all.references()),
        row("kind", "The kind of unit.", Text, Corpus, &[Units],
            |all, table| all.words(table, Unit, |place| Some(all.unit(place)?.kind.clone()))),
        row("text", "The first line of its text.", Text, Corpus, &[Candidates],
            |all, table| all.lines(table, Candidate)),
        row("candidates", "How many candidates there are.", Count, Corpus, &[Systems],
            |all, _| lengths(&all.relations.candidates_of_system)).shown(&[Systems]),
        row("bullets", "Bullets of a summary, without headings.", Count, Corpus, &[Candidates],
            |all, _| ColumnValues::Counts(all.relations.lengths.iter().map(|length| short(length.bullets)).collect())),
        row("bullets", "Bullets of a summary, without headings.", Number(1), Corpus, &[Systems],
            |all, table| all.measured(table, SummaryLengths::bullets)),
        row("words", "Words of a summary, or of the document.", Count, Corpus, &[Candidates],
            |all, _| ColumnValues::Counts(all.relations.words.clone())).length(1),
        // Counting the words of documents takes a while, so the column is not shown by default.
        row("words", "Words of a summary, or of the document.", Count, Corpus, &[Documents], |all, _| {
            let texts = all.corpus.documents.iter();
            ColumnValues::Counts(texts.map(|(_, document)| words::count(&document.text) as u32).collect())
        }).length(1).of_documents(),
        row("words", "Words of a summary, or of the document.", Number(1), Corpus, &[Systems],
            |all, table| all.measured(table, SummaryLengths::words)).length(1),
        row("response_length", "Words of the summary; a pair has none.", Count, Corpus, &[Items, Candidates], |all, table| all.response_lengths(table))
            .length(1),
        row("document_length", "Words of the document that is judged, else of all of the collection.", Count, Corpus,
            &[Items, Candidates], |all, table| all.document_lengths(table)).length(1).of_documents(),
        row("compression", "Words of the summary in a hundred of the words of its documents.", Number(1), Corpus,
            &[Candidates], |all, table| all.compressions(table)).of_documents(),
        row("bullets_uncited", "Share of the summary's bullets that cite nothing.", Percent, Corpus, &[Candidates],
            |all, _| all.bullets_uncited()),
        row("words_per_bullet", "Words of all the summaries by their bullets, judged or not.", Number(1), Corpus, &[Candidates, Systems],
            |all, table| all.measured(table, SummaryLengths::words_per_bullet)).headed("w/bullet").shown(&[Systems])
            .length(10),
        row("units", "How many units there are.", Count, Corpus, &[Queries],
            |all, _| lengths(&all.relations.units_of_query)).shown(&[Queries]),
        row("units", "How many units it contains.", Count, Corpus, &[Documents],
            |all, _| all.gold_counts()).shown(&[Documents]),
        row("candidates", "How many candidates there are.", Count, Corpus, &[Queries],
            |all, _| lengths(&all.relations.candidates_of_query)).shown(&[Queries]),
        row("cited", "How many documents contain it.", Count, Corpus, &[Units], |all, _| {
            let known = |gold: &Option<_>| gold.as_ref().map_or(NONE, |gold: &BTreeSet<u32>| gold.len() as u32);
            ColumnValues::Counts(all.relations.gold.iter().map(known).collect())
        }),
        row("cited", "How many documents the bullet that is judged cites.", Count, Corpus, &[Items],
            |all, _| all.bullet_citations(true)),
        row("unknown", "How many numbers the bullet cites that no document has.", Count, Corpus, &[Items],
            |all, _| all.bullet_citations(false)),
        row("cited", "How many candidates cite it.", Count, Corpus, &[Documents],
            |all, _| all.cited_counts()).shown(&[Documents]),
        row("answers", "The gold answers of the query.", Text, Corpus, &[Queries, Candidates, Items],
            |all, table| all.gold_answers(table)),
        row("predicted", "The answer predicted from the summary.", Text, Corpus, &[Candidates, Items],
            |all, table| all.predicted_answers(table)),
        row("em", "100 where the predicted answer is a gold answer, else 0.", Percent, Corpus, &[Candidates, Items],
            |all, table| all.answer_scores(table, |one, gold| if exact_match(one, gold) { 100.0 } else { 0.0 })),
        row("answer_f1", "The best token F1 of the predicted answer and a gold answer: 0 to 100.", Percent, Corpus,
            &[Candidates, Items], |all, table| all.answer_scores(table, best_f1)),
        row("answer_at", "The place of the first document of the collection in which a gold answer occurs.", Count,
            Corpus, &[Queries, Candidates, Items], |all, table| all.answer_places(table)).of_documents(),
        row("coverage", "Mean coverage over the judged units: 0 to 100.", Percent, Coverage, JUDGED,
            |all, table| all.scores(table, |row| row.coverage))
            .shown(&[Queries, Units, Candidates, Systems]).alias("label"),
        row("citation", "Mean F1 of the citations over the covered units: 0 to 100.", Percent, Coverage, JUDGED,
            |all, table| all.scores(table, |row| row.citation))
            .shown(&[Queries, Units, Candidates, Systems]).alias("f1"),
        row("joint", "Coverage times citation F1, mean over the judged units: 0 to 100.", Percent, Coverage, JUDGED,
            |all, table| all.scores(table, |row| row.joint)).shown(JUDGED),
        row("precision", "Share of the cited documents that contain the unit.", Percent, Coverage, JUDGED,
            |all, table| all.scores(table, |row| row.precision)).headed("P").shown(&[Systems]),
        row("recall", "Share of the documents that contain the unit that are cited.", Percent, Coverage, JUDGED,
            |all, table| all.scores(table, |row| row.recall)).headed("R").shown(&[Systems]),
        row("covered", "Items that someone calls covered, partially or fully.", Count, Coverage, JUDGED,
            |all, table| all.score_counts(table, |row| row.covered)).shown(&[Units]),
        row("uncovered", "Items that are judged and that nobody calls covered.", Count, Coverage, JUDGED,
            |all, table| all.score_counts(table, |row| row.uncovered)).headed("not covered").shown(&[Units]),
        row("missed", "Documents that contain a covered unit and that its bullet does not cite.", Number(1), Coverage,
            JUDGED, |all, table| all.scores(table, |row| row.missed)).shown(&[Units]),
        row("wrong", "Documents that the bullet of a covered unit cites and that do not contain it.", Number(1),
            Coverage, JUDGED, |all, table| all.scores(table, |row| row.wrong)).shown(&[Units]),
        row("uncited", "Share of the covered units for which nothing is cited.", Percent, Coverage, JUDGED,
            |all, table| all.scores(table, |row| row.uncited)).shown(&[Systems]),
        row("disagreement", "Share of the pairs of annotators who differ on any question with choices.", Percent,
            Judgments, JUDGED, Tables::disagreement).shown(JUDGED),
        row("judgments", "Judgments of those who are counted.", Count, Judgments, &BrowseTable::ALL,
            |all, table| all.tallied(table, |_, row| all.is_counting(row))).alias("annotations"),
        row("annotators", "How many of those who are counted judged it.", Count, Judgments, &BrowseTable::ALL, |all, table| {
            let judged = all.counted_rows().map(|(item, _, row)| (all.row_of_item(table, item), row.annotator()));
            all.counts(table, judged.collect::<BTreeSet<_>>().into_iter().map(|(row, _)| row))
        }),
        row("tag", "Tags that anyone who is counted gave.", Labels, Judgments, JUDGED, Tables::tags)
            .headed("tags").alias("tags").shown(&[Candidates]).offering(Tables::tags_offered),
        row("flags", "Judgments that someone marked for a second look.", Count, Judgments, &BrowseTable::ALL,
            |all, table| all.tallied(table, |_, row| row.flagged())).alias("flag").shown(&[Items]),
        row("comments", "Judgments with a comment.", Count, Judgments, &BrowseTable::ALL,
            |all, table| all.tallied(table, |judgments, row| judgments.comment(row).is_some())),
        row("written", "What those who are counted wrote: comments, and answers in words.", Text, Judgments,
            &[Queries, Units, Candidates, Items], Tables::written_words).shown(&[Items]),
        row("seconds", "Mean active seconds of a judgment.", Number(1), Judgments, &[Queries, Units, Systems, Items],
            Tables::seconds),
        row("seconds", "Active seconds of its items, each the mean over people.", Number(1), Judgments, &[Candidates],
            |all, _| all.seconds_of_candidates()),
        row("sample", "The samples that it is in, or has a part in.", Labels, Corpus, &[Queries, Units, Candidates, Items], Tables::samples)
            .offering(|all| all.corpus.samples.iter().map(|one| (one.name.as_str(), "")).collect()),
        row("outcome", "unanimous, single, adjudicated or unresolved.", Labels, Judgments, JUDGED, Tables::outcomes),
        row("items", "How many items were asked or judged.", Count, Judgments, &[Queries, Units, Candidates, Systems],
            Tables::item_counts),
        row("is", "flagged, skipped, commented, judged or open.", Labels, Judgments, JUDGED, Tables::states)
            .for_filters(),
        row("citation", "right, wrong, missed, unlinked or uncited.", Labels, Coverage, JUDGED, Tables::fates)
            .for_filters(),
        row("reason", "Why people disagreed, where somebody decided.", Labels, Judgments, JUDGED, Tables::reasons)
            .for_filters(),
    ]
};

/// Whether a study may have a field of this name: one that every study has, a key of `meta`, a field of a thing, or an answer.
pub fn may_be_field(name: &str) -> bool {
    Field::is_name(name) || name.contains(['.', '@'])
}

/// The sample that a filter keeps to: all rows that pass the filter are in the sample.
pub fn sample_of(filter: &str) -> Option<String> {
    fn named(node: &Node) -> Option<&str> {
        match node {
            Node::And(nodes) => nodes.iter().find_map(named),
            Node::Test(Test { field, comparison: Relation::Is | Relation::Has, value, .. }) => {
                field.eq_ignore_ascii_case("sample").then_some(value)
            }
            _ => None,
        }
    }
    // A filter that is wrong is refused later.
    parse(filter).ok()?.root.as_ref().and_then(named).map(str::to_owned)
}

/// Whether the filter or one of the named fields reads the texts of documents.
pub fn reads_documents(filter: &str, names: &[String]) -> bool {
    fn reads(node: &Node) -> bool {
        match node {
            Node::And(nodes) | Node::Or(nodes) => nodes.iter().any(reads),
            Node::Not(node) => reads(node),
            Node::Word { .. } => true,
            Node::Test(test) => is_read(&test.field),
        }
    }
    fn is_read(name: &str) -> bool {
        let name = name.to_lowercase();
        let last = name.split_once('.').map_or(name.as_str(), |(_, rest)| rest);
        name.starts_with("document") || FIELDS.iter().any(|field| field.reads_documents && field.name == last)
    }
    // A filter that is wrong is refused later.
    let root = parse(filter).ok().and_then(|filter| filter.root);
    root.is_some_and(|root| reads(&root)) || names.iter().any(|name| is_read(name))
}

/// The source of a column's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ColumnSource {
    Field(&'static Field),
    /// A field of another thing that the row belongs to.
    Of(Entity, &'static Field),
    /// A key of `meta`, by its number.
    Meta(u16),
    /// The answer that counts to a question about the thing that the row belongs to.
    Joined(Entity, u16),
    /// A score of a protocol, by its number.
    Score(u16),
    /// The most frequent label, by the number of the question.
    Label(u16),
    /// One annotator's label: question and annotator.
    LabelBy(u16, u16),
    /// All labels that anyone gave.
    LabelOfAny(u16),
    /// The gold label.
    Gold(u16),
    /// The adjudicated label, else the label that more than half gave.
    Majority(u16),
}

impl ColumnSource {
    pub(super) fn feed(self) -> Feed {
        match self {
            ColumnSource::Field(field) | ColumnSource::Of(_, field) => field.feed,
            ColumnSource::Meta(_) => Feed::Corpus,
            ColumnSource::Score(_) => Feed::Judgments,
            ColumnSource::Label(question)
            | ColumnSource::LabelBy(question, _)
            | ColumnSource::LabelOfAny(question)
            | ColumnSource::Joined(_, question)
            | ColumnSource::Majority(question)
            | ColumnSource::Gold(question) => Feed::Question(question),
        }
    }

    /// The question that the column shows.
    pub(super) fn question(self) -> Option<u16> {
        match self.feed() {
            Feed::Question(question) => Some(question),
            _ => None,
        }
    }

    /// The name in filters, views and exports; empty for labels and keys of `meta`, whose names depend on the study.
    pub(super) fn name(self) -> &'static str {
        if let ColumnSource::Field(field) = self { field.name } else { "" }
    }

    /// For a length in words: the divisor of [`LENGTHS`] that gives the steps of its groups.
    pub(super) fn part(self) -> Option<usize> {
        if let ColumnSource::Field(field) | ColumnSource::Of(_, field) = self { field.part } else { None }
    }

    /// Whether the column is a field that can have several values in a row.
    pub(super) fn is_list(self) -> bool {
        matches!(self, ColumnSource::Field(field) | ColumnSource::Of(_, field) if ["tag", "reason", "sample"].contains(&field.name))
    }

    /// One sentence, shown where columns are chosen and in completion.
    pub(super) fn about(self) -> &'static str {
        match self {
            ColumnSource::Field(field) | ColumnSource::Of(_, field) => field.about,
            ColumnSource::Meta(_) => "What the record says in meta.",
            ColumnSource::Score(_) => "What the judgments come to.",
            ColumnSource::Joined(..) => {
                "What people say of it: what was decided, else what more than half of them say."
            }
            ColumnSource::Label(_) => "What most of those who are counted say.",
            ColumnSource::LabelBy(..) => "What this annotator says.",
            ColumnSource::LabelOfAny(_) => "What anyone says.",
            ColumnSource::Majority(_) => "What was decided, else what more than half of the people say.",
            ColumnSource::Gold(_) => "What counts: where all agree, or somebody decided.",
        }
    }
}

impl Tables {
    pub(super) fn kind_of(&self, source: ColumnSource) -> ColumnKind {
        match source {
            ColumnSource::Field(field) | ColumnSource::Of(_, field) => field.kind,
            ColumnSource::Meta(key) => {
                self.metas.get(usize::from(key)).map_or(ColumnKind::Text, |field| field.kind)
            }
            ColumnSource::Score(number) => {
                self.score_columns.get(usize::from(number)).map_or(ColumnKind::Percent, |column| column.kind)
            }
            _ => ColumnKind::Labels,
        }
    }

    /// The head of a column. Columns of labels get their names elsewhere.
    pub(super) fn head_of(&self, table: BrowseTable, source: ColumnSource) -> ColumnHead {
        let meta = |key: u16| self.metas.get(usize::from(key)).map_or("", |field| field.name.as_str());
        let (name, heading) = match source {
            ColumnSource::Field(field) => (field.name.to_owned(), field.heading.to_owned()),
            ColumnSource::Of(thing, field) => {
                (format!("{}.{}", thing.name(), field.name), format!("{} {}", thing.name(), field.heading))
            }
            ColumnSource::Meta(key) => (meta(key).to_owned(), meta(key).replace("meta.", "")),
            ColumnSource::Joined(thing, question) => {
                let name = self.joined_name(thing, question);
                (name.clone(), name.replace('.', " "))
            }
            _ => Default::default(),
        };
        let shown = matches!(source, ColumnSource::Field(field) if field.shown.contains(&table));
        ColumnHead { name, heading, about: source.about().to_owned(), kind: self.kind_of(source), shown }
    }

    /// The fields that a table has from the things its rows belong to: their fields, their keys of `meta`, and answers about
    /// them.
    pub(super) fn fields_of_things(&self, table: BrowseTable) -> impl Iterator<Item = ColumnSource> {
        let is_other = move |(thing, _): &(Entity, BrowseTable)| {
            table == BrowseTable::Items || *thing != Entity::of(table)
        };
        let others = table.things().iter().filter_map(|thing| Some((*thing, thing.table()?)));
        let fields = others.filter(is_other).flat_map(move |(thing, of)| {
            // A field that rows share with the thing stands under its own name already.
            let is_same = move |field: &&Field| field.feed == Feed::Corpus && field.tables.contains(&table);
            Field::columns(of)
                .filter(move |field| !is_same(field))
                .map(move |field| ColumnSource::Of(thing, field))
        });
        let has = move |field: &MetaField| field.things.iter().any(|thing| table.things().contains(thing));
        let keys = (0..).zip(&self.metas).filter(move |(_, field)| has(field));
        let joined =
            table.things().iter().flat_map(|thing| self.asked_of(*thing).map(|asked| (*thing, asked)));
        let joined = joined.map(|(thing, question)| ColumnSource::Joined(thing, question));
        fields.chain(keys.map(|(key, _)| ColumnSource::Meta(key))).chain(joined)
    }

    /// A name without the thing before its dot, where the rows of the table are that thing or have the same field:
    /// `unit.kind` of units, `candidate.order` of items.
    pub(super) fn without_thing(table: BrowseTable, name: &str) -> Option<&str> {
        let (thing, rest) = name.split_once('.')?;
        let (_, thing) = Entity::THINGS.into_iter().find(|(name, _)| *name == thing)?;
        let of = thing.table().filter(|_| table.things().contains(&thing))?;
        let has_same = |field: &Field| {
            field.name == rest
                && field.feed == Feed::Corpus
                && [of, table].iter().all(|of| field.tables.contains(of))
        };
        (of == table || FIELDS.iter().any(has_same)).then_some(rest)
    }

    /// Computes a column.
    pub(super) fn make(&self, table: BrowseTable, source: ColumnSource) -> ColumnValues {
        match source {
            ColumnSource::Field(field) => (field.make)(self, table),
            ColumnSource::Of(thing, field) => {
                let of = thing.table().and_then(|of| self.column_of(of, ColumnSource::Field(field)));
                let rows = (0..self.len(table) as u32).map(|row| self.part(table, row, thing));
                of.map_or_else(|| ColumnValues::Counts(Vec::new()), |of| of.of_rows(rows))
            }
            ColumnSource::Meta(key) => {
                let field = self.metas.get(usize::from(key));
                field.map_or_else(|| ColumnValues::Counts(Vec::new()), |field| self.meta_column(table, field))
            }
            ColumnSource::Score(number) => self.score_column(table, number),
            ColumnSource::Joined(thing, question) => {
                let joined = self.joined(RowsOf::Records(table), thing.level(), question, WhoSays::Most);
                ColumnValues::Sets(joined.spread())
            }
            ColumnSource::Label(question) => self.majority(table, question),
            ColumnSource::LabelBy(question, annotator) => self.labels_by(table, question, Some(annotator)),
            ColumnSource::LabelOfAny(question) => self.labels_by(table, question, None),
            ColumnSource::Majority(question) => self.majority_labels(table, question),
            ColumnSource::Gold(question) => self.gold_labels(table, question),
        }
    }

    /// The values that the question of a column offers, in scale order, each with its label. The column of tags offers
    /// the tags of all questions. Empty for questions of texts and for most fields.
    pub(super) fn offered(&self, source: ColumnSource) -> Vec<(&str, &str)> {
        match (source, source.question().and_then(|question| self.asked(question))) {
            (ColumnSource::Field(field) | ColumnSource::Of(_, field), _) => (field.offers)(self),
            (_, Some((_, asked, _))) => offers(asked).collect(),
            (_, None) => Vec::new(),
        }
    }
}

/// The values that a question offers, each with its label.
pub(super) fn offers(asked: &Question) -> impl Iterator<Item = (&str, &str)> {
    asked.offered().iter().map(|choice| (choice.value.as_str(), choice.label.as_str()))
}
