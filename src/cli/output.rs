//! Standard output and standard error.

use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::error::{ContextValue, ErrorKind};

use super::progress;
use crate::error::{Error, Result, cannot_write};
use crate::export::handed_on::{NamesTold, is_handed_on};
use crate::export::table::{OutputFormat, Table, TableForm, render_named};
use crate::files::{self, IfThere, STANDARD_OUTPUT, write_atomically, write_together};
use crate::number::number_of;
use crate::store::StudyFile;
use crate::text::width::{visible, visible_lines};
use crate::text::wrap::wrap;

/// Writes a result to standard output. A reader that has gone away is no error.
pub fn print(text: &str) -> Result<()> {
    progress::clear();
    write_file(Path::new(STANDARD_OUTPUT), text.as_bytes())
}

/// Empties the terminal that results are printed to, with the cursor in the first cell.
pub fn clear_terminal() -> Result<()> {
    progress::clear();
    files::clear_terminal()
}

/// Writes a file, or to standard output when the target is `-`.
pub fn write_file(target: &Path, content: &[u8]) -> Result<()> {
    write_atomically(target, None, |out| out.write_all(content).map_err(cannot_write))
}

/// Prints the tables of a command that writes the study too, with the names by which people are told of.
pub fn print_told<'p>(
    study: &StudyFile,
    tables: Vec<Table>,
    people: impl IntoIterator<Item = &'p str>,
    form: &TableForm,
    with_names: bool,
) -> Result<()> {
    let told = NamesTold::beside(study, is_handed_on(form, with_names), people)?;
    print_tables(&tables.into_iter().map(|table| told.table(table)).collect::<Vec<_>>(), form)
}

/// Writes the tables that are asked for to standard output, or a file each into a folder; and to standard error the notes
/// for which CSV has no place.
pub fn print_tables(tables: &[Table], form: &TableForm) -> Result<()> {
    let displayed = form.displayed(tables)?;
    let chosen = form.chosen(displayed.as_deref().unwrap_or(tables))?;
    if form.format == OutputFormat::Csv {
        for note in chosen.iter().flat_map(|(_, table)| &table.notes) {
            complain(&format!("note: {note}"));
        }
    }
    let Some(folder) = &form.output else { return print(&render_named(&chosen, form, terminal_width())?) };
    write_together(IfThere::Refuse("name another folder"), |files| {
        let made = files.folder(folder)?;
        chosen.iter().try_for_each(|named| {
            let file = made.join(format!("{}.{}", named.0.replace('/', "-"), form.ending()));
            if file.exists() {
                return Err(Error::new("two tables have this name")
                    .in_file(&file)
                    .advise("choose one with --table"));
            }
            write_file(&file, render_named(std::slice::from_ref(named), form, 80)?.as_bytes())
        })
    })?;
    complain(&format!("wrote {} to {}", number_of(chosen.len(), "file"), folder.display()));
    Ok(())
}

/// Prints tables anew: in a terminal only as many of their first lines as it has rows, so that their top stays.
pub fn print_watched(tables: &[Table], form: &TableForm) -> Result<()> {
    match crossterm::terminal::size() {
        Ok((_, rows)) if prints_to_terminal() && form.output.is_none() => {
            let displayed = form.displayed(tables)?;
            let chosen = form.chosen(displayed.as_deref().unwrap_or(tables))?;
            let text = render_named(&chosen, form, terminal_width())?;
            print(&cut(&text, usize::from(rows.max(3))))
        }
        _ => print_tables(tables, form),
    }
}

/// The first lines, with a mark where there are more than fit; the last row stays free for the cursor.
fn cut(text: &str, rows: usize) -> String {
    match text.lines().count() < rows {
        true => text.to_owned(),
        false => text.lines().take(rows - 2).chain(["…"]).flat_map(|line| [line, "\n"]).collect(),
    }
}

/// Writes a line to standard error; where even that fails there is nobody to tell. In a terminal its rows end between
/// words.
pub fn complain(text: &str) {
    progress::clear();
    let text = visible(text);
    let mut err = io::stderr().lock();
    let _ = match crossterm::terminal::size() {
        Ok((columns, _)) if err.is_terminal() => writeln!(err, "{}", wrapped(&text, columns.max(20))),
        _ => writeln!(err, "{text}"),
    };
}

/// A text in rows of at most so many columns.
fn wrapped(text: &str, columns: u16) -> String {
    let row = |row| text.get(row).unwrap_or("").trim_end();
    wrap(text, columns).iter().map(row).collect::<Vec<&str>>().join("\n")
}

/// Writes clap's complaint about a command line to standard error, cleaned like our own words; or the help that was asked for.
pub fn refuse(mut error: clap::Error) -> ExitCode {
    if matches!(error.exit_code(), 0) || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        error.exit();
    }
    // The end of a line within a typed word is a sign like any other.
    let typed: Vec<_> = error.context().map(|(kind, value)| (kind, value.clone())).collect();
    for (kind, value) in typed {
        match value {
            ContextValue::String(text) => {
                error.insert(kind, ContextValue::String(visible(&text).into_owned()))
            }
            ContextValue::Strings(texts) => {
                let texts = texts.iter().map(|text| visible(text).into_owned()).collect();
                error.insert(kind, ContextValue::Strings(texts))
            }
            _ => None,
        };
    }
    let mut err = io::stderr().lock();
    let _ = write!(err, "{}", visible_lines(&error.render().to_string()));
    u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// Whether standard input and standard output are a terminal.
pub fn is_terminal() -> bool {
    io::stdin().is_terminal() && prints_to_terminal()
}

/// The error of a command that needs a terminal and has none.
pub fn needs_terminal(command: &str) -> Error {
    Error::new(format!("`haymark {command}` needs a terminal for its screen"))
        .advise("run it in one, not in a pipe or a job")
}

/// Whether results are printed to a terminal.
pub fn prints_to_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Columns of the terminal, even where results go elsewhere.
pub fn screen_columns() -> usize {
    crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns))
}

/// Columns of the terminal that a result is printed to; 80 where it goes elsewhere.
pub fn terminal_width() -> usize {
    if !prints_to_terminal() {
        return 80;
    }
    crossterm::terminal::size().map_or(80, |(columns, _)| usize::from(columns.max(20)))
}

#[cfg(test)]
mod tests {
    use super::{cut, wrapped};

    #[test]
    fn errors_end_their_rows_between_words() {
        let text = "error: study.db: the disk is full; free some space\nand try again";
        assert_eq!(wrapped(text, 24), "error: study.db: the\ndisk is full; free some\nspace\nand try again");
        assert_eq!(
            wrapped("a/path/without/a/blank/in/it", 20).replace('\n', ""),
            "a/path/without/a/blank/in/it"
        );
    }

    #[test]
    fn what_is_watched_is_cut_below() {
        assert_eq!(cut("a\nb\nc\n", 4), "a\nb\nc\n");
        assert_eq!(cut("a\nb\nc\nd\n", 4), "a\nb\n…\n");
    }
}
