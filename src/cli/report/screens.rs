//! The screens that annotators saw, as pictures: of a copy of the study, for somebody who has judged nothing.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::error::{Error, ErrorKind, Result, cannot_write};
use crate::files::Scratch;
use crate::protocol::Protocol;
use crate::report::examples;
use crate::store::StudyFile;
use crate::term::{AnnotateOptions, Looks, Picture, annotate};
use crate::text::html::Html;

/// The annotator that the picture is drawn for, who has judged nothing; with more signs where somebody has the name.
const NOBODY: &str = "annotator";

/// Columns and rows of a picture.
const SIZE: (u16, u16) = (100, 30);

/// The first screen under each protocol, with the protocol's title; none where a newcomer would have nothing to judge.
pub fn screens(study: &Path, protocols: &[Protocol]) -> Result<Vec<(String, Html)>> {
    let folder = Scratch::temporary().map_err(cannot_write)?;
    let path = folder.path().join("screen.svg");
    let mut screens = Vec::new();
    for protocol in protocols {
        let copy = StudyFile::open_copy(study)?;
        let with_examples = examples::with_examples(&copy, protocol.clone())?;
        let people = copy.everyone()?;
        let mut nobody = NOBODY.to_owned();
        while people.iter().any(|(_, known)| known.id == nobody) {
            nobody.push('_');
        }
        let looks = Looks::of_picture(Picture { path: path.clone(), size: SIZE }, "light");
        let options = AnnotateOptions {
            annotator: nobody,
            protocol: Arc::new(with_examples),
            shows_systems: false,
            tours: false,
            looks,
        };
        match annotate(copy, options) {
            Ok(_) => {
                let drawing = fs::read_to_string(&path).map_err(|error| Error::system(error.to_string()))?;
                screens.push((protocol.title.clone(), Html::drawn(drawing)));
            }
            // All items are assigned to others.
            Err(error) if error.kind() == ErrorKind::Failed => {}
            Err(error) => return Err(error),
        }
    }
    Ok(screens)
}
