//! What `haymark import` does with files of other programs: the map by which each is read, and all of them as one step.

use std::path::Path;

use super::import::{Import, import, told};
use super::output::print;
use crate::error::{Error, Result, Topic, cannot_write};
use crate::files::write_atomically;
use crate::formats::maps::{MapReader, builtin_maps};
use crate::formats::{self, FileReader, Format, ImportMap, InputBytes, ReadOptions, short_text};
use crate::number::number_of;
use crate::store::{ImportOptions, Imports, StudyFile};
use crate::study::{MapText, Place, Record, RecordKind};
use crate::text::width::visible;

/// A file, with what reads it.
pub(super) type SourceFile = (InputBytes, FileReader);

/// The maps of a study, the newest first; none where there is no study yet.
fn own_maps(study: &Path) -> Result<Vec<ImportMap>> {
    let texts = if study.exists() { StudyFile::open(study)?.import_maps()? } else { Vec::new() };
    texts.iter().map(|map| ImportMap::parse(&map.text)).collect()
}

/// The files, each with what reads it: what the arguments say, else what is in it.
pub(super) fn sources(arguments: &Import) -> Result<Vec<SourceFile>> {
    let format = arguments.format.as_deref().map(Format::from_name).transpose()?;
    let own = own_maps(&arguments.study)?;
    let mut sources = Vec::new();
    for file in &arguments.files {
        let input = InputBytes::open(file)?;
        let reader = match (format, &arguments.map) {
            (Some(format), _) => FileReader::Format(format),
            (None, Some(map)) => FileReader::Map(Box::new(asked_map(map, &input, &own)?)),
            (None, None) => formats::recognise(&input, &own)
                .map_err(|error| error.also("nothing was imported").under(Topic::Formats))?,
        };
        sources.push((input, reader));
    }
    Ok(sources)
}

/// The map that `--map` asks for: a file, a known name, or fields on top of the map that fits.
fn asked_map(asked: &str, input: &InputBytes, own: &[ImportMap]) -> Result<ImportMap> {
    let path = Path::new(asked);
    if path.is_file() {
        return ImportMap::parse(&short_text(path)?).map_err(|error| error.in_file(path));
    }
    if let Some(known) = own.iter().chain(builtin_maps()).find(|map| map.name() == asked) {
        return Ok(known.clone());
    }
    if asked.contains('=') {
        return ImportMap::with_flags(formats::maps::map_for(input, &[]).ok().as_ref(), asked);
    }
    let names: Vec<&str> = own.iter().chain(builtin_maps()).map(ImportMap::name).collect();
    let what = format!("there is no map {asked:?}, and no file of this name");
    Err(Error::usage(what).advise(format!("known are {}", names.join(", "))))
}

/// Lists the maps that are known, the study's own first.
pub(super) fn list(study: &Path) -> Result<()> {
    let own = own_maps(study)?;
    let line =
        |map: &ImportMap, whose: &str| format!("{}{whose}: {}\n", visible(map.name()), visible(map.about()));
    let own = own.iter().map(|map| line(map, " (of this study)"));
    print(&own.chain(builtin_maps().iter().map(|map| line(map, ""))).collect::<String>())
}

/// Says of each file by which map it would be read, and what its first record would become.
pub(super) fn try_out(sources: &[SourceFile]) -> Result<()> {
    let mut text = String::new();
    for (input, reader) in sources {
        text += &format!(
            "{}: read by {}\n",
            visible(&input.name().display().to_string()),
            visible(reader.name())
        );
        let FileReader::Map(map) = reader else { continue };
        let tried = MapReader::try_first(input, map).map_err(|error| error.under(Topic::Formats))?;
        for record in &tried.records {
            let line = serde_json::to_string(record).map_err(|error| Error::new(error.to_string()))?;
            text += &format!("  {}\n", visible(&line));
        }
        for (what, names) in [("kept in meta", tried.kept), ("left out by the map", tried.dropped)] {
            if !names.is_empty() {
                text += &format!("  {what}: {}\n", visible(&names.join(", ")));
            }
        }
    }
    print(&text)
}

/// Imports the files as one step: all of them, or none.
pub(super) fn run(arguments: &Import, sources: &[SourceFile], reading: &ReadOptions) -> Result<()> {
    let options = ImportOptions { skip_bad: arguments.skip_bad };
    let all = |study: &mut StudyFile| {
        let told = study.import_together(|imports| together(imports, arguments, sources, reading, options));
        told.map_err(|error| error.also("nothing was imported").under(Topic::Formats))
    };
    let text = match arguments.study.exists() {
        true => all(&mut super::open::open(&arguments.study)?)?,
        false => StudyFile::create_with(&arguments.study, all)?,
    };
    print(&text)?;
    arguments.as_protocol.as_deref().map_or(Ok(()), |name| write_protocol(&arguments.study, name))
}

fn together(
    imports: &Imports<'_>,
    arguments: &Import,
    sources: &[SourceFile],
    reading: &ReadOptions,
    options: ImportOptions,
) -> Result<String> {
    let mut text = String::new();
    let mut reader = MapReader::new(arguments.as_protocol.clone());
    let mut mapped = Vec::new();
    for (input, by) in sources {
        let name = format!("{} ({})", input.name().display(), by.name());
        let report = match by {
            FileReader::Format(format) => {
                import(imports, input, options, |sink| formats::read(input, *format, reading, sink))?
            }
            FileReader::Map(map) => {
                mapped.push(input);
                let is_known = builtin_maps().iter().any(|known| known.text == map.text);
                import(imports, input, options, |sink| {
                    reader.read(input, map, sink)?;
                    let (name, text) = (map.name().to_owned(), map.text.clone());
                    if is_known {
                        Ok(())
                    } else {
                        sink.take(Place::Line(1), Record::Map(MapText { name, text }))
                    }
                })?
            }
        };
        text += &told(&name, &report);
    }
    // The values of a label are known once all files are read.
    for (place, input) in mapped.into_iter().enumerate().filter(|(place, _)| reader.has_labels(*place)) {
        let report = import(imports, input, options, |sink| reader.finish(place, sink))?;
        text += &told(&format!("{} (labels)", input.name().display()), &report);
    }
    if let Some(texts) = &arguments.texts {
        let input = InputBytes::open(texts)?;
        let map = formats::maps::map_for(&input, &[])?;
        let report = import(imports, &input, options, |sink| reader.fill(&input, &map, sink))?;
        let filled = report.added.get(&RecordKind::Document).copied().unwrap_or_default();
        text += &format!("{}: {} came in\n", input.name().display(), number_of(filled, "text"));
    }
    if reader.wanted() > 0 {
        let wanted = number_of(reader.wanted(), "document");
        text += &format!("  without a text: {wanted}; --texts FILE takes the texts from a corpus\n");
    }
    Ok(text)
}

/// Writes the protocol that labels came in under as a file, unless there is one.
fn write_protocol(study: &Path, name: &str) -> Result<()> {
    let path = Path::new(name).with_extension("toml");
    let texts = StudyFile::open(study)?.protocol_texts()?;
    let Some(protocol) = texts.into_iter().rfind(|protocol| protocol.name == name).filter(|_| !path.exists())
    else {
        return Ok(());
    };
    write_atomically(&path, Some(study), |out| {
        out.write_all(protocol.text.as_bytes()).map_err(cannot_write)
    })?;
    print(&format!("{}: the protocol of the labels\n", path.display()))
}
