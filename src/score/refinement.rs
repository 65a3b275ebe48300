//! Refinement of queries: how many need it, how much they change, and how long judging takes.
//!
//! Source: Lyu et al. 2024, CRUD-RAG, §3.4 (5.8 % of the queries refined, about 20 s each, 5 % looked at again).

use super::{Counted, Measure, Origin, Score, Thing, Undefined, median, percent_of};
use crate::protocol::{Answer, Answers, Condition, Protocol, Question, QuestionKind, TargetPart};
use crate::text::grapheme::graphemes;

/// The questions of a protocol about the wording of queries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RefinementQuestions<'p> {
    verdict: &'p Question,
    /// The verdicts that ask for a new wording.
    needed: &'p Condition,
    refined: &'p Question,
}

impl<'p> RefinementQuestions<'p> {
    /// The two questions of a protocol whose items are queries: one has choices, the other, asked after some of them, takes a
    /// text that begins as the query's. `None` for other protocols.
    pub fn of(protocol: &'p Protocol) -> Option<RefinementQuestions<'p>> {
        let refined = protocol.questions.iter().find(|question| {
            matches!(question.kind, QuestionKind::Text { starts_with: Some(TargetPart::Query), .. })
        })?;
        let needed = refined.ask_when.as_ref()?;
        let verdict = protocol.question(&needed.question).filter(|verdict| !verdict.choices().is_empty())?;
        (protocol.target == [TargetPart::Query]).then_some(RefinementQuestions { verdict, needed, refined })
    }

    /// Reads whether the query needs refinement, if answered, and its new wording.
    pub fn read<'a>(&self, answers: &'a Answers) -> (Option<bool>, Option<&'a str>) {
        let is_answered = answers.get(&self.verdict.key).and_then(Answer::as_text).is_some();
        let needs = self.needed.holds(answers);
        let refined = answers.get(&self.refined.key).and_then(Answer::as_text).filter(|_| needs);
        (is_answered.then_some(needs), refined)
    }

    pub fn keys(&self) -> [&'p str; 2] {
        [&self.verdict.key, &self.refined.key]
    }
}

/// One annotator's judgment of one query.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct QueryJudged {
    pub origin: Origin,
    /// Whether the query needs refinement; `None` if not judged.
    pub needs: Option<bool>,
    /// The edit from the query to the refined text.
    pub edit: Option<Edit>,
    /// Active seconds spent on the query, where known.
    pub seconds: Option<f64>,
}

/// The edit distance of two texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edit {
    /// Levenshtein distance over grapheme clusters, the characters as a reader sees them in any script.
    pub distance: usize,
    /// Grapheme clusters of the first text.
    pub length: usize,
}

impl Edit {
    /// The edit from the first text to the second.
    pub fn between(first: &str, second: &str) -> Edit {
        let [first, second] =
            [first, second].map(|text| graphemes(text).map(|(_, grapheme)| grapheme).collect::<Vec<&str>>());
        Edit { distance: strsim::generic_levenshtein(&first, &second), length: first.len() }
    }
}

/// The refinement of a group of queries. A query that several people judged counts with the mean of their judgments.
#[derive(Debug, Clone, PartialEq)]
pub struct Refinement {
    pub judged: Counted,
    /// The number of judgments that a query needs refinement.
    pub needed: usize,
    /// The percentage of queries that need refinement.
    pub share_needed: Score,
    /// Queries with a refined text.
    pub refined: Counted,
    /// The mean edit distance of the refined queries; `median_distance` is the median.
    pub mean_distance: Score,
    pub median_distance: Measure,
    /// The mean of edit distance by length of the query, in percent; may be above 100.
    pub mean_share: Score,
    /// Queries with a known time; `median_seconds` is the median of their active seconds.
    pub timed: Counted,
    pub median_seconds: Measure,
}

impl Refinement {
    pub fn of(queries: &[Thing<'_, QueryJudged>]) -> Refinement {
        let distance = |query: &QueryJudged| query.needs.and(query.edit).map(|edit| edit.distance as f64);
        let share = |query: &QueryJudged| {
            let edit = query.needs.and(query.edit).filter(|edit| edit.length > 0)?;
            Some(100.0 * edit.distance as f64 / edit.length as f64)
        };
        let seconds = |query: &QueryJudged| query.needs.and(query.seconds);
        let means = |value: &dyn Fn(&QueryJudged) -> Option<f64>| -> Vec<f64> {
            queries.iter().filter_map(|query| query.mean(value)).collect()
        };
        Refinement {
            judged: Counted::of(queries, |query| query.needs.is_some()),
            needed: Counted::of(queries, |query| query.needs == Some(true)).judgments,
            share_needed: Score::over(queries, Undefined::NothingJudged, |query| query.needs.map(percent_of)),
            refined: Counted::of(queries, |query| distance(query).is_some()),
            mean_distance: Score::over(queries, Undefined::NothingRefined, distance),
            median_distance: median(means(&distance), Undefined::NothingRefined),
            mean_share: Score::over(queries, Undefined::NothingRefined, share),
            timed: Counted::of(queries, |query| seconds(query).is_some()),
            median_seconds: median(means(&seconds), Undefined::NoTimes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::items::tests::together;
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
        let query = |key: &str, needs, edit: Option<(usize, usize)>, seconds| QueryJudged {
            origin: Origin { query: key.into(), ..Origin::default() },
            needs,
            edit: edit.map(|(distance, length)| Edit { distance, length }),
            seconds,
        };
        let of = |queries: &[QueryJudged]| together(queries, |query| &query.origin, Refinement::of);
        let mut queries = vec![
            query("a", Some(true), Some((2, 10)), Some(30.0)),
            query("b", Some(true), Some((4, 8)), Some(10.0)),
            query("c", Some(true), Some((9, 9)), None),
            query("d", Some(false), None, Some(14.0)),
            query("e", None, None, Some(99.0)),
        ];
        let scores = of(&queries);
        assert_eq!((scores.needed, scores.judged.items, scores.refined.items), (3, 4, 3));
        assert_eq!(scores.share_needed.value(), Ok(75.0));
        // (2 + 4 + 9) / 3 = 5, median 4; (20 % + 50 % + 100 %) / 3; median of 10, 14, 30.
        assert_eq!((scores.mean_distance.value(), scores.median_distance), (Ok(5.0), Ok(4.0)));
        assert!((scores.mean_share.value().unwrap() - 170.0 / 3.0).abs() < 1e-9);
        assert_eq!((scores.timed.items, scores.median_seconds), (3, Ok(14.0)));
        // A second person edits the first query by 8 of 10 in 10 seconds, and leaves the third as it is: the edits are then
        // 5, 4 and 9, and the seconds 20, 10 and 14; (1 + 1 + 1/2 + 0) / 4 need it.
        queries.push(query("a", Some(true), Some((8, 10)), Some(10.0)));
        queries.push(query("c", Some(false), None, None));
        let scores = of(&queries);
        assert_eq!(
            (scores.judged, scores.share_needed.value()),
            (Counted { items: 4, judgments: 6 }, Ok(62.5))
        );
        assert_eq!((scores.mean_distance.value(), scores.median_distance), (Ok(6.0), Ok(5.0)));
        assert_eq!(scores.median_seconds, Ok(14.0));
        let none = of(&[]);
        assert_eq!(
            (none.mean_distance.value(), none.median_seconds),
            (Err(Undefined::NothingRefined), Err(Undefined::NoTimes))
        );
    }
}
