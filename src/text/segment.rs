//! Words of a text, where they are compared and not only counted.
//!
//! Text with Han characters is segmented by jieba (its full dictionary, with its hidden Markov model for words that
//! are not in it), as by the published code for Chinese. Other text has the words of UAX#29.
//!
//! `assets/words_zh.lzma` is made of `jieba/dict.txt` (Copyright (c) 2013 Sun Junyi, MIT licence) of the Python package
//! jieba 0.42.1: the words in the order of their bytes, an empty line, and their frequencies in the same order.
//!
//! ```sh
//! cut -d' ' -f1,2 dict.txt | LC_ALL=C sort > sorted
//! (cut -d' ' -f1 sorted; echo; cut -d' ' -f2 sorted) | xz --format=lzma --lzma1=preset=9e,lc=4,pb=0 > words_zh.lzma
//! ```

use std::sync::OnceLock;

use jieba_rs::Jieba;
use unicode_segmentation::UnicodeSegmentation;

/// The dictionary, packed.
const DICTIONARY: &[u8] = include_bytes!("../../assets/words_zh.lzma");

/// The words of `text` in lower case, without punctuation and white space. The first text with a Han
/// character costs some tens of milliseconds and of megabytes for the dictionary.
#[must_use]
pub fn words(text: &str) -> Vec<String> {
    if !text.chars().any(is_han) {
        return text.unicode_words().map(str::to_lowercase).collect();
    }
    let segmenter = chinese();
    let tokens = segmenter.cut(text, true);
    let is_word = |word: &&str| word.chars().any(char::is_alphanumeric);
    let words = tokens.iter().map(|token| token.word).filter(is_word).flat_map(|word| {
        if word.is_ascii() && !segmenter.has_word(word) { ascii_parts(word) } else { vec![word] }
    });
    words.map(str::to_lowercase).collect()
}

/// Divides a word into letters and digits with a decimal behind them and a percent sign, `[a-zA-Z0-9]+(?:\.\d+)?%?`: Python's
/// jieba divides `2023-07-28` so, and the Rust library does not.
fn ascii_parts(word: &str) -> Vec<&str> {
    let run = |text: &str, is_part: fn(char) -> bool| text.find(|sign| !is_part(sign)).unwrap_or(text.len());
    let (mut parts, mut rest) = (Vec::new(), word);
    while let Some(start) = rest.find(|sign: char| sign.is_ascii_alphanumeric()) {
        let (_, text) = rest.split_at(start);
        let mut end = run(text, |sign| sign.is_ascii_alphanumeric());
        if let Some(decimals) = text.split_at(end).1.strip_prefix('.') {
            let digits = run(decimals, |sign| sign.is_ascii_digit());
            end += if digits > 0 { 1 + digits } else { 0 };
        }
        end += usize::from(text.split_at(end).1.starts_with('%'));
        let (part, behind) = text.split_at(end);
        parts.push(part);
        rest = behind;
    }
    parts
}

fn is_han(character: char) -> bool {
    matches!(character, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFD}')
}

/// The segmenter, made when it is first needed.
fn chinese() -> &'static Jieba {
    static SEGMENTER: OnceLock<Jieba> = OnceLock::new();
    SEGMENTER.get_or_init(|| {
        let mut segmenter = Jieba::empty();
        let dictionary = dictionary();
        let (words, frequencies) = dictionary.split_once("\n\n").unwrap_or_default();
        for (word, frequency) in words.lines().zip(frequencies.lines()) {
            segmenter.add_word(word, frequency.parse().ok(), None);
        }
        segmenter
    })
}

fn dictionary() -> String {
    let mut text = Vec::new();
    // The dictionary that is packed into the program unpacks; a test checks it.
    let unpacked = lzma_rs::lzma_decompress(&mut &*DICTIONARY, &mut text);
    unpacked.ok().and_then(|()| String::from_utf8(text).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dictionary_is_whole() {
        let dictionary = dictionary();
        let (words, frequencies) = dictionary.split_once("\n\n").expect("two parts");
        assert_eq!((words.lines().count(), frequencies.lines().count()), (349_046, 349_046));
        assert!(frequencies.lines().all(|frequency| frequency.parse::<usize>().is_ok()));
        let of = |word: &str| words.lines().zip(frequencies.lines()).find(|(found, _)| *found == word);
        // The lines of jieba's file.
        assert_eq!(of("的"), Some(("的", "318825")));
        assert_eq!(of("北京大学"), Some(("北京大学", "2053")));
    }

    #[test]
    fn chinese_is_segmented_and_other_text_has_its_own_words() {
        for (text, expected) in [
            // The example of jieba's own page.
            ("我来到北京清华大学", &["我", "来到", "北京", "清华大学"][..]),
            ("iPhone 15手机，贵！", &["iphone", "15", "手机", "贵"]),
            // As jieba 0.42.1 for Python cuts them; its small dictionary has 每周 and 三为.
            ("社区志愿者每周三为独居老人送餐", &["社区", "志愿者", "每周三", "为", "独居", "老人", "送餐"]),
            ("2023-07-28 涨了15%", &["2023", "07", "28", "涨", "了", "15%"]),
            ("v1.2b和a_b，3.5.1", &["v1.2", "b", "和", "a", "b", "3.5", "1"]),
            ("The Cat's pyjamas, 3.5 of them", &["the", "cat's", "pyjamas", "3.5", "of", "them"]),
            ("", &[]),
            ("，。", &[]),
        ] {
            assert_eq!(words(text), expected, "{text}");
        }
    }
}
