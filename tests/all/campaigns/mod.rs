//! Campaigns: the program is killed, its disk fails or loses power, its files are damaged, again and again at places drawn from a
//! seed. What was acknowledged is there afterwards, and nothing else.
//!
//! A few trials of each run with every `cargo test`. `HAYMARK_KILLS=10000 cargo test --test all campaigns` runs so many of
//! them; likewise `HAYMARK_FAULTS`, `HAYMARK_CUTS`, `HAYMARK_EXPORTS`, `HAYMARK_DAMAGE`, `HAYMARK_MALFORMED`, `HAYMARK_HOSTILE`,
//! `HAYMARK_MERGES`, `HAYMARK_HELD`, `HAYMARK_CHECKS`.
//! A failure names its seed: `HAYMARK_SEED=7 HAYMARK_KILLS=1` runs that trial again. docs/reliability.md tells what was found.

mod adjudicating;
mod annotating;
mod browsing;
mod busy;
mod commands;
mod damage;
mod holding;
mod hostile;
mod jobs;
mod malformed;
mod merging;
mod writing;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::harness::Draw;

/// Failures of which a campaign tells; after these it ends.
const TOLD: usize = 10;

/// Runs as many trials as `variable` in the environment says, `usual` ones where it says nothing. Where several campaigns
/// share a variable, or a trial is several of what is counted, one trial here stands for so many asked for.
fn campaign(variable: &str, one_in: u64, usual: u64, trial: impl Fn(&mut Draw) + Sync) {
    let number = |name: &str| {
        let text = std::env::var(name).ok()?;
        Some(text.parse::<u64>().unwrap_or_else(|_| panic!("{name}={text} is no number")))
    };
    let asked = number(variable);
    let trials = asked.map_or(usual, |asked| asked.div_ceil(one_in));
    let first = number("HAYMARK_SEED").unwrap_or(1);
    // With every `cargo test` other tests want the processors too.
    let threads = asked.and_then(|_| std::thread::available_parallelism().ok()).map_or(1, usize::from);
    let (start, next, failures) = (Instant::now(), AtomicU64::new(first), Mutex::new(Vec::new()));
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            let done = seed - first;
            if done >= trials || failures.lock().unwrap().len() >= TOLD {
                return;
            }
            if done > 0 && done.is_multiple_of(250) {
                println!("{variable}: {done} of {trials} trials in {:.0} s", start.elapsed().as_secs_f64());
            }
            let outcome = catch_unwind(AssertUnwindSafe(|| trial(&mut Draw::from_seed(seed))));
            if let Err(panic) = outcome {
                failures.lock().unwrap().push(format!("HAYMARK_SEED={seed} {variable}=1: {}", said(&*panic)));
            }
        }
    };
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let failures = failures.into_inner().unwrap();
    println!(
        "{variable}: {trials} trials in {:.1} s, {} failed",
        start.elapsed().as_secs_f64(),
        failures.len()
    );
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().cloned();
    text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}
