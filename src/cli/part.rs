//! Which part of a study is handed out: what every command that hands out work takes.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use clap::Args;

use super::args::share;
use crate::browse::filter::exactly;
use crate::error::{Error, Result};
use crate::report::part::{Allocation, PartAsked, SampleSize};
use crate::study::Meta;

#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Which part of the study")]
pub struct PartArguments {
    /// Only what this lets through, in the language of browse, such as 'domain=news' or 'sample=pilot', in whole groups
    #[arg(long, value_name = "FILTER", allow_hyphen_values = true)]
    pub filter: Option<String>,
    /// Only the items that this file names, a JSON object a line with keys such as {"query":"q1","candidate":"c2"}, in whole groups
    #[arg(long, value_name = "FILE.jsonl")]
    pub items: Option<PathBuf>,
    /// Draw so many (35) or a share (10%) of what goes to a person together: summaries, queries, …; else of items
    #[arg(long, value_name = "N|SHARE", value_parser = size, alias = "share")]
    pub sample: Option<SampleSize>,
    /// Draw from each of these, and spread each evenly: domain, category, system, … (several with commas)
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    pub stratify: Vec<String>,
    /// How many each stratum gives: proportional, equal, or by filters, such as 'all of verdict:bad, 20% of the rest'
    #[arg(long, value_name = "HOW", value_parser = Allocation::from_str)]
    pub allocate: Option<Allocation>,
    /// Where the random numbers begin
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// What the sample is called from now on: 'sample=NAME' is a filter in every command
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
}

impl PartArguments {
    /// What is asked for.
    ///
    /// # Errors
    /// The file of items cannot be read, or does not name any.
    pub fn asked(&self) -> Result<PartAsked> {
        let named = self.items.as_deref().map(named_items).transpose()?;
        let filter = match (&self.filter, named) {
            (Some(filter), Some(named)) => Some(format!("({filter}) ({named})")),
            (filter, named) => named.or_else(|| filter.clone()),
        };
        let size = self.sample.map(|size| size.to_string());
        let by = (!self.stratify.is_empty()).then(|| format!("by {}", self.stratify.join(" and ")));
        let how = self.allocate.as_ref().map(Allocation::to_string);
        Ok(PartAsked {
            filter,
            size: self.sample,
            by: self.stratify.clone(),
            allocation: self.allocate.clone().unwrap_or_default(),
            seed: self.seed,
            name: self.name.clone(),
            words: size.into_iter().chain(by).chain(how).collect::<Vec<_>>().join(", "),
        })
    }
}

/// The items of a file as a filter.
fn named_items(path: &Path) -> Result<String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Error::new(format!("cannot be read: {error}")).in_file(path))?;
    let item = |(number, line): (usize, &str)| {
        let wrong = || Error::new(format!("line {} names no item", number + 1)).in_file(path);
        let keys: Meta = serde_json::from_str(line).map_err(|_| wrong())?;
        let tests = ["collection", "query", "document", "unit", "candidate", "bullet"]
            .into_iter()
            .filter_map(|name| {
                let value = keys.get(name)?;
                Some(exactly(name, &value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
            });
        let tests: Vec<String> = tests.collect();
        if tests.is_empty() {
            Err(wrong().advise("give its keys, such as {\"query\":\"q1\"}"))
        } else {
            Ok(tests.join(" "))
        }
    };
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let items: Vec<String> = lines.map(item).collect::<Result<_>>()?;
    match items.is_empty() {
        true => Err(Error::new("the file names no items").in_file(path)),
        false => Ok(format!("({})", items.join(") or ("))),
    }
}

/// Reads `35`, `10%` or `0.1`.
fn size(text: &str) -> std::result::Result<SampleSize, String> {
    match text.trim().parse() {
        Ok(number) if number > 0 => Ok(SampleSize::Number(number)),
        _ => share(text.trim())
            .map(SampleSize::Share)
            .map_err(|_| "write a number such as 35, or a share such as 10%".to_owned()),
    }
}

impl FromStr for Allocation {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Allocation, String> {
        match text.trim() {
            "proportional" => return Ok(Allocation::Proportional),
            "equal" => return Ok(Allocation::Equal),
            _ => {}
        }
        // A filter may have commas in it: a clause begins where a size stands.
        let clause = |text: &str| {
            let (given, of) = text.trim().split_once(" of ")?;
            let size =
                if given == "all" { SampleSize::Share(1.0) } else { size(&given.replace(' ', "")).ok()? };
            Some((size, Some(of.trim().to_owned()).filter(|of| of != "the rest")))
        };
        let mut clauses: Vec<(SampleSize, Option<String>)> = Vec::new();
        for part in text.split(',') {
            match (clause(part), clauses.last_mut()) {
                (Some(new), _) => clauses.push(new),
                (None, Some((_, Some(filter)))) => *filter += &format!(",{part}"),
                (None, _) => {
                    return Err(
                        "write proportional, equal, or such as 'all of verdict:bad, 20% of the rest'"
                            .to_owned(),
                    );
                }
            }
        }
        match clauses.iter().position(|(_, filter)| filter.is_none()) {
            Some(rest) if rest + 1 < clauses.len() => Err("the rest stands last".to_owned()),
            _ => Ok(Allocation::Each(clauses)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_read_and_written() {
        let read = |text: &str| text.parse::<Allocation>().map(|read| read.to_string());
        assert_eq!(read("equal").as_deref(), Ok("equal"));
        let both = "all of verdict:bad, 20 % of the rest";
        assert_eq!(read("all of verdict:bad,20% of the rest").as_deref(), Ok(both));
        assert_eq!(read(both).as_deref(), Ok(both));
        assert_eq!(read("3 of text:\"a, b\"").as_deref(), Ok("3 of text:\"a, b\""));
        for wrong in ["", "some", "20% of the rest, all of a:b", "0 of a:b", "120% of a:b"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
        assert_eq!(size("35"), Ok(SampleSize::Number(35)));
        assert_eq!((size("10%"), size("0.1")), (Ok(SampleSize::Share(0.1)), Ok(SampleSize::Share(0.1))));
        assert!(size("0").is_err() && size("many").is_err());
    }
}
