//! The progress of long work: how far it is and how long it still takes, on a line of its own below everything else. In a
//! pipe nothing is shown. Ctrl-C stops the work, takes back what is half written, and says what was done.

use std::io::{self, IsTerminal, Write};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use super::{complain, screen_columns};
use crate::error::{Error, Result};
use crate::files::Scratch;
use crate::progress::{self, WorkDone};

/// The work that is under way.
static WORK: Mutex<LongWork> =
    Mutex::new(LongWork { name: None, done: String::new(), begun: None, line: 0, last: (0, Duration::ZERO) });
/// Tells the thread that draws, and the thread that ends the program, that the work is over.
static CHANGED: Condvar = Condvar::new();

struct LongWork {
    /// The name of the work, such as `merging`; `None` where nothing is under way.
    name: Option<&'static str>,
    /// A sentence on what is done, for whoever stops the work.
    done: String,
    begun: Option<Instant>,
    /// Columns of the line that is on the screen.
    line: usize,
    /// How much was done at the last look that found more than the one before, and when that was.
    last: (u64, Duration),
}

/// Work that takes less time than this has no line.
const PATIENCE: Duration = Duration::from_millis(700);
/// How often the line is drawn anew.
const PERIOD: Duration = Duration::from_millis(200);
/// How long work may take to stop before the program ends all the same. Nothing is half written then either: a study takes back
/// what was not finished when it is opened, and files have no names before they are whole.
const STOPPING: Duration = Duration::from_secs(3);

/// Shows work as long as this value lives.
pub struct Shown;

impl Shown {
    /// Begins work of this name, such as `merging`; `nothing` is the sentence if it is stopped now, such as `nothing was
    /// merged`.
    pub fn begin(name: &'static str, nothing: &str) -> Shown {
        progress::watch(true);
        let (name, done, begun) = (Some(name), nothing.to_owned(), Some(Instant::now()));
        *work() = LongWork { name, done, begun, line: 0, last: (0, Duration::ZERO) };
        if io::stderr().is_terminal() {
            // Without the thread, work goes on unseen.
            let _ = thread::Builder::new().name("progress".to_owned()).spawn(draw);
        }
        Shown
    }

    /// Ends the work, so that its results may be written.
    pub fn finish(self) -> Result<()> {
        if progress::is_stopped() { Err(Error::stopped()) } else { Ok(()) }
    }

    /// Notes what is done by now, whatever happens to the rest.
    pub fn done(&self, what: String) {
        work().done = what;
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        let mut work = work();
        work.clear();
        work.name = None;
        progress::watch(false);
        CHANGED.notify_all();
    }
}

/// Takes the line away, so that something else can be written.
pub fn clear() {
    work().clear();
}

/// Ends the work under way when the program is asked to end; called from the thread that hears of it.
pub fn end() {
    let mut found = work();
    if found.name.is_some() {
        progress::stop();
        let is_working = |work: &mut LongWork| work.name.is_some();
        let waited = CHANGED.wait_timeout_while(found, STOPPING, is_working);
        found = waited.unwrap_or_else(PoisonError::into_inner).0;
        found.clear();
        // Work that ended meanwhile says so.
        let told = format!("stopped: {}", found.done);
        drop(found);
        complain(&told);
    }
    Scratch::remove_all();
}

fn work() -> MutexGuard<'static, LongWork> {
    WORK.lock().unwrap_or_else(PoisonError::into_inner)
}

impl LongWork {
    fn clear(&mut self) {
        if self.line > 0 {
            // Where standard error is gone, so is the line.
            let _ = write!(io::stderr(), "\r{:1$}\r", "", self.line);
            self.line = 0;
        }
    }
}

/// Draws the line until the work is over.
fn draw() {
    let mut found = work();
    while let (Some(name), Some(begun)) = (found.name, found.begun) {
        let (elapsed, so_far) = (begun.elapsed(), progress::so_far());
        if so_far.done != found.last.0 {
            found.last = (so_far.done, elapsed);
        }
        if elapsed >= PATIENCE {
            let told = told(name, elapsed, found.last.1, so_far);
            // A line that wraps could not be taken away.
            let told: String = told.chars().take(screen_columns().saturating_sub(1)).collect();
            found.clear();
            found.line = told.chars().count();
            let _ = write!(io::stderr(), "{told}");
        }
        found = CHANGED.wait_timeout(found, PERIOD).unwrap_or_else(PoisonError::into_inner).0;
    }
}

/// The line, such as `merging: 45 %, 12 s left`. The time left follows from the share done when the work last went on;
/// once that time is over, only the share is told.
fn told(name: &str, elapsed: Duration, last: Duration, WorkDone { done, all }: WorkDone) -> String {
    let all = match all {
        Some(all) if done > 0 && done <= all => all,
        None if done > 0 => return format!("{name}: {done} so far, {} s", elapsed.as_secs()),
        _ => return format!("{name}: {} s", elapsed.as_secs()),
    };
    let share = done as f64 / all as f64;
    let rest = last.mul_f64((1.0 - share) / share).checked_sub(elapsed.saturating_sub(last));
    let left = match rest.map_or(0, |rest| rest.as_secs()) {
        0 => String::new(),
        seconds @ ..100 => format!(", {seconds} s left"),
        seconds => format!(", {} min left", seconds.div_ceil(60)),
    };
    format!("{name}: {:.0} %{left}", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rest_takes_as_long_as_what_is_done() {
        let after = |seconds, last, done, all| {
            told("merging", Duration::from_secs(seconds), Duration::from_secs(last), WorkDone { done, all })
        };
        assert_eq!(after(10, 10, 25, Some(100)), "merging: 25 %, 30 s left");
        assert_eq!(after(14, 10, 25, Some(100)), "merging: 25 %, 26 s left", "a long step");
        assert_eq!(after(41, 10, 25, Some(100)), "merging: 25 %", "longer than was thought");
        assert_eq!(after(60, 60, 10, Some(100)), "merging: 10 %, 9 min left");
        assert_eq!(after(5, 0, 0, Some(100)), "merging: 5 s", "nothing is known yet");
        assert_eq!(after(5, 5, 7, None), "merging: 7 so far, 5 s", "nobody knows how much there is");
        assert_eq!(after(5, 5, 101, Some(100)), "merging: 5 s", "there is more than was thought");
        assert_eq!(after(9, 9, 100, Some(100)), "merging: 100 %");
    }
}
