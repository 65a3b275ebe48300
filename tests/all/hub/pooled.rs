//! Many people on few connections, behind PgBouncer and without it. In transaction mode each statement may be on another connection to
//! the server.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use haymark::hub::{Address, Hub, HubLink, HubMark, MemberKind, Offered};
use tempfile::TempDir;

use super::event;
use crate::harness::{Server, crowd};

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
    /// With these settings and this list of users; `None` where PgBouncer is not installed, which is said.
    fn before(port_of_server: u16, rules: &str, users: &str) -> Option<Pooler> {
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
             unix_socket_dir =\nauth_file = {}/users\n{rules}\n",
            folder.path().display()
        );
        fs::write(&settings, text).expect("written");
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

    /// The same login and database through the pooler; behind the login may stand a password.
    fn address(&self, server: &Server, login: &str) -> Address {
        let url = format!("postgres://{login}@127.0.0.1:{}/{}", self.port, server.database);
        Address::read(&url).expect("an address")
    }

    fn link(&self, server: &Server, user: &str) -> HubLink {
        HubLink::to(self.address(server, user)).expect("a runtime")
    }

    /// Waits until it takes somebody in.
    fn begin(&self, server: &Server, login: &str) {
        let until = Instant::now() + Duration::from_secs(20);
        while let Err(error) = self.link(server, login).me() {
            assert!(Instant::now() < until, "{error}");
            thread::sleep(Duration::from_millis(100));
        }
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
    let users: String = logins.iter().map(|login| format!("\"{login}\" \"\"\n")).collect();
    let Some(pooler) =
        Pooler::before(port, "auth_type = trust\npool_mode = transaction\ndefault_pool_size = 2", &users)
    else {
        return;
    };
    let groups = (0..40_u8).map(|key| Offered { key: vec![key], raters: 1, ..Offered::default() });
    lena.offer("coverage", &groups.collect::<Vec<_>>()).expect("offered");
    pooler.begin(&server, &server.lead);
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
                    let fetched = link.exchange(&[], mark, 100).expect("fetched");
                    assert!(!fetched.is_rewound);
                    mark = fetched.head;
                }
                let here = format!("select count(*) from hub.event where writer = {}", number + 1);
                assert_eq!(server.root().number(&here), 50);
                assert_eq!(link.take("coverage", 5, Duration::from_secs(60)).expect("taken").len(), 5);
            });
        }
    });
    let mut lead = pooler.link(&server, &server.lead);
    assert_eq!(lead.exchange(&[], HubMark::NONE, 1000).expect("fetched").rows.len(), 400);
    assert_eq!(lead.members().expect("members").len(), 5);
}

/// So many people in a hub, with their logins and passwords.
fn invited(server: &Server, count: usize) -> Vec<(String, String)> {
    let mut lena = server.hub();
    let each = |number| {
        let name = format!("p{number}");
        let (login, password) = lena.invite(&name, MemberKind::Annotator).expect("invited");
        (name, format!("{login}:{password}"))
    };
    (0..count).map(each).collect()
}

/// The longest that an answer may take to the hub, in milliseconds.
const LONGEST: f64 = 10_000.0;

/// How often each answers.
const ANSWERS: usize = 2;

/// One crowd at a time is enough for a machine.
static CROWD: Mutex<()> = Mutex::new(());

/// While a crowd answers at these addresses, its lead gets in, and every answer is there in time.
fn all_get_in(server: &Server, people: &[(String, Address)]) {
    let _alone = CROWD.lock().unwrap_or_else(PoisonError::into_inner);
    let took = thread::scope(|scope| {
        let lead = scope.spawn(|| {
            thread::sleep(Duration::from_secs(3));
            let begun = Instant::now();
            let members = server.link(&server.lead).members().expect("a lead gets in").len();
            (begun.elapsed(), members)
        });
        let took = crowd::answer(people, Duration::from_secs(5), ANSWERS);
        let (waited, members) = lead.join().expect("a lead");
        assert_eq!(members, people.len() + 1);
        assert!(waited < Duration::from_secs(10), "{waited:?}");
        took
    });
    assert_eq!(took.len(), people.len() * ANSWERS);
    assert_eq!(
        server.link(&server.lead).exchange(&[], HubMark::NONE, 1_000).expect("fetched").rows.len(),
        took.len()
    );
    let longest = took.into_iter().fold(0.0, f64::max);
    assert!(longest < LONGEST, "{longest} ms");
}

/// No connection is held without work, so many share few.
#[test]
fn five_times_as_many_people_as_connections() {
    let Some(server) = Server::own("fsync = off\nmax_connections = 25") else { return };
    let people = invited(&server, 125);
    let address = |login: &str| server.address(login.split(':').next().unwrap_or_default());
    let people: Vec<_> = people.into_iter().map(|(name, login)| (name, address(&login))).collect();
    all_get_in(&server, &people);
}

/// Everybody shows her own password, to the pooler and through it to the server; the settings are those of docs/hub.md, made
/// smaller.
#[test]
fn two_hundred_people_through_fifteen_connections() {
    let Some(server) = Server::own("fsync = off\nmax_connections = 25") else { return };
    let people = invited(&server, 200);
    let cluster = server.cluster.as_ref().expect("own");
    server.root().run(&format!(
        "create role pgbouncer login;
         create schema pgbouncer authorization postgres;
         grant usage on schema pgbouncer to pgbouncer;
         create function pgbouncer.password_of(login text) returns table (usename name, passwd text)
           security definer set search_path = pg_catalog language sql as
           $$select usename, passwd from pg_shadow where usename = login and not usesuper$$;
         revoke all on function pgbouncer.password_of(text) from public;
         grant execute on function pgbouncer.password_of(text) to pgbouncer;
         grant connect on database {} to pgbouncer",
        server.database
    ));
    let trusted = format!("host all postgres,pgbouncer,{} 127.0.0.1/32 trust", server.lead);
    cluster.write("pg_hba.conf", &format!("{trusted}\nhost all all 127.0.0.1/32 scram-sha-256\n"));
    server.root().run("select pg_reload_conf()");
    let rules = "auth_type = scram-sha-256\nauth_user = pgbouncer\n\
                 auth_query = select * from pgbouncer.password_of($1)\n\
                 pool_mode = session\ndefault_pool_size = 1\nmax_db_connections = 15\nmax_client_conn = 2000";
    let Some(pooler) = Pooler::before(cluster.port, rules, "\"pgbouncer\" \"\"\n") else { return };
    pooler.begin(&server, &people[0].1);
    let people: Vec<_> =
        people.iter().map(|(name, login)| (name.clone(), pooler.address(&server, login))).collect();
    all_get_in(&server, &people);
}
