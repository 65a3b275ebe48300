//! Display names: names and captions that readers see in the place of a study's own.

use std::collections::BTreeMap;

use super::{Cell, Heading, Table};
use crate::error::{Error, Result};
use crate::text::person::{renamed_list, renamed_words};

/// A file of display names. A section such as `[system]` has a name for each value of that field, `[headings]` for columns,
/// `[captions]` for tables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DisplayNames {
    sections: BTreeMap<String, BTreeMap<String, String>>,
}

/// The fact that marks a table with display names.
const DISPLAYED: &str = "displayed";

/// Columns that hold values of a field under another name, and have its names where there are none of their own.
const SAME: [(&str, &str); 10] = [
    ("better", "system"),
    ("worse", "system"),
    ("against", "system"),
    ("judged_by", "annotator"),
    ("annotators", "annotator"),
    ("name", "annotator"),
    ("by", "annotator"),
    ("judge", "annotator"),
    ("a", "annotator"),
    ("b", "annotator"),
];

/// Columns with sentences, in which annotators may be named.
const SENTENCES: [&str; 3] = ["elsewhere", "what", "why"];

impl DisplayNames {
    /// Reads a file of names.
    ///
    /// # Errors
    /// The text is no TOML, or a value is no text; the error has the line.
    pub fn parse(text: &str) -> Result<DisplayNames> {
        let sections = toml::from_str(text).map_err(|error| {
            let line = error
                .span()
                .map(|span| text.bytes().take(span.start).filter(|byte| *byte == b'\n').count() as u64 + 1);
            let what = match error.message().lines().next() {
                Some(what) if what.contains("map") => {
                    "a section is one word, or in quotes, such as [\"query.category\"]".to_owned()
                }
                what => what.unwrap_or("it is no file of names").to_owned(),
            };
            let error = Error::new(what)
                .advise("write sections such as [system], with lines \"name\" = \"what readers see\"");
            line.map_or(error.clone(), |line| error.at_line(line))
        })?;
        Ok(DisplayNames { sections })
    }

    /// The names of the sections for fields.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        let others = ["headings", "captions"];
        self.sections.keys().map(String::as_str).filter(move |name| !others.contains(name))
    }

    /// The name that readers see for a value of a field.
    pub fn name<'n>(&'n self, field: &str, value: &'n str) -> &'n str {
        self.sections.get(field).and_then(|names| names.get(value)).map_or(value, String::as_str)
    }

    /// The heading that readers see of a column.
    pub fn heading<'n>(&'n self, column: &str, heading: &'n str) -> &'n str {
        self.sections.get("headings").and_then(|names| names.get(column)).map_or(heading, String::as_str)
    }

    /// The table with display names.
    #[must_use]
    pub fn shown(&self, table: &Table) -> Table {
        let mut shown = table.clone();
        // A table that has display names already is left alone.
        if self.sections.is_empty() || shown.facts.insert(DISPLAYED.to_owned(), true.into()).is_some() {
            return shown;
        }
        let of = |section: &str, name: &str| self.sections.get(section)?.get(name).cloned();
        let in_words = |text: &mut String| {
            if let Some(names) = self.sections.get("annotator") {
                *text = renamed_words(text, names.iter());
            }
        };
        shown.notes.iter_mut().chain([&mut shown.title]).for_each(in_words);
        let across = table.facts.get("across").and_then(|across| across.as_str());
        // The title of a pivot begins with the heading of its measure, which stands over no column.
        if let (Some(_), Some((_, fields)), Some(column)) =
            (across, table.title.rsplit_once(": "), table.columns.last())
            && let Some(heading) = of("headings", table.said("measure"))
        {
            shown.title = format!("{}: {fields}", Heading { heading, ..column.clone() }.label());
        }
        if let Some(caption) = of("captions", &table.path()).or_else(|| of("captions", &table.key)) {
            shown.title = caption;
        }
        for (at, column) in shown.columns.iter_mut().enumerate() {
            in_words(&mut column.heading);
            let is_sentence = SENTENCES.contains(&column.name.as_str());
            let same = SAME.iter().find(|(name, _)| *name == column.name);
            let field = same.map_or(column.name.as_str(), |(_, field)| *field);
            let names = self.sections.get(&column.name).or_else(|| self.sections.get(field));
            let people = self.sections.get("annotator").filter(|_| field == "annotator");
            for cell in shown.rows.iter_mut().filter_map(|row| row.get_mut(at)) {
                match cell {
                    Cell::Text(text) if is_sentence => in_words(text),
                    Cell::Text(text) => match (names.and_then(|names| names.get(text)), people) {
                        (Some(name), _) => name.clone_into(text),
                        (None, Some(people)) => {
                            *text = renamed_list(text, |name| people.get(name).map(String::as_str));
                        }
                        (None, None) => {}
                    },
                    _ => {}
                }
            }
            let of_group = across.filter(|_| column.right).and_then(|across| of(across, &column.name));
            if let Some(heading) = of_group.or_else(|| of("headings", &column.name)) {
                column.heading = heading;
            }
        }
        shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::Column;

    #[test]
    fn names_headings_and_captions_are_what_readers_see() {
        let text = "[system]\n\"oracle large-a\" = \"Oracle A\"\n[headings]\njoint = \"Joint\"\n[captions]\nscores = \"Table 2\"\n";
        let names = DisplayNames::parse(text).expect("names");
        let columns = [
            Column::new("system", "system", |row: &&str| (*row).to_owned()),
            Column::new("better", "ranked higher", |row: &&str| (*row).to_owned()),
            Column::new("against", "against", |row: &&str| (*row).to_owned()),
            Column::new("joint", "joint", |_: &&str| 1.0),
        ];
        let table = Table::of("Scores", columns, &["oracle large-a", "other"]);
        let shown = names.shown(&table);
        let texts: Vec<&Cell> = shown.rows.iter().flat_map(|row| row.iter().take(3)).collect();
        let cell = |text: &str| Cell::Text(text.to_owned());
        assert_eq!(texts, [[&cell("Oracle A"); 3], [&cell("other"); 3]].concat());
        assert_eq!((shown.title.as_str(), shown.columns[3].heading.as_str()), ("Table 2", "Joint"));
        assert_eq!(shown.columns[3].name, "joint", "keys stay");
        let columns = [Column::new("oracle", "oracle", |_: &&str| 1.0).score()];
        let pivot = Table::of("joint %: summarizer by retriever", columns, &["a"]);
        let pivot = pivot.fact("measure", "joint").fact("across", "retriever");
        assert_eq!(names.shown(&pivot).title, "Joint %: summarizer by retriever");
        let people = DisplayNames::parse("[annotator]\n\"ann\" = \"Judge A\"\n").expect("names");
        let columns = [
            Column::new("annotator", "", |row: &&str| (*row).to_owned()),
            Column::new("elsewhere", "", |row: &&str| format!("{row} 4 instead of 3")),
            Column::new("query", "", |row: &&str| format!("{row} said")),
            Column::new("ann", "ann", |_: &&str| 1.0),
            Column::new("judged_by", "", |row: &&str| format!("ben, {row}, anna, {row} (left), {row} lee")),
        ];
        let table = Table::of("Labels by those of ann", columns, &["ann"]).note("ann: 2, anna: 3, by ann.");
        let shown = people.shown(&table);
        let texts = ["Judge A", "Judge A 4 instead of 3", "ann said"].map(cell);
        assert_eq!((&shown.rows[0][..3], shown.columns[3].heading.as_str()), (&texts[..], "Judge A"));
        assert_eq!(
            shown.rows[0][4],
            cell("ben, Judge A, anna, Judge A (left), ann lee"),
            "several people in one cell"
        );
        assert_eq!(
            (shown.title.as_str(), &shown.notes[..]),
            ("Labels by those of Judge A", &["Judge A: 2, anna: 3, by Judge A.".to_owned()][..])
        );
        let wrong = DisplayNames::parse("[system]\na = 1\n").expect_err("no text").to_string();
        assert!(wrong.contains("line 2"), "{wrong}");
    }
}
