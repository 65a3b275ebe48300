//! Glyphs on whose width terminals disagree.

use unicode_width::UnicodeWidthChar;

use super::grid::Symbol;

/// Box drawing and block elements: ambiguous by the standard, one column wherever anyone draws frames with them.
const LINES: std::ops::RangeInclusive<char> = '\u{2500}'..='\u{259f}';

/// How many columns a terminal may take for a glyph that we count as `columns` wide, if terminals
/// disagree; else `None`.
///
/// In doubt are emoji and pictographs (older Unicode tables), graphemes with joiners or variation selectors (many
/// terminals add up their parts), and symbols and punctuation of ambiguous width (UAX #11).
/// Letters of ambiguous width are not in doubt: they are Greek, Cyrillic and half of Latin, and no terminal draws them wide
/// unless told so. For these the absolute move to each row has to do.
pub(super) fn reach(symbol: &Symbol, columns: usize) -> Option<usize> {
    match symbol {
        Symbol::Char(character) if character.is_ascii() && columns == 1 => None,
        Symbol::Char(character) => reach_of_char(*character, columns),
        Symbol::Cluster(text) => reach_of_cluster(text, columns),
        Symbol::Rest => None,
    }
}

fn reach_of_char(character: char, columns: usize) -> Option<usize> {
    if LINES.contains(&character) {
        return None;
    }
    let narrow = character.width().unwrap_or(0);
    let wide = character.width_cjk().unwrap_or(0);
    let ambiguous = narrow != wide && !character.is_alphabetic();
    (ambiguous || is_pictograph(character) || narrow != columns).then(|| columns.max(wide).max(2))
}

fn reach_of_cluster(text: &str, columns: usize) -> Option<usize> {
    let sum = |width: fn(char) -> Option<usize>| text.chars().filter_map(width).sum::<usize>();
    let first_in_doubt = text.chars().next().is_some_and(|first| {
        let own = first.width().unwrap_or(0);
        reach_of_char(first, own).is_some()
    });
    let added_up = sum(UnicodeWidthChar::width);
    let certain = added_up == columns && !first_in_doubt && !text.contains(is_joiner);
    (!certain).then(|| columns.max(sum(UnicodeWidthChar::width_cjk)).max(2))
}

/// Zero-width joiner and the variation selectors for text and emoji.
fn is_joiner(character: char) -> bool {
    matches!(character, '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
}

/// The blocks of symbols that emoji were taken from, and those made for them.
fn is_pictograph(character: char) -> bool {
    matches!(character,
        '\u{2300}'..='\u{23ff}' | '\u{25a0}'..='\u{27bf}' | '\u{2900}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_width::UnicodeWidthStr;

    fn reach_of(text: &str) -> Option<usize> {
        let mut characters = text.chars();
        let symbol = match (characters.next(), characters.next()) {
            (Some(only), None) => Symbol::Char(only),
            _ => Symbol::Cluster(text.into()),
        };
        reach(&symbol, text.width())
    }

    #[test]
    fn text_is_certain_in_every_script() {
        let sure = "a é я ß 中 ， 한 ก e\u{301} \u{1112}\u{1161}\u{11ab} │ █";
        for text in sure.split(' ') {
            assert_eq!(reach_of(text), None, "{text}");
        }
    }

    #[test]
    fn emoji_joiners_and_ambiguous_marks_are_in_doubt() {
        let doubtful = [("🙂", 2), ("“", 2), ("…", 2), ("✓", 2), ("❤\u{fe0f}", 2), ("👍🏽", 4), ("🇫🇷", 2)];
        for (text, columns) in doubtful {
            assert_eq!(reach_of(text), Some(columns), "{text}");
        }
        assert_eq!(reach_of("👨\u{200d}👩\u{200d}👧"), Some(6));
    }
}
