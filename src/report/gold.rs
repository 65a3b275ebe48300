//! Gold as an annotator: the judgments and the rule by which it is made, and notes for the reader.

use crate::error::{Error, Result};
use crate::journal::{Agreement, ConsensusRule, Outcome};
use crate::protocol::Protocol;
use crate::store::{GOLD, GoldItem, GoldSource, StudyFile, VersionsRead};
use crate::study::{Annotator, AnnotatorId, AnnotatorKind};
use crate::text::person::GOLD_NAME;

/// The annotators and the rule by which gold is made.
#[derive(Debug, Clone, PartialEq)]
pub struct GoldBy {
    pub raters: Vec<AnnotatorId>,
    pub rule: ConsensusRule,
}

impl GoldBy {
    /// Gold from the judgments of all people, and of judges too if wanted.
    pub fn of_people(study: &StudyFile, with_judges: bool, rule: Option<ConsensusRule>) -> Result<GoldBy> {
        let all = study.annotators_by_key()?.into_iter();
        let rates = |annotator: &Annotator| {
            annotator.kind == AnnotatorKind::Human || (with_judges && annotator.again_of().is_none())
        };
        let raters = all.filter(|(_, annotator)| rates(annotator)).map(|(id, _)| id).collect();
        Ok(GoldBy { raters, rule: rule.unwrap_or_default() })
    }

    /// Gold from the judgments of the annotators with these names; without names, as [`GoldBy::of_people`].
    pub fn of_named(
        study: &StudyFile,
        names: &[String],
        with_judges: bool,
        rule: Option<ConsensusRule>,
    ) -> Result<GoldBy> {
        if names.is_empty() {
            return GoldBy::of_people(study, with_judges, rule);
        }
        let raters = super::annotators::choose(study, names)?.annotators.into_iter().map(|(id, _)| id);
        Ok(GoldBy { raters: raters.collect(), rule: rule.unwrap_or_default() })
    }

    /// Gold for every item under a protocol.
    pub fn read(
        &self,
        study: &StudyFile,
        protocol: &Protocol,
        versions: VersionsRead,
    ) -> Result<Vec<GoldItem>> {
        study.gold(&GoldSource { protocol, annotators: &self.raters, versions, rule: self.rule })
    }
}

/// Takes gold out of the names of annotators, unless an annotator of the study is called so.
///
/// # Errors
/// There is a rule without gold, or the study cannot be read.
pub fn among(
    study: &StudyFile,
    names: &[String],
    rule: Option<ConsensusRule>,
) -> Result<(Vec<String>, Option<GoldBy>)> {
    let is_asked = names.iter().any(|name| name == GOLD_NAME);
    let is_somebody = || Ok(study.annotators()?.iter().any(|(_, annotator)| annotator.id == GOLD_NAME));
    if !is_asked || is_somebody()? {
        return match rule {
            Some(_) => {
                Err(Error::usage("--rule is for gold").advise("add --annotators gold, or leave it out"))
            }
            None => Ok((names.to_vec(), None)),
        };
    }
    let others = names.iter().filter(|name| *name != GOLD_NAME).cloned().collect();
    Ok((others, Some(GoldBy::of_people(study, false, rule)?)))
}

/// The annotators with these names, or all people if there are no names. Gold, if named, has the id [`GOLD`].
///
/// # Errors
/// The study has no annotator of a name, there is a rule without gold, or the study cannot be read.
pub fn choose(
    study: &StudyFile,
    names: &[String],
    rule: Option<ConsensusRule>,
) -> Result<(super::annotators::AnnotatorsChosen, Option<GoldBy>)> {
    let (others, gold) = among(study, names, rule)?;
    let mut chosen = match (&gold, others.is_empty()) {
        (Some(_), true) => {
            super::annotators::AnnotatorsChosen { annotators: Vec::new(), models_left_out: Vec::new() }
        }
        _ => super::annotators::choose(study, &others)?,
    };
    if gold.is_some() {
        chosen.annotators.push((GOLD, GOLD_NAME.to_owned()));
    }
    Ok((chosen, gold))
}

/// Counts of items without gold, by reason.
struct Unresolved {
    /// Items that nobody could judge.
    unjudged: usize,
    /// Items that one annotator alone judged.
    single: usize,
    /// Items that too few annotators judged for the rule.
    few: usize,
    /// Items on which the annotators differ.
    differing: usize,
}

impl Unresolved {
    fn of(gold: &[GoldItem], rule: ConsensusRule) -> Unresolved {
        let least = match rule.agreement {
            Agreement::All => 2,
            Agreement::MajorityOf(number) => number / 2 + 1,
        };
        let mut found = Unresolved { unjudged: 0, single: 0, few: 0, differing: 0 };
        for item in gold.iter().filter(|item| item.outcome == Outcome::Unresolved) {
            match item.raters {
                0 => found.unjudged += 1,
                1 => found.single += 1,
                raters if raters < least => found.few += 1,
                _ => found.differing += 1,
            }
        }
        found
    }

    fn told(&self) -> String {
        let parts = [
            (self.single, "judged by one only"),
            (self.few, "judged by too few"),
            (self.differing, "on which they differ"),
            (self.unjudged, "that nobody could judge"),
        ];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        parts.map(|(count, why)| format!("{count} {why}")).collect::<Vec<_>>().join(", ")
    }
}

/// A warning where most items have no gold, with advice for most of them.
pub fn warning(gold: &[GoldItem], rule: ConsensusRule) -> Option<String> {
    let open = gold.iter().filter(|item| item.outcome == Outcome::Unresolved).count();
    let why = Unresolved::of(gold, rule);
    let advice = if why.differing > why.single + why.few {
        "`haymark adjudicate STUDY --as NAME` settles them"
    } else if why.single >= why.few {
        "--rule \"all agree or single\" takes what one person said"
    } else {
        "a second person has to judge them"
    };
    (open * 2 > gold.len())
        .then(|| format!("Warning: {open} of {} items have no gold by this rule; {advice}.", gold.len()))
}

/// A note that counts the items with gold by outcome, and those without by reason: `Gold by the rule "all agree":
/// 12 unanimous, 3 adjudicated; 2 unresolved (1 judged by one only, 1 on which they differ) are left out.`
pub fn note(gold: &[GoldItem], rule: ConsensusRule, unresolved: &str) -> String {
    let count = |outcome: Outcome| gold.iter().filter(|item| item.outcome == outcome).count();
    let counted: Vec<String> = Outcome::ALL
        .into_iter()
        .filter(|outcome| *outcome != Outcome::Unresolved && count(*outcome) > 0)
        .map(|outcome| format!("{} {}", count(outcome), outcome.name()))
        .collect();
    let counted = if counted.is_empty() { "none".to_owned() } else { counted.join(", ") };
    let open = match count(Outcome::Unresolved) {
        0 => String::new(),
        number => format!("; {number} unresolved ({}) {unresolved}", Unresolved::of(gold, rule).told()),
    };
    format!("Gold by the rule \"{rule}\": {counted}{open}.")
}
