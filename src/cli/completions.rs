//! `haymark completions`: what a shell asks haymark for when somebody presses tab. Names of people, protocols and queries come
//! from the study on the line that is being typed. Other people chose these names: a shell gets none that steers a terminal,
//! and each is quoted so that it arrives as one argument and runs nothing.

use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::Path;

use clap::{Args, Command, ValueEnum, ValueHint};
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter, complete,
};
use clap_complete::env::{self, CompleteEnv, EnvCompleter, Shells};

use super::{ClusterName, command, print};
use crate::error::{Error, Result, cannot_write};
use crate::report::protocols;
use crate::score::ClusterKind;
use crate::store::StudyFile;
use crate::text::width::visible;

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    #[arg(value_parser = ["bash", "zsh", "fish", "powershell", "elvish"])]
    pub shell: String,
}

/// Lists the names of one kind that a study knows.
type NamesOfStudy = fn(&StudyFile) -> Result<Vec<String>>;

/// The options whose values a study knows.
const FROM_STUDY: &[(&str, NamesOfStudy)] = &[
    ("as", annotators),
    ("for", annotators),
    ("to", annotators),
    ("remove", annotators),
    ("annotators", annotators),
    ("judges", annotators),
    ("known-from", annotators),
    ("reopen", annotators),
    ("protocol", names_of_protocols),
    ("query", queries),
    ("cluster", clusters),
];

/// The variable by which a shell says that it completes, and which shell it is.
const VARIABLE: &str = "COMPLETE";

const SHELLS: Shells<'static> = Shells(&[
    &Bash,
    &LibraryShell { shell: &env::Elvish, words: |words| words, quoted: str::to_owned },
    &LibraryShell { shell: &env::Fish, words: last_unquoted, quoted: str::to_owned },
    &LibraryShell { shell: &env::Powershell, words: |words| words, quoted: quoted_for_powershell },
    &LibraryShell { shell: &env::Zsh, words: all_unquoted, quoted: str::to_owned },
]);

pub fn run(arguments: &Completions) -> Result<()> {
    let Some(shell) = SHELLS.completer(&arguments.shell) else {
        return Err(Error::usage(format!("there is nothing for the shell {:?}", arguments.shell)));
    };
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, "haymark", "haymark", "haymark", &mut script).map_err(cannot_write)?;
    print(&String::from_utf8_lossy(&script))
}

/// Answers a shell that completes a line, and ends the program. Does nothing where no shell asks.
pub fn answer_shell() {
    CompleteEnv::with_factory(command).var(VARIABLE).shells(SHELLS).complete();
}

/// A shell as the library knows it.
struct LibraryShell {
    shell: &'static dyn EnvCompleter,
    /// The words of the line without the quotes that the shell hands on with them.
    words: fn(Vec<OsString>) -> Vec<OsString>,
    /// A value as it is put on the line, where the shell does not quote it by itself.
    quoted: fn(&str) -> String,
}

impl EnvCompleter for LibraryShell {
    fn name(&self) -> &'static str {
        self.shell.name()
    }

    fn is(&self, name: &str) -> bool {
        self.shell.is(name)
    }

    fn write_registration(
        &self,
        variable: &str,
        name: &str,
        program: &str,
        completer: &str,
        to: &mut dyn Write,
    ) -> io::Result<()> {
        self.shell.write_registration(variable, name, program, completer, to)
    }

    fn write_complete(
        &self,
        command: &mut Command,
        words: Vec<OsString>,
        folder: Option<&Path>,
        to: &mut dyn Write,
    ) -> io::Result<()> {
        let words = (self.words)(words);
        let mut command = with_completions(command.clone(), &words, self.quoted);
        self.shell.write_complete(&mut command, words, folder, to)
    }
}

/// Completion for bash. Bash replaces only the piece behind the last sign that parts words, and parts words where haymark
/// does not. So the script hands over the line up to the cursor, and that piece.
struct Bash;

const BASH: &str = r#"_haymark() {
    local word
    COMPREPLY=()
    while IFS= read -r word; do
        COMPREPLY+=("$word")
    done < <(COMPLETE=bash "haymark" -- "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
    [[ "${COMPREPLY-}" == *[=/:] ]] || compopt +o nospace 2>/dev/null
}
complete -o nospace -o bashdefault -o nosort -F _haymark haymark 2>/dev/null ||
    complete -o nospace -o bashdefault -F _haymark haymark
"#;

impl EnvCompleter for Bash {
    fn name(&self) -> &'static str {
        "bash"
    }

    fn is(&self, name: &str) -> bool {
        name == "bash"
    }

    fn write_registration(&self, _: &str, _: &str, _: &str, _: &str, to: &mut dyn Write) -> io::Result<()> {
        to.write_all(BASH.as_bytes())
    }

    fn write_complete(
        &self,
        command: &mut Command,
        given: Vec<OsString>,
        folder: Option<&Path>,
        to: &mut dyn Write,
    ) -> io::Result<()> {
        let [Some(line), Some(piece)] = [0, 1].map(|at| given.get(at).and_then(|text| text.to_str())) else {
            return Ok(());
        };
        let typed = typed(line);
        let Some(before) = typed.last.strip_suffix(piece) else { return Ok(()) };
        let before = unquoted(before);
        let words: Vec<OsString> = typed.words.iter().map(OsString::from).collect();
        let index = words.len() - 1;
        let mut command = with_completions(command.clone(), &words, str::to_owned);
        for candidate in complete(&mut command, words, index, folder)? {
            let rest = candidate.get_value().to_str().and_then(|value| value.strip_prefix(&before));
            if let Some(rest) =
                rest.and_then(|rest| quoted_for_bash(rest, typed.quote, piece.starts_with('~')))
            {
                writeln!(to, "{rest}")?;
            }
        }
        Ok(())
    }
}

/// A line of a shell up to the cursor.
struct TypedLine<'l> {
    /// The words without their quotes; the last is the word that is completed.
    words: Vec<String>,
    /// The last word as it was typed.
    last: &'l str,
    /// The quotes that are open at the end of the line.
    quote: Option<char>,
}

/// Reads a line as bash, zsh and fish do: words parted by blanks, quotes, and signs after a backslash.
fn typed(line: &str) -> TypedLine<'_> {
    let (mut words, mut last, mut quote) = (vec![String::new()], line, None);
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        let is_blank = quote.is_none() && matches!(sign, ' ' | '\t' | '\n');
        if is_blank {
            last = signs.as_str();
        }
        let meant = match (quote, sign) {
            (None, '\'' | '"') => {
                quote = Some(sign);
                None
            }
            (Some(open), _) if sign == open => {
                quote = None;
                None
            }
            (None, '\\') => signs.next(),
            (Some('"'), '\\') if signs.as_str().starts_with(['"', '\\', '$', '`']) => signs.next(),
            _ => Some(sign),
        };
        match words.last_mut() {
            Some(word) if !is_blank => word.extend(meant),
            Some(word) if word.is_empty() => {}
            _ => words.push(String::new()),
        }
    }
    TypedLine { words, last, quote }
}

/// A word, or the beginning of one, without its quotes.
fn unquoted(word: &str) -> String {
    typed(word).words.pop().unwrap_or_default()
}

fn all_unquoted(words: Vec<OsString>) -> Vec<OsString> {
    words.into_iter().map(|word| word.to_str().map(unquoted).map_or(word, OsString::from)).collect()
}

fn last_unquoted(mut words: Vec<OsString>) -> Vec<OsString> {
    let last = all_unquoted(words.pop().into_iter().collect());
    words.extend(last);
    words
}

/// Writes the rest of a word as bash reads it as itself: with a backslash before every sign that could mean something
/// else. Within quotes the rest stays as it is; `None` where some sign means something there. A `~` that was typed stays
/// the home folder.
fn quoted_for_bash(rest: &str, quote: Option<char>, has_home: bool) -> Option<String> {
    if quote.is_some() {
        return (!rest.contains(['\'', '"', '\\', '$', '`', '!'])).then(|| rest.to_owned());
    }
    let mut quoted = String::new();
    for (at, sign) in rest.char_indices() {
        let is_home = has_home && at == 0;
        if !(is_home || sign.is_alphanumeric() || "_-./,+@%".contains(sign)) {
            quoted.push('\\');
        }
        quoted.push(sign);
    }
    Some(quoted)
}

/// Writes a value as PowerShell reads it as itself. PowerShell takes curly single quotes for single quotes, too.
fn quoted_for_powershell(value: &str) -> String {
    if value.chars().all(|sign| sign.is_alphanumeric() || "_-./:\\".contains(sign)) {
        return value.to_owned();
    }
    let mut quoted = "'".to_owned();
    for sign in value.chars() {
        quoted.extend(std::iter::repeat_n(sign, if is_single_quote(sign) { 2 } else { 1 }));
    }
    quoted + "'"
}

fn is_single_quote(sign: char) -> bool {
    matches!(sign, '\'' | '\u{2018}'..='\u{201b}')
}

/// Adds completions to the command line: names from the study on it, and files whose names do no harm.
fn with_completions(command: Command, words: &[OsString], quoted: fn(&str) -> String) -> Command {
    let command = command.mut_args(|arg| {
        let offered = move |mut values: Vec<CompletionCandidate>| {
            values.retain(|value| value.get_value().to_str().is_some_and(is_harmless));
            let text = |value: &CompletionCandidate| quoted(&value.get_value().to_string_lossy());
            values
                .iter()
                .map(|value| CompletionCandidate::new(text(value)).hide(value.is_hide_set()))
                .collect()
        };
        if arg.get_value_hint() == ValueHint::AnyPath {
            let paths = move |typed: &OsStr| offered(PathCompleter::any().complete(typed));
            return arg.add(ArgValueCompleter::new(paths));
        }
        let Some((_, known)) = FROM_STUDY.iter().find(|(name, _)| Some(*name) == arg.get_long()) else {
            return arg;
        };
        let (words, parted) = (words.to_vec(), arg.get_value_delimiter());
        arg.add(ArgValueCompleter::new(move |typed: &OsStr| {
            let typed = typed.to_string_lossy();
            // Fish makes a home folder of a `~`, however it is offered.
            let is_meant = |value: &String| {
                let is_other = value.starts_with('~') || parted.is_some_and(|sign| value.contains(sign));
                value.starts_with(&*typed) && !is_other
            };
            let values = study_among(&words).and_then(|study| known(&study).ok()).unwrap_or_default();
            offered(values.into_iter().filter(is_meant).map(CompletionCandidate::new).collect())
        }))
    });
    command.mut_subcommands(|command| with_completions(command, words, quoted))
}

/// Whether a value can be listed: it neither steers the terminal nor turns its text around, and is not taken for an option.
fn is_harmless(value: &str) -> bool {
    visible(value) == value && !value.starts_with('-')
}

/// The first of the words that is a study.
fn study_among(words: &[OsString]) -> Option<StudyFile> {
    let mut files = words.iter().skip(1).map(Path::new).filter(|word| word.is_file());
    files.find_map(|file| StudyFile::open_read_only(file).ok())
}

fn annotators(study: &StudyFile) -> Result<Vec<String>> {
    Ok(study.annotators()?.into_iter().map(|(_, annotator)| annotator.id).collect())
}

fn names_of_protocols(study: &StudyFile) -> Result<Vec<String>> {
    Ok(protocols::all(study)?.into_iter().map(|protocol| protocol.name).collect())
}

fn queries(study: &StudyFile) -> Result<Vec<String>> {
    Ok(study.queries()?.into_iter().map(|(_, query)| query.id).collect())
}

fn clusters(_: &StudyFile) -> Result<Vec<String>> {
    Ok(ClusterName::value_variants()
        .iter()
        .map(|name| ClusterKind::from(*name).words().0.to_owned())
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_shells_read_them() {
        for (line, words, last, quote) in [
            ("a b", &["a", "b"][..], "b", None),
            ("a  ", &["a", ""], "", None),
            (r"a\ b c\", &["a b", "c"], r"c\", None),
            (r#"a "b c"#, &["a", "b c"], r#""b c"#, Some('"')),
            (r#"a b,'c "d"#, &["a", r#"b,c "d"#], r#"b,'c "d"#, Some('\'')),
            (r#"a "\$\"\x""#, &["a", r#"$"\x"#], r#""\$\"\x""#, None),
        ] {
            let typed = typed(line);
            assert_eq!(typed.words, words, "{line}");
            assert_eq!((typed.last, typed.quote), (last, quote), "{line}");
        }
    }

    #[test]
    fn bash_reads_what_is_quoted_as_itself() {
        assert_eq!(quoted_for_bash("alice,Bö", None, false).as_deref(), Some("alice,Bö"));
        assert_eq!(quoted_for_bash("$(a b)`;", None, false).as_deref(), Some(r"\$\(a\ b\)\`\;"));
        assert_eq!(quoted_for_bash("~a ~", None, true).as_deref(), Some(r"~a\ \~"));
        assert_eq!(quoted_for_bash("na (Maria); #", Some('"'), false).as_deref(), Some("na (Maria); #"));
        for sign in ["'", "\"", "\\", "$", "`", "!"] {
            assert_eq!(quoted_for_bash(sign, Some('"'), false), None, "{sign}");
        }
    }

    /// As PowerShell's language specification says in 2.3.5.2, of verbatim strings.
    #[test]
    fn powershell_reads_what_is_quoted_as_itself() {
        for (value, quoted) in [
            ("alice", "alice"),
            ("Anna Maria", "'Anna Maria'"),
            ("$(x)", "'$(x)'"),
            ("it's", "'it''s'"),
            ("\u{2019}; x", "'\u{2019}\u{2019}; x'"),
            ("a,b", "'a,b'"),
        ] {
            assert_eq!(quoted_for_powershell(value), quoted);
        }
    }

    #[test]
    fn harmful_values_are_not_offered() {
        for value in ["a\u{1b}[2J", "a\nb", "\u{202e}a", "a\u{2066}", "\u{feff}a", "-o", "a\tb"] {
            assert!(!is_harmless(value), "{value:?}");
        }
        for value in ["Anna Maria", "$(x)", "安娜", "👩\u{200d}🔬", "می\u{200c}نا"] {
            assert!(is_harmless(value), "{value:?}");
        }
    }
}
