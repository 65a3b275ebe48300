//! haymark in a pseudo-terminal: keys go in, the bytes that come out are fed to a terminal emulator.
//!
//! A [`Session`] is a program in a terminal on a [`Desk`]. Waits look at whole frames only, never at one that is half drawn,
//! and end with the screen in print when what they wait for does not come.

use std::ffi::OsStr;
use std::io::{Read, Write};
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};
use rustix::process::{Pid, Signal, kill_process};

use super::terminal::Terminal;
use super::{Desk, PROGRAM};

/// How long anything may take. Far more than it does, so that a busy machine fails no test.
const PATIENCE: Duration = Duration::from_secs(20);

/// An item that came by itself takes no answers for its first 60 ms; a person never notices.
const SETTLE: Duration = Duration::from_millis(80);

/// Words of the screen where an answer came too early all the same: on a busy machine, or as the first answer to another
/// summary.
const TOO_EARLY: &str = " not taken ";

/// The pause after an answer that came too early: a person looks up before the next key.
const LOOK: Duration = Duration::from_millis(400);

/// Draws the screen anew, and takes the message at the bottom away.
const CTRL_L: &str = "\x0c";

/// Begins every frame that draws all of the screen.
const CLEAR: &str = "\x1b[2J";

impl Desk {
    /// A desk where `haymark demo` was opened once, and nothing done.
    pub fn with_demo() -> Desk {
        static DEMO: OnceLock<Vec<u8>> = OnceLock::new();
        let made = || {
            let desk = Desk::new();
            desk.start(&["demo"]).wait_for(" of 119 ").quit();
            std::fs::read(desk.demo()).unwrap()
        };
        let desk = Desk::new();
        let study = desk.demo();
        std::fs::create_dir_all(study.parent().unwrap()).unwrap();
        std::fs::write(study, DEMO.get_or_init(made)).unwrap();
        desk
    }

    /// Where the demo study lies.
    pub fn demo(&self) -> PathBuf {
        let is_mac = cfg!(target_os = "macos");
        self.path(if is_mac { "Library/Application Support/haymark" } else { "data/haymark" }).join("demo.db")
    }

    /// The demo under `coverage`, opened by someone who has judged nothing yet.
    pub fn open_demo(&self, annotator: &str) -> Session {
        let mut session = self.start(&["demo", "--as", annotator]);
        session.wait_for("item 1 of 119 · 0 judged").settle();
        session
    }

    /// haymark in a terminal of 80 columns and 24 rows.
    pub fn start<S: AsRef<OsStr>>(&self, arguments: &[S]) -> Session {
        self.start_in((80, 24), arguments, &[])
    }

    /// haymark in a terminal of these columns and rows, with further variables in its environment.
    pub fn start_in<S: AsRef<OsStr>>(
        &self,
        size: (u16, u16),
        arguments: &[S],
        variables: &[(&str, &str)],
    ) -> Session {
        let mut command = CommandBuilder::new(PROGRAM);
        command.args(arguments);
        self.start_command(size, command, variables)
    }

    /// Any program in a terminal.
    pub fn start_command(
        &self,
        size: (u16, u16),
        mut command: CommandBuilder,
        variables: &[(&str, &str)],
    ) -> Session {
        command.env_clear();
        command.cwd(self.folder());
        for (name, value) in self.environment() {
            command.env(name, value);
        }
        for (name, value) in variables {
            command.env(name, value);
        }
        Session::start(size, command)
    }
}

/// A program in a terminal.
pub struct Session {
    master: Box<dyn MasterPty + Send>,
    input: Box<dyn Write + Send>,
    incoming: Receiver<Vec<u8>>,
    child: Box<dyn Child + Send + Sync>,
    terminal: Terminal,
    output: Vec<u8>,
    first_settings: String,
}

impl Session {
    fn start((columns, rows): (u16, u16), command: CommandBuilder) -> Session {
        let pair = native_pty_system().openpty(pty_size(columns, rows)).unwrap();
        let first_settings = line_settings(&*pair.master);
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (sender, incoming) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 1 << 16];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Session {
            input: pair.master.take_writer().unwrap(),
            master: pair.master,
            incoming,
            child,
            terminal: Terminal::new(columns, rows),
            output: Vec::new(),
            first_settings,
        }
    }

    /// Types all of this in one write.
    pub fn type_keys(&mut self, keys: &str) -> &mut Session {
        self.input.write_all(keys.as_bytes()).unwrap();
        self.input.flush().unwrap();
        self
    }

    /// Types a key that answers or skips, on an item that may just have come by itself, and waits for `text`, which must not be
    /// there before.
    pub fn answer(&mut self, key: &str, text: &str) -> &mut Session {
        assert!(!self.shows(text), "{text:?} is there already");
        loop {
            self.settle().type_keys(key);
            self.wait_until(text, |screen| screen.shows(text) || screen.shows(TOO_EARLY));
            if self.shows(text) {
                return self;
            }
            self.type_keys(CTRL_L).wait_while(TOO_EARLY).rest(LOOK);
        }
    }

    /// Waits until everything typed so far has been done and drawn. Not while text is being typed.
    pub fn catch_up(&mut self) -> &mut Session {
        let clears = self.count(CLEAR);
        self.type_keys(CTRL_L);
        self.wait_until("a screen drawn anew", |session| session.count(CLEAR) > clears)
    }

    /// Waits until the screen shows `text` in one of its rows.
    pub fn wait_for(&mut self, text: &str) -> &mut Session {
        self.wait_until(text, |screen| screen.shows(text))
    }

    /// Waits until the screen no longer shows `text`.
    pub fn wait_while(&mut self, text: &str) -> &mut Session {
        self.wait_until(&format!("a screen without {text}"), |screen| !screen.shows(text))
    }

    /// Waits until a whole frame fulfils the condition, which `what` names for the message.
    pub fn wait_until(&mut self, what: &str, fulfilled: impl Fn(&Session) -> bool) -> &mut Session {
        let deadline = Instant::now() + PATIENCE;
        while self.terminal.is_updating() || !fulfilled(self) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.incoming.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Timeout) => self.fail(&format!("no {what:?} in time")),
                Err(RecvTimeoutError::Disconnected) => {
                    self.fail(&format!("the program ended without {what:?}"))
                }
            }
        }
        self
    }

    /// Lets pass the time in which an item that came by itself takes no answers.
    pub fn settle(&mut self) -> &mut Session {
        self.rest(SETTLE)
    }

    /// Reads for some time what comes.
    pub fn rest(&mut self, time: Duration) -> &mut Session {
        let deadline = Instant::now() + time;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.incoming.recv_timeout(left) {
                Ok(bytes) => self.take(&bytes),
                Err(RecvTimeoutError::Timeout) => return self,
                Err(RecvTimeoutError::Disconnected) => {
                    std::thread::sleep(left);
                    return self;
                }
            }
        }
    }

    fn take(&mut self, bytes: &[u8]) {
        self.output.extend_from_slice(bytes);
        self.terminal.process(bytes);
    }

    fn fail(&self, what: &str) -> ! {
        let rows = self.rows().join("\n");
        panic!("{what}; the screen is\n{rows}\n");
    }

    /// Whether the screen shows `text` now.
    pub fn shows(&self, text: &str) -> bool {
        self.terminal.shows(text)
    }

    /// The rows of the screen as text, blanks at their ends left out.
    pub fn rows(&self) -> Vec<String> {
        self.terminal.rows()
    }

    /// The first row that contains `text`.
    pub fn row_with(&self, text: &str) -> String {
        let row = self.rows().into_iter().find(|row| row.contains(text));
        row.unwrap_or_else(|| self.fail(&format!("no row with {text:?}")))
    }

    pub fn terminal(&self) -> &Terminal {
        &self.terminal
    }

    /// How often the program has written `sequence` so far.
    pub fn count(&self, sequence: &str) -> usize {
        memchr::memmem::find_iter(&self.output, sequence).count()
    }

    /// All bytes that the program has written so far.
    pub fn output(&self) -> &[u8] {
        &self.output
    }

    /// Gives the terminal another size, as a person does with the mouse, and waits until all is drawn for it.
    pub fn resize(&mut self, columns: u16, rows: u16) -> &mut Session {
        self.set_size(columns, rows);
        let clears = self.count(CLEAR);
        self.wait_until("keys in the bottom row", |session| {
            let has_keys = |row: &String| row.contains(" ⏎ next");
            session.count(CLEAR) > clears && session.rows().last().is_some_and(has_keys)
        })
    }

    /// Gives the terminal another size and waits for nothing.
    pub fn set_size(&mut self, columns: u16, rows: u16) -> &mut Session {
        // What came before was drawn for the old size.
        while let Ok(bytes) = self.incoming.try_recv() {
            self.take(&bytes);
        }
        self.terminal.resize(columns, rows);
        self.master.resize(pty_size(columns, rows)).unwrap();
        self
    }

    /// The settings of the terminal's line (echo, line by line, …) as text, to be compared.
    pub fn line_settings(&self) -> String {
        line_settings(&*self.master)
    }

    /// [`Session::line_settings`] from before the program was started.
    pub fn first_settings(&self) -> &str {
        &self.first_settings
    }

    /// Sends a signal to the program.
    pub fn signal(&self, signal: Signal) {
        let id = self.child.process_id().unwrap();
        kill_process(Pid::from_raw(id.try_into().unwrap()).unwrap(), signal).unwrap();
    }

    /// Ends the program as a power cut does, and waits until it is gone.
    pub fn kill(&mut self) {
        self.signal(Signal::KILL);
        assert!(self.wait_for_exit().signal().is_some());
    }

    /// Leaves haymark with `q`; the status has to be 0. Returns all that was written.
    pub fn quit(&mut self) -> &[u8] {
        self.type_keys("q");
        self.expect_success()
    }

    /// Waits for the end, which has to be a good one. Returns all that was written.
    pub fn expect_success(&mut self) -> &[u8] {
        let status = self.wait_for_exit();
        if !status.success() {
            self.fail(&format!("{status}"));
        }
        &self.output
    }

    /// Waits for the program to end and takes in the rest of what it wrote.
    pub fn wait_for_exit(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            if Instant::now() > deadline {
                self.fail("the program does not end");
            }
            self.rest(Duration::from_millis(5));
        };
        // Reading ends by itself when the last program has closed the terminal.
        while let Ok(bytes) = self.incoming.recv_timeout(PATIENCE) {
            self.take(&bytes);
        }
        status
    }
}

fn pty_size(columns: u16, rows: u16) -> PtySize {
    PtySize { rows, cols: columns, ..PtySize::default() }
}

fn line_settings(master: &dyn MasterPty) -> String {
    format!("{:?}", master.get_termios().unwrap())
}

impl Drop for Session {
    /// A test that failed leaves no program behind.
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            self.signal(Signal::KILL);
            let _ = self.child.wait();
        }
    }
}
