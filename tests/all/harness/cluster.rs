//! A PostgreSQL server of a test's own, in a temporary folder.

use std::fs;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use haymark::hub::Address;
use tempfile::TempDir;

/// A running server; it ends with the test.
pub struct Cluster {
    folder: TempDir,
    pub port: u16,
    programs: PathBuf,
}

/// Where systems put `initdb` and `pg_ctl`, which are mostly not in the path.
fn programs() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = versions.map(|entry| entry.path().join("bin")).collect();
    found.sort();
    let in_path = std::env::var_os("PATH").unwrap_or_default();
    let mut all = found.into_iter().rev().chain(std::env::split_paths(&in_path));
    let programs = all.find(|folder| folder.join("initdb").exists() && folder.join("pg_ctl").exists());
    if programs.is_none() {
        println!("skipped: PostgreSQL's initdb is not installed");
    }
    programs
}

/// Whether the tests run as root; PostgreSQL refuses to run as root.
fn is_root() -> bool {
    rustix::process::getuid().is_root()
}

impl Cluster {
    /// A new server with these lines in its settings, which trusts everybody on this machine; `None` where PostgreSQL
    /// is not installed, which is said.
    pub fn start(settings: &str) -> Option<Cluster> {
        let programs = programs()?;
        let folder = tempfile::tempdir().expect("a temporary folder");
        let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port").port();
        let cluster = Cluster { folder, port, programs };
        cluster.own(cluster.folder.path());
        let data = cluster.data();
        let data = data.to_str().expect("UTF-8");
        cluster.run("initdb", &["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"]);
        let place = cluster.folder.path().display();
        let lines = format!(
            "port = {port}\nlisten_addresses = '127.0.0.1'\nunix_socket_directories = '{place}'\n{settings}\n"
        );
        cluster.append("postgresql.conf", &lines);
        cluster.begin();
        Some(cluster)
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    pub fn address(&self, user: &str, database: &str) -> Address {
        Address::read(&format!("postgres://{user}@127.0.0.1:{}/{database}", self.port)).expect("an address")
    }

    /// Adds to a file of the server's.
    pub fn append(&self, name: &str, text: &str) {
        let path = self.data().join(name);
        let before = fs::read_to_string(&path).unwrap_or_default();
        self.write(name, &format!("{before}\n{text}"));
    }

    /// Writes a file of the server's, which it alone may read.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.data().join(name);
        fs::write(&path, text).expect("written");
        let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        fs::set_permissions(&path, mode).expect("closed to others");
        self.own(&path);
    }

    /// Gives a file to the server's user.
    fn own(&self, path: &Path) {
        if is_root() {
            let status = Command::new("chown").arg("postgres").arg(path).status().expect("chown");
            assert!(status.success(), "a user postgres");
        }
    }

    fn run(&self, program: &str, arguments: &[&str]) {
        let path = self.programs.join(program);
        let mut command = match is_root() {
            true => {
                let mut command = Command::new("runuser");
                command.args(["-u", "postgres", "--"]).arg(path);
                command
            }
            false => Command::new(path),
        };
        command.args(arguments).current_dir(self.folder.path()).stdin(Stdio::null());
        // A server that goes on would keep a pipe open.
        let log = self.folder.path().join("said");
        command.stdout(fs::File::create(&log).expect("a log")).stderr(Stdio::null());
        let status = command.status().expect(program);
        assert!(
            status.success(),
            "{program} {arguments:?}: {}",
            fs::read_to_string(&log).unwrap_or_default()
        );
    }

    fn control(&self, arguments: &[&str]) {
        let data = self.data();
        let mut all = vec!["-D", data.to_str().expect("UTF-8"), "-s", "-w", "-t", "60"];
        let log = self.folder.path().join("data/log");
        let log = log.to_str().expect("UTF-8").to_owned();
        if arguments.first() != Some(&"stop") {
            all.extend(["-l", &log]);
        }
        all.extend(arguments);
        self.run("pg_ctl", &all);
    }

    /// Starts the server again after [`Cluster::end`].
    pub fn begin(&self) {
        self.control(&["start"]);
        let from = Instant::now();
        while std::net::TcpStream::connect(("127.0.0.1", self.port)).is_err() {
            assert!(from.elapsed() < Duration::from_secs(30), "the server does not begin");
        }
    }

    /// Ends the server as if its power were cut.
    pub fn end(&self) {
        self.control(&["stop", "-m", "immediate"]);
    }

    /// Keeps a copy of the server's data; the server must have ended.
    pub fn keep(&self) {
        self.copy("data", "kept");
    }

    /// Puts the kept copy in the place of the server's data; the server must have ended.
    pub fn bring_back(&self) {
        self.copy("kept", "data");
    }

    fn copy(&self, from: &str, to: &str) {
        let (from, to) = (self.folder.path().join(from), self.folder.path().join(to));
        let _ = fs::remove_dir_all(&to);
        let status = Command::new("cp").arg("-a").args([from, to]).status().expect("cp");
        assert!(status.success(), "a copy of the server");
    }

    /// A program of PostgreSQL's on this server, such as `pg_dump`.
    pub fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.programs.join(name));
        command.args(["-h", "127.0.0.1", "-p", &self.port.to_string()]);
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let path = self.programs.join("pg_ctl");
        let data = self.data();
        let mut command = Command::new("runuser");
        command.args(["-u", "postgres", "--"]).arg(&path);
        let mut command = if is_root() { command } else { Command::new(path) };
        let _ = command
            .arg("-D")
            .arg(data)
            .args(["-s", "-m", "immediate", "stop"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
    }
}
