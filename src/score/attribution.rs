//! Citation precision: whether the documents that a bullet cites support what it says.
//!
//! Source: Rashkin et al. 2023, AIS, §3; Gao et al. 2023, ALCE, §4 (citation precision, here judged by people and one
//! citation at a time).

use std::collections::BTreeMap;

use super::origin::Origin;
use super::share::Share;
use crate::protocol::{Answer, Answers, Part, Protocol, Question};
use crate::text::{bullets::bullets, citation::cited};

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
    /// The main question of a protocol whose items are a bullet and a document, with choices that are
    /// no, partial and full; `None` for any other.
    pub fn of(protocol: &'p Protocol) -> Option<AttributionQuestion<'p>> {
        let supported = protocol.main_question()?;
        let choices = supported.choices();
        let is_scale = choices.len() == 3 && choices.iter().all(|choice| support(&choice.value).is_some());
        (is_scale && protocol.targets(Part::Bullet) && protocol.targets(Part::Document))
            .then_some(AttributionQuestion { supported })
    }

    /// How far the document supports the bullet; `None` where that is not judged.
    pub fn read(&self, answers: &Answers) -> Option<Support> {
        answers.get(&self.supported.key).and_then(Answer::as_text).and_then(support)
    }

    /// Key of the question.
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
    /// Pairs of a bullet and a number that it cites.
    pub citations: usize,
}

impl Citing {
    /// What the text of a summary cites.
    pub fn of(text: &str) -> Citing {
        let mut citing = Citing::default();
        for bullet in bullets(text) {
            let numbers = cited(bullet.slice(text)).len();
            citing.bullets += 1;
            citing.uncited += usize::from(numbers == 0);
            citing.citations += numbers;
        }
        citing
    }
}

/// One annotator's judgments of the citations of one summary.
#[derive(Debug, Clone, PartialEq)]
pub struct CitationsJudged {
    pub origin: Origin,
    pub citing: Citing,
    pub judged: Vec<Support>,
}

/// How far the citations of a group of summaries are borne out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Attribution {
    /// Different summaries with a judged citation.
    pub summaries: usize,
    /// What these cite, each summary once.
    pub citing: Citing,
    /// Judgments that the document supports the bullet fully.
    pub full: Share,
    /// Fully or partially.
    pub at_least_partial: Share,
}

impl Attribution {
    /// Counts the judgments.
    pub fn of<'a>(summaries: impl IntoIterator<Item = &'a CitationsJudged>) -> Attribution {
        let mut attribution = Attribution::default();
        let mut cite = BTreeMap::new();
        for summary in summaries.into_iter().filter(|summary| !summary.judged.is_empty()) {
            let Origin { collection, query, candidate, .. } = &summary.origin;
            cite.insert((collection, query, candidate), summary.citing);
            for support in &summary.judged {
                attribution.full.count(*support == Support::Full);
                attribution.at_least_partial.count(*support >= Support::Partial);
            }
        }
        attribution.summaries = cite.len();
        for citing in cite.into_values() {
            attribution.citing.bullets += citing.bullets;
            attribution.citing.uncited += citing.uncited;
            attribution.citing.citations += citing.citations;
        }
        attribution
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtin;

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
    fn judgments_are_pooled_and_summaries_counted_once() {
        use Support::{Full, No, Partial};
        let summary = |candidate: &str, annotator: &str, text: &str, judged: &[Support]| CitationsJudged {
            origin: Origin {
                candidate: Some(candidate.into()),
                annotator: annotator.into(),
                ..Origin::default()
            },
            citing: Citing::of(text),
            judged: judged.to_vec(),
        };
        // Two bullets with 2 + 1 citations and one without; the second summary has one citation.
        let first = "- a [1, 2]\n- b [2][2]\n- c";
        let all = Attribution::of(&[
            summary("s1", "ana", first, &[Full, Partial, No]),
            summary("s1", "ben", first, &[Full]),
            summary("s2", "ana", "d [9]", &[Full]),
            summary("s3", "ana", "e [9]", &[]),
        ]);
        assert_eq!(all.summaries, 2);
        assert_eq!(all.citing, Citing { bullets: 4, uncited: 1, citations: 4 });
        // Of five judgments three are full and one is partial.
        assert_eq!(all.full, Share { part: 3, of: 5 });
        assert_eq!(all.at_least_partial, Share { part: 4, of: 5 });
    }
}
