//! Sentences of a text that are most like another text: a guess where nobody marked the evidence.
//!
//! Sentences are those of UAX#29, which knows Chinese full stops. They are compared by their words
//! (pairs of characters where a script writes no spaces), each weighted by how rare it is among the
//! sentences: the cosine of TF-IDF vectors, without a model and without a network.

use std::collections::{HashMap, HashSet};

use unicode_segmentation::UnicodeSegmentation;

use super::bullets::split_sentences;
use super::span::Span;
use crate::number::short;

/// Sentences less like the text than this are no guess, whatever the others are.
const LEAST: f64 = 0.15;

/// Sentences less like the text than this share of the best one's likeness are no guess either.
const SHARE_OF_BEST: f64 = 0.6;

/// The sentences of one text, ready to be compared.
#[derive(Debug, Clone, Default)]
pub struct Sentences {
    spans: Vec<Span>,
    /// The sentences that hold each term, ascending.
    holders: HashMap<String, Vec<usize>>,
    /// Length of each sentence's vector.
    norms: Vec<f64>,
}

impl Sentences {
    /// Takes a text apart. About 30 ms for 600 KB; keep the result while the text stays.
    pub fn of(text: &str) -> Sentences {
        Sentences::of_parts(text, split_sentences(text))
    }

    /// Takes passages of a text, such as its bullets, in place of its sentences.
    pub fn among(text: &str, passages: &[Span]) -> Sentences {
        Sentences::of_parts(text, passages.iter().map(|passage| (passage.start(), passage.slice(text))))
    }

    fn of_parts<'t>(text: &str, parts: impl Iterator<Item = (usize, &'t str)>) -> Sentences {
        let mut sentences = Sentences::default();
        for (start, sentence) in parts {
            let trimmed = sentence.trim();
            if trimmed.is_empty() {
                continue;
            }
            let start = start + (sentence.len() - sentence.trim_start().len());
            let number = sentences.spans.len();
            sentences.spans.push(Span::around(text, start, start + trimmed.len()));
            for term in terms(trimmed) {
                sentences.holders.entry(term).or_default().push(number);
            }
        }
        sentences.norms = sentences.squares().into_iter().map(f64::sqrt).collect();
        sentences
    }

    /// Every sentence, in the order of the text, without the white space around it.
    pub fn spans(&self) -> &[Span] {
        &self.spans
    }

    fn squares(&self) -> Vec<f64> {
        let mut squares = vec![0.0; self.spans.len()];
        for holders in self.holders.values() {
            let weight = self.rarity(holders.len());
            for number in holders {
                if let Some(square) = squares.get_mut(*number) {
                    *square += weight * weight;
                }
            }
        }
        squares
    }

    /// ln(1 + n / held): a term in every sentence still weighs a little.
    fn rarity(&self, held: usize) -> f64 {
        let (all, held) = (real(self.spans.len()), real(held.max(1)));
        (1.0 + all / held).ln()
    }

    /// The sentences most like `text`, at most `most`, the most alike first; none where none is like it.
    pub fn most_like(&self, text: &str, most: usize) -> Vec<Span> {
        let mut products = vec![0.0; self.spans.len()];
        let mut square = 0.0;
        for term in terms(text) {
            let holders = self.holders.get(&term).map_or(&[][..], Vec::as_slice);
            let weight = self.rarity(holders.len());
            square += weight * weight;
            for number in holders {
                if let Some(product) = products.get_mut(*number) {
                    *product += weight * weight;
                }
            }
        }
        let likeness = |number: usize, product: f64| {
            let norm = self.norms.get(number).copied().unwrap_or(0.0) * f64::sqrt(square);
            if norm > 0.0 { product / norm } else { 0.0 }
        };
        let mut ranked: Vec<(f64, usize)> = products
            .iter()
            .enumerate()
            .map(|(number, product)| (likeness(number, *product), number))
            .collect();
        ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let best = ranked.first().map_or(0.0, |(likeness, _)| *likeness);
        let least = LEAST.max(best * SHARE_OF_BEST);
        let kept = ranked.into_iter().take(most).filter(|(likeness, _)| *likeness >= least);
        kept.filter_map(|(_, number)| self.spans.get(number).copied()).collect()
    }
}

fn real(count: usize) -> f64 {
    f64::from(short(count))
}

/// The words of a text in lower case, each once; neighbouring ideographs in pairs.
fn terms(text: &str) -> HashSet<String> {
    let mut terms = HashSet::new();
    let mut before: Option<(usize, &str)> = None;
    for (start, word) in text.unicode_word_indices() {
        if !is_ideograph(word) {
            terms.insert(word.to_lowercase());
            before = None;
            continue;
        }
        if let Some((previous, character)) = before
            && previous + character.len() == start
        {
            terms.insert(format!("{character}{word}"));
        }
        before = Some((start, word));
    }
    terms
}

/// Whether a word is one character of a script that UAX#29 cuts into single characters.
fn is_ideograph(word: &str) -> bool {
    let mut characters = word.chars();
    let first = characters.next();
    characters.next().is_none()
        && first.is_some_and(|character| {
            matches!(character, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, needle: &str, expected: &[&str]) {
        let found = Sentences::of(text).most_like(needle, 2);
        let found: Vec<&str> = found.iter().map(|span| span.slice(text)).collect();
        assert_eq!(found, expected, "for {needle}");
    }

    const ENGLISH: &str = "The old boiler was loud. From January the grant falls from 40 to 20 percent. \
                           Neighbours complained about the noise. A grant needs an application.";
    const CHINESE: &str =
        "冬天开车要小心。低温时电池的化学反应变慢，续航下降。预热电池可以减少损失！老板送了一碟腌萝卜。";

    #[test]
    fn the_sentence_with_the_rare_words_is_found() {
        check(
            ENGLISH,
            "the grant falls to 20 percent",
            &["From January the grant falls from 40 to 20 percent."],
        );
        check(CHINESE, "电池预热能减少续航损失", &["预热电池可以减少损失！"]);
        check(CHINESE, "化学反应变慢", &["低温时电池的化学反应变慢，续航下降。"]);
    }

    #[test]
    fn the_most_alike_comes_first() {
        let text = "It rained. The grant for pumps falls. Nobody came. The grant for pumps falls soon.";
        let expected = ["The grant for pumps falls soon.", "The grant for pumps falls."];
        check(text, "the grant for pumps falls soon", &expected);
    }

    #[test]
    fn what_is_not_there_is_not_guessed() {
        check(ENGLISH, "submarines", &[]);
        check(ENGLISH, "", &[]);
        check("", "grant", &[]);
    }

    #[test]
    fn spans_are_those_of_the_text() {
        let text = "  One.\n\nTwo grants!  ";
        check(text, "grants", &["Two grants!"]);
    }
}
