//! A folder for one test, and the program run in it.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use super::{PROGRAM, sample};

/// A person's machine: a home folder of its own, in which the program runs, and no settings of whoever runs the tests. It is
/// removed at the end.
pub struct Desk {
    folder: TempDir,
}

impl Desk {
    pub fn new() -> Desk {
        Desk { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    /// A desk with these files on it.
    pub fn holding(files: &BTreeMap<PathBuf, Vec<u8>>) -> Desk {
        let desk = Desk::new();
        for (name, content) in files {
            let path = desk.folder().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(path, content).expect("written");
        }
        desk
    }

    /// All files on it, by their names.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut folders = vec![self.folder().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).expect("listed") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(self.folder()).expect("inside").to_owned();
                    files.insert(name, fs::read(path).expect("read"));
                }
            }
        }
        files
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A place in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file; gives its name, as an argument.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        fs::write(self.path(name), content).expect("a file is written");
        name.to_owned()
    }

    pub fn bytes(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("a file")
    }

    /// Writes records as haymark JSONL.
    pub fn records(&self, name: &str, records: &[Value]) -> String {
        let lines: String = records.iter().map(|record| format!("{record}\n")).collect();
        self.file(name, lines)
    }

    /// Writes records to a file of this name, and imports it into `study.db`.
    pub fn import(&self, name: &str, records: &[Value]) {
        self.records(name, records);
        self.out(&["import", "study.db", name]);
    }

    /// Imports these files of the sample data; prints what import does.
    pub fn samples(&self, study: &str, names: &[&str]) -> String {
        let arguments = ["import".to_owned(), study.to_owned()].into_iter();
        self.out(&arguments.chain(names.iter().map(|name| sample(name))).collect::<Vec<_>>())
    }

    /// The whole environment of a program, apart from what a test adds.
    pub fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        vec![
            ("HOME", self.folder.path().into()),
            ("XDG_DATA_HOME", self.path("data")),
            ("XDG_CONFIG_HOME", self.path("config")),
            ("TERM", "xterm-256color".into()),
            ("LANG", "C.UTF-8".into()),
            ("PATH", path.into()),
        ]
    }

    /// The program, ready to be run without a terminal.
    pub fn command<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.args(arguments).env_clear().envs(self.environment());
        command.current_dir(self.folder.path()).stdin(Stdio::null());
        command
    }

    pub fn run<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Output {
        self.command(arguments).output().expect("haymark runs")
    }

    /// Standard output of a command that succeeds.
    pub fn out<S: AsRef<OsStr> + Debug>(&self, arguments: &[S]) -> String {
        let output = self.run(arguments);
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        assert!(output.status.success(), "{arguments:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
        text
    }

    /// What a command says on standard error, whether it succeeds or not.
    pub fn told<S: AsRef<OsStr>>(&self, arguments: &[S]) -> String {
        String::from_utf8(self.run(arguments).stderr).expect("UTF-8")
    }

    /// The exit status of a command that fails and prints nothing, and the sentence with which it does.
    pub fn fails<S: AsRef<OsStr> + Debug>(&self, arguments: &[S]) -> (i32, String) {
        let output = self.run(arguments);
        assert!(output.stdout.is_empty(), "{arguments:?} prints {}", String::from_utf8_lossy(&output.stdout));
        let text = String::from_utf8(output.stderr).expect("UTF-8");
        (output.status.code().expect("an exit status"), text)
    }

    /// What a command that succeeds prints with `--format json`: its tables, or the table where there is one.
    pub fn json<S: AsRef<OsStr> + Debug>(&self, arguments: &[S]) -> Value {
        let format = ["--format", "json"].map(AsRef::as_ref);
        let arguments: Vec<&OsStr> = arguments.iter().map(AsRef::as_ref).chain(format).collect();
        match serde_json::from_str(&self.out(&arguments)).expect("a list of tables in JSON") {
            Value::Array(mut tables) if tables.len() == 1 => tables.remove(0),
            tables => tables,
        }
    }

    /// What `agree` says of every comparison: its facts, and the rows of each of its tables under the table's name.
    pub fn agreements<S: AsRef<OsStr> + Debug>(&self, arguments: &[S]) -> Vec<Value> {
        let mut found: Vec<Value> = Vec::new();
        let tables = self.json(arguments);
        let tables = tables.as_array().map_or(std::slice::from_ref(&tables), Vec::as_slice);
        for table in tables {
            let name = table["table"].as_str().expect("a name");
            if name == "used" {
                found.push(table.clone());
            }
            let comparison = found.last_mut().expect("used comes first").as_object_mut().expect("a table");
            if name == "coefficients" {
                comparison["notes"] = table["notes"].clone();
                comparison.insert("remarks".to_owned(), table["remarks"].clone());
            }
            for (fact, value) in table.as_object().expect("a table") {
                comparison.entry(fact).or_insert(value.clone());
            }
            comparison.insert(name.to_owned(), table["rows"].clone());
        }
        found
    }

    /// [`Desk::agreements`] where there is one comparison.
    pub fn agreement<S: AsRef<OsStr> + Debug>(&self, arguments: &[S]) -> Value {
        let mut found = self.agreements(arguments);
        assert_eq!(found.len(), 1, "{arguments:?}");
        found.remove(0)
    }

    /// The records of a kind that `study.db` exports.
    pub fn exported(&self, kind: &str) -> Vec<Value> {
        let records = lines(&self.out(&["export", "study.db"]));
        records.into_iter().filter(|record| record["type"] == kind).collect()
    }

    /// Every judgment of an annotator under a protocol, as exported.
    pub fn judgments(&self, study: impl AsRef<OsStr>, protocol: &str, annotator: &str) -> Vec<Value> {
        let of = ["--what", "judgments", "--names", "--with-text"].map(AsRef::as_ref);
        let arguments = [&["export".as_ref(), study.as_ref()], &of[..]].concat();
        let is_wanted = |record: &Value| {
            record["type"] == "judgment" && record["protocol"] == protocol && record["annotator"] == annotator
        };
        lines(&self.out(&arguments)).into_iter().filter(is_wanted).collect()
    }
}

/// The text of a protocol about summaries, grouped by "query" or "candidate", with these tables of questions and scores.
pub fn about_summaries(name: &str, version: u32, group: &str, tables: &str) -> String {
    format!(
        r#"name = "{name}"
title = "{name}"
version = {version}
source = "a test"
target = ["candidate"]
group = "{group}"
[layout]
above = ["query"]
left = ["documents"]
right = ["candidate"]
{tables}"#
    )
}

/// Counts of items by the label of `a` (rows) and that of `b` (columns).
pub fn confusion(agreement: &Value, a: &str, b: &str) -> Vec<Vec<u64>> {
    let rows = agreement["confusion"].as_array().expect("rows").iter();
    let counts = |row: &Value| {
        let row = row.as_object().expect("a row").iter();
        row.filter(|(name, _)| name.starts_with("b_says_")).filter_map(|(_, count)| count.as_u64()).collect()
    };
    rows.filter(|row| row["a"] == a && row["b"] == b).map(counts).collect()
}

/// Lines of JSON, read.
fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// An export without the names of its journal, which say from which file a judgment came.
pub fn without_names(export: &str) -> String {
    let is_named =
        |line: &&str| line.contains("{\"type\":\"journal\"") || line.contains("{\"type\":\"import\"");
    // A sum covers times too, and is the last field.
    let without_sum = |line: &str| match line.split_once(",\"sum\":\"") {
        Some((before, _)) => format!("{before}}}\n"),
        None => format!("{line}\n"),
    };
    export.lines().filter(|line| !is_named(line)).map(without_sum).collect()
}
