//! How a screen looks, which keys it takes, and where it is drawn: the arguments that all screens share.

use std::path::{Path, PathBuf};

use clap::Args;

use super::{caution, is_terminal, needs_terminal, print, say_only_here};
use crate::app::kit::Keymap;
use crate::error::Result;
use crate::files::read_small_text;
use crate::formats::short_text;
use crate::protocol::{Protocol, builtins};
use crate::store::StudyFile;
use crate::term::{Looks, Picture, Preferences, configuration};
use crate::view::kit::theme_index;

#[derive(Debug, Args)]
pub struct LooksArguments {
    /// Colours; when left out, those chosen last on a screen, else what suits the terminal
    #[arg(long, value_name = "NAME", value_parser = ["auto", "dark", "light", "contrast"])]
    pub theme: Option<String>,
    /// A keymap file with keys of your own (see `haymark keys`)
    #[arg(long, value_name = "FILE")]
    pub keymap: Option<PathBuf>,
    /// Draw the first frame into FILE as SVG and end; the study stays as it is
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Columns and rows of the picture
    #[arg(long, value_name = "COLUMNSxROWS", value_parser = size, default_value = "100x30", requires = "svg")]
    pub size: (u16, u16),
    /// Leave the study's hub alone; what is done waits in the file
    #[arg(long)]
    pub offline: bool,
}

/// Reads `100x30`. A screen is never wider or higher than a terminal can be.
fn size(text: &str) -> std::result::Result<(u16, u16), String> {
    let side = |text: &str| text.parse().ok().filter(|side| (1..=1_000).contains(side));
    let sides = text.split_once(['x', '×']).and_then(|(columns, rows)| Some((side(columns)?, side(rows)?)));
    sides.ok_or_else(|| "columns x rows, as in 80x24, each at most 1000".to_owned())
}

impl LooksArguments {
    /// Opens the study for a screen of this command; for a picture, a copy of it.
    pub fn open(&self, command: &str, study: &Path) -> Result<StudyFile> {
        self.check_terminal(command)?;
        if self.svg.is_some() { StudyFile::open_copy(study) } else { StudyFile::open(study) }
    }

    /// Refuses a screen without a terminal; a picture needs none.
    pub fn check_terminal(&self, command: &str) -> Result<()> {
        if self.svg.is_some() || is_terminal() { Ok(()) } else { Err(needs_terminal(command)) }
    }

    /// Prints a text after the screen has closed; nothing after a picture.
    pub fn tell(&self, text: &str) -> Result<()> {
        if self.svg.is_some() { Ok(()) } else { print(text) }
    }

    /// Says what the study's hub does not have yet.
    pub fn tell_only_here(&self, study: &Path) -> Result<()> {
        if self.svg.is_some() { Ok(()) } else { say_only_here(study) }
    }

    /// The looks that these arguments give. The greeting tells the first trouble: a mistake in the files of the
    /// configuration folder, a key that answers already under the judged protocol or a built-in one, or a caution on the
    /// place where the study lies.
    pub fn read(&self, study: &StudyFile, judged: Option<&Protocol>) -> Result<Looks> {
        let (keymap, complaint) = self.keymap(judged)?;
        let (preferences, complaint) = match Preferences::read() {
            // A picture is the same for everybody.
            _ if self.svg.is_some() => (Preferences::default(), complaint),
            Ok(preferences) => (preferences, complaint),
            Err(error) => (Preferences::default(), complaint.or(Some(error.to_string()))),
        };
        Ok(Looks {
            theme: self.theme.as_deref().map_or(preferences.theme(), theme_index),
            advances: preferences.auto_advance.unwrap_or(true),
            shows_clock: preferences.item_clock.unwrap_or(true),
            break_after: preferences.break_after.filter(|minutes| *minutes > 0),
            measure: preferences.measure(),
            keymap,
            greeting: complaint.or_else(|| caution(study).map(str::to_owned)).unwrap_or_default(),
            picture: self.svg.clone().map(|path| Picture { path, size: self.size }),
            is_offline: self.offline,
        })
    }

    /// The keymap with a person's overrides, those of the named file or of the usual one, and what is wrong with them.
    fn keymap(&self, judged: Option<&Protocol>) -> Result<(Keymap, Option<String>)> {
        let mut keymap = Keymap::default();
        let Some(path) = self.keymap.clone().or_else(|| configuration("keymap.toml")) else {
            return Ok((keymap, None));
        };
        let answers = |key: char| {
            let protocols = || judged.into_iter().chain(builtins());
            let question = || protocols().find_map(|protocol| Some((protocol.taking(key)?, protocol)));
            let named = || question().map(|(asked, by)| format!("\"{}\" under {}", asked.prompt, by.name));
            named().or_else(|| key.is_ascii_digit().then(|| "by its number".to_owned()))
        };
        let text = if self.keymap.is_some() { Some(short_text(&path)?) } else { read_small_text(&path)? };
        let complaints = keymap.override_with(&text.unwrap_or_default(), &answers);
        let first = complaints.into_iter().next();
        Ok((keymap, first.map(|error| error.in_file(path.file_name().unwrap_or_default()).to_string())))
    }
}
