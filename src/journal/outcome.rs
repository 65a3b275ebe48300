//! The outcome of an item: agreed by a rule, decided by an adjudicator, or unresolved.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;
use crate::protocol::{Answer, Answers};

/// The rule by which answers count without an adjudicator. Written `all agree`, or `majority of 3`; with ` or single`
/// behind it the answers of one person alone count too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConsensusRule {
    pub agreement: Agreement,
    /// Whether the answers count where only one person judged the item.
    pub single: bool,
}

/// How many annotators have to say the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// Everyone who judged the item, and two at least.
    All,
    /// More than half of this number, or of the item's annotators where these are more.
    MajorityOf(usize),
}

impl Default for ConsensusRule {
    fn default() -> ConsensusRule {
        ConsensusRule { agreement: Agreement::All, single: false }
    }
}

impl fmt::Display for ConsensusRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.agreement {
            Agreement::All => formatter.write_str("all agree")?,
            Agreement::MajorityOf(number) => write!(formatter, "majority of {number}")?,
        }
        formatter.write_str(if self.single { " or single" } else { "" })
    }
}

impl FromStr for ConsensusRule {
    type Err = Error;

    fn from_str(text: &str) -> Result<ConsensusRule, Error> {
        let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (rest, single) = match words.strip_suffix(" or single") {
            Some(rest) => (rest, true),
            None => (words.as_str(), false),
        };
        let number = rest.strip_prefix("majority of ").and_then(|number| number.parse().ok());
        let agreement = match (rest, number) {
            ("all agree", _) => Some(Agreement::All),
            (_, Some(number @ 1..)) => Some(Agreement::MajorityOf(number)),
            _ => None,
        };
        let agreement = agreement.ok_or_else(|| {
            Error::usage(format!("{text:?} is no rule for gold")).advise(
                "write \"all agree\" or \"majority of 3\", with \" or single\" behind it where one person is enough",
            )
        })?;
        Ok(ConsensusRule { agreement, single })
    }
}

named! {
    /// The way in which the answers to an item came about.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Outcome {
        /// At least two people judged it, and all say the same.
        Unanimous = "unanimous",
        /// Enough people say the same.
        Majority = "majority",
        /// One person judged it, and the rule takes that as enough.
        Single = "single",
        /// An adjudicator decided.
        Adjudicated = "adjudicated",
        /// People differ, or too few judged it, and nobody decided.
        Unresolved = "unresolved",
    }
}

impl ConsensusRule {
    /// The outcome of an item and the answers that count, from everyone's finished answers and the adjudicator's complete
    /// ones, if any. A decision always wins. There are no answers exactly when the item is unresolved.
    pub fn outcome<'a>(
        &self,
        given: &[&'a Answers],
        decided: Option<&'a Answers>,
    ) -> (Outcome, Option<&'a Answers>) {
        if let Some(answers) = decided {
            return (Outcome::Adjudicated, Some(answers));
        }
        let (most, votes) = most_given(given);
        let is_enough = match (self.agreement, given.len()) {
            (_, 0) => false,
            (Agreement::All, 1) => self.single,
            (Agreement::All, raters) => votes == raters,
            // More than half, whatever the annotators who are still missing would say.
            (Agreement::MajorityOf(number), raters) => {
                2 * votes > number.max(raters) || (self.single && raters == 1)
            }
        };
        let outcome = match given.len() {
            _ if !is_enough => return (Outcome::Unresolved, None),
            1 => Outcome::Single,
            raters if votes == raters => Outcome::Unanimous,
            _ => Outcome::Majority,
        };
        (outcome, most)
    }
}

/// The answers that most people gave, the first of several, and how many gave them.
fn most_given<'a>(given: &[&'a Answers]) -> (Option<&'a Answers>, usize) {
    let votes = |answers: &Answers| given.iter().filter(|other| say_the_same(answers, other)).count();
    let mut best: (Option<&'a Answers>, usize) = (None, 0);
    for answers in given {
        let count = votes(answers);
        if count > best.1 {
            best = (Some(answers), count);
        }
    }
    best
}

/// Whether two judgments answer every question alike. A bullet and a list of that bullet alone are the same link,
/// and lists of bullets are sets.
pub fn say_the_same(one: &Answers, other: &Answers) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).all(|((question, answer), (other_question, other_answer))| {
            question == other_question && are_alike(answer, other_answer)
        })
}

fn are_alike(one: &Answer, other: &Answer) -> bool {
    if one == other {
        return true;
    }
    let linked = |answer: &Answer| {
        let mut bullets = answer.bullets().to_vec();
        bullets.sort_unstable();
        bullets.dedup();
        bullets
    };
    let named = |answer: &Answer| {
        let mut names = answer.names().to_vec();
        names.sort_unstable();
        names
    };
    match (one, other) {
        (Answer::Bullet(_) | Answer::Bullets(_), Answer::Bullet(_) | Answer::Bullets(_)) => {
            linked(one) == linked(other)
        }
        (Answer::Names(_), Answer::Names(_)) => named(one) == named(other),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(coverage: &str, bullet: Option<Answer>) -> Answers {
        let mut answers: Answers = [("coverage".to_owned(), Answer::Text(coverage.into()))].into();
        answers.extend(bullet.map(|bullet| ("bullet".to_owned(), bullet)));
        answers
    }

    fn outcome(rule: &str, given: &[&Answers]) -> (Outcome, Option<Answers>) {
        let rule: ConsensusRule = rule.parse().expect(rule);
        let (outcome, answers) = rule.outcome(given, None);
        (outcome, answers.cloned())
    }

    #[test]
    fn outcomes_go_by_the_rule_that_is_named() {
        let (yes, no) = (answers("full", Some(Answer::Bullet(2))), answers("none", None));
        for (rule, given, expected) in [
            ("all agree", vec![&yes, &yes], Outcome::Unanimous),
            ("all agree", vec![&yes, &yes, &no], Outcome::Unresolved),
            // One person agrees with nobody.
            ("all agree", vec![&yes], Outcome::Unresolved),
            ("all agree or single", vec![&yes], Outcome::Single),
            ("all agree or single", vec![&yes, &no], Outcome::Unresolved),
            ("all agree", vec![], Outcome::Unresolved),
            ("all agree or single", vec![], Outcome::Unresolved),
            // 2 of 3 are more than half of three; so are 2 of 2, whatever the third would say.
            ("majority of 3", vec![&yes, &no, &yes], Outcome::Majority),
            ("majority of 3", vec![&yes, &yes], Outcome::Unanimous),
            ("majority of 3", vec![&yes], Outcome::Unresolved),
            ("majority of 3 or single", vec![&yes], Outcome::Single),
            // 2 of 4 are no more than half, though 2 is more than half of three.
            ("majority of 3", vec![&yes, &yes, &no, &no], Outcome::Unresolved),
            ("majority of 5", vec![&yes, &yes], Outcome::Unresolved),
            ("majority of 1", vec![&yes], Outcome::Single),
            ("majority of 1", vec![&yes, &no], Outcome::Unresolved),
        ] {
            let expected_answers = (expected != Outcome::Unresolved).then(|| yes.clone());
            assert_eq!(outcome(rule, &given), (expected, expected_answers), "{rule} {}", given.len());
        }
    }

    #[test]
    fn a_decision_wins_over_everyone() {
        let (yes, no) = (answers("full", None), answers("none", None));
        let rule = ConsensusRule::default();
        assert_eq!(rule.outcome(&[&yes, &yes], Some(&no)), (Outcome::Adjudicated, Some(&no)));
        assert_eq!(rule.outcome(&[], Some(&no)), (Outcome::Adjudicated, Some(&no)));
    }

    #[test]
    fn links_are_sets_and_every_question_counts() {
        let one = answers("full", Some(Answer::Bullet(2)));
        let list = answers("full", Some(Answer::Bullets(vec![2])));
        let two = answers("full", Some(Answer::Bullets(vec![3, 2])));
        assert!(say_the_same(&one, &list));
        assert!(say_the_same(&two, &answers("full", Some(Answer::Bullets(vec![2, 3])))));
        assert!(!say_the_same(&one, &two) && !say_the_same(&one, &answers("full", None)));
        let tags = |names: [&str; 2]| answers("full", Some(Answer::Names(names.map(str::to_owned).to_vec())));
        assert!(say_the_same(&tags(["a", "b"]), &tags(["b", "a"])));
        assert!(!say_the_same(&answers("full", Some(Answer::Nothing)), &answers("full", None)));
    }

    #[test]
    fn rules_are_written_as_they_are_read() {
        for text in ["all agree", "majority of 3", "all agree or single", "majority of 12 or single"] {
            assert_eq!(text.parse::<ConsensusRule>().expect(text).to_string(), text);
        }
        assert_eq!(" all   agree ".parse::<ConsensusRule>().expect("spaces").to_string(), "all agree");
        for wrong in ["", "majority", "majority of 0", "majority of x", "single", "none agree"] {
            assert!(wrong.parse::<ConsensusRule>().is_err(), "{wrong}");
        }
    }
}
