//! Protocols: how things are judged. A protocol is data: the parts of an item, the panes that show it, the questions that are
//! asked, the answers that they take. No screen, score or file format knows a protocol by name.

pub mod answer;
mod builtin;
mod changes;
mod checks;
mod file;
mod findings;
pub mod giving;
mod guideline;
mod keys;
mod known;
mod question_checks;
pub mod rules;
mod score_rule;
mod score_sheet;
mod table;
#[cfg(test)]
mod tests;

pub use answer::{Answer, Answers, Point, Quote, answers_from_json};
pub use builtin::{builtin, builtins, name_taken};
pub use changes::Change;
pub use file::check;
pub use giving::{AnswerChange, Given, ItemStand, NewAnswer, Refusal, switched};
pub use guideline::LabelAdvice;
pub use known::{is_as_known, reaches, says_the_same};
pub use rules::Violation;
pub use score_rule::{Better, RatioRule, ScoreLevel, ScoreMade, ScoreNumber, ScoreRule};
pub use score_sheet::{ScoreSheet, ScoreTable, score_sheet};

use std::borrow::Cow;

use crate::study::SampledThing;
use crate::text::hash::{Fingerprint, fingerprint};

/// A protocol: the whole of one TOML file and its guideline.
#[derive(Debug, Clone, PartialEq)]
pub struct Protocol {
    /// The name by which commands and items call the protocol.
    pub name: String,
    pub title: String,
    /// Raised by hand when the questions change their meaning.
    pub version: u32,
    /// Paper and section that the protocol comes from.
    pub source: String,
    /// The parts whose combination makes one item.
    pub target: Vec<TargetPart>,
    /// Kinds of units that the protocol is applied to; empty for all.
    pub units: Vec<String>,
    /// The word for a unit on screens, such as `Key point`; without it, the unit's kind.
    pub unit_name: Option<String>,
    /// Items of one group stand together, in the order of their units.
    pub group: TargetPart,
    /// The documents that are judged together with a unit or a bullet, where the target has a document.
    pub documents: Pairing,
    /// The candidates of a query that are compared, where the target is a pair.
    pub pairs: PairsMade,
    /// Whether the evidence of the unit and its gold documents are shown. A protocol that checks them hides them.
    pub shows_evidence: bool,
    pub layout: Layout,
    /// Questions in the order in which they are asked; conditions look back only.
    pub questions: Vec<Question>,
    /// Rules between answers.
    pub rules: Vec<Rule>,
    /// The scores that its judgments give, in the order of the columns; where its file names none, see
    /// [`Protocol::score_sheet`].
    pub scores: ScoreSheet,
    /// The changes of its versions, under which earlier answers stand.
    pub changes: Vec<Change>,
    /// The fingerprints of these earlier versions, where they are at hand, with their numbers.
    pub earlier: Vec<(Fingerprint, u32)>,
    /// Markdown for the annotator.
    pub guideline: String,
    /// The TOML text, as stored with a study.
    pub file_text: String,
    /// Fingerprint of the TOML text: the version that a judgment was made under.
    pub hash: Fingerprint,
}

named! {
    /// A part of an item's target.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum TargetPart {
        Query = "query",
        Document = "document",
        Unit = "unit",
        Candidate = "candidate",
        Bullet = "bullet",
        /// Two candidates of one query.
        Pair = "pair",
    }
}

impl From<TargetPart> for SampledThing {
    fn from(part: TargetPart) -> SampledThing {
        match part {
            TargetPart::Query => SampledThing::Query,
            TargetPart::Document => SampledThing::Document,
            TargetPart::Unit => SampledThing::Unit,
            TargetPart::Candidate => SampledThing::Candidate,
            TargetPart::Bullet => SampledThing::Bullet,
            TargetPart::Pair => SampledThing::Pair,
        }
    }
}

named! {
    /// The documents that make an item together with a unit or a bullet.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Pairing {
        /// Documents that contain the unit; one item without a document where they are not known.
        Gold = "gold",
        /// Documents that contain the unit and as many others, drawn from the keys and so the same everywhere.
        Sampled = "sampled",
        /// Documents that the bullet cites.
        Cited = "cited",
        /// Documents that stand among the first in the list of any retriever; see [`Pairing::RANKED`].
        Ranked = "ranked",
        /// Every document of the collection.
        All = "all",
    }
}

impl Pairing {
    /// How many documents of each list are judged.
    pub const RANKED: usize = 10;
}

/// The choice of two candidates of a query that make a pair. Two with the same text make none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PairsMade {
    /// Every two candidates.
    #[default]
    All,
    /// So many pairs of each query, drawn from the keys and so the same everywhere.
    Drawn(u32),
    /// Candidates that follow each other by the number `rank` in their `meta`; candidates without one make none.
    Neighbours,
}

named! {
    /// A board of the screen.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Pane {
        Query = "query",
        Documents = "documents",
        Unit = "unit",
        /// The candidate; of a pair, the one that is shown first.
        Candidate = "candidate",
        /// The other candidate of a pair.
        Other = "other",
        /// The units that a question chooses from.
        Units = "units",
    }
}

/// The places of panes on a wide screen. The judgment always stands at the bottom right.
/// On a narrow screen `above` stays, and the panes of `left` and `right` that hold long texts become tabs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    pub above: Vec<Pane>,
    pub left: Vec<Pane>,
    pub right: Vec<Pane>,
}

/// One question of a protocol.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The name under which answers are stored.
    pub key: String,
    pub prompt: String,
    pub kind: QuestionKind,
    /// Whether the item is complete only with an answer, where the question is asked.
    pub required: bool,
    pub ask_when: Option<Condition>,
    /// Whether an answer stands in the place of all others, such as that it cannot be judged: the judgment is done, and in no
    /// score.
    pub instead: bool,
}

/// The kinds of questions, by the answer that they take.
#[derive(Debug, Clone, PartialEq)]
pub enum QuestionKind {
    /// One of the choices, which stand in scale order (lowest first when ordinal).
    Choice { scale: ChoiceScale, choices: Vec<Choice> },
    /// The bullet of the candidate that the answer rests on, or several of them.
    Bullet { several: bool },
    /// A text that the annotator writes.
    Text {
        /// The key that opens the text.
        key: char,
        /// The part whose text the answer begins with.
        starts_with: Option<TargetPart>,
        /// The field of the unit's `meta` that is shown once there is an answer.
        reveals: Option<String>,
    },
    /// Any of the tags, which have no scores.
    Tags { tags: Vec<Choice> },
    /// Passages selected in the documents or in the candidate.
    Passages {
        /// The key that begins a selection.
        key: char,
        from: SelectedIn,
        /// The tags, of which each passage has one; empty where passages have none.
        tags: Vec<Choice>,
        /// The severities, of which each passage has one; empty where passages have none.
        severities: Vec<Choice>,
    },
    /// A growing list of texts, each with the passages that it rests on.
    Points {
        /// The key that adds a text.
        key: char,
        /// Whether a passage is selected for each text.
        with_passages: bool,
        from: SelectedIn,
    },
    /// Any of the other units of these kinds: units of the query, which share a document with the judged unit
    /// where its documents are known; or units of all queries of the collection, by `QUERY/UNIT`.
    Units { kinds: Vec<String>, of_collection: bool },
    /// The candidate of a pair that was shown first. Nobody is asked: the screen records it with the first answer.
    Side,
}

/// Values of a choice that name a candidate of a pair: the first and the second of the item, wherever they stood on the screen.
pub const SIDES: [&str; 2] = ["candidate", "other"];

/// Words of a screen for the places of a pair's candidates.
const PLACES: [&str; 2] = ["first", "second"];

named! {
    /// The texts in which passages are selected.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
    pub enum SelectedIn {
        #[default]
        Documents = "documents",
        Candidate = "candidate",
    }
}

/// Whether the order of the choices means something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChoiceScale {
    Nominal,
    Ordinal,
    /// Whole numbers in a row, each as far from the next: differences mean something.
    Interval,
}

/// One possible answer to a choice question.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The value as stored and exported.
    pub value: String,
    /// The label as shown.
    pub label: String,
    /// The key that gives the choice: a letter or a digit.
    pub key: char,
    /// The choice's number where labels are averaged or correlated; every choice of an ordinal scale has one.
    pub score: Option<f64>,
}

impl Choice {
    /// The text beside the choice's key: the label, without the number that the key says already.
    pub fn beside_key(&self) -> &str {
        let said = self.value.len() == 1 && self.value.starts_with(self.key);
        let rest = self
            .label
            .strip_prefix(self.key)
            .filter(|rest| said && (rest.is_empty() || rest.starts_with(' ')));
        rest.map_or(self.label.as_str(), str::trim_start)
    }
}

/// A condition: an earlier question has one of these answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    pub question: String,
    pub is: Vec<String>,
}

/// A rule between answers: where `when` holds, `then` must hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    pub when: Condition,
    pub then: Condition,
    /// The message to the annotator where the rule is broken.
    pub message: String,
}

impl Protocol {
    /// The protocol as a screen asks it, without the question that the screen answers itself. A candidate of a pair without a label is
    /// called by its place. Where the second candidate is shown first, the choices that name the two have changed places.
    #[must_use]
    pub fn on_screen(&self, is_turned: bool) -> Protocol {
        let mut shown = self.clone();
        shown.questions.retain(|question| question.kind != QuestionKind::Side);
        for question in shown.questions.iter_mut().filter(|question| question.names_sides()) {
            if let QuestionKind::Choice { choices, .. } = &mut question.kind {
                for choice in choices {
                    let place = SIDES.iter().position(|side| choice.value == *side && choice.label == *side);
                    if let Some(word) = place.and_then(|place| PLACES.get(place)) {
                        choice.label = (*word).to_owned();
                    }
                    if is_turned {
                        choice.value = turned(&choice.value).to_owned();
                    }
                }
            }
        }
        shown
    }

    /// Whether the second candidate of a pair was shown first when these answers were given; `None` where no answer says.
    pub fn was_turned(&self, answers: &Answers) -> Option<bool> {
        let asked = self.side_question()?;
        answers.get(&asked.key)?.as_text().map(|side| side == SIDES[1])
    }

    /// Makes answers about a pair the same answers about the pair in the other order.
    pub fn exchange_sides(&self, answers: &mut Answers) {
        let names = |question: &&Question| question.names_sides() || question.kind == QuestionKind::Side;
        for question in self.questions.iter().filter(names) {
            if let Some(Answer::Text(value)) = answers.get_mut(&question.key) {
                *value = turned(value).to_owned();
            }
        }
    }

    /// Whether these answers name the second candidate of a pair.
    pub fn names_other(&self, answers: &Answers) -> bool {
        let said = |one: &Question| answers.get(&one.key).and_then(Answer::as_text);
        self.questions.iter().any(|one| one.names_sides() && said(one) == Some(SIDES[1]))
    }

    /// The answers without the side, in which annotators of one mind differ.
    pub fn without_side<'a>(&self, answers: &'a Answers) -> Cow<'a, Answers> {
        let mut answers = Cow::Borrowed(answers);
        if let Some(side) = self.side_question().filter(|side| answers.contains_key(&side.key)) {
            answers.to_mut().remove(&side.key);
        }
        answers
    }

    /// The question that the screen answers itself.
    pub fn side_question(&self) -> Option<&Question> {
        self.questions.iter().find(|question| question.kind == QuestionKind::Side)
    }

    /// Whether each item is about one candidate, or a bullet of it.
    pub fn is_about_candidates(&self) -> bool {
        self.targets(TargetPart::Candidate) || self.targets(TargetPart::Bullet)
    }

    /// Reads a protocol from its TOML text; `guideline` is its Markdown.
    ///
    /// # Errors
    /// One sentence that names the line and the rule that is broken first; [`check`] names them all.
    pub fn parse(file_text: &str, guideline: &str) -> crate::error::Result<Protocol> {
        file::parse(file_text, guideline)
    }

    /// The fingerprint of a protocol's text, which is [`Protocol::hash`].
    pub fn fingerprint_of(file_text: &str) -> Fingerprint {
        fingerprint(["protocol", file_text])
    }

    /// The kinds of units that the protocol names: those that are judged, and those that its questions choose from.
    pub fn unit_kinds(&self) -> impl Iterator<Item = &str> {
        let chosen = self.questions.iter().flat_map(Question::kinds);
        self.units.iter().chain(chosen).map(String::as_str)
    }

    /// Whether units of this kind are judged.
    pub fn takes_unit(&self, kind: &str) -> bool {
        self.units.is_empty() || self.units.iter().any(|taken| taken == kind)
    }

    pub fn question(&self, key: &str) -> Option<&Question> {
        self.questions.iter().find(|question| question.key == key)
    }

    /// Whether the target has this part.
    pub fn targets(&self, part: TargetPart) -> bool {
        self.target.contains(&part)
    }

    /// The questions that are asked, given these answers.
    pub fn asked<'a>(&'a self, answers: &'a Answers) -> impl Iterator<Item = &'a Question> {
        self.questions.iter().filter(|question| question.is_asked(answers))
    }

    /// Whether one of the answers stands in the place of all others.
    pub fn is_instead(&self, answers: &Answers) -> bool {
        self.questions.iter().any(|question| question.instead && answers.contains_key(&question.key))
    }

    /// Whether every required question that is asked has an answer, and at least one is answered; or one answer stands for all.
    pub fn is_complete(&self, answers: &Answers) -> bool {
        if self.is_instead(answers) {
            return true;
        }
        !answers.is_empty()
            && self.asked(answers).all(|question| !question.required || answers.contains_key(&question.key))
    }

    /// Whether answers are in scores and agreement: every question that is asked and has to be answered has an answer. An answer that
    /// the item cannot be judged is no label.
    pub fn counts(&self, answers: &Answers) -> bool {
        let is_given =
            |question: &Question| !question.has_to_be_answered() || answers.contains_key(&question.key);
        !answers.is_empty() && !self.is_instead(answers) && self.asked(answers).all(is_given)
    }

    /// The first asked question without an answer: where the next key goes.
    pub fn open_question<'a>(&'a self, answers: &'a Answers) -> Option<&'a Question> {
        self.questions.get(self.open_place(answers)?)
    }

    /// The place of that question.
    fn open_place(&self, answers: &Answers) -> Option<usize> {
        let is_open = |question: &Question| {
            let is_asked_for = !question.instead && question.kind != QuestionKind::Side;
            is_asked_for && question.is_asked(answers) && !answers.contains_key(&question.key)
        };
        self.questions.iter().position(is_open).filter(|_| !self.is_instead(answers))
    }

    /// The question that links bullets to the answers of this one. A question for bullets that hangs on no answer links them to
    /// those of the main question.
    pub fn links_of(&self, question: &Question) -> Option<&Question> {
        let is_main = || self.main_question().is_some_and(|main| main.key == question.key);
        self.questions.iter().find(|other| {
            let hangs_on = match &other.ask_when {
                Some(condition) => condition.question == question.key,
                None => is_main(),
            };
            hangs_on && matches!(other.kind, QuestionKind::Bullet { .. })
        })
    }

    /// The first choice question: the one that scores and agreement read unless told otherwise.
    pub fn main_question(&self) -> Option<&Question> {
        self.questions.iter().find(|question| matches!(question.kind, QuestionKind::Choice { .. }))
    }
}

/// The value that names the other candidate of a pair; a value that names neither stays.
pub fn turned(value: &str) -> &str {
    match SIDES {
        [one, other] if value == one => other,
        [one, other] if value == other => one,
        _ => value,
    }
}

impl Condition {
    /// Whether the question has one of the answers.
    pub fn holds(&self, answers: &Answers) -> bool {
        match answers.get(&self.question) {
            Some(Answer::Text(value)) => self.is.contains(value),
            Some(Answer::Names(names)) => names.iter().any(|name| self.is.contains(name)),
            Some(Answer::Passages(passages)) => {
                passages.iter().filter_map(|passage| passage.tag.as_ref()).any(|tag| self.is.contains(tag))
            }
            _ => false,
        }
    }
}

impl Question {
    /// Whether the question is asked, given the answers so far.
    pub fn is_asked(&self, answers: &Answers) -> bool {
        self.ask_when.as_ref().is_none_or(|condition| condition.holds(answers))
    }

    /// Whether answers are in scores and agreement only with one to this question, where it is asked. A bullet may be missing, as in
    /// published files: the label stands without it, and its citations are not looked at.
    pub fn has_to_be_answered(&self) -> bool {
        self.required && !matches!(self.kind, QuestionKind::Bullet { .. })
    }

    /// Whether an answer to an earlier question asks for this one, and it has no answer yet.
    pub fn is_due(&self, answers: &Answers) -> bool {
        self.required && self.ask_when.is_some() && self.is_asked(answers) && !answers.contains_key(&self.key)
    }

    /// Whether answers are labels that can be counted, rather than texts.
    pub fn has_labels(&self) -> bool {
        use QuestionKind::{Bullet, Choice, Tags, Units};
        matches!(self.kind, Choice { .. } | Tags { .. } | Bullet { .. } | Units { .. })
    }

    /// The choices in scale order; none for a question of another kind.
    pub fn choices(&self) -> &[Choice] {
        match &self.kind {
            QuestionKind::Choice { choices, .. } => choices,
            _ => &[],
        }
    }

    /// Whether the choices name both candidates of a pair.
    pub fn names_sides(&self) -> bool {
        SIDES.iter().all(|side| self.choices().iter().any(|choice| choice.value == **side))
    }

    /// Whether the question is a scale of whole numbers, which stand in one row.
    pub fn is_scale(&self) -> bool {
        matches!(self.kind, QuestionKind::Choice { scale: ChoiceScale::Interval, .. })
    }

    /// The tags; none for a question of another kind.
    pub fn tags(&self) -> &[Choice] {
        match &self.kind {
            QuestionKind::Tags { tags } => tags,
            _ => &[],
        }
    }

    /// The texts in which passages are selected.
    pub fn selected_in(&self) -> SelectedIn {
        match &self.kind {
            QuestionKind::Passages { from, .. } | QuestionKind::Points { from, .. } => *from,
            _ => SelectedIn::Documents,
        }
    }

    /// The tags and the severities of passages; empty for a question of another kind.
    pub fn marks(&self) -> [&[Choice]; 2] {
        match &self.kind {
            QuestionKind::Passages { tags, severities, .. } => [tags, severities],
            _ => [&[], &[]],
        }
    }

    /// The choices or tags that are offered with a letter each.
    pub fn offered(&self) -> &[Choice] {
        match &self.kind {
            QuestionKind::Choice { choices: offered, .. } | QuestionKind::Tags { tags: offered } => offered,
            _ => &[],
        }
    }

    /// The name of a value on the screen: the label of what is offered, else the value itself.
    pub fn label_of<'a>(&'a self, value: &'a str) -> &'a str {
        let offered = self.offered().iter().find(|choice| choice.value == value);
        offered.map_or(value, |choice| &choice.label)
    }

    /// The kinds of units that the question chooses from; none for a question of another kind.
    pub fn kinds(&self) -> &[String] {
        match &self.kind {
            QuestionKind::Units { kinds, .. } => kinds,
            _ => &[],
        }
    }

    /// Whether the question chooses from the units of all queries of the collection.
    pub fn is_of_collection(&self) -> bool {
        matches!(self.kind, QuestionKind::Units { of_collection: true, .. })
    }

    /// The letter that opens the question for writing or selecting; none where answers have letters or numbers.
    pub fn key_to_open(&self) -> Option<char> {
        match self.kind {
            QuestionKind::Text { key, .. }
            | QuestionKind::Passages { key, .. }
            | QuestionKind::Points { key, .. } => Some(key),
            _ => None,
        }
    }

    /// The meaning of `0` as an answer; `None` where it has none.
    pub fn none_label(&self) -> Option<&'static str> {
        match self.kind {
            QuestionKind::Bullet { several: false } => Some("no single bullet"),
            QuestionKind::Bullet { several: true } => Some("no bullet"),
            QuestionKind::Passages { .. } => Some("no passage"),
            QuestionKind::Tags { .. } | QuestionKind::Units { .. } | QuestionKind::Points { .. } => {
                Some("none")
            }
            QuestionKind::Choice { .. } | QuestionKind::Text { .. } | QuestionKind::Side => None,
        }
    }

    /// Whether answers are numbers on the screen: bullets or units.
    pub fn takes_numbers(&self) -> bool {
        matches!(self.kind, QuestionKind::Bullet { .. } | QuestionKind::Units { .. })
    }

    /// Whether an answer may be followed by more of it, so that only the annotator knows when it is whole.
    pub fn grows(&self) -> bool {
        match self.kind {
            QuestionKind::Bullet { several } => several,
            QuestionKind::Tags { .. }
            | QuestionKind::Passages { .. }
            | QuestionKind::Points { .. }
            | QuestionKind::Units { .. } => true,
            QuestionKind::Choice { .. } | QuestionKind::Text { .. } | QuestionKind::Side => false,
        }
    }
}
