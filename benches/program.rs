//! The program in a pseudo-terminal: how soon it is there, how quickly it answers, what it takes.

mod support {
    pub mod program;
    pub mod records;
    pub mod report;
    pub mod texts;
}

use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use support::program::{HAYMARK, most_memory, run};
use support::records::{HAYSTACK, LONG, Shape, write_corpus};
use support::report::{Report, Samples, Target};
use tempfile::TempDir;

/// The end of a frame.
const END: &[u8] = b"\x1b[?2026l";

fn main() {
    let Some(mut report) = Report::start("the program in a pseudo-terminal") else {
        return;
    };
    let size = std::fs::metadata(HAYMARK).map_or(f64::NAN, |about| about.len() as f64 / 1e6);
    report.line("the program", size, "MB", Target::AtMost(12.0));
    let folder = TempDir::new_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder can be made");
    let demo = Screen { home: folder.path().to_owned(), arguments: vec!["demo".into()] };
    let first = Session::start(&demo, (200, 60));
    report.line("exec to first frame, the first demo ever", first.ready, "ms", Target::None);
    first.leave();
    let haystack = demo.annotating(HAYSTACK, "haystack");
    starts(&mut report, &demo, "the demo", 10.0);
    starts(&mut report, &haystack, "a haystack of 600 KB", 10.0);
    memory(&mut report, &haystack);
    let long = demo.annotating(LONG, "long");
    starts(&mut report, &long, "one document of 600 KB", 15.0);
    for (size, most, limit) in [((80, 24), 1.0, 0.2), ((200, 60), 2.0, 0.9), ((400, 100), 4.0, 2.2)] {
        keys(&mut report, &long, size, (most, limit));
    }
    report.finish();
}

/// How the program is opened.
struct Screen {
    home: PathBuf,
    arguments: Vec<String>,
}

impl Screen {
    /// The annotate screen on a new study of this shape.
    fn annotating(&self, shape: Shape, name: &str) -> Screen {
        let corpus = self.home.join(format!("{name}.jsonl"));
        let study = self.home.join(format!("{name}.db"));
        write_corpus(&corpus, shape);
        run(&[Path::new("import"), &study, &corpus]);
        let study = study.display().to_string();
        Screen {
            home: self.home.clone(),
            arguments: ["annotate", &study, "--as", "me"].map(str::to_owned).into(),
        }
    }
}

fn starts(report: &mut Report, screen: &Screen, what: &str, most: f64) {
    let times = (0..20).map(|_| {
        let session = Session::start(screen, (200, 60));
        let ready = session.ready;
        session.leave();
        ready
    });
    let samples = Samples::of(times.collect());
    let what = format!("exec to first frame, {what}, 200×60");
    report.spread(&what, &samples, Target::AtMost(most), Target::None);
}

fn memory(report: &mut Report, haystack: &Screen) {
    let mut session = Session::start(haystack, (200, 60));
    for key in [".", ",", "f", "3", " "] {
        session.press(key.as_bytes());
    }
    if let Some(memory) = session.child.process_id().and_then(most_memory) {
        let what = "most memory with a haystack open, 200×60";
        report.line(what, memory, "MB", Target::AtMost(16.0));
    }
    session.leave();
}

/// A key to the last byte of its frame, some milliseconds apart, deep in a document of 600 KB.
fn keys(report: &mut Report, long: &Screen, size: (u16, u16), (most, limit): (f64, f64)) {
    let mut session = Session::start(long, size);
    session.focus_long_text();
    let times = (0..300).map(|number: usize| {
        std::thread::sleep(Duration::from_millis(5));
        session.press(if (number / 20).is_multiple_of(2) { b"k" } else { b"j" })
    });
    let times: Vec<f64> = times.flatten().collect();
    assert!(times.len() > 290, "every key scrolls, so every key gives a frame");
    let what = format!("key to last byte of its frame, {}×{}", size.0, size.1);
    let times = Samples::of(times);
    report.line(&format!("{what}, median"), times.middle(), "ms", Target::None);
    let high = times.percentile(99);
    report.beside(&format!("{what}, p99"), high, "ms", Target::AtMost(most), Some(limit));
    session.leave();
}

/// The program, running.
struct Session {
    child: Box<dyn Child + Send + Sync>,
    terminal: Box<dyn Write + Send>,
    frames: Receiver<Instant>,
    /// Milliseconds from exec to the first frame.
    ready: f64,
    _pair: Box<dyn MasterPty + Send>,
}

impl Session {
    fn start(screen: &Screen, (cols, rows): (u16, u16)) -> Session {
        let size = PtySize { rows, cols, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).expect("a pseudo-terminal");
        let mut command = CommandBuilder::new(HAYMARK);
        command.args(&screen.arguments);
        for variable in ["HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"] {
            command.env(variable, &screen.home);
        }
        command.env("TERM", "xterm-256color");
        let reader = pair.master.try_clone_reader().expect("its output");
        let terminal = pair.master.take_writer().expect("its input");
        let frames = watch(reader);
        let start = Instant::now();
        let child = pair.slave.spawn_command(command).expect("the program starts");
        let end = frames.recv_timeout(Duration::from_secs(20)).expect("a first frame");
        let ready = (end - start).as_secs_f64() * 1e3;
        Session { child, terminal, frames, ready, _pair: pair.master }
    }

    /// Milliseconds from a key to the end of its frame; `None` when nothing changed.
    fn press(&mut self, key: &[u8]) -> Option<f64> {
        while self.frames.try_recv().is_ok() {}
        let start = Instant::now();
        self.terminal.write_all(key).expect("the terminal takes it");
        let end = self.frames.recv_timeout(Duration::from_millis(100)).ok()?;
        Some((end - start).as_secs_f64() * 1e3)
    }

    /// Moves on to the pane with the long text, near its end: the only one with so many rows.
    ///
    /// # Panics
    /// The screen has no such pane.
    fn focus_long_text(&mut self) {
        for _ in 0..6 {
            self.press(b"\x1b[F");
            if (0..25).all(|_| self.press(b"k").is_some()) {
                return;
            }
            self.press(b"\t");
        }
        panic!("no pane scrolls by 25 rows");
    }

    fn leave(mut self) {
        let _ = self.terminal.write_all(b"q");
        let _ = self.child.wait();
    }
}

/// Tells when each frame has ended.
fn watch(mut reader: Box<dyn Read + Send>) -> Receiver<Instant> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut piece = [0; 1 << 16];
        let mut kept: Vec<u8> = Vec::new();
        while let Ok(count @ 1..) = reader.read(&mut piece) {
            let now = Instant::now();
            kept.extend(piece.iter().take(count));
            let ends = kept.windows(END.len()).filter(|bytes| *bytes == END).count();
            for _ in 0..ends {
                if sender.send(now).is_err() {
                    return;
                }
            }
            // The beginning of a mark may be at the end of what was read.
            let keep = if kept.ends_with(END) { 0 } else { END.len() - 1 };
            kept.drain(..kept.len().saturating_sub(keep));
        }
    });
    receiver
}
