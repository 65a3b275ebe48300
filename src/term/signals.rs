//! Signals: requests from outside to end, and our own stop on Ctrl-Z.
//!
//! SIGTERM, SIGINT and SIGCONT raise a flag that the loop looks at. In raw mode Ctrl-C is a key, so a SIGINT comes
//! from `kill`. SIGHUP is left alone: the terminal is gone, reading on would spin (crossterm#793), and the
//! default action ends the process; judgments are in the study file already.
//!
//! Commands without a screen end at once, as they would without us, after what they have not finished was removed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

use rustix::process::{Signal, kill_current_process_group};
use signal_hook::consts::{SIGCONT, SIGINT, SIGTERM, SIGXFSZ};
use signal_hook::{flag, iterator, low_level};

/// Whether a screen listens.
static HAS_SCREEN: AtomicBool = AtomicBool::new(false);

/// Calls `clean` before SIGTERM or SIGINT ends the process, unless a screen listens for them.
pub fn clean_before_end(clean: fn()) -> io::Result<()> {
    let ignored = ignored();
    let wanted = [SIGTERM, SIGINT].into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let mut signals = iterator::Signals::new(wanted)?;
    let listen = move || {
        for signal in signals.forever().filter(|_| !HAS_SCREEN.load(Ordering::Relaxed)) {
            clean();
            let _ = low_level::emulate_default_handler(signal);
        }
    };
    thread::Builder::new().name("signals".to_owned()).spawn(listen).map(drop)
}

/// The signals that the process was started to ignore, as a job of a script in the background, a bit each from the first on.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Listens for SIGTERM, SIGINT and SIGCONT as long as the process lives.
#[derive(Debug, Clone)]
pub struct Signals {
    end: Arc<AtomicBool>,
    continued: Arc<AtomicBool>,
}

impl Signals {
    /// Begins to listen. A second signal, before the first was heeded, ends the process at once: the way
    /// out when it hangs.
    pub fn register() -> io::Result<Signals> {
        HAS_SCREEN.store(true, Ordering::Relaxed);
        let end = Arc::new(AtomicBool::new(false));
        for signal in [SIGTERM, SIGINT] {
            // In this order: the first signal finds the flag down, then raises it.
            flag::register_conditional_default(signal, Arc::clone(&end))?;
            flag::register(signal, Arc::clone(&end))?;
        }
        let continued = Arc::new(AtomicBool::new(false));
        flag::register(SIGCONT, Arc::clone(&continued))?;
        Ok(Signals { end, continued })
    }

    /// Whether haymark was stopped and goes on since this was asked last.
    pub fn was_continued(&self) -> bool {
        self.continued.swap(false, Ordering::Relaxed)
    }

    /// Whether haymark was asked to end.
    pub fn should_stop(&self) -> bool {
        self.end.load(Ordering::Relaxed)
    }
}

/// Makes a file that may not grow any further (`ulimit -f`) an error of the write, as on a full disk. Without a handler
/// the signal ends the process without a word.
pub fn survive_file_limit() -> io::Result<()> {
    flag::register(SIGXFSZ, Arc::default()).map(|_| ())
}

/// How long a stop may take to arrive; after that none is coming.
const STOP_ARRIVES: Duration = Duration::from_millis(100);

/// Stops this job and returns when it was continued (`fg`); returns after a tenth of a second if nothing stops it.
///
/// Sends SIGTSTP to the whole process group, as Ctrl-Z does outside of raw mode: a shell takes a job for stopped when
/// all of its processes are. Not SIGSTOP: where no shell could continue us (`ssh -t host haymark`, a terminal window of
/// its own), the system ignores SIGTSTP, whereas SIGSTOP would hang haymark for good.
///
/// Any thread may receive the signal, so this one may run on for a moment; it must not touch the terminal before
/// SIGCONT came, which is what is waited for.
pub(super) fn stop_until_continued() -> io::Result<()> {
    let continued = Arc::new(AtomicBool::new(false));
    let listener = flag::register(SIGCONT, Arc::clone(&continued))?;
    let sent = kill_current_process_group(Signal::TSTP);
    let deadline = Instant::now() + STOP_ARRIVES;
    while sent.is_ok() && !continued.load(Ordering::Relaxed) && Instant::now() < deadline {
        thread::sleep(Duration::from_millis(1));
    }
    low_level::unregister(listener);
    Ok(sent?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_signal_raises_the_flag() {
        let signals = Signals::register().unwrap();
        assert!(!signals.should_stop());
        low_level::raise(SIGTERM).unwrap();
        assert!(signals.should_stop());
    }
}
