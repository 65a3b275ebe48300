//! Copies text to the clipboard of the person at the keyboard, wherever haymark itself runs.
//!
//! There are three routes, and the environment says which to try, in which order ([`routes`]):
//! - in tmux: `tmux load-buffer -w -`, which sets tmux's buffer and hands the text on to the terminal; tmux ignores
//!   OSC 52 from programs unless it is set up to listen;
//! - over SSH: OSC 52, a sequence by which the terminal itself is told the text; the system's clipboard would be the
//!   one of the wrong machine;
//! - else the system's clipboard (arboard), and OSC 52 if there is none.
//!
//! No terminal says whether it heeded OSC 52, so the message to the person names the route.

use std::ffi::OsString;
use std::fmt;
use std::io::{self, Write};
use std::process::{Command, Stdio};

use crossterm::clipboard::CopyToClipboard;

use crate::error::{Error, Result};

/// A way to the clipboard; prints as the name for the message: "copied to the clipboard (OSC 52)".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Route {
    /// `tmux load-buffer -w -` (tmux 3.2 or later).
    Tmux,
    /// The clipboard of the system that haymark runs on.
    System,
    /// The terminal is told to copy.
    Osc52,
}

impl fmt::Display for Route {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Route::Tmux => "tmux",
            Route::System => "system",
            Route::Osc52 => "OSC 52",
        })
    }
}

/// The routes to try in this environment, the best first; the last is always OSC 52.
///
/// Looks at `TMUX`, `SSH_CONNECTION` and `SSH_TTY` through `variable`; empty counts as not set.
pub fn routes(variable: impl Fn(&str) -> Option<OsString>) -> &'static [Route] {
    let set = |name| variable(name).is_some_and(|value| !value.is_empty());
    let remote = set("SSH_CONNECTION") || set("SSH_TTY");
    match (set("TMUX"), remote) {
        (true, true) => &[Route::Tmux, Route::Osc52],
        (true, false) => &[Route::Tmux, Route::System, Route::Osc52],
        (false, true) => &[Route::Osc52],
        (false, false) => &[Route::System, Route::Osc52],
    }
}

/// The clipboard. Keep one for the program's life: some systems forget the text when its owner goes (arboard#39).
pub struct Clipboard {
    routes: &'static [Route],
    /// Opened by the first copy that needs it.
    system: Option<arboard::Clipboard>,
}

impl fmt::Debug for Clipboard {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut fields = formatter.debug_struct("Clipboard");
        fields.field("routes", &self.routes).finish_non_exhaustive()
    }
}

impl Default for Clipboard {
    fn default() -> Clipboard {
        Clipboard::new()
    }
}

impl Clipboard {
    /// A clipboard that tries the [`routes`] of this process's environment; nothing is opened yet.
    pub fn new() -> Clipboard {
        Clipboard::with_routes(routes(|name| std::env::var_os(name)))
    }

    /// A clipboard that tries the given routes.
    pub fn with_routes(routes: &'static [Route]) -> Clipboard {
        Clipboard { routes, system: None }
    }

    /// Copies `text` and returns a line for the bottom of a screen: the route, or why nothing was copied.
    pub fn copy_and_tell(&mut self, text: &str, terminal: &mut dyn Write) -> String {
        match self.copy(text, terminal) {
            Ok(route) => format!("copied ({route})"),
            Err(error) => error.to_string(),
        }
    }

    /// Copies `text` by the first route that works and returns that. Bytes for the terminal go to `terminal`.
    /// Waits for tmux or the display server, usually some milliseconds.
    pub fn copy(&mut self, text: &str, terminal: &mut dyn Write) -> Result<Route> {
        let mut reasons = Vec::new();
        for route in self.routes {
            let copied = match route {
                Route::Tmux => copy_to_tmux(text),
                Route::System => self.copy_to_system(text),
                Route::Osc52 => copy_by_terminal(text, terminal),
            };
            match copied {
                Ok(()) => return Ok(*route),
                Err(error) => reasons.push(format!("{route}: {error}")),
            }
        }
        Err(Error::new(format!("nothing was copied ({})", reasons.join("; "))))
    }

    fn copy_to_system(&mut self, text: &str) -> io::Result<()> {
        let clipboard = match &mut self.system {
            Some(clipboard) => clipboard,
            closed => closed.insert(arboard::Clipboard::new().map_err(io::Error::other)?),
        };
        clipboard.set_text(text).map_err(io::Error::other)
    }
}

fn copy_by_terminal(text: &str, terminal: &mut dyn Write) -> io::Result<()> {
    // The sequence is composed first, so that it goes out in one write.
    let sequence = CopyToClipboard::to_clipboard_from(text);
    let mut bytes = Vec::new();
    crossterm::queue!(bytes, sequence)?;
    terminal.write_all(&bytes)?;
    terminal.flush()
}

fn copy_to_tmux(text: &str) -> io::Result<()> {
    feed(Command::new("tmux").args(["load-buffer", "-w", "-"]), text)
}

/// Runs a command with `text` on its standard input; its output must not reach the screen.
fn feed(command: &mut Command, text: &str) -> io::Result<()> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
    // Dropping the pipe at the end of this statement tells the command that the text is over.
    let written = child.stdin.take().map_or(Ok(()), |mut pipe| pipe.write_all(text.as_bytes()));
    let status = child.wait()?;
    if status.success() { written } else { Err(io::Error::other(format!("it failed with {status}"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(variables: &[&str], expected: &[Route]) {
        let found = routes(|name| variables.contains(&name).then(|| "set".into()));
        assert_eq!(found, expected, "{variables:?}");
    }

    #[test]
    fn the_environment_chooses_the_route() {
        check(&[], &[Route::System, Route::Osc52]);
        check(&["DISPLAY"], &[Route::System, Route::Osc52]);
        check(&["SSH_CONNECTION"], &[Route::Osc52]);
        check(&["SSH_TTY"], &[Route::Osc52]);
        check(&["TMUX"], &[Route::Tmux, Route::System, Route::Osc52]);
        check(&["TMUX", "SSH_TTY"], &[Route::Tmux, Route::Osc52]);
        assert_eq!(routes(|_| Some(OsString::new())), [Route::System, Route::Osc52]);
    }

    #[test]
    fn the_terminal_is_told_in_base64() {
        let mut bytes = Vec::new();
        let route = Clipboard::with_routes(&[Route::Osc52]).copy("中 text\n", &mut bytes).unwrap();
        assert_eq!(format!("copied to the clipboard ({route})"), "copied to the clipboard (OSC 52)");
        assert_eq!(bytes, b"\x1b]52;c;5LitIHRleHQK\x1b\\");
    }

    #[test]
    fn commands_get_the_whole_text_and_failures_are_reported() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let text = "long ".repeat(100_000);
        feed(Command::new("sh").args(["-c", "cat > \"$0\""]).arg(file.path()), &text).unwrap();
        assert_eq!(std::fs::read_to_string(file.path()).unwrap(), text);
        let error = feed(Command::new("sh").args(["-c", "cat > /dev/null; exit 3"]), "x").unwrap_err();
        assert!(error.to_string().contains('3'), "{error}");
    }

    #[test]
    fn a_closed_terminal_is_an_error_that_names_the_route() {
        let mut full: &mut [u8] = &mut [];
        let error = Clipboard::with_routes(&[Route::Osc52]).copy("x", &mut full).unwrap_err();
        assert!(error.to_string().starts_with("nothing was copied (OSC 52: "), "{error}");
    }
}
