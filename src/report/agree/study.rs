//! Ratings out of a study: the answers to each choice question with the linked bullets, and each tag as given or not.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::{AgreementAsked, Comparison, Dropped, Grouping, Linked, has_passages, partitions};
use crate::agreement::{Links, PairLinkings, Ratings};
use crate::error::{Error, Result};
use crate::journal::JudgmentRow;
use crate::number::short;
use crate::protocol::{Answer, Answers, Protocol, Question, QuestionKind};
use crate::report::{
    AnnotatorsChosen, GoldBy, Judged, StudyFrame, first_step, gold, nobody, protocols, version_note,
};
use crate::score::{By, Labels, ratings_of, was_offered};
use crate::store::{GOLD, StudyFile, VersionsRead};
use crate::study::AnnotatorId;

/// A comparison for every question that was asked for and has answers.
pub fn comparisons(study: &StudyFile, asked: &AgreementAsked) -> Result<Vec<Comparison>> {
    let people = PeopleCompared::choose(study, asked)?;
    let protocols = protocols::named_or_all(study, asked.part.protocol.as_deref())?;
    if let Some(key) = &asked.question {
        refuse_incomparable(&protocols, key)?;
    }
    let frame = StudyFrame::of(study, asked.part.frame());
    let (by, part) = (frame.by()?, frame.items()?);
    let mut comparisons = Vec::new();
    let mut left_out = Vec::new();
    let mut incomparable = None;
    for protocol in &protocols {
        let is_chosen = |annotator| people.names.contains_key(&annotator);
        let note = version_note(study, protocol, asked.part.all_versions, is_chosen)?;
        let judged = &Judged::read(&frame, protocol, &people.names, people.gold.as_ref(), &part)?;
        let source = AgreementSource { frame: &frame, study, protocol, judged, people: &people, by: &by };
        for question in asked_for(protocol, asked.question.as_deref()) {
            for mut comparison in source.compare(question)? {
                comparison.notes.extend(note.clone().into_iter().chain(frame.weighed()?));
                comparison.notes.extend(judged.note_on_snapshots());
                comparison.notes.extend(judged.label_notes(Some(&question.key), &[]));
                source.group(&mut comparison, question, asked)?;
                comparisons.push(comparison);
            }
        }
        if asked_for(protocol, None).next().is_none() && !judged.is_empty() {
            incomparable = incomparable.or(protocol.questions.first().map(|question| (protocol, question)));
        }
        left_out.extend(note);
    }
    if comparisons.is_empty() && !left_out.is_empty() {
        return Err(Error::new(left_out.join(" ")).in_file(study.path()));
    }
    if !comparisons.is_empty() && comparisons.iter().all(|comparison| comparison.annotators().len() < 2) {
        let only = comparisons.first().map_or(String::new(), |comparison| comparison.annotators().join(", "));
        let notes: String = left_out.iter().map(|note| format!("; {note}")).collect();
        return Err(Error::new(format!("only {only} has judged, and agreement needs two{notes}"))
            .in_file(study.path())
            .advise("name a model with --annotators, or let a second person judge"));
    }
    comparisons.retain(|comparison| comparison.annotators().len() > 1);
    if comparisons.is_empty() {
        if let Some((protocol, question)) = incomparable {
            return Err(undefined(Error::new, protocol, question).in_file(study.path()));
        }
        let nobody = nobody(&asked.part.annotators);
        let what = match (&asked.part.protocol, &asked.question) {
            (_, Some(question)) => format!("{nobody} answered a question {question:?}"),
            (Some(name), None) => format!("{nobody} judged anything under {name:?}"),
            (None, None) => format!("{nobody} judged anything"),
        };
        return Err(Error::new(what).in_file(study.path()).advise(first_step(study, &asked.part.annotators)));
    }
    Ok(comparisons)
}

fn asked_for<'a>(protocol: &'a Protocol, key: Option<&'a str>) -> impl Iterator<Item = &'a Question> {
    protocol
        .questions
        .iter()
        .filter(move |question| key.is_none_or(|key| question.key == key))
        .filter(|question| !question.offered().is_empty())
}

/// Refuses a question, asked for by name, that has no agreement in any of the protocols.
fn refuse_incomparable(protocols: &[Protocol], key: &str) -> Result<()> {
    let named = || protocols.iter().filter_map(|protocol| Some((protocol, protocol.question(key)?)));
    if named().any(|(_, question)| !question.offered().is_empty() || has_passages(question)) {
        return Ok(());
    }
    named().next().map_or(Ok(()), |(protocol, question)| Err(undefined(Error::usage, protocol, question)))
}

/// The error that a question has no agreement.
fn undefined(error: fn(String) -> Error, protocol: &Protocol, question: &Question) -> Error {
    let refused =
        |takes: &str| error(format!("agreement on {:?} is not defined: it takes {takes}", question.key));
    match &question.kind {
        QuestionKind::Bullet { .. } => {
            match protocol.questions.iter().find(|other| protocol.links_of(other) == Some(question)) {
                Some(linked) => refused("bullets")
                    .advise(format!("--question {} says how far the bullets agree too", linked.key)),
                None => refused("bullets")
                    .advise("let it be asked after a choice question, and that one's agreement has theirs"),
            }
        }
        QuestionKind::Units { .. } => refused("any number of units").advise(
            "ask about one unit at a time with a choice question, or compare the lists that \
             `haymark export STUDY --what judgments` writes",
        ),
        _ => refused("what people write or select")
            .advise("read the answers side by side, which `haymark export STUDY --what judgments` writes"),
    }
}

/// The annotators that are compared.
pub(super) struct PeopleCompared {
    pub(super) names: BTreeMap<AnnotatorId, String>,
    /// The annotators in the order of the study, gold last.
    pub(super) order: Vec<AnnotatorId>,
    /// The rule by which gold is made, where gold is compared.
    pub(super) gold: Option<GoldBy>,
    /// Models that are not among them because nobody was named.
    models: Vec<AnnotatorId>,
}

impl PeopleCompared {
    pub(super) fn choose(study: &StudyFile, asked: &AgreementAsked) -> Result<PeopleCompared> {
        let (chosen, gold) = gold::choose(study, &asked.part.annotators, asked.rule)?;
        Ok(PeopleCompared {
            order: chosen.annotators.iter().map(|(id, _)| *id).collect(),
            names: chosen.annotators.into_iter().collect(),
            gold,
            models: chosen.models_left_out,
        })
    }
}

/// The judgments under one protocol, to be compared.
struct AgreementSource<'a> {
    frame: &'a StudyFrame<'a>,
    study: &'a StudyFile,
    protocol: &'a Protocol,
    judged: &'a Judged<'a>,
    people: &'a PeopleCompared,
    by: &'a [By],
}

impl AgreementSource<'_> {
    /// The judgments that answer a question, by annotator and item.
    fn answered(&self, question: &Question) -> impl Iterator<Item = &JudgmentRow> {
        let sets = self.judged.material.answer_sets();
        let has: Vec<bool> = sets.iter().map(|answers| answers.contains_key(&question.key)).collect();
        self.judged.rows().filter(move |row| has.get(row.answers()).copied().unwrap_or(false))
    }

    /// The comparisons of a question: one for a choice question, one for each tag of a question with tags; none without
    /// answers.
    fn compare(&self, question: &Question) -> Result<Vec<Comparison>> {
        // Only annotators who answered are compared.
        let mut answered: Vec<AnnotatorId> = self.answered(question).map(|row| row.annotator()).collect();
        answered.sort_unstable();
        answered.dedup();
        let has_answered = |id: &AnnotatorId| answered.binary_search(id).is_ok();
        let raters: Vec<AnnotatorId> = self.people.order.iter().copied().filter(has_answered).collect();
        let numbers: HashMap<AnnotatorId, usize> = raters.iter().copied().zip(0..).collect();
        let names: Vec<&str> =
            raters.iter().filter_map(|id| self.people.names.get(id)).map(String::as_str).collect();
        let judged: HashSet<AnnotatorId> = self
            .judged
            .material
            .rows()
            .iter()
            .filter(|row| row.counts())
            .map(|row| row.annotator())
            .collect();
        let notes = AnnotatorsChosen::note(&self.people.models, |model| judged.contains(model));
        let mut comparisons = Vec::new();
        for labels in Labels::of(question) {
            let codes = labels.codes(question, self.judged.material.answer_sets());
            // A tag that a version did not offer counts neither as given nor as not given under it.
            let was_offered = |row: &JudgmentRow| match &labels.tag {
                None => true,
                Some(tag) => {
                    was_offered(self.judged.material.other_version(row).map(AsRef::as_ref), question, tag)
                }
            };
            let is_asked =
                |row: &&JudgmentRow| was_offered(row) && question.is_asked(self.judged.material.answers(row));
            let count = self.answered(question).filter(is_asked).count();
            let given = self.judged.rows().filter(is_asked).filter_map(|row| {
                let rater = *numbers.get(&row.annotator())?;
                Some((row.item, rater, codes.get(row.answers()).copied().flatten()?))
            });
            let broken = |error: crate::agreement::TableError| Error::new(error.to_string());
            let ratings = ratings_of(&labels, &names, given).map_err(broken)?;
            if ratings.items().is_empty() {
                continue;
            }
            let links = Linkage::of(self, (question, &labels), &ratings, &numbers);
            let mut grouping = Grouping::default();
            let rated: usize = ratings.rows().map(|row| row.ratings().count()).sum();
            grouping.dropped.unknown_label = count.saturating_sub(rated);
            comparisons.push(Comparison {
                protocol: Some(self.protocol.name.clone()),
                question: Some(question.key.clone()),
                tag: labels.tag,
                ratings,
                links: links.pairs,
                linked: links.linked,
                grouping,
                notes: notes.iter().cloned().collect(),
            });
        }
        Ok(comparisons)
    }

    /// Adds the clusters and groups of the items, and the counts of judgments left out.
    fn group(&self, comparison: &mut Comparison, question: &Question, asked: &AgreementAsked) -> Result<()> {
        let (ratings, grouping) = (&comparison.ratings, &mut comparison.grouping);
        let items = &self.judged.material.items;
        let unknown_label = grouping.dropped.unknown_label;
        grouping.dropped = Dropped { unknown_label, ..self.dropped(question)? };
        let records = &self.frame.corpus()?.records;
        grouping.cluster(
            (self.study, self.protocol, records),
            items,
            ratings,
            asked.part.uncertainty.cluster,
        )?;
        let suiting = || {
            let of_summaries = items.iter().any(|item| item.target.candidate.is_some());
            let suiting = ["query", "system"].into_iter().take(if of_summaries { 2 } else { 1 });
            suiting.filter_map(By::own).collect::<Vec<By>>()
        };
        let by = match self.by {
            [] if asked.is_brief => return Ok(()),
            [] => &suiting(),
            by => by,
        };
        grouping.partitions = partitions(self.frame, by, self.judged, ratings)?;
        Ok(())
    }

    /// Counts the judgments that are left out for reasons other than their label.
    fn dropped(&self, question: &Question) -> Result<Dropped> {
        let is_chosen = |annotator| self.people.names.contains_key(&annotator);
        let others = match self.frame.versions(self.protocol) {
            VersionsRead::All => Vec::new(),
            VersionsRead::Only(_) => self.study.judgments_under_other_versions(self.protocol)?,
        };
        let stale =
            others.iter().filter(|count| is_chosen(count.annotator)).map(|count| count.judgments).sum();
        let unfinished = self.judged.half_answered();
        let is_left_out = |answers: &Answers| {
            question.ask_when.as_ref().is_some_and(|condition| {
                answers.contains_key(&condition.question) && !condition.holds(answers)
            })
        };
        let left_out: Vec<bool> = self.judged.material.answer_sets().iter().map(is_left_out).collect();
        let is_left_out = |row: &&JudgmentRow| {
            row.annotator() != GOLD && left_out.get(row.answers()).copied().unwrap_or(false)
        };
        let not_asked = self.judged.rows().filter(is_left_out).count();
        let (set_aside, outdated) = (self.judged.set_aside(), self.judged.outdated());
        Ok(Dropped { unfinished, set_aside, stale, outdated, not_asked, unknown_label: 0 })
    }
}

/// The bullets linked to the labels.
#[derive(Default)]
struct Linkage {
    /// Links of every pair of annotators.
    pairs: Option<PairLinkings>,
    linked: Option<Linked>,
}

impl Linkage {
    /// Links of the items of the table; none where no question links. The links of pairs ignore the labels (SummHay §4.2) and
    /// take only answers with a single bullet.
    fn of(
        source: &AgreementSource<'_>,
        (question, labels): (&Question, &Labels),
        ratings: &Ratings,
        raters: &HashMap<AnnotatorId, usize>,
    ) -> Linkage {
        let Some(bullets) = source.protocol.links_of(question) else { return Linkage::default() };
        let mut links = Links::none(ratings);
        let mut sets: HashMap<&[u32], u32> = HashMap::new();
        // The number of the set of bullets, by set of answers, once known.
        let mut numbered: Vec<Option<u32>> = vec![None; source.judged.material.answer_sets().len()];
        // For each item, the raters who link it to a single bullet, and that bullet.
        let mut single: Vec<Vec<(u32, u32)>> = vec![Vec::new(); source.judged.material.items.len()];
        let mut rated: Vec<Option<usize>> = vec![None; source.judged.material.items.len()];
        for (item, name) in ratings.items().iter().enumerate() {
            if let Some(place) = name.parse().ok().and_then(|place: usize| rated.get_mut(place)) {
                *place = Some(item);
            }
        }
        for row in source.answered(bullets) {
            let Some(&rater) = raters.get(&row.annotator()) else { continue };
            let Some(answer) = source.judged.material.answers(row).get(&bullets.key) else { continue };
            let place = row.item as usize;
            if let Answer::Bullet(number) = answer {
                single[place].push((short(rater), *number));
            }
            if let Some(item) = rated[place] {
                let number = &mut numbered[row.answers()]; // one a set of answers
                let set = *number.get_or_insert_with(|| {
                    let bullets = answer.bullets();
                    *sets.entry(bullets).or_insert_with(|| links.bullets(bullets))
                });
                links.set(item, rater, set);
            }
        }
        let pairs = PairLinkings::of(raters.len(), single);
        let asks =
            |label: &String| bullets.ask_when.as_ref().is_none_or(|condition| condition.is.contains(label));
        let asks = match &labels.tag {
            // The categories of a tag: not given, then given.
            Some(tag) => vec![false, asks(tag)],
            None => question.choices().iter().map(|choice| asks(&choice.value)).collect(),
        };
        Linkage { pairs: Some(pairs), linked: Some(Linked { links, asks }) }
    }
}
