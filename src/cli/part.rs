//! Which part of a study is handed out: what every command that hands out work takes.

use std::path::{Path, PathBuf};

use clap::Args;
use clap::builder::NonEmptyStringValueParser;

use super::share;
use crate::error::{Error, Result};
use crate::report::{Allocation, NamedItems, PartAsked, SampleSize};
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
    #[arg(long, value_name = "HOW")]
    pub allocate: Option<String>,
    /// Where the random numbers begin
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub seed: u64,
    /// What the sample is called from now on: 'sample=NAME' is a filter in every command
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    pub name: Option<String>,
}

impl PartArguments {
    /// The part of the study that the arguments ask for.
    pub fn asked(&self) -> Result<PartAsked> {
        let size = self.sample.map(|size| match size {
            SampleSize::Number(number) => number.to_string(),
            SampleSize::Share(share) => format!("{} %", (1e4 * share).round() / 100.0),
        });
        let by = (!self.stratify.is_empty()).then(|| format!("by {}", self.stratify.join(" and ")));
        let named = self.items.as_ref().map(|path| format!("among those of {}", path.display()));
        let words = size.into_iter().chain(by).chain(self.allocate.clone()).chain(named);
        Ok(PartAsked {
            filter: self.filter.clone(),
            named: self.items.as_deref().map(named_items).transpose()?,
            size: self.sample,
            by: self.stratify.clone(),
            allocation: self.allocate.as_deref().map(allocation).transpose()?.unwrap_or_default(),
            seed: self.seed,
            name: self.name.clone(),
            words: words.collect::<Vec<_>>().join(", "),
        })
    }
}

/// The items that a file names.
fn named_items(path: &Path) -> Result<NamedItems> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Error::new(format!("cannot be read: {error}")).in_file(path))?;
    let mut named = NamedItems::default();
    for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty()) {
        if !serde_json::from_str::<Meta>(line).is_ok_and(|keys| named.add(&keys)) {
            let what = format!("line {number} names no item");
            return Err(Error::new(what).in_file(path).advise("give its keys, such as {\"query\":\"q1\"}"));
        }
    }
    Ok(named)
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

/// Reads `equal`, or `all of verdict:bad, 20% of the rest`.
fn allocation(text: &str) -> Result<Allocation> {
    // A filter may have commas in it: a clause begins where a size stands.
    let clause = |text: &str| {
        let (given, of) = text.trim().split_once(" of ")?;
        let size =
            if given == "all" { SampleSize::Share(1.0) } else { size(&given.replace(' ', "")).ok()? };
        Some((size, Some(of.trim().to_owned()).filter(|of| of != "the rest")))
    };
    let mut clauses: Vec<(SampleSize, Option<String>)> = Vec::new();
    for part in text.split(',') {
        match (text.trim(), clause(part), clauses.last_mut()) {
            ("proportional", ..) => return Ok(Allocation::Proportional),
            ("equal", ..) => return Ok(Allocation::Equal),
            (_, Some(new), last) if last.as_ref().is_none_or(|(_, filter)| filter.is_some()) => {
                clauses.push(new)
            }
            (_, None, Some((_, Some(filter)))) => *filter += &format!(",{part}"),
            _ => {
                return Err(Error::usage(format!("--allocate is {text:?}"))
                    .advise("write proportional, equal, or such as 'all of verdict:bad, 20% of the rest', the rest last"));
            }
        }
    }
    Ok(Allocation::Each(clauses))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allocations_are_read() {
        let each = |size, filter: &str| (size, Some(filter.to_owned()));
        let both = vec![each(SampleSize::Share(1.0), "verdict:bad"), (SampleSize::Share(0.2), None)];
        assert_eq!(allocation("all of verdict:bad, 20 % of the rest"), Ok(Allocation::Each(both)));
        assert_eq!(allocation(" equal"), Ok(Allocation::Equal));
        let commas = vec![each(SampleSize::Number(3), "text:\"a, b\"")];
        assert_eq!(allocation("3 of text:\"a, b\""), Ok(Allocation::Each(commas)));
        for wrong in ["", "some", "20% of the rest, all of a:b", "0 of a:b", "120% of a:b"] {
            assert!(allocation(wrong).is_err(), "{wrong}");
        }
        assert_eq!((size("35"), size("10%")), (Ok(SampleSize::Number(35)), Ok(SampleSize::Share(0.1))));
        assert!(size("0").is_err() && size("many").is_err());
    }
}
