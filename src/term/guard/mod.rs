//! Enters and leaves the terminal; every change is undone on every way out.
//!
//! One [`Guard`] lives as long as haymark draws. [`leave`] runs when it is dropped, before a panic prints its message,
//! and before a suspension; running it twice does nothing. A killed process (SIGKILL, SIGHUP) leaves nothing worth
//! restoring. No sequence here asks the terminal anything: an answer that never comes would hold up the start.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

use crate::system::{standard_output, stop_until_continued};

/// Alternate screen; no automatic wrapping, so that a glyph wider than we think stays in its row; buttons and wheel of
/// the mouse, and its movements while a button is held, in SGR form; focus; bracketed paste; no cursor. Last, where the
/// terminal has kitty's keyboard protocol: escape for itself, keys that are let go of, and the characters that shift makes.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?7l\x1b[?1002h\x1b[?1006h\x1b[?1004h\x1b[?2004h\x1b[?25l\x1b[>7u";

/// Undoes [`ENTER`] backwards, and what a frame cut short may have left: synchronized output, a pen, a scroll region.
const LEAVE: &[u8] =
    b"\x1b[?2026l\x1b[m\x1b[r\x1b[<1u\x1b[?25h\x1b[?2004l\x1b[?1004l\x1b[?1006l\x1b[?1002l\x1b[?7h\x1b[?1049l";

/// Whether the terminal is ours at the moment.
static ENTERED: AtomicBool = AtomicBool::new(false);

/// The terminal in our hands: raw mode, alternate screen, mouse, focus, bracketed paste. Dropping it gives all back.
#[derive(Debug)]
pub struct Guard {
    _only_by_enter: (),
}

impl Guard {
    /// Takes the terminal, and makes every later panic give it back before its message is printed.
    pub fn enter() -> io::Result<Guard> {
        if !io::stdout().is_terminal() {
            return Err(io::Error::other(
                "standard output is not a terminal; run haymark without redirecting its output",
            ));
        }
        leave_before_panics();
        take()?;
        Ok(Guard { _only_by_enter: () })
    }

    /// Gives the terminal back, stops until the shell continues us (`fg`), and takes the terminal again.
    /// The caller then has to draw all: [`Emitter::reset`](emitter::Emitter::reset), and read the size anew.
    ///
    /// Where no shell could continue us (`ssh -t host haymark`) nothing stops, and this returns at once.
    /// Where the system refuses to stop us, the terminal is ours again.
    pub fn suspend(&mut self) -> io::Result<()> {
        leave();
        let stopped = stop_until_continued();
        take()?;
        stopped
    }

    /// Takes the terminal again after somebody stopped us without a word (SIGSTOP) and the shell had it meanwhile.
    /// The caller then has to draw all, as after [`Guard::suspend`].
    pub fn take_again(&mut self) -> io::Result<()> {
        disable_raw_mode()?;
        take()
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        leave();
    }
}

/// Gives the terminal back. Does nothing if it is not ours; safe from any thread, takes no lock of standard output.
pub fn leave() {
    if ENTERED.swap(false, Ordering::SeqCst) {
        // On the way out nothing can be done about a terminal that is gone.
        let _ = output().and_then(|mut output| output.write_all(LEAVE));
        let _ = disable_raw_mode();
    }
}

/// Whether the terminal is ours. Not so after a panic in another thread: the loop should then stop drawing and end.
pub fn entered() -> bool {
    ENTERED.load(Ordering::SeqCst)
}

/// Standard output without a buffer or lock, for the [`Emitter`](emitter::Emitter): a frame is one write.
pub fn output() -> io::Result<File> {
    standard_output()
}

fn take() -> io::Result<()> {
    ENTERED.store(true, Ordering::SeqCst);
    let taken = enable_raw_mode().and_then(|()| output()).and_then(|mut output| output.write_all(ENTER));
    taken.inspect_err(|_| leave())
}

fn leave_before_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let print = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            leave();
            print(panic);
        }));
    });
}

#[cfg(test)]
mod tests;
