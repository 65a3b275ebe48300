//! The program in a pseudo-terminal: keys in, screen out.

use std::io::{Read, Write};
use std::num::NonZero;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// Longer than any screen takes, on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(30);

/// A key that comes sooner than this may have been meant for the screen before.
const REACTION: Duration = Duration::from_millis(300);

const ROWS: NonZero<u16> = NonZero::new(30).expect("above 0");
const COLUMNS: NonZero<u16> = NonZero::new(100).expect("above 0");

pub struct Screen {
    parser: Arc<Mutex<vt100::Parser>>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    /// Closes the terminal when it goes.
    _master: Box<dyn MasterPty + Send>,
}

impl Screen {
    /// Runs haymark in a terminal of 100 columns and 30 rows.
    pub fn open(folder: &Path, arguments: &[&str]) -> Screen {
        let size = PtySize { rows: ROWS.get(), cols: COLUMNS.get(), pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_haymark"));
        command.args(arguments);
        command.cwd(folder);
        command.env("HOME", folder);
        command.env("TERM", "xterm-256color");
        let child = pair.slave.spawn_command(command).expect("haymark runs");
        drop(pair.slave);
        let parser = Arc::new(Mutex::new(vt100::Parser::new(ROWS, COLUMNS, 0)));
        let mut reader = pair.master.try_clone_reader().expect("a reader");
        let seen = Arc::clone(&parser);
        thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                seen.lock().expect("no panic").process(&bytes[..count]);
            }
        });
        let writer = pair.master.take_writer().expect("a writer");
        Screen { parser, writer, child, _master: pair.master }
    }

    /// Waits until this stands on the screen.
    pub fn wait_for(&self, text: &str) {
        let start = Instant::now();
        loop {
            let screen = self.parser.lock().expect("no panic").screen().contents();
            if screen.contains(text) {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "{text:?} never came:\n{screen}");
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Types keys, as late after what has come on the screen as a person would.
    pub fn press(&mut self, keys: &str) {
        thread::sleep(REACTION);
        self.writer.write_all(keys.as_bytes()).and_then(|()| self.writer.flush()).expect("keys are typed");
    }

    /// Waits until the program has ended, and ended well.
    pub fn end(mut self) {
        let start = Instant::now();
        let status = loop {
            match self.child.try_wait().expect("a child") {
                Some(status) => break status,
                None if start.elapsed() > PATIENCE => panic!("haymark does not end"),
                None => thread::sleep(Duration::from_millis(10)),
            }
        };
        assert!(status.success(), "{status:?}");
    }
}
