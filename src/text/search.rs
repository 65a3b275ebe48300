//! Literal search that ignores case.

use memchr::{memchr3_iter, memmem};
use regex::{Regex, RegexBuilder};
use unicode_normalization::UnicodeNormalization;

use super::span::{Span, whole};

/// A string to search for, prepared once.
#[derive(Debug, Clone)]
pub struct Finder(SearchWay);

/// A way to search for the string.
#[derive(Debug, Clone)]
enum SearchWay {
    /// The empty string is nowhere.
    Nowhere,
    /// One ASCII character: all characters that fold to it, and their first bytes.
    One([char; 3], [u8; 3]),
    /// A string too long for a folding search.
    Exact(Box<memmem::Finder<'static>>),
    /// Any other string.
    Folded(Regex),
}

impl Finder {
    /// Prepares the search for `needle`. Case is ignored by Unicode's simple folding, and so is whether letters are composed;
    /// accents and white space are not. A needle of many kilobytes is searched for with case.
    #[must_use]
    pub fn new(needle: &str) -> Finder {
        Finder(match needle.as_bytes() {
            [] => SearchWay::Nowhere,
            &[byte] => one(byte.into()),
            bytes => match folded(needle) {
                Some(regex) => SearchWay::Folded(regex),
                None => SearchWay::Exact(Box::new(memmem::Finder::new(bytes).into_owned())),
            },
        })
    }

    /// Prepares the search for `needle` and for strings one slip away from it: a letter left out, put in,
    /// changed, or two neighbours exchanged. A needle of fewer than four characters is searched for as it is.
    #[must_use]
    pub fn near(needle: &str) -> Finder {
        match near(needle) {
            Some(regex) => Finder(SearchWay::Folded(regex)),
            None => Finder::new(needle),
        }
    }

    /// Where the string occurs in `text`, from left to right, without overlaps. An occurrence that
    /// cuts a grapheme, such as `e` in `é` written with a combining accent, does not count.
    #[must_use]
    pub fn find_all(&self, text: &str) -> Vec<Span> {
        self.occurrences(text).collect()
    }

    /// Whether the string occurs in `text` at all.
    #[must_use]
    pub fn is_in(&self, text: &str) -> bool {
        self.occurrences(text).next().is_some()
    }

    fn occurrences<'f>(&'f self, text: &'f str) -> Box<dyn Iterator<Item = Span> + 'f> {
        match &self.0 {
            SearchWay::Nowhere => Box::new(std::iter::empty()),
            SearchWay::One(folds, [a, b, c]) => {
                Box::new(memchr3_iter(*a, *b, *c, text.as_bytes()).filter_map(|start| {
                    let found = text.get(start..)?.chars().next()?;
                    folds.contains(&found).then_some(())?;
                    Span::new(text, start, start + found.len_utf8())
                }))
            }
            SearchWay::Exact(finder) => Box::new(whole(text, |from| {
                let start = from + finder.find(text.as_bytes().get(from..)?)?;
                Some((start, start + finder.needle().len()))
            })),
            SearchWay::Folded(regex) => Box::new(whole(text, |from| {
                let found = regex.find_at(text, from)?;
                Some((found.start(), found.end()))
            })),
        }
    }
}

/// The fewest characters of a string that is searched for with a slip: too much would be near a shorter one.
const SHORTEST: usize = 4;
/// The most characters of such a string: nobody types so long a word.
const LONGEST: usize = 40;

/// The regular expression of all strings at most one slip away, the needle itself first.
fn near(needle: &str) -> Option<Regex> {
    let letters: Vec<String> =
        needle.chars().map(|letter| regex::escape(letter.encode_utf8(&mut [0; 4]))).collect();
    if !(SHORTEST..=LONGEST).contains(&letters.len()) {
        return None;
    }
    let mut ways = vec![letters.concat()];
    // `\s` needs tables of Unicode that the library is built without.
    let any = r"[^ \t\r\n\u{A0}\u{3000}]";
    for place in 0..letters.len() {
        let (before, rest) = letters.split_at(place);
        let (this, behind) = rest.split_first()?;
        let (before, behind_it) = (before.concat(), behind.concat());
        ways.push(format!("{before}{any}{behind_it}"));
        if place > 0 {
            ways.push(format!("{before}{any}{this}{behind_it}"));
        }
        // A letter left out; without the first or last letter, the rest is also found inside of longer words.
        ways.push(format!("{before}{behind_it}"));
        if let Some((next, behind)) = behind.split_first() {
            ways.push(format!("{before}{next}{this}{}", behind.concat()));
        }
    }
    RegexBuilder::new(&ways.join("|")).case_insensitive(true).build().ok()
}

/// The search for one ASCII character, for which a regular expression is slow: it occurs so often.
fn one(character: char) -> SearchWay {
    let (lower, upper) = (character.to_ascii_lowercase(), character.to_ascii_uppercase());
    let folds = match lower {
        'k' => [lower, upper, '\u{212A}'],
        's' => [lower, upper, '\u{17F}'],
        _ => [lower, upper, upper],
    };
    let first_byte = |fold: char| fold.encode_utf8(&mut [0; 4]).bytes().next().unwrap_or(0);
    SearchWay::One(folds, folds.map(first_byte))
}

/// The regular expression that matches `needle` in any case, as it is, composed (NFC) or decomposed (NFD); `None` when it is too
/// long for one.
fn folded(needle: &str) -> Option<Regex> {
    let mut forms = vec![needle.to_owned(), needle.nfc().collect(), needle.nfd().collect()];
    forms.dedup();
    let ways: Vec<String> = forms.iter().map(|form| regex::escape(form)).collect();
    RegexBuilder::new(&ways.join("|")).case_insensitive(true).build().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found<'t>(needle: &str, text: &'t str) -> Vec<(usize, &'t str)> {
        Finder::new(needle).find_all(text).into_iter().map(|span| (span.start(), span.slice(text))).collect()
    }

    #[test]
    fn case_is_ignored() {
        assert_eq!(found("stress", "Stress, STRESS"), [(0, "Stress"), (8, "STRESS")]);
        assert_eq!(found("É", "é É e"), [(0, "é"), (3, "É")]);
        assert_eq!(found("ΣΑΣ", "σας"), [(0, "σας")]);
        assert_eq!(found("E", "eE"), [(0, "e"), (1, "E")]);
        assert_eq!(found("k", "kK\u{212A}x"), [(0, "k"), (1, "K"), (2, "\u{212A}")]);
        assert_eq!(found("\u{17F}it", "Sit"), [(0, "Sit")]);
    }

    #[test]
    fn composed_and_decomposed_letters_are_the_same() {
        let (composed, apart) = ("schließt die Brücke", "schließt die Bru\u{308}cke");
        for (needle, text) in [("brücke", apart), ("bru\u{308}cke", composed), ("brücke", composed)] {
            assert_eq!(found(needle, text).len(), 1, "{needle:?} in {text:?}");
        }
        assert_eq!(found("Brucke", apart), [], "accents count");
    }

    #[test]
    fn the_needle_is_literal() {
        assert_eq!(found("[1].*", "[1].* [1]."), [(0, "[1].*")]);
        assert_eq!(found(".", "a.b"), [(1, ".")]);
        assert_eq!(found("", "abc"), []);
        assert_eq!(found("压力", "大压力，压力"), [(3, "压力"), (12, "压力")]);
        assert_eq!(found("aa", "aaaaa"), [(0, "aa"), (2, "aa")]);
    }

    #[test]
    fn an_occurrence_that_cuts_a_grapheme_does_not_count() {
        assert_eq!(found("e", "e\u{301}e"), [(3, "e")]);
        assert_eq!(found("ee", "eee\u{301}"), [(0, "ee")]);
        assert_eq!(found("👩", "👩\u{200D}🔬👩"), [(11, "👩")]);
        assert_eq!(found("🇪🇫", "🇩🇪🇫🇷🇪🇫"), [(16, "🇪🇫")]);
        assert_eq!(found("ABAB", "\u{600}ababab"), [(4, "abab")]);
    }

    #[test]
    fn near_means_one_slip() {
        let near = |needle: &str, text: &str| Finder::near(needle).is_in(text);
        for wrong in ["pomodro", "pomoddoro", "pomudoro", "pmoodoro", "POMODORO", "xpomodorox"] {
            assert!(near("pomodoro", wrong), "{wrong}");
        }
        for other in ["pomodr", "pomadro", "p o m o d o r o", "tomato"] {
            assert!(!near("pomodoro", other), "{other}");
        }
        assert!(!near("cat", "cut"), "a short word is searched for as it is");
        assert!(near("a.b*", "a.b*") && !near("a.b*", "aaab"));
        assert!(!Finder::new("").is_in("a") && Finder::new("B").is_in("abc"));
    }

    #[test]
    fn a_needle_too_long_to_fold_is_found_as_it_is() {
        let needle = "Ab ".repeat(200_000);
        let text = format!("{}{needle}", needle.to_lowercase());
        assert_eq!(Finder::new(&needle).find_all(&text).len(), 1);
    }
}
