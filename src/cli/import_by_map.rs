//! Importing files, those of other programs by maps: all of them come in as one step.

use std::collections::BTreeSet;
use std::path::Path;

use super::import::{import, told};
use super::{Import, complain, import_as, print};
use crate::error::{Error, Result, Topic, cannot_write};
use crate::files::write_atomically;
use crate::formats::maps::{FileNotes, MapReader, builtin_maps};
use crate::formats::{self, FileReader, Format, ImportMap, InputBytes, ReadOptions, short_text};
use crate::number::number_of;
use crate::store::{ImportOptions, Imports, StudyFile};
use crate::study::{MapText, Place, ProtocolText, Record, RecordKind};
use crate::text::hash::{Fingerprint, fingerprint};
use crate::text::width::visible;

/// A file and its reader.
pub(super) type SourceFile = (InputBytes, FileReader);

/// The maps of a study, the newest first; none where there is no study yet.
pub(super) fn own_maps(study: Option<&StudyFile>) -> Result<Vec<ImportMap>> {
    let texts = study.map_or(Ok(Vec::new()), StudyFile::import_maps)?;
    texts.iter().map(|map| ImportMap::parse(&map.text)).collect()
}

/// The files, each with the reader that the arguments name, else the one that suits the file's contents.
pub(super) fn sources(arguments: &Import, study: Option<&StudyFile>) -> Result<Vec<SourceFile>> {
    let format = arguments.format.as_deref().map(Format::from_name).transpose()?;
    let own = own_maps(study)?;
    let named = arguments.map.as_deref().map(|asked| named_map(asked, &own)).transpose()?.flatten();
    let mut sources = Vec::new();
    for file in &arguments.files {
        let input = InputBytes::open(file)?;
        let reader = match format {
            Some(format) => FileReader::Format(format),
            None => reader(&input, arguments.map.as_deref(), named.as_ref(), &own)
                .map_err(|error| error.also("nothing was imported").under(Topic::Formats))?,
        };
        sources.push((input, reader));
    }
    Ok(sources)
}

/// The reader of a file: the map that `--map` asks for, which is `named` where it has a name, else what suits the file's
/// contents. A note says where a map of the study reads what one of haymark's would.
pub(super) fn reader(
    input: &InputBytes,
    asked: Option<&str>,
    named: Option<&ImportMap>,
    own: &[ImportMap],
) -> Result<FileReader> {
    let usual = || formats::maps::map_for(input, &[]).ok();
    if let Some(map) = named {
        return Ok(FileReader::Map(Box::new(map.clone())));
    }
    if let Some(flags) = asked {
        return Ok(FileReader::Map(Box::new(ImportMap::with_flags(usual().as_ref(), flags)?)));
    }
    let found = formats::recognise(input, own)?;
    if let FileReader::Map(map) = &found
        && own.contains(map)
        && let Some(usual) = usual()
    {
        let (file, map, usual) = (input.name().display(), visible(map.name()), usual.name());
        complain(&format!(
            "note: {file} is read by the study's map \"{map}\"; --map {usual} reads it by that of haymark"
        ));
    }
    Ok(found)
}

/// The map that `--map` asks for, a file or a known name; `None` where the option lists fields.
pub(super) fn named_map(asked: &str, own: &[ImportMap]) -> Result<Option<ImportMap>> {
    let path = Path::new(asked);
    let called = |name: &str| own.iter().filter(|map| map.name() == name).collect::<Vec<_>>();
    if path.is_file() {
        let map = ImportMap::parse(&short_text(path)?).map_err(|error| error.in_file(path))?;
        let alike = called(map.name());
        if alike.iter().any(|known| known.text != map.text) {
            let is_new = alike.iter().all(|known| known.text != map.text);
            let next = if is_new { " and, as the newest, the next ones" } else { "" };
            let (file, name) = (path.display(), visible(map.name()));
            complain(&format!(
                "note: the study has another map called \"{name}\"; that of {file} reads these files{next}"
            ));
        }
        return Ok(Some(map));
    }
    if let several @ 2.. = called(asked).len() {
        let name = visible(asked);
        complain(&format!(
            "note: the study has {several} maps called \"{name}\", and the newest reads the files; for another, save its text, \
             which `haymark export` has, and give it with --map FILE"
        ));
    }
    if let Some(known) = own.iter().chain(builtin_maps()).find(|map| map.name() == asked) {
        return Ok(Some(known.clone()));
    }
    if asked.contains('=') {
        return Ok(None);
    }
    let names: Vec<&str> = own.iter().chain(builtin_maps()).map(ImportMap::name).collect();
    let what = format!("there is no map {asked:?}, and no file of this name");
    Err(Error::usage(what).advise(format!("known are {}", names.join(", "))))
}

/// Lists the maps that are known, the study's own first.
pub(super) fn list(study: Option<&StudyFile>) -> Result<()> {
    let own = own_maps(study)?;
    let line =
        |map: &ImportMap, whose: &str| format!("{}{whose}: {}\n", visible(map.name()), visible(map.about()));
    let of_study = own.iter().enumerate().map(|(place, map)| {
        let is_older = own.iter().take(place).any(|newer| newer.name() == map.name());
        line(map, if is_older { " (of this study, older)" } else { " (of this study)" })
    });
    print(&of_study.chain(builtin_maps().iter().map(|map| line(map, ""))).collect::<String>())
}

/// The map by which each file is read, and what its first record becomes.
fn tried(arguments: &Import, sources: &[SourceFile]) -> Result<String> {
    let mut text = String::new();
    for (input, reader) in sources {
        let file = input.name().display().to_string();
        text += &format!("{}: read by {}\n", visible(&file), visible(reader.name()));
        let FileReader::Map(map) = reader else { continue };
        // A first record that refers to the study's records is not shown; the import tells its fate.
        let Ok(tried) = MapReader::try_first(input, map, arguments.as_protocol.clone()) else { continue };
        for record in &tried.records {
            let line = serde_json::to_string(record).map_err(|error| Error::new(error.to_string()))?;
            text += &format!("  {}\n", visible(&line));
        }
        if !tried.dropped.is_empty() {
            text += &format!("  left out by the map: {}\n", visible(&tried.dropped.join(", ")));
        }
    }
    Ok(text)
}

/// The remarks on a file besides those on its records, as lines.
fn noted(notes: &FileNotes) -> String {
    let line = |what: &str, names: &BTreeSet<String>| {
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        if names.is_empty() { String::new() } else { format!("  {what}: {}\n", visible(&names.join(", "))) }
    };
    let mut text = line("fields that the map does not name, kept in meta", &notes.kept)
        + &line("fields that the map does not name, of no record", &notes.lost)
        + &line("fields that the map does not name, taken for labels", &notes.labels)
        + &line("labels that no judgment holds, such as spans, left out", &notes.unread);
    if notes.skipped > 0 {
        let skipped = number_of(notes.skipped, "judgment");
        text += &format!("  skipped by their annotators, so put aside without answers: {skipped}\n");
    }
    for (column, answers) in notes.answers.iter().filter(|(_, answers)| **answers < notes.rows) {
        let rows = number_of(notes.rows, "row");
        text += &format!("  no answer of {} in {} of {rows}\n", visible(column), notes.rows - answers);
    }
    if let Some((count, first)) = &notes.astray {
        let (citations, lead) = (number_of(*count, "citation"), if *count == 1 { "leads" } else { "lead" });
        text += &format!(
            "  {citations} {lead} to no document, the first at {first}; --map documents=FIELD names a field that has documents\n"
        );
    }
    text
}

/// Says what the import would do to the study, and does not do it.
pub(super) fn try_out(
    arguments: &Import,
    mut study: Option<StudyFile>,
    sources: &[SourceFile],
    reading: &ReadOptions,
) -> Result<()> {
    print(&tried(arguments, sources)?)?;
    // All that would be refused is listed, not the first alone.
    let options = ImportOptions { skip_bad: true };
    let all = |study: &mut StudyFile| {
        let told = study.rehearse_import(|imports| together(imports, arguments, sources, reading, options));
        told.map_err(|error| error.under(Topic::Formats))
    };
    let (text, refused) = match &mut study {
        Some(study) => all(study)?,
        None => {
            let folder = tempfile::tempdir().map_err(cannot_write)?;
            StudyFile::create_with(&folder.path().join("study.db"), all)?
        }
    };
    let is_refused = refused > 0 && !arguments.skip_bad;
    let with = if is_refused { "with --skip-bad in the place of" } else { "without" };
    print(&format!("nothing is written; {with} --dry-run:\n{text}"))?;
    if is_refused {
        let refused = number_of(refused, "record");
        return Err(Error::new(format!("{refused} would be refused, and nothing would come in"))
            .advise("correct them, or leave them out with --skip-bad")
            .under(Topic::Formats));
    }
    Ok(())
}

/// Imports the files as one step: all of them, or none.
pub(super) fn run(
    arguments: &Import,
    study: Option<StudyFile>,
    sources: &[SourceFile],
    reading: &ReadOptions,
) -> Result<()> {
    let options = ImportOptions { skip_bad: arguments.skip_bad };
    let all = |study: &mut StudyFile| {
        let told = study.import_together(|imports| together(imports, arguments, sources, reading, options));
        let (text, _) = told.map_err(|error| error.also("nothing was imported").under(Topic::Formats))?;
        let name = arguments.as_protocol.as_deref();
        let texts = name.map_or_else(|| Ok(Vec::new()), |_| study.protocol_texts())?;
        Ok((text, texts.into_iter().rfind(|protocol| Some(protocol.name.as_str()) == name)))
    };
    let (text, protocol) = match study {
        Some(mut study) => all(&mut study)?,
        None => StudyFile::create_with(&arguments.study, all)?,
    };
    print(&text)?;
    protocol.map_or(Ok(()), |protocol| write_protocol(&arguments.study, &protocol))
}

/// The reports of the files as text, and how many records were left out.
fn together(
    imports: &Imports<'_>,
    arguments: &Import,
    sources: &[SourceFile],
    reading: &ReadOptions,
    options: ImportOptions,
) -> Result<(String, usize)> {
    let (mut text, mut left_out) = (String::new(), 0);
    let mut reader = MapReader::new(arguments.as_protocol.clone());
    let mut mapped = Vec::new();
    for (input, by) in sources {
        let name = format!("{} ({})", input.name().display(), by.name());
        let report = match by {
            FileReader::Format(format) => {
                import(imports, input, options, |sink| formats::read(input, *format, reading, sink))
                    .map_err(|error| error.in_file(input.name()))?
            }
            FileReader::Map(map) => {
                mapped.push((input, map));
                let is_known = builtin_maps().iter().any(|known| known.text == map.text);
                import(imports, input, options, |sink| {
                    reader.read(input, map, sink)?;
                    let (name, text) = (map.name().to_owned(), map.text.clone());
                    if is_known || !reader.has_read() {
                        Ok(())
                    } else {
                        sink.take(Place::Line(1), Record::Map(MapText { name, text }))
                    }
                })?
            }
        };
        left_out += report.left_out;
        let is_mapped = matches!(by, FileReader::Map(_));
        text += &told(&name, &report, is_mapped && reader.has_read());
        if is_mapped {
            text += &noted(reader.notes());
        }
    }
    // The values of a label are known once all files are read.
    let has_labels = |(place, _): &(usize, _)| reader.has_labels(*place);
    for (place, (input, map)) in mapped.iter().copied().enumerate().filter(has_labels) {
        // Under another map or protocol the same bytes give other labels.
        let content = labels_print(input, map, arguments.as_protocol.as_deref().unwrap_or_default())?;
        let report = import_as(imports, (input, content), options, |sink| reader.finish(place, sink))?;
        left_out += report.left_out;
        text += &told(&format!("{} (labels)", input.name().display()), &report, true);
        let stem = input.name().file_stem().unwrap_or_default().to_string_lossy();
        if arguments.as_protocol.is_none() && reader.judges_under(place, &stem) {
            let stem = visible(&stem);
            text += &format!(
                "  under the protocol \"{stem}\", the file's name; with --as-protocol NAME files of several people are under one\n"
            );
        }
    }
    if let (Some(name), true) =
        (&arguments.as_protocol, (0..mapped.len()).all(|place| !reader.has_labels(place)))
    {
        text += &format!("  no labels came in under {}: the map names none\n", visible(name));
    }
    if let Some(texts) = &arguments.texts {
        let input = InputBytes::open(texts)?;
        let map = formats::maps::map_for(&input, &[])?;
        let report = import(imports, &input, options, |sink| reader.fill(&input, &map, sink))?;
        let filled = report.added.get(&RecordKind::Document).copied().unwrap_or_default();
        text += &format!("{}: {} came in\n", input.name().display(), number_of(filled, "text"));
        text += &noted(reader.notes());
    }
    if reader.wanted() > 0 {
        let wanted = number_of(reader.wanted(), "document");
        text += &format!("  without a text: {wanted}; --texts FILE takes the texts from a corpus\n");
    }
    Ok((text, left_out))
}

/// The fingerprint of the labels that a map makes of a file.
fn labels_print(input: &InputBytes, map: &ImportMap, protocol: &str) -> Result<Fingerprint> {
    let bytes = input.fingerprint()?.to_string();
    let name = if map.text.contains("@file") { input.name().file_stem() } else { None };
    let name = name.unwrap_or_default().to_string_lossy();
    Ok(fingerprint([bytes.as_str(), &map.text, protocol, &name]))
}

/// Writes the protocol that labels came in under as a file, unless there is one.
fn write_protocol(study: &Path, protocol: &ProtocolText) -> Result<()> {
    let path = Path::new(&protocol.name).with_extension("toml");
    if path.exists() {
        return Ok(());
    }
    write_atomically(&path, Some(study), |out| {
        out.write_all(protocol.text.as_bytes()).map_err(cannot_write)
    })?;
    print(&format!("{}: the protocol of the labels\n", path.display()))
}
