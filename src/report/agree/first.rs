//! The first screen: which kappa, over which items, how sure, and why so low.

use super::{Findings, Number};
use crate::agreement::{Estimate, Undefined, Weights, cohen};
use crate::number::{counted, extent, number_of, rounded};
use crate::score::ClusterKind;
use crate::text::width::{visible, width as columns_of};
use crate::text::wrap::wrap;

/// The most annotators that are named.
const NAMED: usize = 30;

/// The first screen: a block of lines for each comparison.
pub fn screen(all: &[Findings<'_>], width: usize) -> String {
    let mut lines = Vec::new();
    // Notes on all comparisons stand once, at the end.
    let shared = |note: &String| all.len() > 1 && all.iter().all(|findings| findings.notes().contains(note));
    for findings in all {
        lines.extend(block(findings, width));
        let own = findings.notes().into_iter().filter(|note| !shared(note));
        lines.extend(own.flat_map(|note| wrapped(&note, width)));
        lines.push(String::new());
    }
    let first = all.first().map(Findings::notes).unwrap_or_default();
    lines.extend(first.iter().filter(|note| shared(note)).flat_map(|note| wrapped(note, width)));
    let method = all.first().map(Findings::method).unwrap_or_default();
    lines.extend(wrapped(&format!("{method} --full prints all."), width));
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn block(findings: &Findings<'_>, width: usize) -> Vec<String> {
    let comparison = findings.comparison;
    let mut lines = wrapped(&format!("{} ({})", comparison.subject(), comparison.scale_name()), width);
    lines.extend(wrapped(&used(findings), width));
    lines.extend(numbers(findings, width));
    lines.extend(findings.why().into_iter().flat_map(|why| wrapped(&why, width)));
    lines.extend(extremes(findings).into_iter().flat_map(|pairs| wrapped(&pairs, width)));
    lines
}

/// A sentence on the items used, the annotators, and items left out.
fn used(findings: &Findings<'_>) -> String {
    let annotators = findings.comparison.annotators();
    let items = findings.counts.items_pairable();
    let dropped: Vec<String> = findings.dropped().into_iter().map(|(_, _, sentence)| sentence).collect();
    let left_out =
        if dropped.is_empty() { String::new() } else { format!(" Left out: {}.", dropped.join(", ")) };
    let item = if items == 1 { "item" } else { "items" };
    let inside = match findings.comparison.grouping.cluster {
        ClusterKind::Item => String::new(),
        _ => format!(" in {}", findings.clusters_in_words()),
    };
    format!(
        "{items} {item}{inside} compared, rated by {} annotator{} ({}).{left_out}",
        annotators.len(),
        if annotators.len() == 1 { "" } else { "s" },
        some_of(&annotators)
    )
}

/// Names in a sentence; of many names the first, and the number of others.
fn some_of(names: &[&str]) -> String {
    match names.split_at_checked(NAMED) {
        Some((first, others)) if others.len() > 1 => {
            format!("{} and {} others", first.join(", "), others.len())
        }
        _ => names.join(", "),
    }
}

/// The lines of numbers, each with value and interval.
fn numbers(findings: &Findings<'_>, width: usize) -> Vec<String> {
    let numbers = findings.first();
    let longest = numbers.iter().map(|number| columns_of(number.title)).max().unwrap_or(0);
    let several = findings.comparison.grouping.cluster.words().1;
    let mut lines = vec![format!("{} value  95 % interval    {several}", " ".repeat(longest + 4))];
    let mut reasons: Vec<Undefined> = Vec::new();
    for Number { title, estimate: Estimate { value, interval, .. } } in numbers {
        let gap = " ".repeat(longest - columns_of(title));
        // The reasons for missing numbers and intervals stand below, each once.
        let failed = value.err().or(interval.and_then(Result::err));
        failed.into_iter().for_each(|reason| note_once(&mut reasons, reason));
        let value = value.map_or_else(|_| "–".to_owned(), |value| rounded(value, 3));
        let (ends, clusters) = match interval {
            Some(Ok(interval)) => {
                let clusters = interval.clusters.map_or_else(String::new, |clusters| match clusters.few() {
                    Some(few) => format!("{} (in effect {few:.1})", clusters.number),
                    None => clusters.number.to_string(),
                });
                (format!("{} to {}", rounded(interval.low, 3), rounded(interval.high, 3)), clusters)
            }
            _ => ("–".to_owned(), String::new()),
        };
        lines.push(format!("  {title}{gap}  {value:>6}  {ends:<15}  {clusters}"));
    }
    lines.extend(reasons.iter().flat_map(|reason| wrapped(&format!("–: {reason}"), width)));
    lines
}

fn note_once(reasons: &mut Vec<Undefined>, reason: Undefined) {
    if !reasons.contains(&reason) {
        reasons.push(reason);
    }
}

/// The pairs of annotators that agree least and most; `None` where no two pairs have kappas that differ.
fn extremes(findings: &Findings<'_>) -> Option<String> {
    // Pairs are visited one after the other: thousands of annotators make millions of pairs.
    let mut found: Option<(Extreme, Extreme)> = None;
    findings.counts.each_met_pair(|a, b, table| {
        let Ok(kappa) = cohen::kappa(table, Weights::Identity) else { return };
        let this = Extreme { kappa, pair: (a, b), items: table.items() };
        let (worst, best) = found.get_or_insert((this, this));
        if this.kappa.total_cmp(&worst.kappa).is_lt() {
            *worst = this;
        }
        if this.kappa.total_cmp(&best.kappa).is_ge() {
            *best = this;
        }
    });
    let (worst, best) = found.filter(|(worst, best)| worst.kappa < best.kappa)?;
    let names = findings.comparison.ratings.raters();
    let named = |Extreme { kappa, pair: (a, b), items }: Extreme| {
        let name = |rater| names.get(rater).unwrap_or_default();
        format!("{} and {} {} ({})", name(a), name(b), rounded(kappa, 3), number_of(counted(items), "item"))
    };
    Some(format!("Worst pair by Cohen's kappa: {}; best: {}.", named(worst), named(best)))
}

/// A pair of annotators, by their places among the raters.
#[derive(Clone, Copy)]
struct Extreme {
    kappa: f64,
    pair: (usize, usize),
    items: u64,
}

/// Wraps a text into lines that are safe to print.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let text = visible(text);
    let rows = wrap(&text, extent(width));
    rows.iter().filter_map(|row| text.get(row)).map(|row| row.trim_end().to_owned()).collect()
}

#[cfg(test)]
mod tests;
