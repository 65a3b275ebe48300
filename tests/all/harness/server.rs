//! PostgreSQL for tests: a database of its own on the server that is there, and statements as whoever logs in.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU32, Ordering};

use haymark::hub::{Address, Hub, HubLink, MemberKind};
use tokio::runtime::{Builder, Runtime};
use tokio_postgres::types::{ToSql, Type};
use tokio_postgres::{Client, Config, NoTls, Row, SimpleQueryMessage};

use super::Cluster;

/// Where a server is looked for, unless `HAYMARK_POSTGRES` names one: a login that may do everything.
const USUAL: &str = "postgres://postgres@127.0.0.1:5432/postgres?connect_timeout=2";

/// A database of one test, dropped where the test succeeds. Its lead is no superuser.
pub struct Server {
    root: Address,
    pub database: String,
    pub lead: String,
    /// A server of the test's own, where it has one.
    pub cluster: Option<Cluster>,
}

/// A session of somebody on a server.
pub struct Sql {
    runtime: Runtime,
    client: Client,
}

impl Server {
    /// A new database on the server that is there; `None` where there is no server, which is said.
    pub fn find() -> Option<Server> {
        let named = std::env::var("HAYMARK_POSTGRES").ok();
        let root = Address::read(named.as_deref().unwrap_or(USUAL)).expect("an address");
        match Sql::open(&root) {
            Ok(sql) => Some(Server::made(root, sql, None)),
            Err(error) => {
                assert!(named.is_none(), "HAYMARK_POSTGRES: {error}");
                println!("skipped: no PostgreSQL at {root}; HAYMARK_POSTGRES=postgres://… names another");
                None
            }
        }
    }

    /// A new database on a server of the test's own, to be stopped, started and set up at will; `None` where PostgreSQL is
    /// not installed, which is said.
    pub fn own(settings: &str) -> Option<Server> {
        let cluster = Cluster::start(settings)?;
        let root = cluster.address("postgres", "postgres");
        let sql = Sql::open(&root).expect("a session");
        Some(Server::made(root, sql, Some(cluster)))
    }

    fn made(root: Address, sql: Sql, cluster: Option<Cluster>) -> Server {
        static MADE: AtomicU32 = AtomicU32::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let database = format!("hm_test_{}_{number}", std::process::id());
        let lead = format!("{database}_lead");
        sql.run(&format!("drop database if exists {database} with (force)"));
        sql.run(&format!("drop role if exists {lead}"));
        sql.run(&format!("create role {lead} login createrole password '{lead}'"));
        sql.run(&format!("create database {database} owner {lead}"));
        Server { root, database, lead, cluster }
    }

    /// Where somebody finds the database.
    pub fn address(&self, user: &str) -> Address {
        let mut address = self.root.of(user);
        address.database.clone_from(&self.database);
        address
    }

    pub fn url(&self, user: &str) -> String {
        self.address(user).to_string()
    }

    pub fn link(&self, user: &str) -> HubLink {
        HubLink::to(self.address(user)).expect("a runtime")
    }

    pub fn sql(&self, user: &str) -> Sql {
        Sql::open(&self.address(user)).expect("a session")
    }

    /// A session of the superuser in the database.
    pub fn root(&self) -> Sql {
        self.sql(&self.root.user)
    }

    /// Makes the hub of which the lead is `lena`.
    pub fn hub(&self) -> HubLink {
        let mut link = self.link(&self.lead);
        link.create("lena").expect("a hub");
        link
    }

    /// Invites somebody; gives her login.
    pub fn invite(&self, lead: &mut HubLink, name: &str, kind: MemberKind) -> String {
        assert_eq!(lead.me().expect("a lead").kind, MemberKind::Lead);
        lead.invite(name, kind).expect("invited").0
    }

    /// Invites an annotator, or gives her another login; returns a link with that login.
    pub fn annotator(&self, lead: &mut HubLink, name: &str) -> HubLink {
        self.link(&self.invite(lead, name, MemberKind::Annotator))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A server of the test's own is removed with all its databases.
        if self.cluster.is_some() || std::thread::panicking() {
            return;
        }
        let Ok(sql) = Sql::open(&self.root) else { return };
        let roles: BTreeSet<String> =
            match self.root().try_rows("select value from hub.meta where key = 'hub'") {
                Ok(rows) => rows.iter().map(|row| row.get::<_, String>(0)).collect(),
                Err(_) => BTreeSet::new(),
            };
        sql.run(&format!("drop database if exists {} with (force)", self.database));
        for hub in roles {
            let of_hub =
                format!("select rolname::text from pg_roles where rolname like 'hm\\_{hub}\\_%' order by 1");
            for row in sql.rows(&of_hub) {
                sql.run(&format!("drop role {}", row.get::<_, String>(0)));
            }
        }
        sql.run(&format!("drop role if exists {}", self.lead));
    }
}

impl Sql {
    pub fn open(address: &Address) -> Result<Sql, String> {
        Sql::open_with(address, None)
    }

    pub fn open_with(address: &Address, password: Option<&str>) -> Result<Sql, String> {
        let runtime = Builder::new_current_thread().enable_all().build().expect("a runtime");
        let mut config = Config::new();
        config.host(&address.host).port(address.port).user(&address.user).dbname(&address.database);
        config.connect_timeout(std::time::Duration::from_secs(5));
        if let Some(password) = password {
            config.password(password);
        }
        let client = runtime.block_on(async {
            let (client, connection) = config.connect(NoTls).await?;
            tokio::spawn(connection);
            Ok(client)
        });
        client.map(|client| Sql { runtime, client }).map_err(|error: tokio_postgres::Error| said(&error))
    }

    /// Runs statements; gives how many rows they touched and showed.
    pub fn try_run(&self, statements: &str) -> Result<u64, String> {
        let answer = self.runtime.block_on(self.client.simple_query(statements));
        let answer = answer.map_err(|error| said(&error))?;
        let count = |message: &SimpleQueryMessage| match message {
            SimpleQueryMessage::CommandComplete(rows) => *rows,
            _ => 0,
        };
        Ok(answer.iter().map(count).sum())
    }

    pub fn run(&self, statements: &str) -> u64 {
        self.try_run(statements).unwrap_or_else(|error| panic!("{statements}: {error}"))
    }

    pub fn try_rows(&self, statement: &str) -> Result<Vec<Row>, String> {
        self.ask(statement, &[])
    }

    pub fn rows(&self, statement: &str) -> Vec<Row> {
        self.try_rows(statement).unwrap_or_else(|error| panic!("{statement}: {error}"))
    }

    pub fn ask(&self, statement: &str, given: &[(&(dyn ToSql + Sync), Type)]) -> Result<Vec<Row>, String> {
        self.runtime.block_on(self.client.query_typed(statement, given)).map_err(|error| said(&error))
    }

    /// The one number that a statement gives.
    pub fn number(&self, statement: &str) -> i64 {
        self.rows(&format!("select ({statement})::bigint")).first().expect("a row").get(0)
    }
}

fn said(error: &tokio_postgres::Error) -> String {
    match error.as_db_error() {
        Some(said) => format!("{} {}", said.code().code(), said.message()),
        None => format!("{error:?}"),
    }
}
