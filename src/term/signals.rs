//! Signals: requests from outside to end, and our own stop on Ctrl-Z.
//!
//! SIGTERM, SIGINT and SIGCONT raise a flag that the loop looks at. In raw mode Ctrl-C is a key, so a SIGINT comes
//! from `kill`. SIGHUP is left alone: the terminal is gone, reading on would spin (crossterm#793), and the
//! default action ends the process; judgments are in the study file already.
//!
//! Commands without a screen end at once, as they would without us, after their unfinished files were removed.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::system;

/// Whether a screen listens.
static HAS_SCREEN: AtomicBool = AtomicBool::new(false);

/// Calls `clean` before SIGTERM or SIGINT ends the process, unless a screen listens for them.
pub fn clean_before_end(clean: fn()) -> io::Result<()> {
    system::clean_before_end(clean, || !HAS_SCREEN.load(Ordering::Relaxed))
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
        system::heed_continuing(&continued)?;
        Ok(Signals { end, continued })
    }

    /// Whether haymark was stopped and continued since the last call.
    pub fn was_continued(&self) -> bool {
        self.continued.swap(false, Ordering::Relaxed)
    }

    /// Whether haymark was asked to end.
    pub fn should_stop(&self) -> bool {
        self.end.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use signal_hook::low_level;

    use super::*;

    #[test]
    fn the_first_signal_raises_the_flag() {
        let signals = Signals::register().unwrap();
        assert!(!signals.should_stop());
        low_level::raise(SIGTERM).unwrap();
        assert!(signals.should_stop());
    }
}
