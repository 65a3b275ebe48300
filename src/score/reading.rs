//! Reading answers about coverage.

use super::InsightSaid;
use crate::protocol::{Answers, ChoiceScale, Protocol, Question, QuestionKind, TargetPart};

/// The two questions of a protocol about coverage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoverageQuestions<'p> {
    /// The question how far the unit is covered: an ordinal scale with scores from 0 to 100.
    coverage: &'p Question,
    /// The question that asks for the bullet.
    bullet: &'p Question,
}

impl<'p> CoverageQuestions<'p> {
    /// The two questions of a protocol whose items are a candidate and a unit: the main question is ordinal with scores from
    /// 0 to 100, the other asks for a bullet. `None` for other protocols.
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

    /// The keys of the two questions.
    pub fn keys(&self) -> [&'p str; 2] {
        [&self.coverage.key, &self.bullet.key]
    }

    /// Reads the answers about a unit. A link counts only where it is asked for.
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
        let questions = CoverageQuestions::of(builtin("coverage").expect("built in")).expect("coverage");
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
        assert!(CoverageQuestions::of(builtin("keypoint").expect("built in")).is_none());
        let text = include_str!("../../assets/protocols/coverage.toml");
        let renamed = text.replace("name = \"coverage\"", "name = \"mine\"");
        let protocol = Protocol::parse(&renamed, "").expect("a protocol");
        assert!(CoverageQuestions::of(&protocol).is_some());
        let rescaled = text.replace("score = 100", "score = 300");
        let protocol = Protocol::parse(&rescaled, "").expect("a protocol");
        assert!(CoverageQuestions::of(&protocol).is_none());
    }
}
