//! Answers as ratings, for agreement: a choice question as it is, a question with tags as one yes or no a tag.

use crate::agreement::{Category, Ratings, RatingsBuilder, Scale, TableError};
use crate::protocol::{self, Answer, Choice, Question, QuestionKind};

/// The labels that answers to a question are compared by.
#[derive(Debug, Clone, PartialEq)]
pub struct Labels {
    /// Where it is one of several tags: the tag, whose labels are `no` and `yes`.
    pub tag: Option<String>,
    pub scale: Scale,
    /// With their numbers, in scale order: the score of each choice, else its place counted from 0.
    pub categories: Vec<Category>,
}

/// The labels of a tag.
const GIVEN: &str = "yes";
const NOT_GIVEN: &str = "no";

impl Labels {
    /// One for a choice question, one a tag for a question with tags, none for others.
    pub fn of(question: &Question) -> Vec<Labels> {
        let tag = |tag: &Choice| Labels {
            tag: Some(tag.value.clone()),
            scale: Scale::Nominal,
            categories: vec![Category::new(NOT_GIVEN, 0.0), Category::new(GIVEN, 1.0)],
        };
        match &question.kind {
            QuestionKind::Tags { tags } => tags.iter().map(tag).collect(),
            _ => Labels::of_choice(question).into_iter().collect(),
        }
    }

    /// Those of a choice question.
    pub fn of_choice(question: &Question) -> Option<Labels> {
        let QuestionKind::Choice { scale, choices } = &question.kind else {
            return None;
        };
        let scale = match scale {
            protocol::Scale::Nominal => Scale::Nominal,
            protocol::Scale::Ordinal => Scale::Ordinal,
        };
        let category = |(choice, place): (&Choice, i32)| {
            Category::new(choice.value.clone(), choice.score.unwrap_or(f64::from(place)))
        };
        Some(Labels { tag: None, scale, categories: choices.iter().zip(0..).map(category).collect() })
    }

    /// The label that an answer gives, if it gives one.
    pub fn label<'a>(&self, answer: &'a Answer) -> Option<&'a str> {
        match (&self.tag, answer) {
            (None, Answer::Text(value)) => Some(value),
            (Some(tag), Answer::Names(_) | Answer::Nothing) => {
                Some(if answer.names().contains(tag) { GIVEN } else { NOT_GIVEN })
            }
            _ => None,
        }
    }
}

/// The ratings that answers give: the number of an item, which names it, that of a rater, and the answer. An answer that is none
/// of the labels gives none.
///
/// # Errors
/// An item is rated twice by a rater, or there are more raters or items than a table holds.
pub fn ratings_of<'a>(
    labels: &Labels,
    raters: &[&str],
    given: impl IntoIterator<Item = (u32, usize, &'a Answer)>,
) -> Result<Ratings, TableError> {
    let mut builder = RatingsBuilder::new(labels.scale, labels.categories.clone())?;
    for rater in raters {
        builder.rater(rater)?;
    }
    // By number: a name is looked up once.
    let mut known: Vec<Option<usize>> = Vec::new();
    for (number, rater, answer) in given {
        let Some(category) = labels.label(answer).and_then(|label| builder.category(label)) else {
            continue;
        };
        let place = number as usize;
        known.resize(known.len().max(place + 1), None);
        let item = match known[place] {
            Some(item) => item,
            None => builder.item(&number.to_string())?,
        };
        known[place] = Some(item);
        builder.set(item, rater, category)?;
    }
    Ok(builder.finish())
}
