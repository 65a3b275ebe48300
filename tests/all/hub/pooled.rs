//! Behind PgBouncer in transaction mode: each statement may be on another connection to the server.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use haymark::hub::{Address, Hub, HubLink, HubMark, MemberKind, Offered};
use tempfile::TempDir;

use super::event;
use crate::harness::Server;

/// A pooler before a server; it ends with the test.
struct Pooler {
    child: Child,
    port: u16,
    _folder: TempDir,
}

impl Drop for Pooler {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Pooler {
    /// For these logins; `None` where PgBouncer is not installed, which is said.
    fn before(port_of_server: u16, logins: &[&str]) -> Option<Pooler> {
        let places = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer", "/usr/local/bin/pgbouncer"];
        let Some(program) = places.into_iter().find(|place| fs::exists(place).unwrap_or(false)) else {
            println!("skipped: PgBouncer is not installed");
            return None;
        };
        let folder = TempDir::new().expect("a folder");
        let port = TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port").port();
        let settings = folder.path().join("pgbouncer.ini");
        let text = format!(
            "[databases]\n* = host=127.0.0.1 port={port_of_server}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\n\
             unix_socket_dir =\nauth_type = trust\nauth_file = {}/users\npool_mode = transaction\ndefault_pool_size = 2\n",
            folder.path().display()
        );
        fs::write(&settings, text).expect("written");
        let users: String = logins.iter().map(|login| format!("\"{login}\" \"\"\n")).collect();
        fs::write(folder.path().join("users"), users).expect("written");
        let mut command = Command::new(program);
        // As root it does not run.
        if rustix::process::getuid().is_root() {
            let status = Command::new("chown").args(["-R", "postgres"]).arg(folder.path()).status();
            assert!(status.expect("chown").success());
            command.uid(fs::metadata(folder.path()).expect("a folder").uid());
        }
        let child = command.arg("-q").arg(settings).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Some(Pooler { child: child.expect("a pooler"), port, _folder: folder })
    }

    /// The same login and database through the pooler. It takes in whom its list of users names.
    fn link(&self, server: &Server, user: &str) -> HubLink {
        let url = format!("postgres://{user}@127.0.0.1:{}/{}", self.port, server.database);
        HubLink::to(Address::read(&url).expect("an address")).expect("a runtime")
    }
}

#[test]
fn eight_at_once_through_two_connections_each() {
    let Some(server) = Server::own("fsync = off") else { return };
    let mut lena = server.hub();
    let people: Vec<String> =
        (0..4).map(|number| server.invite(&mut lena, &format!("p{number}"), MemberKind::Annotator)).collect();
    let logins: Vec<&str> = people.iter().chain([&server.lead]).map(String::as_str).collect();
    let port = server.cluster.as_ref().expect("own").port;
    let Some(pooler) = Pooler::before(port, &logins) else { return };
    let groups = (0..40_u8).map(|key| Offered { key: vec![key], raters: 1, ..Offered::default() });
    lena.offer("coverage", &groups.collect::<Vec<_>>()).expect("offered");
    // It begins in a moment.
    let until = Instant::now() + Duration::from_secs(20);
    while let Err(error) = pooler.link(&server, &server.lead).me() {
        assert!(Instant::now() < until, "{error}");
        thread::sleep(Duration::from_millis(100));
    }
    thread::scope(|scope| {
        for number in 0..8_i64 {
            let (pooler, server, login) = (&pooler, &server, &people[number as usize % 4]);
            scope.spawn(move || {
                let mut link = pooler.link(server, login);
                let me = link.me().expect("in");
                assert_eq!(me.name, format!("p{}", number % 4));
                let mut mark = HubMark::NONE;
                for seq in 1..=50 {
                    link.send(&[event(&me.name, number + 1, seq, "x")]).expect("sent");
                    let fetched = link.fetch(mark, 100).expect("fetched");
                    assert!(!fetched.is_rewound);
                    mark = fetched.head;
                }
                assert_eq!(link.have(&[number + 1]).expect("have")[0].count, 50);
                assert_eq!(link.take("coverage", 5, Duration::from_secs(60)).expect("taken").len(), 5);
            });
        }
    });
    let mut lead = pooler.link(&server, &server.lead);
    assert_eq!(lead.fetch(HubMark::NONE, 1000).expect("fetched").rows.len(), 400);
    assert_eq!(lead.members().expect("members").len(), 5);
}
