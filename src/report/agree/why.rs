//! A sentence that explains a kappa, and why it is low although people agree.

use super::Findings;
use crate::agreement::Margins;
use crate::number::rounded;

/// The least agreement at which people are said to agree.
const AGREE: f64 = 0.75;

/// A kappa below this is called low.
const LOW: f64 = 0.6;

/// A largest possible kappa below this is mentioned.
const LIMITED: f64 = 0.9;

/// Gives the observed agreement Po, the agreement Pe by chance that follows from κ = (Po − Pe)/(1 − Pe), and the reasons
/// for a low kappa.
pub fn sentence(findings: &Findings<'_>) -> Option<String> {
    let (kappa, agreement) = (findings.kappa()?.value.ok()?, findings.agreement_of_kappa()?.value.ok()?);
    if kappa >= 1.0 {
        return Some(match findings.counts.items_pairable() {
            1 => "They agree on the only item.".to_owned(),
            items => format!("They agree on all {items} items."),
        });
    }
    let chance = (agreement - kappa) / (1.0 - kappa);
    // A no-break space, so that no line ends before the sign.
    let percent = |share: f64| format!("{:.0}\u{a0}%", 100.0 * share);
    let (po, pe, number) = (rounded(agreement, 3), rounded(chance, 3), rounded(kappa, 3));
    let rest = format!("({po} − {pe})/(1 − {pe}) = {number}");
    let (agreed, by_chance) = (percent(agreement), percent(chance));
    if agreement < AGREE || kappa >= LOW {
        return Some(format!(
            "They agree on {agreed} and would on {by_chance} by chance; kappa is the rest, {rest}."
        ));
    }
    let reason = match most_frequent(findings) {
        Some((label, share)) => format!(", as {} of labels are {label:?}", percent(share)),
        None => String::new(),
    };
    let limit = match largest(findings) {
        Some(limit) if limit < LIMITED => format!(", with these marginals {limit:.3} at most"),
        _ => String::new(),
    };
    Some(format!("Low kappa though they agree on {agreed}: {by_chance} is chance{reason}; {rest}{limit}."))
}

/// The label that was chosen most often, and its share, among the ratings that make the kappa's chance: of two annotators those
/// that are compared, else all.
fn most_frequent(findings: &Findings<'_>) -> Option<(String, f64)> {
    let labels = findings.counts.by_category();
    let chosen: Vec<u64> = match findings.counts.confusion() {
        Some(pair) => pair.first().iter().zip(pair.second()).map(|(one, other)| one + other).collect(),
        None => labels.iter().map(|label| label.ratings).collect(),
    };
    let (most, label) = chosen.iter().zip(labels).max_by_key(|(chosen, _)| **chosen)?;
    Some((label.label, *most as f64 / chosen.iter().sum::<u64>() as f64)) // one of them was chosen, since there is a kappa
}

/// The largest kappa that the marginals of two annotators allow.
fn largest(findings: &Findings<'_>) -> Option<f64> {
    Margins::of(findings.counts.confusion()?).kappa_max.ok()
}
