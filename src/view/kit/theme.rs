//! Colour themes: data in `assets/themes/`, read once.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use ratatui::style::{Color, Modifier, Style};
use serde::Deserialize;

use crate::app::kit::Tone;
use crate::error::{Error, Result};

const FILES: &[&str] = &[
    include_str!("../../../assets/themes/dark.toml"),
    include_str!("../../../assets/themes/light.toml"),
    include_str!("../../../assets/themes/contrast.toml"),
];

/// The styles of the screen, by their purpose.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Theme {
    pub name: String,
    pub text: Tint,
    /// Things that are there but not asked for, and all explanations.
    pub quiet: Tint,
    pub rule: Tint,
    pub title: Tint,
    /// The title of the focused pane.
    pub focus: Tint,
    pub accent: Tint,
    /// A key beside what it does.
    pub key: Tint,
    pub chosen: Tint,
    pub evidence: Tint,
    /// Evidence that was guessed.
    pub guess: Tint,
    pub hit: Tint,
    /// The passage that was jumped to.
    pub mark: Tint,
    pub citation: Tint,
    pub warning: Tint,
    pub header: Tint,
    /// The progress bar.
    pub bar: Tint,
    /// Letters and paper of a picture of the screen, in place of the terminal's own.
    pub picture: Tint,
}

/// A style as themes write it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Tint(pub Style);

impl TryFrom<String> for Tint {
    type Error = String;

    /// Reads `75 bold`, `black on 179`, `on #303030 underlined`.
    fn try_from(text: String) -> std::result::Result<Tint, String> {
        let mut style = Style::new();
        let mut is_background = false;
        for word in text.split_whitespace() {
            let modifier = match word {
                "on" => {
                    is_background = true;
                    continue;
                }
                "bold" => Modifier::BOLD,
                "dim" => Modifier::DIM,
                "italic" => Modifier::ITALIC,
                "underlined" => Modifier::UNDERLINED,
                "reversed" => Modifier::REVERSED,
                colour => {
                    // The terminal's own colour, which also replaces that of a rule drawn before.
                    let own = (colour == "default").then_some(Color::Reset);
                    let read = own.or_else(|| colour.parse().ok());
                    let colour = read.ok_or_else(|| format!("{colour:?} is no colour"))?;
                    style = if is_background { style.bg(colour) } else { style.fg(colour) };
                    continue;
                }
            };
            style = style.add_modifier(modifier);
        }
        Ok(Tint(style))
    }
}

impl Theme {
    /// Reads a theme file.
    pub fn parse(text: &str) -> Result<Theme> {
        toml::from_str(text).map_err(|error| Error::new(error.message().replace('\n', " ")))
    }

    pub fn of(&self, tone: Tone) -> Style {
        match tone {
            Tone::Plain => self.text.0,
            Tone::Quiet => self.quiet.0,
            Tone::Heading => self.text.0.add_modifier(Modifier::BOLD),
            Tone::Title => self.focus.0,
            Tone::Key => self.key.0,
            Tone::Open | Tone::Added => self.accent.0.add_modifier(Modifier::BOLD),
            Tone::Chosen => self.chosen.0,
            Tone::ChosenKey => self.chosen.0.add_modifier(Modifier::REVERSED),
            Tone::Right | Tone::Accent => self.accent.0,
            Tone::Wrong => self.warning.0,
            Tone::Missed => self.guess.0,
            Tone::Evidence => self.evidence.0,
            Tone::Hit => self.hit.0,
            Tone::Removed => self.quiet.0.add_modifier(Modifier::CROSSED_OUT),
        }
    }

    /// The theme without colours, for `NO_COLOR`: bold, underline and reversal stay.
    #[must_use]
    pub fn without_colours(mut self) -> Theme {
        for tint in [
            &mut self.text,
            &mut self.quiet,
            &mut self.rule,
            &mut self.title,
            &mut self.focus,
            &mut self.accent,
            &mut self.key,
            &mut self.chosen,
            &mut self.evidence,
            &mut self.guess,
            &mut self.hit,
            &mut self.mark,
            &mut self.citation,
            &mut self.warning,
            &mut self.header,
            &mut self.bar,
        ] {
            let had_background = tint.0.bg.is_some();
            tint.0 = Style { fg: None, bg: None, ..tint.0 };
            if had_background {
                tint.0 = tint.0.add_modifier(Modifier::UNDERLINED);
            }
        }
        self.mark.0 = self.mark.0.add_modifier(Modifier::REVERSED);
        self
    }
}

/// The built-in themes: dark, light, high contrast.
pub fn themes() -> &'static [Theme] {
    static THEMES: OnceLock<Vec<Theme>> = OnceLock::new();
    // The files are part of the program and a test reads each of them.
    THEMES.get_or_init(|| FILES.iter().filter_map(|text| Theme::parse(text).ok()).collect())
}

/// Index of a built-in theme, by its name as an option.
pub fn theme_index(name: &str) -> Option<usize> {
    let by_name: BTreeMap<&str, usize> =
        [("dark", 0), ("light", 1), ("contrast", 2), ("high contrast", 2)].into();
    by_name.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_a_theme() {
        for text in FILES {
            Theme::parse(text).unwrap_or_else(|error| panic!("{error}"));
        }
        assert_eq!(themes().len(), FILES.len());
        assert!(themes().iter().map(|theme| theme.name.as_str()).eq(crate::app::kit::frame::THEMES));
    }

    #[test]
    fn styles_are_read_and_lose_their_colours() {
        let tint = |text: &str| Tint::try_from(text.to_owned()).expect(text).0;
        assert_eq!(tint("75 bold"), Style::new().fg(Color::Indexed(75)).add_modifier(Modifier::BOLD));
        assert_eq!(tint("black on #303030"), Style::new().fg(Color::Black).bg(Color::Rgb(48, 48, 48)));
        assert!(Tint::try_from("blurple".to_owned()).is_err());
        let plain = themes()[0].clone().without_colours();
        assert_eq!((plain.hit.0.fg, plain.hit.0.bg), (None, None));
        assert!(plain.hit.0.add_modifier.contains(Modifier::UNDERLINED));
    }
}
