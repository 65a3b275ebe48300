//! Which scores apply to a protocol, by what it asks, and how its answers are read for them.

use super::answerability::AnswerQuestions;
use super::attribution::AttributionQuestion;
use super::insight::InsightSaid;
use super::keypoint::{KEY_POINT_QUESTIONS, is_about_key_points};
use super::matching::matching_question;
use super::placement::PlacementQuestion;
use super::recall::{RECALL_QUESTIONS, is_about_recall};
use super::refinement::RefinementQuestions;
use super::usefulness::{USEFULNESS_QUESTIONS, is_about_usefulness};
use crate::protocol::{Answers, ChoiceScale, Protocol, Question, QuestionKind, TargetPart};

/// The scores that apply to a protocol.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scoring<'p> {
    /// Coverage, citation, joint: see [`super::scores`].
    Coverage(CoverageQuestions<'p>),
    /// Retention: see [`super::Retention`] and [`super::threshold_table`].
    KeyPoints,
    /// Key point recall: see [`super::Recall`].
    Recall,
    /// Faithful, comprehensive, useful: see [`super::Usefulness`].
    Usefulness,
    /// Errors of the gold map, see [`super::MapErrors`]; for the responses' own points, precision, see
    /// [`super::PointShare`].
    Placement(PlacementQuestion<'p>),
    /// Citation precision: see [`super::Attribution`].
    Attribution(AttributionQuestion<'p>),
    /// Queries worded anew: see [`super::Refinement`].
    Refinement(RefinementQuestions<'p>),
    /// Question recall and precision: see [`super::QuestionScores`].
    Answerability(AnswerQuestions<'p>),
    /// Extraction recall: see [`super::is_said`].
    Matching(&'p Question),
    /// The share of each label and tag, how much was written and listed: see [`super::question_labels`].
    Labels,
}

impl<'p> Scoring<'p> {
    /// Chooses by the protocol's target and questions, never by its name.
    pub fn of(protocol: &'p Protocol) -> Scoring<'p> {
        let by_kind = || {
            (CoverageQuestions::of(protocol).map(Scoring::Coverage))
                .or_else(|| PlacementQuestion::of(protocol).map(Scoring::Placement))
                .or_else(|| AttributionQuestion::of(protocol).map(Scoring::Attribution))
                .or_else(|| RefinementQuestions::of(protocol).map(Scoring::Refinement))
                .or_else(|| AnswerQuestions::of(protocol).map(Scoring::Answerability))
                .or_else(|| matching_question(protocol).map(Scoring::Matching))
        };
        match protocol {
            _ if is_about_key_points(protocol) => Scoring::KeyPoints,
            _ if is_about_recall(protocol) => Scoring::Recall,
            _ if is_about_usefulness(protocol) => Scoring::Usefulness,
            _ => by_kind().unwrap_or(Scoring::Labels),
        }
    }

    /// Keys of the questions that the scores read. What the protocol asks besides has tables of labels.
    pub fn reads(&self) -> Vec<&str> {
        match self {
            Scoring::Coverage(questions) => vec![&questions.coverage.key, &questions.bullet.key],
            Scoring::KeyPoints => KEY_POINT_QUESTIONS.to_vec(),
            Scoring::Recall => RECALL_QUESTIONS.to_vec(),
            Scoring::Usefulness => USEFULNESS_QUESTIONS.to_vec(),
            Scoring::Placement(question) => vec![question.key()],
            Scoring::Attribution(question) => vec![question.key()],
            Scoring::Refinement(questions) => questions.keys().to_vec(),
            Scoring::Answerability(questions) => questions.keys().to_vec(),
            Scoring::Matching(question) => vec![&question.key],
            Scoring::Labels => Vec::new(),
        }
    }
}

/// The two questions of a protocol about coverage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoverageQuestions<'p> {
    /// How far the unit is covered: an ordinal scale with scores from 0 to 100.
    coverage: &'p Question,
    /// By which bullet.
    bullet: &'p Question,
}

impl<'p> CoverageQuestions<'p> {
    /// The two questions, if the protocol's items are a candidate and a unit, its main question is ordinal
    /// with scores from 0 to 100, and it asks for a bullet; else `None`.
    pub fn of(protocol: &'p Protocol) -> Option<CoverageQuestions<'p>> {
        let coverage = protocol.main_question()?;
        let bullet = protocol
            .questions
            .iter()
            .find(|question| matches!(question.kind, QuestionKind::Bullet { .. }))?;
        let scores: Option<Vec<f64>> = coverage.choices().iter().map(|choice| choice.score).collect();
        let scores = scores?;
        let reaches = |end: f64| scores.contains(&end);
        let is_scale = matches!(coverage.kind, QuestionKind::Choice { scale: ChoiceScale::Ordinal, .. })
            && scores.iter().all(|score| (0.0..=100.0).contains(score))
            && reaches(0.0)
            && reaches(100.0);
        (is_scale && protocol.targets(TargetPart::Candidate) && protocol.targets(TargetPart::Unit))
            .then_some(CoverageQuestions { coverage, bullet })
    }

    /// What the answers say about a unit. A link counts only where it is asked for.
    pub fn read(&self, answers: &Answers) -> InsightSaid {
        let value = answers.get(&self.coverage.key).and_then(|answer| answer.as_text());
        let choice = self.coverage.choices().iter().find(|choice| Some(choice.value.as_str()) == value);
        let link = answers.get(&self.bullet.key).filter(|_| self.bullet.is_asked(answers));
        InsightSaid {
            coverage: choice.and_then(|choice| choice.score),
            bullets: link.map_or_else(Vec::new, |answer| answer.bullets().to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Answer, builtin};

    fn read(pairs: &[(&str, Answer)]) -> (Option<f64>, Vec<u32>) {
        let Scoring::Coverage(questions) = Scoring::of(builtin("coverage").expect("built in")) else {
            panic!("coverage is scored as coverage");
        };
        let answers = pairs.iter().map(|(key, answer)| ((*key).to_owned(), answer.clone())).collect();
        let judged = questions.read(&answers);
        (judged.coverage, judged.bullets)
    }

    #[test]
    fn answers_become_scores() {
        let choice = |value: &str| Answer::Text(value.to_owned());
        assert_eq!(read(&[]), (None, vec![]));
        assert_eq!(
            read(&[("coverage", choice("full")), ("bullet", Answer::Bullet(2))]),
            (Some(100.0), vec![2])
        );
        assert_eq!(
            read(&[("coverage", choice("partial")), ("bullet", Answer::Bullets(vec![1, 3]))]),
            (Some(50.0), vec![1, 3])
        );
        assert_eq!(read(&[("coverage", choice("full")), ("bullet", Answer::Nothing)]), (Some(100.0), vec![]));
        assert_eq!(read(&[("coverage", choice("full"))]), (Some(100.0), vec![]));
        assert_eq!(read(&[("coverage", choice("none")), ("bullet", Answer::Bullet(2))]), (Some(0.0), vec![]));
    }

    #[test]
    fn scores_are_chosen_by_what_is_asked() {
        assert_eq!(Scoring::of(builtin("keypoint").expect("built in")), Scoring::KeyPoints);
        let text = include_str!("../../assets/protocols/coverage.toml");
        let renamed = text.replace("name = \"coverage\"", "name = \"mine\"");
        let protocol = Protocol::parse(&renamed, "").expect("a protocol");
        assert!(matches!(Scoring::of(&protocol), Scoring::Coverage(_)));
        let rescaled = text.replace("score = 100", "score = 300");
        let protocol = Protocol::parse(&rescaled, "").expect("a protocol");
        assert_eq!(Scoring::of(&protocol), Scoring::Labels);
    }

    #[test]
    fn every_built_in_protocol_has_its_scores() {
        let chosen = |name: &str| Scoring::of(builtin(name).expect("built in"));
        assert_eq!(chosen("entailment"), Scoring::Recall);
        assert_eq!(chosen("faithfulness"), Scoring::Usefulness);
        assert!(matches!(chosen("placement"), Scoring::Placement(_)));
        assert!(matches!(chosen("attribution"), Scoring::Attribution(_)));
        assert!(matches!(chosen("refinement"), Scoring::Refinement(_)));
        assert!(matches!(chosen("answerability"), Scoring::Answerability(_)));
        assert!(matches!(chosen("match"), Scoring::Matching(_)));
        for name in ["failure", "extraction", "decomposition"] {
            assert_eq!(chosen(name), Scoring::Labels, "{name}");
        }
        for name in ["coverage", "keypoint", "entailment", "placement", "refinement", "answerability"] {
            let protocol = builtin(name).expect("built in");
            let keys: Vec<&str> = protocol.questions.iter().map(|question| question.key.as_str()).collect();
            assert_eq!(chosen(name).reads(), keys, "{name}");
        }
    }
}
