//! Made-up texts of any length, the same in every run.

// Every bench uses a part of it.
#![allow(dead_code)]

/// Numbers that look random (xorshift64*, Vigna 2016).
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `sides`.
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let rolled = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 32;
        rolled as usize % sides
    }

    pub fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.roll(of.len())]
    }
}

const WORDS: &[&str] = &[
    "the",
    "a",
    "of",
    "to",
    "and",
    "in",
    "that",
    "she",
    "they",
    "we",
    "was",
    "is",
    "for",
    "on",
    "with",
    "after",
    "before",
    "twenty-five",
    "minutes",
    "exam",
    "student",
    "timer",
    "library",
    "breathing",
    "schedule",
    "therapist",
    "morning",
    "walk",
    "group",
    "chapter",
    "flashcards",
    "anxious",
    "sleep",
    "coffee",
    "understand",
    "recommended",
    "together",
    "quietly",
    "Sarah",
    "Ben",
    "University",
    "don't",
    "well-being",
    "notes",
    "question",
    "stress",
    "break",
];

/// Syllables of made-up words. Numbers from 17 to 19 stand for none, so that words have up to three.
const SYLLABLES: &[&str] = &[
    "re", "con", "ing", "ter", "ment", "al", "in", "der", "ver", "com", "tion", "un", "pro", "ble", "str",
    "ough", "kin",
];

const PHRASES: &[&str] = &[
    "低温时电池的化学反应变慢",
    "续航会明显下降",
    "我上个月跑了三百公里",
    "工程师建议提前预热",
    "暖风也要用电",
    "充电桩排队很久",
    "轮胎气压要常检查",
    "他们测试了五种车型",
    "高速上耗电更快",
    "可以少掉一些损失",
    "说明书里写得很清楚",
    "但是用户往往不看",
    "实际只有标称的六成半",
    "冬天开电动车",
    "车厂没有解释原因",
    "APP 显示剩余 42%",
];

/// Adds one of 5,220 made-up words; those with low numbers come more often, as in any language.
fn push_word(text: &mut String, dice: &mut Dice) {
    let most = 1 + dice.roll(20);
    for syllable in [dice.roll(most), dice.roll(most), dice.roll(20)] {
        text.push_str(SYLLABLES.get(syllable).unwrap_or(&""));
    }
}

/// English of at least this many bytes: sentences, with a paragraph every few of them.
pub fn english(bytes: usize, seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let mut text = String::with_capacity(bytes + 200);
    while text.len() < bytes {
        for _ in 0..6 + dice.roll(14) {
            // About half of all words are of the few that every text uses.
            match dice.roll(2) {
                0 => text.push_str(dice.pick(WORDS)),
                _ => push_word(&mut text, &mut dice),
            }
            text.push(' ');
        }
        text.pop();
        text.push_str(dice.pick(&[". ", ". ", ", ", "? ", ".\n", ".\n\n"]));
    }
    text
}

/// Chinese of at least this many bytes, with some Latin letters and numbers.
pub fn chinese(bytes: usize, seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let mut text = String::with_capacity(bytes + 200);
    while text.len() < bytes {
        for _ in 0..1 + dice.roll(4) {
            text.push_str(dice.pick(PHRASES));
            text.push('，');
        }
        text.pop();
        text.push_str(dice.pick(&["。", "。", "；", "？", "。\n", "。\n\n"]));
    }
    text
}
