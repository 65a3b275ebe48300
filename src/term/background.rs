//! The terminal's answer about its background (OSC 11), told apart from a person's typing.
//!
//! Nothing waits for the answer: the question goes out before the first frame, and the answer comes among the keys, where no
//! part of it must be taken for a key.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers};

const QUESTION: &[u8] = b"\x1b]11;?\x07";

/// Longer than any answer: `11;rgba:` and four numbers of four digits.
const LONGEST: usize = 40;

/// How long an answer may be on its way before an escape is taken for the key at once.
const ON_ITS_WAY: Duration = Duration::from_secs(2);

/// Light or dark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    Light,
    Dark,
}

impl Background {
    /// Reads `COLORFGBG`, such as `15;0`: the last number is the background's among the sixteen colours.
    pub fn from_variable(value: &str) -> Option<Background> {
        let colour: u8 = value.rsplit(';').next()?.parse().ok()?;
        Some(if matches!(colour, 7 | 9..=15) { Background::Light } else { Background::Dark })
    }

    /// Reads `11;rgb:ffff/ffff/e0e0`, with one to four digits a colour.
    fn from_answer(answer: &str) -> Option<Background> {
        let colours = answer.strip_prefix("11;rgb")?.trim_start_matches('a').strip_prefix(':')?;
        let share = |digits: &str| {
            let most = 16_u32.checked_pow(u32::try_from(digits.len()).ok()?)?.checked_sub(1)?;
            Some(f64::from(u32::from_str_radix(digits, 16).ok()?) / f64::from(most))
        };
        let mut shares = colours.split('/').map(share);
        let mut next = || shares.next()?.filter(|share| share.is_finite());
        // Brightness of each colour to the eye (ITU-R BT.709).
        let brightness = 0.2126 * next()? + 0.7152 * next()? + 0.0722 * next()?;
        Some(if brightness > 0.5 { Background::Light } else { Background::Dark })
    }
}

/// Meaning of an event while the answer is awaited.
#[derive(Debug, PartialEq, Eq)]
pub enum Heard {
    /// The event is no part of the answer.
    Other,
    /// The event is a part of the answer, and no key.
    Part,
    /// The event ends the answer.
    Answer(Option<Background>),
}

/// The question to the terminal, and its answer as far as it has come.
#[derive(Debug, Default)]
pub struct BackgroundQuery {
    asked: Option<Instant>,
    answer: Option<String>,
}

impl BackgroundQuery {
    /// Asks, unless the terminal would print the question.
    pub fn ask(mut output: impl Write) -> io::Result<BackgroundQuery> {
        if std::env::var_os("TERM").is_none_or(|term| term == "linux" || term == "dumb") {
            return Ok(BackgroundQuery::default());
        }
        output.write_all(QUESTION)?;
        Ok(BackgroundQuery { asked: Some(Instant::now()), answer: None })
    }

    /// Whether an escape may be the beginning of the answer, cut off from the rest.
    pub fn is_open(&self) -> bool {
        self.asked.is_some_and(|asked| asked.elapsed() < ON_ITS_WAY)
    }

    /// Takes an event that follows an escape: `]` begins the answer.
    pub fn hear_after_escape(&mut self, event: &Event) -> Heard {
        match event {
            Event::Key(KeyEvent { code: KeyCode::Char(']'), .. }) => self.begin(),
            _ => Heard::Other,
        }
    }

    /// Takes an event. The answer comes as alt-], its characters, and alt-\ or the bell.
    pub fn hear(&mut self, event: &Event) -> Heard {
        let (Some(_), Event::Key(key)) = (self.asked, event) else { return Heard::Other };
        let KeyCode::Char(character) = key.code else {
            self.answer = None;
            return Heard::Other;
        };
        let (alt, control) = (KeyModifiers::ALT, KeyModifiers::CONTROL);
        match &mut self.answer {
            None if character == ']' && key.modifiers == alt => self.begin(),
            None => Heard::Other,
            Some(_)
                if matches!((character, key.modifiers), ('\\', held) if held == alt)
                    || (character == 'g' && key.modifiers == control) =>
            {
                self.asked = None;
                Heard::Answer(self.answer.take().as_deref().and_then(Background::from_answer))
            }
            Some(answer) if answer.len() < LONGEST && !key.modifiers.intersects(alt | control) => {
                answer.push(character);
                Heard::Part
            }
            Some(_) => {
                self.answer = None;
                Heard::Other
            }
        }
    }

    fn begin(&mut self) -> Heard {
        self.answer = Some(String::new());
        Heard::Part
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The events that crossterm makes of an answer.
    fn events(answer: &str) -> Vec<Event> {
        let mut events = Vec::new();
        let mut modifiers = KeyModifiers::NONE;
        for character in answer.chars() {
            if character == '\x1b' {
                modifiers = KeyModifiers::ALT;
                continue;
            }
            events.push(Event::Key(KeyEvent::new(KeyCode::Char(character), modifiers)));
            modifiers = KeyModifiers::NONE;
        }
        events
    }

    fn asked() -> BackgroundQuery {
        BackgroundQuery { asked: Some(Instant::now()), answer: None }
    }

    #[test]
    fn an_answer_is_no_keys() {
        let mut question = asked();
        let heard: Vec<Heard> =
            events("f\x1b]11;rgb:ffff/ffff/e0e0\x1b\\f").iter().map(|event| question.hear(event)).collect();
        assert_eq!(heard.first(), Some(&Heard::Other), "typed before it");
        assert_eq!(heard.last(), Some(&Heard::Other), "typed after it");
        assert_eq!(heard[heard.len() - 2], Heard::Answer(Some(Background::Light)));
        assert!(heard[1..heard.len() - 2].iter().all(|heard| *heard == Heard::Part), "{heard:?}");
    }

    #[test]
    fn an_answer_may_be_cut_after_its_escape() {
        let mut question = asked();
        let all = events("]11;rgb:00/00/00\x1b\\");
        assert_eq!(question.hear_after_escape(&all[0]), Heard::Part);
        let last = all[1..].iter().map(|event| question.hear(event)).last();
        assert_eq!(last, Some(Heard::Answer(Some(Background::Dark))));
    }

    #[test]
    fn what_is_no_answer_is_left_to_the_person() {
        let mut question = asked();
        let enter = Event::Key(KeyEvent::new(KeyCode::Enter, KeyModifiers::NONE));
        question.hear(&events("\x1b]")[0]);
        assert_eq!(question.hear(&enter), Heard::Other);
        assert_eq!(question.hear(&events("f")[0]), Heard::Other, "what was begun is forgotten");
        assert_eq!(BackgroundQuery::default().hear(&events("\x1b]")[0]), Heard::Other, "nothing was asked");
    }

    #[test]
    fn colours_are_light_or_dark() {
        let read = |answer| Background::from_answer(answer);
        assert_eq!(read("11;rgb:fd/f6/e3"), Some(Background::Light));
        assert_eq!(read("11;rgba:0000/2b2b/3636/ffff"), Some(Background::Dark));
        assert_eq!(read("11;rgb:f/f/f"), Some(Background::Light));
        for wrong in ["", "11;rgb:", "11;rgb:ff/ff", "11;rgb://", "10;rgb:ff/ff/ff", "11;rgb:fffffffff/0/0"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
        let variable = |value| Background::from_variable(value);
        assert_eq!(variable("15;0"), Some(Background::Dark));
        assert_eq!(variable("0;default;15"), Some(Background::Light));
        assert_eq!(variable("0;default"), None);
    }
}
