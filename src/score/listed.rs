//! Counts of tags, texts, and lists of points, passages or units.

use super::{Counted, ItemJudged, LabelCount, Score, Tally, Thing, Undefined, mean, was_offered};
use crate::protocol::{Answer, Choice, Protocol, Question};
use crate::text::words;

/// Counts of tags, or of passages marked with them. An item whose answer is "no tag" is judged too.
#[derive(Debug, Clone, PartialEq)]
pub struct TagCounts {
    pub judged: Counted,
    /// Every tag in the protocol's order, given or not, and last "none". An item may have several tags.
    pub tags: Vec<LabelCount>,
}

impl TagCounts {
    /// Counts the tags of these items. Answers to a question that is not asked do not count.
    pub fn of(question: &Question, items: &[Thing<'_, ItemJudged>]) -> TagCounts {
        let given = |item: &ItemJudged| match asked(question, item)? {
            Answer::Names(names) => Some(names.clone()),
            Answer::Passages(passages) => {
                // A passage without a tag counts as marked.
                Some(passages.iter().map(|passage| passage.tag.clone().unwrap_or_default()).collect())
            }
            Answer::Nothing => Some(Vec::new()),
            _ => None,
        };
        let tag = |tag: &Choice| {
            LabelCount::of(&tag.value, items, |item| {
                let names = given(item)?;
                was_offered(item.under.as_deref(), question, &tag.value).then(|| names.contains(&tag.value))
            })
        };
        let none = LabelCount::of("none", items, |item| given(item).map(|names| names.is_empty()));
        TagCounts {
            judged: Counted::of(items, |item| given(item).is_some()),
            tags: question.tags().iter().chain(question.marks()[0]).map(tag).chain([none]).collect(),
        }
    }
}

/// Counts of written texts.
#[derive(Debug, Clone, PartialEq)]
pub struct TextCounts {
    /// Items on which the text is asked for.
    pub asked: Counted,
    /// Items on which the text was written.
    pub written: Counted,
    /// Mean words of the texts.
    pub mean_words: Score,
}

impl TextCounts {
    pub fn of(question: &Question, items: &[Thing<'_, ItemJudged>]) -> TextCounts {
        let text = |item: &ItemJudged| Some(words::count(asked(question, item)?.as_text()?) as f64);
        TextCounts {
            asked: Counted::of(items, |item| was_asked(question, item)),
            written: Counted::of(items, |item| text(item).is_some()),
            mean_words: Score::over(items, Undefined::NothingWritten, text),
        }
    }
}

/// Counts of listed points, passages or units.
#[derive(Debug, Clone, PartialEq)]
pub struct ListCounts {
    /// Items with an answer; an empty list is an answer.
    pub judged: Counted,
    /// The number of entries in all judgments.
    pub listed: usize,
    /// Mean entries of an item.
    pub per_item: Score,
    /// Points with a passage, among the points, 0–100.
    pub with_passage: Score,
    /// Mean words of a point or passage; undefined for units, whose texts are not read.
    pub mean_words: Score,
}

/// One annotator's list on one item.
struct Listed {
    listed: f64,
    points: f64,
    with_passage: f64,
    texts: f64,
    words: f64,
}

impl ListCounts {
    /// Counts the lists of these items. An item with several lists counts with their mean.
    pub fn of(question: &Question, items: &[Thing<'_, ItemJudged>]) -> ListCounts {
        let mut counts = ListCounts {
            judged: Counted::default(),
            listed: 0,
            per_item: Score::new(Undefined::NothingJudged),
            with_passage: Score::new(Undefined::NothingWritten),
            mean_words: Score::new(Undefined::NothingWritten),
        };
        for item in items {
            let given = item.judgments.iter().filter_map(|one| asked(question, one));
            let lists: Vec<Listed> = given.map(Listed::of).collect();
            let of = |part: fn(&Listed) -> f64| mean(lists.iter().map(part)).unwrap_or(0.0);
            counts.judged.add(lists.len());
            counts.listed += lists.iter().map(|list| list.listed as usize).sum::<usize>();
            let per_item = mean(lists.iter().map(|list| list.listed));
            counts.per_item.add_drawn(item.cluster, Tally::one(per_item), item.drawn);
            let with_passage =
                Tally { sum: 100.0 * of(|list| list.with_passage), weight: of(|list| list.points) };
            counts.with_passage.add_drawn(item.cluster, with_passage, item.drawn);
            let words = Tally { sum: of(|list| list.words), weight: of(|list| list.texts) };
            counts.mean_words.add_drawn(item.cluster, words, item.drawn);
        }
        counts
    }
}

impl Listed {
    fn of(answer: &Answer) -> Listed {
        let points = answer.points();
        let texts: Vec<&str> = match answer {
            Answer::Points(points) => points.iter().map(|point| point.text.as_str()).collect(),
            Answer::Passages(passages) => passages.iter().map(|quote| quote.quote.as_str()).collect(),
            _ => Vec::new(),
        };
        Listed {
            listed: (texts.len() + answer.names().len()) as f64,
            points: points.len() as f64,
            with_passage: points.iter().filter(|point| !point.passages.is_empty()).count() as f64,
            texts: texts.len() as f64,
            words: texts.into_iter().map(words::count).sum::<usize>() as f64,
        }
    }
}

/// Whether the question is asked, also under the version that the answers were given under.
fn was_asked(question: &Question, item: &ItemJudged) -> bool {
    let is_in = |under: &Protocol| under.question(&question.key).is_some();
    item.under.as_deref().is_none_or(is_in) && question.is_asked(&item.answers)
}

/// The answer to the question, where it is asked.
fn asked<'a>(question: &Question, item: &'a ItemJudged) -> Option<&'a Answer> {
    item.answers.get(&question.key).filter(|_| question.is_asked(&item.answers))
}

#[cfg(test)]
mod tests {
    use super::super::items::tests::together;
    use super::*;
    use crate::protocol::{Answers, Point, Quote, builtin};
    use crate::score::Origin;

    fn item(answers: &[(&str, Answer)]) -> ItemJudged {
        let answers: Answers =
            answers.iter().map(|(key, answer)| ((*key).to_owned(), answer.clone())).collect();
        ItemJudged { origin: Origin::default(), answers, under: None }
    }

    /// Each an item of its own.
    fn items<const N: usize>(mut items: [ItemJudged; N]) -> [ItemJudged; N] {
        items.iter_mut().zip(0..).for_each(|(item, at)| item.origin.candidate = Some(format!("c{at}")));
        items
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
        let items = items([
            item(&[("failures", tags(&["general", "citation"]))]),
            item(&[("failures", tags(&["citation", "other"])), ("other", text("too long by half"))]),
            item(&[("failures", Answer::Nothing)]),
            item(&[("failures", tags(&["other"]))]),
            // Not asked any more.
            item(&[("other", text("left"))]),
        ]);
        let tags_of = |items: &[ItemJudged]| {
            together(items, |item| &item.origin, |items| TagCounts::of(question(failure, "failures"), items))
        };
        let counts = tags_of(&items);
        assert_eq!(counts.judged, Counted { items: 4, judgments: 4 });
        let by_name = |counts: &TagCounts, name: &str| {
            let tag = counts.tags.iter().find(|tag| tag.value == name).expect("a tag");
            (tag.counted.judgments, tag.share.value())
        };
        assert_eq!(by_name(&counts, "citation"), (2, Ok(50.0)));
        assert_eq!((by_name(&counts, "general").0, by_name(&counts, "irrelevant").0), (1, 0));
        assert_eq!(by_name(&counts, "none"), (1, Ok(25.0)));
        let texts =
            together(&items, |item| &item.origin, |items| TextCounts::of(question(failure, "other"), items));
        assert_eq!((texts.asked.items, texts.written.items, texts.mean_words.value()), (2, 1, Ok(4.0)));
        assert_eq!(by_name(&tags_of(&[]), "none"), (0, Err(Undefined::NothingJudged)));
        // A second person gives the first item no tag: citation is on half of it, so on (1/2 + 1 + 0 + 0) / 4.
        let again = ItemJudged { origin: items[0].origin.clone(), ..items[2].clone() };
        let counts = tags_of(&[&items[..], &[again]].concat());
        assert_eq!(
            (counts.judged, by_name(&counts, "citation").1),
            (Counted { items: 4, judgments: 5 }, Ok(37.5))
        );
    }

    #[test]
    fn points_are_counted_with_their_passages() {
        let extraction = builtin("extraction").expect("built in");
        let quote = Quote {
            document: "d".into(),
            start: None,
            quote: "tea".into(),
            hash: None,
            tag: None,
            severity: None,
        };
        let point = |text: &str, passages: usize| Point {
            text: text.into(),
            passages: vec![quote.clone(); passages],
        };
        let points = |points: &[Point]| item(&[("points", Answer::Points(points.to_vec()))]);
        let items = items([
            points(&[point("one two three", 2), point("four", 0)]),
            points(&[point("five six", 1)]),
            item(&[("points", Answer::Nothing)]),
            item(&[]),
        ]);
        let lists_of = |items: &[ItemJudged]| {
            together(
                items,
                |item| &item.origin,
                |items| ListCounts::of(question(extraction, "points"), items),
            )
        };
        let counts = lists_of(&items);
        // Three points on three items; two of them with a passage; (3 + 1 + 2) / 3 words.
        assert_eq!((counts.judged.items, counts.listed, counts.per_item.value()), (3, 3, Ok(1.0)));
        assert_eq!(counts.mean_words.value(), Ok(2.0));
        assert!((counts.with_passage.value().unwrap() - 200.0 / 3.0).abs() < 1e-9);
        let none = lists_of(&items[3..]);
        assert_eq!(
            (none.per_item.value(), none.mean_words.value()),
            (Err(Undefined::NothingJudged), Err(Undefined::NothingWritten))
        );
    }
}
