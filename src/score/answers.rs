//! Answers compared as texts: exact match, token F1, occurrence in a longer text.
//!
//! Source: Rajpurkar et al. 2016, SQuAD (exact match, token F1, normalised answers), as open-domain question answering
//! uses them; for Chinese, words of a segmenter take the place of tokens between spaces.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use crate::study::Meta;
use crate::text::{segment, words};

/// A text in the form in which answers are compared: lower case, without punctuation and English articles,
/// with single spaces.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Normalised(String);

impl Normalised {
    /// Normalises a text. The published code drops ASCII punctuation; here punctuation of any script is dropped.
    pub fn of(text: &str) -> Normalised {
        let kept: String =
            text.chars().flat_map(char::to_lowercase).filter(|c| !is_punctuation(*c)).collect();
        let words = kept.split_whitespace().filter(|word| !matches!(*word, "a" | "an" | "the"));
        Normalised(words.collect::<Vec<&str>>().join(" "))
    }

    /// Normalises texts; empty ones and repetitions are dropped.
    pub fn all(texts: &[&str]) -> Vec<Normalised> {
        let all: BTreeSet<Normalised> = texts.iter().map(|text| Normalised::of(text)).collect();
        all.into_iter().filter(|text| !text.is_empty()).collect()
    }

    /// Whether nothing is left of the text.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `answer` occurs in this text as whole words: "art" does not occur in "party". In a script without spaces, any
    /// place counts. An empty answer occurs nowhere.
    pub fn contains(&self, answer: &Normalised) -> bool {
        let inner =
            |side: Option<char>| side.is_some_and(|letter| letter != ' ' && !words::stands_alone(letter));
        let (first, last) = (answer.0.chars().next(), answer.0.chars().next_back());
        !answer.is_empty()
            && self.0.match_indices(&answer.0).any(|(start, found)| {
                let before = self.0.get(..start).and_then(|text| text.chars().next_back());
                let after = self.0.get(start + found.len()..).and_then(|text| text.chars().next());
                !(inner(before) && inner(first) || inner(last) && inner(after))
            })
    }

    /// The words, segmented where the text has Han characters.
    fn tokens(&self) -> Vec<String> {
        segment::words(&self.0)
    }
}

/// Whether a character is punctuation: ASCII's as in the published code, and that of other scripts.
fn is_punctuation(character: char) -> bool {
    match character {
        '\u{0}'..='\u{7F}' => character.is_ascii_punctuation(),
        '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205E}' | '\u{3001}'..='\u{3003}' => true,
        '\u{3008}'..='\u{3020}' | '\u{FF01}'..='\u{FF0F}' | '\u{FF1A}'..='\u{FF20}' => true,
        '\u{FF3B}'..='\u{FF40}' | '\u{FF5B}'..='\u{FF65}' | '\u{30FB}' => true,
        '¡' | '§' | '«' | '¶' | '·' | '»' | '¿' => true,
        _ => false,
    }
}

/// The gold answers of a query, where imports leave them in its `meta`: a text, or the texts of a list.
pub fn gold_answers(meta: &Meta) -> Vec<&str> {
    match meta.get("answers") {
        Some(Value::Array(values)) => values.iter().filter_map(Value::as_str).collect(),
        value => value.and_then(Value::as_str).into_iter().collect(),
    }
}

/// The answer predicted from a candidate, in its `meta`.
pub fn predicted_answer(meta: &Meta) -> Option<&str> {
    meta.get("answer").and_then(Value::as_str)
}

/// Whether `predicted` equals one of the gold answers.
pub fn exact_match(predicted: &Normalised, gold: &[Normalised]) -> bool {
    gold.contains(predicted)
}

/// The best token F1 of `predicted` and one of the gold answers, 0–100; 0 without any.
pub fn best_f1(predicted: &Normalised, gold: &[Normalised]) -> f64 {
    let predicted = predicted.tokens();
    gold.iter().map(|answer| token_f1(&predicted, &answer.tokens())).fold(0.0, f64::max)
}

/// F1 of two multisets of tokens, 0–100: the harmonic mean of (common / first) and (common / second).
/// Two empty ones are equal, as in the published code.
pub fn token_f1(first: &[String], second: &[String]) -> f64 {
    if first.is_empty() && second.is_empty() {
        return 100.0;
    }
    let mut left: HashMap<&str, usize> = HashMap::new();
    for token in first {
        *left.entry(token).or_default() += 1;
    }
    let mut common = 0;
    for token in second {
        if let Some(count) = left.get_mut(token.as_str()).filter(|count| **count > 0) {
            *count -= 1;
            common += 1;
        }
    }
    // 2 · P · R / (P + R) with P = common / first and R = common / second.
    200.0 * f64::from(common) / (first.len() + second.len()) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn answers_are_normalised_as_squad_does() {
        for (text, expected) in [
            ("The  Cat's\tpyjamas!", "cats pyjamas"),
            ("a.m.", "am"),
            ("An apple, a pear", "apple pear"),
            ("“Theatre”", "theatre"),
            ("《红楼梦》，曹雪芹。", "红楼梦曹雪芹"),
            ("the", ""),
        ] {
            assert_eq!(Normalised::of(text).0, expected, "{text}");
        }
    }

    #[test]
    fn an_answer_occurs_as_whole_words() {
        for (text, answer, expected) in [
            ("He came to the party.", "art", false),
            ("She studies the ART of war", "Art of War", true),
            ("parties and art", "art", true),
            ("In 1990s music", "1990", false),
            ("曹雪芹写了红楼梦", "红楼梦", true),
            ("iPhone手机", "手机", true),
            ("anything", "the", false),
        ] {
            let found = Normalised::of(text).contains(&Normalised::of(answer));
            assert_eq!(found, expected, "{answer} in {text}");
        }
    }

    #[test]
    fn tokens_overlap_as_multisets() {
        // Common: new, york, new; P 3/3, R 3/4, F1 6/7.
        let f1 = token_f1(&tokens("new york new"), &tokens("york new city new"));
        assert!((f1 - 600.0 / 7.0).abs() < 1e-9);
        // The second "new" has no partner: common 1, P 1/2, R 1/1, F1 2/3.
        assert!((token_f1(&tokens("new new"), &tokens("new")) - 200.0 / 3.0).abs() < 1e-9);
        assert_eq!(token_f1(&tokens("a"), &[]), 0.0);
        assert_eq!(token_f1(&[], &[]), 100.0);
    }

    #[test]
    fn the_best_gold_answer_counts() {
        let gold = ["Ida Brandt", "Brandt"].map(Normalised::of);
        let predicted = Normalised::of("the Brandt");
        assert!(exact_match(&predicted, &gold));
        // Ida of Brandt: 2 of 3 tokens in "ida brandt", P 2/3, R 1, F1 4/5; in "brandt" P 1/3, R 1, F1 1/2.
        assert!((best_f1(&Normalised::of("Ida of Brandt"), &gold) - 80.0).abs() < 1e-9);
        assert_eq!(best_f1(&predicted, &[]), 0.0);
    }
}
