//! The guard in a pseudo-terminal: this test binary runs itself again as the program in there.

use std::io::{Read, Write};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use super::*;

/// Tells the copy of this binary in the pseudo-terminal what to do.
const ROLE: &str = "HAYMARK_TEST_GUARD";

/// A program in a pseudo-terminal, and what it has written so far.
struct Session {
    input: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    seen: String,
    _child: Box<dyn portable_pty::Child + Send + Sync>,
    _master: Box<dyn portable_pty::MasterPty + Send>,
}

impl Session {
    fn start(command: CommandBuilder) -> Session {
        let pair = native_pty_system().openpty(PtySize::default()).unwrap();
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = reader.read(&mut bytes) {
                if sender.send(bytes[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Session {
            input: pair.master.take_writer().unwrap(),
            output,
            seen: String::new(),
            _child: child,
            _master: pair.master,
        }
    }

    fn send(&mut self, text: &str) {
        self.input.write_all(text.as_bytes()).unwrap();
        self.input.flush().unwrap();
    }

    /// Waits until `text` was written, and returns all that came before it since the last wait.
    fn wait_for(&mut self, text: &str) -> String {
        let deadline = Instant::now() + Duration::from_secs(20);
        loop {
            if let Some((before, after)) = self.seen.split_once(text) {
                let (before, after) = (before.to_string(), after.to_string());
                self.seen = after;
                return before;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.seen.push_str(&String::from_utf8_lossy(&bytes)),
                Err(_) => panic!("{text:?} never came, but {:?}", self.seen),
            }
        }
    }
}

/// The command line that makes this binary run [`in_the_terminal`] and nothing else.
fn this_program(role: &str) -> CommandBuilder {
    let mut command = CommandBuilder::new(std::env::current_exe().unwrap());
    let name = module_path!().split_once("::").unwrap().1;
    command.args(["--exact", &format!("{name}::in_the_terminal"), "--nocapture", "--test-threads=1"]);
    command.env(ROLE, role);
    command
}

fn entering() -> &'static str {
    std::str::from_utf8(ENTER).unwrap()
}

fn leaving() -> &'static str {
    std::str::from_utf8(LEAVE).unwrap()
}

/// Not a test of its own: the work of the copy in the pseudo-terminal.
#[test]
fn in_the_terminal() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let mut guard = Guard::enter().unwrap();
    let say = |text: &str| output().unwrap().write_all(text.as_bytes()).unwrap();
    match role.as_str() {
        "leave twice" => {
            assert!(entered());
            leave();
            assert!(!entered());
        }
        "panic" => panic!("something broke"),
        "panic elsewhere" => {
            let _ = std::thread::spawn(|| panic!("a thread broke")).join();
            say(if entered() { "still in\n" } else { "out\n" });
        }
        "suspend" => {
            guard.suspend().unwrap();
            say("back\r\n");
        }
        other => panic!("unknown role {other}"),
    }
    drop(guard);
    say("done\n");
}

#[test]
fn leaving_twice_restores_once() {
    let mut session = Session::start(this_program("leave twice"));
    session.wait_for(entering());
    session.wait_for(leaving());
    // Out of raw mode a line feed comes with its carriage return, and nothing is restored again.
    assert_eq!(session.wait_for("done\r\n"), "");
}

#[test]
fn a_panic_restores_the_terminal_before_its_message() {
    let mut session = Session::start(this_program("panic"));
    session.wait_for(entering());
    assert!(!session.wait_for(leaving()).contains("something broke"));
    session.wait_for("something broke\r\n");
}

#[test]
fn a_panic_in_another_thread_restores_the_terminal_too() {
    let mut session = Session::start(this_program("panic elsewhere"));
    session.wait_for(entering());
    session.wait_for(leaving());
    session.wait_for("a thread broke\r\n");
    session.wait_for("out\r\n");
}

#[test]
fn suspending_hands_the_terminal_to_the_shell_and_takes_it_back() {
    let mut command = CommandBuilder::new("bash");
    command.args(["--norc", "--noprofile", "-i"]);
    let mut session = Session::start(command);
    let program = this_program("suspend");
    let words: Vec<String> = program.get_argv().iter().map(|word| format!("'{}'", word.display())).collect();
    session.send(&format!("{ROLE}=suspend {}\n", words.join(" ")));
    session.wait_for(entering());
    session.wait_for(leaving());
    session.wait_for("Stopped");
    session.send("echo shell is $((40 + 2))\n");
    session.wait_for("shell is 42");
    session.send("fg\n");
    session.wait_for(entering());
    session.wait_for("back\r\n");
    session.wait_for(leaving());
    session.wait_for("done\r\n");
}

#[test]
fn without_a_shell_suspending_returns_at_once() {
    let mut session = Session::start(this_program("suspend"));
    session.wait_for(entering());
    session.wait_for(leaving());
    session.wait_for(entering());
    session.wait_for("back\r\n");
    session.wait_for("done\r\n");
}
