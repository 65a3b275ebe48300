//! Tells the program the commit that it is built from: the package's or, in a release build, the checkout's. A debug build
//! does not ask for the checkout's, so that a new commit does not rebuild the program.

use std::path::Path;
use std::process::Command;
use std::{env, fs};

/// What cargo writes beside the sources of a package.
const PACKAGED: &str = ".cargo_vcs_info.json";

/// Letters of a commit in the program.
const SHORT: usize = 12;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=HAYMARK_COMMIT");
    let given = env::var("HAYMARK_COMMIT").ok();
    let commit = given.or_else(packaged).or_else(checked_out).unwrap_or_default();
    let short: String = commit.trim().chars().take(SHORT).collect();
    println!("cargo:rustc-env=HAYMARK_COMMIT={short}");
}

fn packaged() -> Option<String> {
    if Path::new(PACKAGED).exists() {
        println!("cargo:rerun-if-changed={PACKAGED}");
    }
    let text = fs::read_to_string(PACKAGED).ok()?;
    let (_, after) = text.split_once("\"sha1\"")?;
    after.split('"').nth(1).map(str::to_owned)
}

fn checked_out() -> Option<String> {
    if env::var("PROFILE").as_deref() != Ok("release") {
        return None;
    }
    // Sources within the checkout of another project have no commit of their own.
    let is_top = git(&["rev-parse", "--show-prefix"])?.is_empty();
    let log = git(&["rev-parse", "--git-path", "logs/HEAD"])?;
    if Path::new(&log).exists() {
        println!("cargo:rerun-if-changed={log}");
    }
    git(&["rev-parse", "HEAD"]).filter(|_| is_top)
}

/// What git prints; `None` where there is no git, or no checkout.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}
