//! The look and the keys of screens: as asked for, else as the person chose last, else as suits
//! the terminal.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_with::skip_serializing_none;

use super::background::Background;
use super::courier::HubWay;
use super::picture::Picture;
use crate::app::kit::{Frame, Keymap, MEASURE};
use crate::error::{Error, Result, cannot_write};
use crate::files::{make_folders, read_small_text, write_atomically};
use crate::store::StudyFile;
use crate::view::kit::{theme_index, themes};

/// A measure of fewer columns than this is a mistake.
const NARROWEST: u16 = 40;

/// Options that every screen is opened with.
#[derive(Debug, Clone)]
pub struct Looks {
    /// Index of the theme; `None` for the one that suits the terminal.
    pub theme: Option<usize>,
    /// Whether judging goes on by itself after an item's last answer.
    pub advances: bool,
    /// Whether the time on each item is shown.
    pub shows_clock: bool,
    /// Minutes of work after which the screen speaks of a break; `None` for never.
    pub break_after: Option<u32>,
    /// Columns of the longest rows of texts.
    pub measure: u16,
    pub keymap: Keymap,
    /// A first notice, such as a complaint about the keymap.
    pub greeting: String,
    /// The first frame goes to a file, and no terminal is taken.
    pub picture: Option<Picture>,
    /// The hub is left alone.
    pub is_offline: bool,
}

impl Looks {
    /// The looks of a picture in the theme of this name: the same for everybody.
    pub fn of_picture(picture: Picture, theme: &str) -> Looks {
        let preferences = Preferences::default();
        Looks {
            theme: theme_index(theme),
            advances: true,
            shows_clock: true,
            break_after: None,
            measure: preferences.measure(),
            keymap: Keymap::default(),
            greeting: String::new(),
            picture: Some(picture),
            is_offline: true,
        }
    }

    /// The way to the hub of a study, unless the hub is left alone.
    pub(super) fn way(&self, study: &StudyFile) -> Result<Option<HubWay>> {
        if self.is_offline || self.picture.is_some() { Ok(None) } else { HubWay::of(study) }
    }

    /// Gives the looks to a screen.
    pub(super) fn dress(&self, frame: &mut Frame) {
        frame.keymap = self.keymap.clone();
        frame.measure = self.measure;
        if let Some(theme) = self.theme {
            (frame.theme, frame.follows_terminal) = (theme, false);
        }
        if self.picture.is_none()
            && let Ok(value) = std::env::var("COLORFGBG")
            && let Some(background) = Background::from_variable(&value)
        {
            frame.suit(background.theme());
        }
    }
}

impl Background {
    /// Index of the theme that suits the background.
    pub(super) fn theme(self) -> usize {
        usize::from(self == Background::Light)
    }
}

/// Choices of a person on a screen that hold at the next start.
#[skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct Preferences {
    theme: Option<String>,
    pub auto_advance: Option<bool>,
    pub item_clock: Option<bool>,
    /// Minutes of work after which the screen speaks of a break.
    pub break_after: Option<u32>,
    measure: Option<u16>,
    /// Study files, each with an annotator, in which the most similar bullet is marked.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    likely_bullets: BTreeSet<String>,
    /// Studies whose file systems keep no locks, as the person was told.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub told_of_locks: BTreeSet<String>,
}

impl Preferences {
    /// Reads the preferences; a missing file holds none.
    pub fn read() -> Result<Preferences> {
        let Some(path) = file() else { return Ok(Preferences::default()) };
        let read = |text: Option<String>| {
            toml::from_str(&text.unwrap_or_default()).map_err(|error| Error::new(error.message()))
        };
        read_small_text(&path)
            .and_then(read)
            .map_err(|error| error.in_file(path).advise("mend it, or remove it"))
    }

    /// Index of the theme that was chosen.
    pub fn theme(&self) -> Option<usize> {
        self.theme.as_deref().and_then(theme_index)
    }

    /// Columns of the longest rows of texts.
    pub fn measure(&self) -> u16 {
        self.measure.unwrap_or(MEASURE).max(NARROWEST)
    }

    /// Whether the annotator has the most similar bullet marked in this study. The mark is part of how a study is judged, so it
    /// is kept for each study.
    pub(super) fn marks_bullets(study: &StudyFile, annotator: &str) -> bool {
        Preferences::read().is_ok_and(|kept| kept.likely_bullets.contains(&desk(study, annotator)))
    }

    /// Keeps whether the most similar bullet is marked for the annotator in this study.
    pub(super) fn mark_bullets(study: &StudyFile, annotator: &str, marks: bool) {
        let desk = desk(study, annotator);
        Preferences::change(|kept| {
            _ = if marks { kept.likely_bullets.insert(desk) } else { kept.likely_bullets.remove(&desk) };
        });
    }

    /// Keeps a change. Where the file cannot be written, the choice is lost at the next start and nobody is stopped.
    pub fn change(change: impl FnOnce(&mut Preferences)) {
        let _ = Preferences::read().and_then(|before| {
            let mut preferences = before.clone();
            change(&mut preferences);
            if preferences == before { Ok(()) } else { preferences.write() }
        });
    }

    /// Keeps the theme of this index; `None` for the one that suits the terminal.
    pub(super) fn choose_theme(place: Option<usize>) {
        let all = themes();
        let name = place.map(|place| all[place % all.len()].name.clone());
        Preferences::change(|preferences| preferences.theme = name);
    }

    /// Keeps the measure of texts.
    pub(super) fn choose_measure(measure: u16) {
        Preferences::change(|preferences| preferences.measure = Some(measure));
    }

    fn write(&self) -> Result<()> {
        let Some(path) = file() else { return Ok(()) };
        let text = toml::to_string(self).map_err(|error| Error::new(error.to_string()))?;
        path.parent().map_or(Ok(()), make_folders).map_err(cannot_write)?;
        write_atomically(&path, None, |out| out.write_all(text.as_bytes()).map_err(cannot_write))
    }
}

/// The key of a study file with an annotator.
fn desk(study: &StudyFile, annotator: &str) -> String {
    let path = study.path();
    format!("{} {annotator}", fs::canonicalize(path).as_deref().unwrap_or(path).display())
}

/// Path of a file in the person's configuration folder for haymark, where the system has one.
pub fn configuration(name: &str) -> Option<PathBuf> {
    Some(directories::ProjectDirs::from("", "", "haymark")?.config_dir().join(name))
}

fn file() -> Option<PathBuf> {
    configuration("preferences.toml")
}
