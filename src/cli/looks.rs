//! How a screen looks, and which keys it takes: the arguments that all screens share.

use std::path::PathBuf;

use clap::Args;

use crate::app::kit::keymap::Keymap;
use crate::error::Result;
use crate::formats::short_text;
use crate::term::{Looks, Preferences, configuration};
use crate::view::kit::theme::theme_index;

#[derive(Debug, Args)]
pub struct LooksArguments {
    /// Colours; when left out, those chosen last on a screen, else what suits the terminal
    #[arg(long, value_name = "NAME", value_parser = ["auto", "dark", "light", "contrast"])]
    pub theme: Option<String>,
    /// A keymap file with keys of your own (see `haymark keys`)
    #[arg(long, value_name = "FILE")]
    pub keymap: Option<PathBuf>,
}

impl LooksArguments {
    /// What they come to, with what is wrong in the files of the configuration folder as the greeting.
    pub fn read(&self) -> Result<Looks> {
        let (keymap, complaint) = self.keymap()?;
        let (preferences, complaint) = match Preferences::read() {
            Ok(preferences) => (preferences, complaint),
            Err(error) => (Preferences::default(), complaint.or(Some(error.to_string()))),
        };
        Ok(Looks {
            theme: self.theme.as_deref().map_or(preferences.theme(), theme_index),
            advances: preferences.auto_advance.unwrap_or(true),
            keymap,
            greeting: complaint.unwrap_or_default(),
        })
    }

    /// The keymap with a person's overrides, those of the named file or of the usual one, and what is wrong with them.
    fn keymap(&self) -> Result<(Keymap, Option<String>)> {
        let mut keymap = Keymap::default();
        let usual = || configuration("keymap.toml").filter(|path| path.exists());
        let Some(path) = self.keymap.clone().or_else(usual) else {
            return Ok((keymap, None));
        };
        let complaints = keymap.override_with(&short_text(&path)?);
        let first = complaints.into_iter().next();
        Ok((keymap, first.map(|error| error.in_file(path.file_name().unwrap_or_default()).to_string())))
    }
}
