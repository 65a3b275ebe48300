//! Query refinement: how many queries cannot stay as they are, how much they are changed, and what the judging takes.
//!
//! Source: Lyu et al. 2024, CRUD-RAG, §3.4 (5.8 % of the queries refined, about 20 s each, 5 % looked at again).

use super::measure::{Mean, Measure, Undefined, median};
use super::origin::Origin;
use super::share::Share;
use crate::protocol::{Answer, Answers, Condition, Part, Protocol, Question, QuestionKind};
use crate::text::grapheme::graphemes;

/// The questions of a protocol about the wording of queries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RefinementQuestions<'p> {
    verdict: &'p Question,
    /// The verdicts under which the query is worded anew.
    needed: &'p Condition,
    refined: &'p Question,
}

impl<'p> RefinementQuestions<'p> {
    /// The questions of a protocol whose items are queries, which asks for a choice, and upon some
    /// choices for a text that begins with the query's; `None` for any other.
    pub fn of(protocol: &'p Protocol) -> Option<RefinementQuestions<'p>> {
        let refined = protocol.questions.iter().find(|question| {
            matches!(question.kind, QuestionKind::Text { starts_with: Some(Part::Query), .. })
        })?;
        let needed = refined.ask_when.as_ref()?;
        let verdict = protocol.question(&needed.question).filter(|verdict| !verdict.choices().is_empty())?;
        (protocol.target == [Part::Query]).then_some(RefinementQuestions { verdict, needed, refined })
    }

    /// Whether the query needs refinement, as far as the answers say, and its new wording.
    pub fn read<'a>(&self, answers: &'a Answers) -> (Option<bool>, Option<&'a str>) {
        let is_answered = answers.get(&self.verdict.key).and_then(Answer::as_text).is_some();
        let needs = self.needed.holds(answers);
        let refined = answers.get(&self.refined.key).and_then(Answer::as_text).filter(|_| needs);
        (is_answered.then_some(needs), refined)
    }

    /// Keys of the questions.
    pub fn keys(&self) -> [&'p str; 2] {
        [&self.verdict.key, &self.refined.key]
    }
}

/// One annotator's judgment of one query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueryJudged {
    pub origin: Origin,
    /// Whether it needs refinement; `None` where that is not judged.
    pub needs: Option<bool>,
    /// What its refined text differs by.
    pub edit: Option<Edit>,
    /// Active seconds spent on it, where known.
    pub seconds: Option<f64>,
}

/// How far a text is from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edit {
    /// Levenshtein distance over grapheme clusters: what a reader takes for characters, in any script.
    pub distance: usize,
    /// Grapheme clusters of the first text.
    pub length: usize,
}

impl Edit {
    /// What it takes to make the second text of the first.
    pub fn between(first: &str, second: &str) -> Edit {
        let [first, second] =
            [first, second].map(|text| graphemes(text).map(|(_, grapheme)| grapheme).collect::<Vec<&str>>());
        Edit { distance: strsim::generic_levenshtein(&first, &second), length: first.len() }
    }
}

/// The refinement of a group of queries.
#[derive(Debug, Clone, PartialEq)]
pub struct Refinement {
    /// Queries that need it among those that are judged.
    pub needed: Share,
    /// Those with a refined text.
    pub refined: usize,
    /// Mean and median edit distance of these.
    pub mean_distance: Measure,
    pub median_distance: Measure,
    /// Mean of (edit distance / length of the query), 0–100 and more.
    pub mean_share: Measure,
    /// Judgments whose time is known, and the median of their active seconds.
    pub timed: usize,
    pub median_seconds: Measure,
}

impl Refinement {
    /// The refinement of these queries.
    pub fn of<'a>(queries: impl IntoIterator<Item = &'a QueryJudged>) -> Refinement {
        let judged: Vec<&QueryJudged> = queries.into_iter().filter(|query| query.needs.is_some()).collect();
        let edits = || judged.iter().filter_map(|query| query.edit);
        let distances: Vec<f64> = edits().map(|edit| edit.distance as f64).collect();
        let shares = edits().filter(|edit| edit.length > 0);
        let shares: Mean = shares.map(|edit| 100.0 * edit.distance as f64 / edit.length as f64).collect();
        let seconds: Vec<f64> = judged.iter().filter_map(|query| query.seconds).collect();
        Refinement {
            needed: judged.iter().filter_map(|query| query.needs).collect(),
            refined: distances.len(),
            mean_distance: distances.iter().copied().collect::<Mean>().or(Undefined::NothingRefined),
            median_distance: median(distances, Undefined::NothingRefined),
            mean_share: shares.or(Undefined::NothingRefined),
            timed: seconds.len(),
            median_seconds: median(seconds, Undefined::NoTimes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::builtin;

    #[test]
    fn answers_are_read() {
        let protocol = builtin("refinement").expect("built in");
        let questions = RefinementQuestions::of(protocol).expect("about queries");
        let answers = |pairs: &[(&str, &str)]| -> Answers {
            let answer = |(key, value): &(&str, &str)| ((*key).to_owned(), Answer::Text((*value).to_owned()));
            pairs.iter().map(answer).collect()
        };
        assert_eq!(questions.read(&answers(&[])), (None, None));
        let needed = answers(&[("verdict", "needs_refinement"), ("refined", "Who?")]);
        assert_eq!(questions.read(&needed), (Some(true), Some("Who?")));
        // A text left from before the verdict was changed does not count.
        let changed = answers(&[("verdict", "reasonable"), ("refined", "Who?")]);
        assert_eq!(questions.read(&changed), (Some(false), None));
        assert!(RefinementQuestions::of(builtin("failure").expect("built in")).is_none());
    }

    #[test]
    fn characters_are_what_a_reader_takes_for_them() {
        // kitten → sitting: k→s, e→i, +g.
        assert_eq!(Edit::between("kitten", "sitting"), Edit { distance: 3, length: 6 });
        // é of two code points is one character, and so is a flag.
        assert_eq!(Edit::between("cafe\u{301}", "cafe"), Edit { distance: 1, length: 4 });
        assert_eq!(Edit::between("🇩🇪!", "🇫🇷!"), Edit { distance: 1, length: 2 });
        assert_eq!(Edit::between("热泵怎么样", "热泵效率怎么样"), Edit { distance: 2, length: 5 });
        assert_eq!(Edit::between("aaa", "aa"), Edit { distance: 1, length: 3 });
        assert_eq!(Edit::between("", "ab"), Edit { distance: 2, length: 0 });
    }

    #[test]
    fn shares_distances_and_times() {
        let query = |needs, edit: Option<(usize, usize)>, seconds| QueryJudged {
            needs,
            edit: edit.map(|(distance, length)| Edit { distance, length }),
            seconds,
            ..QueryJudged::default()
        };
        let scores = Refinement::of(&[
            query(Some(true), Some((2, 10)), Some(30.0)),
            query(Some(true), Some((4, 8)), Some(10.0)),
            query(Some(true), Some((9, 9)), None),
            query(Some(false), None, Some(14.0)),
            query(None, None, Some(99.0)),
        ]);
        assert_eq!((scores.needed, scores.refined), (Share { part: 3, of: 4 }, 3));
        // (2 + 4 + 9) / 3 = 5, median 4; (20 % + 50 % + 100 %) / 3; median of 10, 14, 30.
        assert_eq!((scores.mean_distance, scores.median_distance), (Ok(5.0), Ok(4.0)));
        assert!((scores.mean_share.unwrap() - 170.0 / 3.0).abs() < 1e-9);
        assert_eq!((scores.timed, scores.median_seconds), (3, Ok(14.0)));
        let none = Refinement::of(&[]);
        assert_eq!(
            (none.mean_distance, none.median_seconds),
            (Err(Undefined::NothingRefined), Err(Undefined::NoTimes))
        );
    }
}
