//! The program itself, run as a person would.

// Every bench uses a part of it.
#![allow(dead_code)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The built program.
pub const HAYMARK: &str = env!("CARGO_BIN_EXE_haymark");

/// The time and memory of a run.
pub struct Ran {
    pub seconds: f64,
    /// The most memory it held, in MB, where the system tells it.
    pub memory: Option<f64>,
}

/// Runs the program to its end and throws away what it prints.
///
/// # Panics
/// The program fails: then there is nothing to measure.
pub fn run(arguments: &[&Path]) -> Ran {
    let start = Instant::now();
    let mut child =
        Command::new(HAYMARK).args(arguments).stdout(Stdio::null()).spawn().expect("the program starts");
    let mut memory = None;
    let status = loop {
        memory = most_memory(child.id()).or(memory);
        match child.try_wait().expect("the program is waited for") {
            Some(status) => break status,
            None => std::thread::sleep(Duration::from_millis(1)),
        }
    };
    let seconds = start.elapsed().as_secs_f64();
    assert!(status.success(), "{arguments:?} ended with {status}");
    Ran { seconds, memory }
}

/// The most memory that a running process has held, in MB.
pub fn most_memory(process: u32) -> Option<f64> {
    status_field(process, "VmHWM:")
}

/// A field of the process's status in MB (Linux).
fn status_field(process: u32, name: &str) -> Option<f64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes / 1024.0)
}
