//! The wheel that `scripts/wheel.sh` builds, in a virtual environment that has nothing but pip.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use serde_json::{Value, json};

use crate::harness::{Desk, SAMPLES, project, python};

/// What a notebook of an environment is run with, besides the wheel.
const NOTEBOOK: [&str; 3] = ["pandas", "nbconvert", "ipykernel"];

/// The newest wheel that is there.
fn wheel() -> Option<PathBuf> {
    let folders = ["dist", "release", "dev"].map(|profile| project(&format!("target/wheels/{profile}")));
    let files = folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    let wheels =
        files.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "whl"));
    let made = |path: &PathBuf| path.metadata().and_then(|about| about.modified()).ok();
    wheels.max_by_key(made)
}

/// A virtual environment on a desk, with the wheel in it and no Rust on its path.
struct Environment<'d> {
    desk: &'d Desk,
    programs: PathBuf,
}

impl<'d> Environment<'d> {
    /// `None` where there is no wheel, or no Python that can make one; which is said.
    fn new(desk: &'d Desk) -> Option<Environment<'d>> {
        let Some(wheel) = wheel() else {
            println!("skipped: scripts/wheel.sh has not built a wheel");
            return None;
        };
        let made = python().args(["-m", "venv"]).arg(desk.path("venv")).status();
        if !made.is_ok_and(|status| status.success()) {
            println!("skipped: there is no Python with venv");
            return None;
        }
        let environment = Environment { desk, programs: desk.path("venv/bin") };
        let install = ["install", "--quiet", "--no-index", "--no-deps"].map(str::to_owned);
        let begun = Instant::now();
        let wheel = [wheel.to_str().expect("a path in UTF-8").to_owned()];
        environment.out("pip", &[&install[..], &wheel].concat());
        println!("installed in {:.1} s", begun.elapsed().as_secs_f64());
        Some(environment)
    }

    fn command<S: AsRef<std::ffi::OsStr>>(&self, program: &str, arguments: &[S]) -> Command {
        let mut command = Command::new(self.programs.join(program));
        command.args(arguments).current_dir(self.desk.folder()).env_clear().envs(self.desk.environment());
        command.env("PATH", &self.programs);
        command
    }

    /// What a program of the environment prints.
    fn out<S: AsRef<std::ffi::OsStr> + std::fmt::Debug>(&self, program: &str, arguments: &[S]) -> String {
        let output = self.command(program, arguments).output().expect(program);
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{program} {arguments:?}: {told}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }
}

#[test]
#[cfg(unix)]
fn a_wheel_brings_the_program_and_the_module() {
    let desk = Desk::new();
    let Some(environment) = Environment::new(&desk) else { return };
    assert_eq!(environment.out("haymark", &["-V"]), format!("haymark {}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(environment.out("python", &["-m", "haymark", "-V"]), environment.out("haymark", &["-V"]));
    let mut demo = portable_pty::CommandBuilder::new(environment.programs.join("haymark"));
    demo.args(["demo"]);
    desk.start_command((80, 24), demo, &[]).wait_for(" of 119 ").quit();
    desk.samples("study.db", &SAMPLES);
    let agree = ["agree", "study.db", "--protocol", "coverage"];
    assert_eq!(environment.out("haymark", &agree), desk.out(&agree));
    // Nothing of another haymark is on the path: the module runs the program that came with it.
    let told = environment.out("python", &["-c", "import haymark; print(haymark.program())"]);
    assert_eq!(
        Path::new(told.trim()).canonicalize().ok(),
        environment.programs.join("haymark").canonicalize().ok()
    );
    let typed =
        ["-c", "import importlib.resources as r; print(r.files('haymark').joinpath('py.typed').is_file())"];
    assert_eq!(environment.out("python", &typed), "True\n");
}

/// From a wheel to a kappa, a table and a figure in a notebook.
#[test]
#[cfg(unix)]
fn a_notebook_shows_a_kappa() {
    let desk = Desk::new();
    let begun = Instant::now();
    let Some(environment) = Environment::new(&desk) else { return };
    let install = [&["install", "--quiet", "--disable-pip-version-check"][..], &NOTEBOOK].concat();
    if !environment
        .command("pip", &install)
        .envs(std::env::vars().filter(|(name, _)| name.starts_with("PIP_")))
        .status()
        .is_ok_and(|status| status.success())
    {
        return println!("skipped: pip brings no {}", NOTEBOOK.join(", "));
    }
    println!("environment in {:.1} s", begun.elapsed().as_secs_f64());
    desk.samples("study.db", &SAMPLES);
    let cells = [
        "import haymark, pandas\nfrom haymark import Study\nratings = pandas.read_csv('ratings.csv')",
        "found = haymark.agree(ratings)['coefficients']\nfound",
        "found.frame().set_index('name').value['cohen_kappa']",
        "Study('study.db').plot('systems/coverage/joint')",
    ];
    desk.file("ratings.csv", "item,ann,ben\na,n,n\nb,y,y\nc,y,y\nd,y,n\n");
    let cell = |source: &&str| json!({"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": null});
    let cells: Vec<Value> = cells.iter().map(cell).collect();
    let notebook = json!({"cells": cells, "metadata": {"kernelspec": {"name": "python3", "display_name": "Python"}},
        "nbformat": 4, "nbformat_minor": 4});
    desk.file("kappa.ipynb", notebook.to_string());
    environment.out("jupyter", &["nbconvert", "--to", "notebook", "--execute", "--inplace", "kappa.ipynb"]);
    println!("from the wheel to a notebook in {:.1} s", begun.elapsed().as_secs_f64());
    let executed: Value = serde_json::from_slice(&desk.bytes("kappa.ipynb")).expect("a notebook");
    let shown = |cell: usize, kind: &str| {
        let text = &executed["cells"][cell]["outputs"][0]["data"][kind];
        let lines = text.as_array().into_iter().flatten().filter_map(Value::as_str);
        lines.chain(text.as_str()).collect::<String>()
    };
    let table = shown(1, "text/html");
    assert!(table.contains("<caption") && table.contains("Cohen"), "{table}");
    // They agree on 3 of 4, and would by chance on 3/4 · 2/4 + 1/4 · 2/4.
    let kappa: f64 = shown(2, "text/plain")
        .trim_start_matches("np.float64(")
        .trim_end_matches(')')
        .parse()
        .expect("a number");
    assert!((kappa - (0.75 - 0.5) / (1.0 - 0.5)).abs() < 1e-12, "{kappa}");
    assert!(shown(3, "image/svg+xml").contains("<svg"), "{}", executed["cells"][3]);
}
