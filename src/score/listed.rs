//! Answers that are no single choice: tags, texts, and lists of points, passages or units.

use super::labels::{ItemJudged, LabelCount};
use super::measure::{Measure, Undefined, percent};
use super::share::Share;
use crate::protocol::{Answer, Question};
use crate::text::words;

/// How often each tag was given. An item to which deliberately none was given is judged too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagCounts {
    pub judged: usize,
    /// Every tag in the protocol's order, given or not; an item may have several.
    pub tags: Vec<LabelCount>,
    /// Items without any.
    pub none: usize,
}

impl TagCounts {
    /// The tags of these items. Answers that stand although the question is not asked do not count.
    pub fn of<'a>(question: &Question, items: impl IntoIterator<Item = &'a ItemJudged>) -> TagCounts {
        let tag = |value: &String| LabelCount { value: value.clone(), count: 0 };
        let tags = question.tags().iter().map(|choice| tag(&choice.value)).collect();
        let mut counts = TagCounts { judged: 0, tags, none: 0 };
        for answer in items.into_iter().filter_map(|item| asked(question, item)) {
            let given = match answer {
                Answer::Names(names) => names.as_slice(),
                Answer::Nothing => &[],
                _ => continue,
            };
            counts.judged += 1;
            counts.none += usize::from(given.is_empty());
            for tag in counts.tags.iter_mut().filter(|tag| given.contains(&tag.value)) {
                tag.count += 1;
            }
        }
        counts
    }

    /// The share of items with this many of a tag, 0–100.
    pub fn share(&self, count: usize) -> Measure {
        percent(count, self.judged, Undefined::NothingJudged)
    }
}

/// How many texts were written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextCounts {
    /// Items on which the text is asked for.
    pub asked: usize,
    /// Those on which it was written.
    pub written: usize,
    /// Words of these texts, on average.
    pub mean_words: Measure,
}

impl TextCounts {
    /// The texts of these items.
    pub fn of<'a>(question: &Question, items: impl IntoIterator<Item = &'a ItemJudged>) -> TextCounts {
        let (mut asked_of, mut written, mut length) = (0, 0, 0);
        for item in items {
            asked_of += usize::from(question.is_asked(&item.answers));
            if let Some(text) = asked(question, item).and_then(Answer::as_text) {
                written += 1;
                length += words::length(text);
            }
        }
        TextCounts { asked: asked_of, written, mean_words: mean(length, written) }
    }
}

/// What was listed: points, passages or units.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ListCounts {
    /// Items with an answer, an empty list among them.
    pub judged: usize,
    pub listed: usize,
    /// Listed on an item, on average.
    pub per_item: Measure,
    /// Points with a passage, among the points.
    pub with_passage: Share,
    /// Words of a point or passage, on average; of units, whose texts are not looked at, undefined.
    pub mean_words: Measure,
}

impl ListCounts {
    /// What was listed on these items.
    pub fn of<'a>(question: &Question, items: impl IntoIterator<Item = &'a ItemJudged>) -> ListCounts {
        let mut counts = ListCounts {
            judged: 0,
            listed: 0,
            per_item: Err(Undefined::NothingJudged),
            with_passage: Share::default(),
            mean_words: Err(Undefined::NothingWritten),
        };
        let (mut texts, mut length) = (0, 0);
        for answer in items.into_iter().filter_map(|item| asked(question, item)) {
            let listed: Vec<&str> = match answer {
                Answer::Points(points) => {
                    points.iter().for_each(|point| counts.with_passage.count(!point.passages.is_empty()));
                    points.iter().map(|point| point.text.as_str()).collect()
                }
                Answer::Passages(passages) => passages.iter().map(|quote| quote.quote.as_str()).collect(),
                _ => Vec::new(),
            };
            counts.judged += 1;
            counts.listed += listed.len() + answer.names().len();
            texts += listed.len();
            length += listed.into_iter().map(words::length).sum::<usize>();
        }
        counts.mean_words = mean(length, texts);
        if counts.judged > 0 {
            counts.per_item = Ok(counts.listed as f64 / counts.judged as f64);
        }
        counts
    }
}

fn mean(sum: usize, count: usize) -> Measure {
    match count {
        0 => Err(Undefined::NothingWritten),
        _ => Ok(sum as f64 / count as f64),
    }
}

/// The answer to the question, where it is asked.
fn asked<'a>(question: &Question, item: &'a ItemJudged) -> Option<&'a Answer> {
    item.answers.get(&question.key).filter(|_| question.is_asked(&item.answers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::protocol::{Answers, Point, Protocol, Quote, builtin};
    use crate::score::Origin;

    fn item(answers: &[(&str, Answer)]) -> ItemJudged {
        let answers: Answers =
            answers.iter().map(|(key, answer)| ((*key).to_owned(), answer.clone())).collect();
        ItemJudged { origin: Origin::default(), answers }
    }

    fn question<'p>(protocol: &'p Protocol, key: &str) -> &'p Question {
        protocol.question(key).expect("it asks so")
    }

    fn tags(names: &[&str]) -> Answer {
        Answer::Names(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn tags_are_shares_of_the_judged() {
        let failure = builtin("failure").expect("built in");
        let text = |text: &str| Answer::Text(text.to_owned());
        let items = [
            item(&[("failures", tags(&["general", "citation"]))]),
            item(&[("failures", tags(&["citation", "other"])), ("other", text("too long by half"))]),
            item(&[("failures", Answer::Nothing)]),
            item(&[("failures", tags(&["other"]))]),
            // Not asked any more.
            item(&[("other", text("left"))]),
        ];
        let counts = TagCounts::of(question(failure, "failures"), &items);
        assert_eq!((counts.judged, counts.none), (4, 1));
        let by_name = |name: &str| counts.tags.iter().find(|tag| tag.value == name).map(|tag| tag.count);
        assert_eq!(
            (by_name("citation"), by_name("general"), by_name("irrelevant")),
            (Some(2), Some(1), Some(0))
        );
        assert_eq!(counts.share(2), Ok(50.0));
        let texts = TextCounts::of(question(failure, "other"), &items);
        assert_eq!((texts.asked, texts.written, texts.mean_words), (2, 1, Ok(4.0)));
        let none = TagCounts::of(question(failure, "failures"), &[]);
        assert_eq!(none.share(0), Err(Undefined::NothingJudged));
    }

    #[test]
    fn points_are_counted_with_their_passages() {
        let extraction = builtin("extraction").expect("built in");
        let quote = Quote { document: "d".into(), start: None, quote: "tea".into(), hash: None };
        let point = |text: &str, passages: usize| Point {
            text: text.into(),
            passages: vec![quote.clone(); passages],
        };
        let points = |points: &[Point]| item(&[("points", Answer::Points(points.to_vec()))]);
        let items = [
            points(&[point("one two three", 2), point("four", 0)]),
            points(&[point("five six", 1)]),
            item(&[("points", Answer::Nothing)]),
            item(&[]),
        ];
        let counts = ListCounts::of(question(extraction, "points"), &items);
        // Three points on three items; two of them with a passage; (3 + 1 + 2) / 3 words.
        assert_eq!((counts.judged, counts.listed, counts.per_item), (3, 3, Ok(1.0)));
        assert_eq!((counts.with_passage, counts.mean_words), (Share { part: 2, of: 3 }, Ok(2.0)));
        let none = ListCounts::of(question(extraction, "points"), &items[3..]);
        assert_eq!(
            (none.per_item, none.mean_words),
            (Err(Undefined::NothingJudged), Err(Undefined::NothingWritten))
        );
    }
}
