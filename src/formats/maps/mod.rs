//! Any file, by a map that is data: which of its fields become which records. Maps come with haymark (`assets/maps/`), with a
//! study, or from a file of one's own; the language is in `docs/formats.md`.

mod builtin;
mod container;
mod digits;
mod importer;
mod labels;
mod literal;
mod map;
mod node;
mod own_rows;
mod path;
mod unique;

pub use self::builtin::builtin_maps;
pub use self::importer::{AS_GIVEN, FileNotes, MapReader, TriedRecord};
pub use self::map::ImportMap;
pub use self::own_rows::ANSWERS;
use crate::error::Result;
use crate::formats::InputBytes;

/// The map that fits the first record of a file: one of the study's own before those that come with haymark.
pub fn map_for(input: &InputBytes, own: &[ImportMap]) -> Result<ImportMap> {
    let found =
        container::recognised(input, own, builtin_maps()).map_err(|error| error.in_file(input.name()))?;
    Ok(found.clone())
}
