//! The order of names: numbers in them count as numbers.

use std::cmp::Ordering;

/// A piece of a word: a run of digits counts as their number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum NamePiece {
    /// Digits without leading zeros: the longer is the greater.
    Number(usize, String),
    Letters(String),
}

/// The order in which people look for names: `c2` before `c10`, whatever the case.
pub fn natural(word: &str) -> Vec<NamePiece> {
    let mut pieces = Vec::new();
    let mut rest = word;
    while let Some(first) = rest.chars().next() {
        let is_number = first.is_ascii_digit();
        let end = rest.find(|character: char| character.is_ascii_digit() != is_number).unwrap_or(rest.len());
        let (piece, behind) = rest.split_at_checked(end).unwrap_or((rest, ""));
        pieces.push(if is_number {
            let digits = piece.trim_start_matches('0');
            NamePiece::Number(digits.len(), digits.to_owned())
        } else {
            NamePiece::Letters(piece.to_lowercase())
        });
        rest = behind;
    }
    pieces
}

/// The order of two names: `A9` before `A10`. Names that are alike but for their case or zeros are ordered by their letters.
pub fn by_name(one: &str, other: &str) -> Ordering {
    natural(one).cmp(&natural(other)).then_with(|| one.cmp(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = ["A10", "b", "A9", "a2", "A1", "A01", "模型10", "模型9", "", "A9x"];
        names.sort_by(|one, other| by_name(one, other));
        assert_eq!(names, ["", "A01", "A1", "a2", "A9", "A9x", "A10", "b", "模型9", "模型10"]);
    }
}
