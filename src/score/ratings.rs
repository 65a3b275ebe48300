//! Answers as ratings, for agreement: the choices of a choice question, and yes or no for each tag.

use std::fmt::Write as _;

use crate::agreement::{Category, Ratings, RatingsBuilder, Scale, TableError};
use crate::number::{NO_PLACE, short};
use crate::protocol::{self, Answer, Answers, Choice, Question, QuestionKind};

/// The labels by which answers to a question are compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Labels {
    /// The tag, for one of the tags of a question; its labels are `no` and `yes`.
    pub tag: Option<String>,
    pub scale: Scale,
    /// The labels with their numbers, in scale order: the score of each choice, else its place, from 0.
    pub categories: Vec<Category>,
}

/// The labels of a tag.
const GIVEN: &str = "yes";
const NOT_GIVEN: &str = "no";

impl Labels {
    /// The labels of a question: one set for a choice question, one for each tag, none for other questions.
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

    /// The labels of a choice question; `None` for other questions.
    pub fn of_choice(question: &Question) -> Option<Labels> {
        let QuestionKind::Choice { scale, choices } = &question.kind else { return None };
        let scale = match scale {
            protocol::ChoiceScale::Nominal => Scale::Nominal,
            protocol::ChoiceScale::Ordinal => Scale::Ordinal,
            protocol::ChoiceScale::Interval => Scale::Interval,
        };
        let category = |(choice, place): (&Choice, i32)| {
            Category::new(choice.value.clone(), choice.score.unwrap_or(f64::from(place)))
        };
        Some(Labels { tag: None, scale, categories: choices.iter().zip(0..).map(category).collect() })
    }

    /// The number of the category of an answer, if it has one.
    pub fn code(&self, answer: &Answer) -> Option<u8> {
        let label = self.label(answer)?;
        let place = self.categories.iter().position(|category| category.label == label)?;
        u8::try_from(place).ok()
    }

    /// The number of the category for each set of answers. Answers to a question that is not asked do not count.
    pub fn codes(&self, question: &Question, sets: &[Answers]) -> Vec<Option<u8>> {
        let asked = |answers: &Answers| question.is_asked(answers);
        let code = |answers: &Answers| self.code(answers.get(&question.key).filter(|_| asked(answers))?);
        sets.iter().map(code).collect()
    }

    /// The label of an answer, if it has one.
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

/// Makes a table of ratings, each given by the number of the item, which becomes its name, the number of the rater, and the
/// category from [`Labels::code`].
///
/// # Errors
/// An item is rated twice by a rater, or there are more raters or items than a table holds.
pub fn ratings_of(
    labels: &Labels,
    raters: &[&str],
    given: impl IntoIterator<Item = (u32, usize, u8)>,
) -> Result<Ratings, TableError> {
    let mut builder = RatingsBuilder::new(labels.scale, labels.categories.clone())?;
    for rater in raters {
        builder.rater(rater)?;
    }
    // Items by number, so that each name is looked up once.
    let mut known: Vec<u32> = Vec::new();
    let mut name = String::new();
    for (number, rater, category) in given {
        let place = number as usize;
        if known.len() <= place {
            known.resize(place + 1, NO_PLACE);
        }
        if known[place] == NO_PLACE {
            name.clear();
            write!(name, "{number}").unwrap_or_default(); // a string takes all
            // A table has fewer than 2³² items.
            known[place] = short(builder.item(&name)?);
        }
        builder.set(known[place] as usize, rater, category)?;
    }
    Ok(builder.finish())
}
