//! Citation precision: whether the documents that a bullet cites support what it says.
//!
//! Source: Rashkin et al. 2023, AIS, §3; Gao et al. 2023, ALCE, §4 (citation precision, here judged by people and one
//! citation at a time).

use std::collections::{BTreeMap, BTreeSet};

use super::items::{Counted, Score, Thing, percent_of};
use super::measure::Undefined;
use super::origin::Origin;
use crate::protocol::{Answer, Answers, Protocol, Question, TargetPart};
use crate::text::bullets::bullets;

/// How far a document supports a bullet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Support {
    No,
    Partial,
    Full,
}

/// The question of a protocol about citations.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AttributionQuestion<'p> {
    supported: &'p Question,
}

impl<'p> AttributionQuestion<'p> {
    /// The protocol's main question, if its items are a bullet and a document and its choices are no, partial
    /// and full; else `None`.
    pub fn of(protocol: &'p Protocol) -> Option<AttributionQuestion<'p>> {
        let supported = protocol.main_question()?;
        let choices = supported.choices();
        let is_scale = choices.len() == 3 && choices.iter().all(|choice| support(&choice.value).is_some());
        (is_scale && protocol.targets(TargetPart::Bullet) && protocol.targets(TargetPart::Document))
            .then_some(AttributionQuestion { supported })
    }

    /// How far the document supports the bullet; `None` where that is not judged.
    pub fn read(&self, answers: &Answers) -> Option<Support> {
        answers.get(&self.supported.key).and_then(Answer::as_text).and_then(support)
    }

    pub fn key(&self) -> &'p str {
        &self.supported.key
    }
}

fn support(value: &str) -> Option<Support> {
    match value {
        "no" => Some(Support::No),
        "partial" => Some(Support::Partial),
        "full" => Some(Support::Full),
        _ => None,
    }
}

/// What a summary cites, judged or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Citing {
    pub bullets: usize,
    /// Bullets that cite nothing.
    pub uncited: usize,
    /// Citations whose number no document has. Nobody can judge these.
    pub citations: usize,
    /// Those among them whose number no document has, so that nobody can judge them.
    pub unknown: usize,
}

impl Citing {
    /// What the text of a summary cites, among documents of these numbers; `cited` says what a bullet of it cites.
    pub fn of(text: &str, cited: impl Fn(&str) -> BTreeSet<u32>, documents: &BTreeSet<u32>) -> Citing {
        let mut citing = Citing::default();
        for bullet in bullets(text) {
            let numbers = cited(bullet.slice(text));
            citing.bullets += 1;
            citing.uncited += usize::from(numbers.is_empty());
            citing.citations += numbers.len();
            citing.unknown += numbers.difference(documents).count();
        }
        citing
    }
}

/// One annotator's judgment of one citation: of a bullet and a document that it cites.
#[derive(Debug, Clone, PartialEq)]
pub struct CitationJudged {
    pub origin: Origin,
    /// What the whole summary cites.
    pub citing: Citing,
    pub support: Option<Support>,
}

/// How far the citations of a group of summaries are borne out.
#[derive(Debug, Clone, PartialEq)]
pub struct Attribution {
    /// Summaries with a judged citation.
    pub summaries: usize,
    /// What these cite, each summary once.
    pub citing: Citing,
    /// Citations judged.
    pub judged: Counted,
    /// The share of the judged citations whose document supports the bullet fully, 0–100.
    pub full: Score,
    /// Fully or partially.
    pub at_least_partial: Score,
}

impl Attribution {
    /// The shares of these citations.
    pub fn of(citations: &[Thing<'_, CitationJudged>]) -> Attribution {
        let mut cite = BTreeMap::new();
        for citation in citations.iter().flat_map(|citation| &citation.judgments) {
            let Origin { collection, query, candidate, .. } = &citation.origin;
            if citation.support.is_some() {
                cite.insert((collection, query, candidate), citation.citing);
            }
        }
        let summaries = cite.len();
        let citing = cite.into_values().fold(Citing::default(), |all, more| Citing {
            bullets: all.bullets + more.bullets,
            uncited: all.uncited + more.uncited,
            citations: all.citations + more.citations,
            unknown: all.unknown + more.unknown,
        });
        let share = |least: Support| {
            Score::over(citations, Undefined::NothingJudged, |one: &CitationJudged| {
                one.support.map(|support| percent_of(support >= least))
            })
        };
        Attribution {
            summaries,
            citing,
            judged: Counted::of(citations, |one| one.support.is_some()),
            full: share(Support::Full),
            at_least_partial: share(Support::Partial),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::items::tests::together;
    use super::*;
    use crate::protocol::builtin;
    use crate::study::{QueryId, Target};
    use crate::text::citation::cited;

    #[test]
    fn the_question_is_known_by_what_it_asks() {
        let protocol = builtin("attribution").expect("built in");
        let question = AttributionQuestion::of(protocol).expect("about citations");
        let read =
            |value: &str| question.read(&[("supported".to_owned(), Answer::Text(value.into()))].into());
        assert_eq!((read("full"), read("no"), read("?")), (Some(Support::Full), Some(Support::No), None));
        assert!(AttributionQuestion::of(builtin("coverage").expect("built in")).is_none());
    }

    #[test]
    fn citations_are_pooled_and_summaries_counted_once() {
        use Support::{Full, No, Partial};
        let citation = |candidate: &str, bullet: u32, annotator: &str, text: &str, support| CitationJudged {
            origin: Origin {
                candidate: Some(candidate.into()),
                annotator: annotator.into(),
                part: Some(Target {
                    query: QueryId(1),
                    document: None,
                    candidate: None,
                    unit: None,
                    bullet: Some(bullet),
                }),
                ..Origin::default()
            },
            citing: Citing::of(text, cited, &(1..=8).collect()),
            support,
        };
        // Two bullets with 2 + 1 citations and one without; the second summary cites a document that is not there.
        let first = "- a [1, 2]\n- b [2][2]\n- c";
        let citations = [
            citation("s1", 1, "ana", first, Some(Full)),
            citation("s1", 2, "ana", first, Some(Partial)),
            citation("s1", 3, "ana", first, Some(No)),
            citation("s1", 1, "ben", first, Some(No)),
            citation("s2", 1, "ana", "d [9]", Some(Full)),
            citation("s3", 1, "ana", "e [9]", None),
        ];
        let all = together(&citations, |citation| &citation.origin, Attribution::of);
        assert_eq!(all.summaries, 2);
        assert_eq!(all.citing, Citing { bullets: 4, uncited: 1, citations: 4, unknown: 1 });
        // Of four citations the first is half full, the second partial, the third not, the last full.
        assert_eq!(all.judged, Counted { items: 4, judgments: 5 });
        assert_eq!((all.full.value(), all.at_least_partial.value()), (Ok(37.5), Ok(62.5)));
    }
}
