//! A hub on a PostgreSQL server. Each call is one statement without a name, so that a pooler in between does no harm, and
//! nothing is ever asked inside a longer transaction.

use std::error::Error as _;
use std::time::{Duration, Instant};

use rustls::Error as TlsError;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::config::{ChannelBinding, SslMode as Encryption};
use tokio_postgres::types::{FromSql, ToSql, Type};
use tokio_postgres::{Client, Config, Row};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::{Address, SslMode};
use super::{
    Audience, Fetched, Fresh, GroupOffer, Hub, HubMark, Lease, MOST_EVENTS, Me, MemberKind, Offered,
    SentEvent, SentRecord, SentThing, about, other_study, steps, tls,
};
use crate::error::{Error, ErrorKind, Result};
use crate::number::{counted, signed, signed_short};

/// How long an answer may take; the server gives up a statement after a minute.
const PATIENCE: Duration = Duration::from_secs(90);

/// How long a command waits for a place on a full server, and roughly how long between attempts.
const TURN: (Duration, Duration) = (Duration::from_secs(10), Duration::from_millis(200));

/// How long an idle connection is kept before the server is asked anew whether it has room.
const KEEP: Duration = Duration::from_secs(60);

/// How long a hub without room is not asked again who the member is, since that question takes a fourth of a call's work on
/// the server. Every function of the hub checks the member's rights by itself, and after an error the question is asked again.
const KNOWN: Duration = Duration::from_secs(300);

/// How long telling the server that a connection ends may take.
const GOODBYE: Duration = Duration::from_millis(500);

/// A link to a hub. The link connects at the first call, and again after it was cut.
pub struct HubLink {
    address: Address,
    /// The version of the tables that this program knows.
    pub(super) knows: usize,
    runtime: Runtime,
    open: Option<OpenLink>,
    /// The time and the greeting of the last connection.
    known: Option<(Instant, Greeting)>,
    /// The study of the first connection. A hub of another study that comes to stand at the same address is refused.
    study: Option<Vec<u8>>,
    /// How long a call waits for a place on a full server.
    turn: Duration,
    /// When the caller waits no longer, whatever is asked.
    until: Option<Instant>,
}

struct OpenLink {
    client: Client,
    /// The task that reads and writes for the client, until the client is dropped.
    wire: JoinHandle<()>,
    since: Instant,
    /// The hub's greeting to the member, or why she has no access.
    of: Result<Greeting>,
}

/// The facts that a hub tells of a member and of itself.
#[derive(Clone)]
struct Greeting {
    /// The study's number on the hub.
    study: i32,
    me: Me,
    /// Whether the server has room for connections that stay open.
    has_room: bool,
}

/// One parameter of a statement.
pub(super) type Parameter<'p> = (&'p (dyn ToSql + Sync), Type);

impl HubLink {
    /// A link to this address, not connected yet.
    pub fn to(address: Address) -> Result<HubLink> {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Error::system(format!("no network is to be had ({error})")))?;
        Ok(HubLink {
            address,
            knows: steps::STEPS.len(),
            runtime,
            open: None,
            known: None,
            study: None,
            turn: TURN.0,
            until: None,
        })
    }

    /// The link for a caller who does not wait for a place on a full server, but tries again later.
    #[must_use]
    pub fn at_once(self) -> HubLink {
        HubLink { turn: Duration::ZERO, ..self }
    }

    /// The link for a caller who waits this long for everything together.
    #[must_use]
    pub fn within(self, time: Duration) -> HubLink {
        HubLink { until: Some(Instant::now() + time), ..self }
    }

    /// Ends the link. Nobody waits for a name that is still looked up.
    pub fn end(mut self) {
        self.hang_up();
        self.runtime.shutdown_background();
    }

    /// How long something that takes this long at most may take.
    fn at_most(&self, time: Duration) -> Duration {
        self.until.map_or(time, |until| time.min(until.saturating_duration_since(Instant::now())))
    }

    pub fn address(&self) -> &Address {
        &self.address
    }

    /// The rows of a statement whose first parameter is the study's number.
    pub(super) fn rows(&mut self, statement: &str, given: &[Parameter<'_>]) -> Result<Vec<Row>> {
        let study = self.known()?.study;
        let mut all: Vec<Parameter<'_>> = vec![(&study, Type::INT4)];
        all.extend(given.iter().map(|(value, kind)| (*value, kind.clone())));
        self.query(statement, &all)
    }

    /// Runs a statement on the database, also where there is no hub in it.
    pub(super) fn query(&mut self, statement: &str, given: &[Parameter<'_>]) -> Result<Vec<Row>> {
        self.run(async |client| client.query_typed(statement, given).await)
    }

    /// Runs statements that set up the server; the hub's own are functions.
    pub fn batch(&mut self, statements: &str) -> Result<()> {
        self.run(async |client| client.batch_execute(statements).await)
    }

    fn run<T>(
        &mut self,
        ask: impl AsyncFnOnce(&Client) -> std::result::Result<T, tokio_postgres::Error>,
    ) -> Result<T> {
        self.connect()?;
        let Some(open) = &self.open else {
            return Err(Error::unreachable("the hub was not reached"));
        };
        let patience = self.at_most(PATIENCE);
        let answer = self.runtime.block_on(async { timeout(patience, ask(&open.client)).await });
        let error = match answer {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(error)) => told(&error, &self.address),
            Err(_) => silent(&self.address),
        };
        // The next call connects anew and asks again who the member is.
        self.hang_up();
        self.known = None;
        Err(error)
    }

    /// Connects, unless a connection is open.
    pub fn connect(&mut self) -> Result<()> {
        // The server's last message, such as that it goes down, is read only now.
        self.runtime.block_on(tokio::task::yield_now());
        if self.open.as_ref().is_some_and(|open| !open.client.is_closed()) {
            return Ok(());
        }
        self.hang_up();
        let (address, knows) = (&self.address.now()?, self.knows);
        let known = self.known.take().filter(|(when, known)| !known.has_room && when.elapsed() < KNOWN);
        let way = async || {
            let (client, wire) = connected(address).await?;
            let of = match &known {
                Some((_, known)) => Ok(known.clone()),
                None => match asked(&client, address, knows).await {
                    Err(error) if error.kind() == ErrorKind::Unreachable => return Err(error),
                    of => of,
                },
            };
            Ok(OpenLink { client, wire, since: Instant::now(), of })
        };
        let until = Instant::now() + self.at_most(self.turn);
        let patience = self.at_most(address.patience * 2);
        let answer = self.runtime.block_on(async {
            loop {
                let answer = timeout(patience, way()).await.unwrap_or_else(|_| Err(silent(address)));
                match &answer {
                    Err(error) if error.kind() == ErrorKind::Full && Instant::now() < until => {
                        tokio::time::sleep(about(TURN.1)).await;
                    }
                    _ => return answer,
                }
            }
        });
        let open = self.open.insert(answer?);
        if let Ok(known) = &open.of
            && *self.study.get_or_insert_with(|| known.me.study.clone()) != known.me.study
        {
            open.of = Err(other_study(&self.address.place()));
        }
        let now = open.of.as_ref().ok().map(|known| (Instant::now(), known.clone()));
        self.known = known.or(now);
        Ok(())
    }

    /// The hub's greeting to the member.
    fn known(&mut self) -> Result<&Greeting> {
        if self.open.as_ref().is_some_and(|open| open.of.is_err()) {
            self.hang_up();
        }
        self.connect()?;
        let of = self.open.as_ref().map(|open| open.of.as_ref().map_err(Clone::clone));
        of.unwrap_or_else(|| Err(silent(&self.address)))
    }

    /// Lets go of the connection until the next call, unless the server has room or the member is a lead; returns whether the
    /// connection stays.
    pub fn rest(&mut self) -> bool {
        let stays = self.open.as_ref().is_some_and(|open| {
            open.of.as_ref().is_ok_and(|known| {
                known.me.kind == MemberKind::Lead || known.has_room && open.since.elapsed() < KEEP
            })
        });
        if !stays {
            self.hang_up();
        }
        stays
    }

    /// Lets go of the connection; the next call makes a new one.
    pub fn hang_up(&mut self) {
        let Some(OpenLink { client, wire, .. }) = self.open.take() else {
            return;
        };
        drop(client);
        // The runtime works only while somebody waits for it, and until then the server keeps the place.
        let _ = self.runtime.block_on(async { timeout(GOODBYE, wire).await });
    }

    /// Runs a statement of a lead, and returns its one value.
    pub(super) fn one<T: for<'r> FromSql<'r>>(
        &mut self,
        statement: &str,
        given: &[Parameter<'_>],
    ) -> Result<T> {
        let rows = self.rows(statement, given)?;
        value(rows.first().ok_or_else(garbled)?, 0)
    }
}

impl Hub for HubLink {
    fn me(&mut self) -> Result<Me> {
        Ok(self.known()?.me.clone())
    }

    fn exchange(&mut self, events: &[SentEvent], after: HubMark, limit: usize) -> Result<Fetched> {
        let mut people: Vec<&str> = events.iter().map(|event| event.annotator.as_str()).collect();
        people.sort_unstable();
        people.dedup();
        let person =
            |event: &SentEvent| people.partition_point(|name| *name < event.annotator.as_str()) as i32 + 1;
        let persons: Vec<i32> = events.iter().map(person).collect();
        let writers: Vec<i64> = events.iter().map(|event| event.writer).collect();
        let seqs: Vec<i64> = events.iter().map(|event| event.seq).collect();
        let journals: Vec<u8> = events.iter().map(|event| event.journal).collect();
        let ats: Vec<Option<i64>> = events.iter().map(|event| event.at).collect();
        let items: Vec<Option<&[u8]>> = events.iter().map(|event| event.item.as_deref()).collect();
        let bodies: Vec<&[u8]> = events.iter().map(|event| event.body.as_slice()).collect();
        let (study, limit) = (self.known()?.me.study.clone(), signed_short(limit));
        let given: [Parameter<'_>; 12] = [
            (&study, Type::BYTEA),
            (&after.pos, Type::INT8),
            (&after.received, Type::INT8),
            (&limit, Type::INT4),
            (&writers, Type::INT8_ARRAY),
            (&seqs, Type::INT8_ARRAY),
            (&people, Type::TEXT_ARRAY),
            (&persons, Type::INT4_ARRAY),
            (&journals, Type::BYTEA),
            (&ats, Type::INT8_ARRAY),
            (&items, Type::BYTEA_ARRAY),
            (&bodies, Type::BYTEA_ARRAY),
        ];
        let exchange = "select * from hub.exchange($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)";
        let rows = self.query(exchange, &given)?;
        let (first, rows) = rows.split_first().ok_or_else(garbled)?;
        Ok(Fetched {
            refused: if events.is_empty() { None } else { self.refused(events, first)? },
            is_rewound: value(first, 0)?,
            head: HubMark { pos: value(first, 1)?, received: value(first, 2)? },
            rows: rows.iter().map(fresh).collect::<Result<_>>()?,
        })
    }

    fn told(&mut self, items: &[Vec<u8>]) -> Result<Vec<Fresh>> {
        let rows = self.rows("select * from hub.told($1, $2)", &[(&items, Type::BYTEA_ARRAY)])?;
        rows.iter().map(fresh).collect()
    }

    fn put(&mut self, records: &[SentRecord]) -> Result<i64> {
        let audiences: Vec<u8> = records.iter().map(|record| letter_of(record.audience)).collect();
        let kinds: Vec<&str> = records.iter().map(|record| record.kind.as_str()).collect();
        let keys: Vec<&[u8]> = records.iter().map(|record| record.key.as_slice()).collect();
        let bodies: Vec<&[u8]> = records.iter().map(|record| record.body.as_slice()).collect();
        let given: [Parameter<'_>; 4] = [
            (&audiences, Type::BYTEA),
            (&kinds, Type::TEXT_ARRAY),
            (&keys, Type::BYTEA_ARRAY),
            (&bodies, Type::BYTEA_ARRAY),
        ];
        self.one("select hub.put($1, $2, $3, $4, $5)", &given)
    }

    fn offer(&mut self, protocol: &str, groups: &[Offered]) -> Result<usize> {
        let mut new = 0;
        for groups in groups.chunks(MOST_EVENTS) {
            let keys: Vec<&[u8]> = groups.iter().map(|group| group.key.as_slice()).collect();
            // Below 0, the group rests, and the hub keeps the number.
            let sign = |group: &Offered| if group.rests { -1 } else { 1 };
            let raters: Vec<i32> =
                groups.iter().map(|group| sign(group) * signed_short(group.raters)).collect();
            let (mut had, mut people, mut counts): (Vec<i32>, Vec<&str>, Vec<bool>) = Default::default();
            for (place, group) in (1..).zip(groups) {
                let barred = group.barred.iter().map(|name| (name, false));
                for (name, is_one) in group.had.iter().map(|name| (name, true)).chain(barred) {
                    had.push(place);
                    people.push(name);
                    counts.push(is_one);
                }
            }
            let of =
                (1..).zip(groups).flat_map(|(place, group): (i32, _)| group.items.iter().map(move |_| place));
            let of: Vec<i32> = of.collect();
            let items: Vec<&[u8]> = groups.iter().flat_map(|group| &group.items).map(Vec::as_slice).collect();
            let given: [Parameter<'_>; 8] = [
                (&protocol, Type::TEXT),
                (&keys, Type::BYTEA_ARRAY),
                (&raters, Type::INT4_ARRAY),
                (&had, Type::INT4_ARRAY),
                (&people, Type::TEXT_ARRAY),
                (&counts, Type::BOOL_ARRAY),
                (&of, Type::INT4_ARRAY),
                (&items, Type::BYTEA_ARRAY),
            ];
            let these: i32 = self.one("select hub.offer($1, $2, $3, $4, $5, $6, $7, $8, $9)", &given)?;
            new += counted(these);
        }
        Ok(new)
    }

    fn offers(&mut self, protocol: &str) -> Result<Vec<GroupOffer>> {
        let select = "select key, wanted, open, coalesce(cardinality(items), 0) from hub.grp where study = $1 and protocol = $2 order by grp";
        let count = |row, place| Ok(value::<i32>(row, place)?.unsigned_abs());
        let offer = |row| {
            let [wanted, open, items] = [count(row, 1)?, count(row, 2)?, count(row, 3)?];
            Ok(GroupOffer { key: value(row, 0)?, wanted, open, items })
        };
        self.rows(select, &[(&protocol, Type::TEXT)])?.iter().map(offer).collect()
    }

    fn take(&mut self, protocol: &str, want: usize, hold: Duration) -> Result<Vec<Lease>> {
        let want = signed_short(want);
        let hold = signed(hold.as_secs());
        let given: [Parameter<'_>; 3] = [(&protocol, Type::TEXT), (&want, Type::INT4), (&hold, Type::INT8)];
        let rows = self.rows("select * from hub.take($1, $2, $3, $4)", &given)?;
        rows.iter().map(|row| Ok(Lease { key: value(row, 0)?, until: value(row, 1)? })).collect()
    }

    fn settle(&mut self, protocol: &str, keys: &[Vec<u8>], done: bool) -> Result<()> {
        let given: [Parameter<'_>; 3] =
            [(&protocol, Type::TEXT), (&keys, Type::BYTEA_ARRAY), (&done, Type::BOOL)];
        self.rows("select hub.settle($1, $2, $3, $4)", &given).map(drop)
    }

    fn reopen(&mut self, protocol: &str, name: &str) -> Result<usize> {
        let given: [Parameter<'_>; 2] = [(&protocol, Type::TEXT), (&name, Type::TEXT)];
        let groups: i32 = self.one("select hub.reopen($1, $2, $3)", &given)?;
        Ok(counted(groups))
    }
}

impl HubLink {
    /// Why the hub refuses some of the events, by the first row of its answer.
    fn refused(&self, events: &[SentEvent], row: &Row) -> Result<Option<Error>> {
        let refused: Vec<i32> = value(row, 13)?;
        let surplus: i32 = value(row, 14)?;
        let first = refused.first().and_then(|place| events.get(counted(*place).checked_sub(1)?));
        let (Some(first), place) = (first, self.address.place()) else {
            return Ok(None);
        };
        let (count, all) = (refused.len(), events.len());
        if surplus > 0 {
            let most: i64 = value(row, 15)?;
            let what = format!(
                "the hub at {place} has no room for {surplus} of {all} events: you may send {} MB",
                most >> 20
            );
            let advice = "they stay in your file; the lead allows more by `haymark hub limit`";
            return Ok(Some(Error::refused(what).advise(advice)));
        }
        let what = format!(
            "the hub at {place} will not have {count} of {all} events, the first of them number {} of {:016x}: its name is \
             another's, or says something else there",
            first.seq, first.writer
        );
        let advice = "they stay in your file; ask its lead, whose file can take them in by `haymark merge`";
        Ok(Some(Error::refused(what).advise(advice)))
    }
}

fn letter_of(audience: Audience) -> u8 {
    match audience {
        Audience::All => b'a',
        Audience::Leads => b'l',
    }
}

/// Reads a thing from a row of `hub.exchange` behind the first.
fn fresh(row: &Row) -> Result<Fresh> {
    let letter = |place| value::<i8>(row, place).map(|letter| letter as u8);
    let what = match value::<Option<String>>(row, 3)? {
        Some(kind) => SentThing::Record(SentRecord {
            audience: if letter(4)? == letter_of(Audience::All) { Audience::All } else { Audience::Leads },
            kind,
            key: value(row, 11)?,
            body: value(row, 12)?,
        }),
        None => SentThing::Event(SentEvent {
            writer: value(row, 5)?,
            seq: value(row, 6)?,
            annotator: value(row, 7)?,
            journal: letter(8)?,
            at: value(row, 9)?,
            item: value(row, 10)?,
            body: value(row, 12)?,
        }),
    };
    Ok(Fresh { mark: HubMark { pos: value(row, 1)?, received: value(row, 2)? }, what })
}

pub(super) fn value<'r, T: FromSql<'r>>(row: &'r Row, place: usize) -> Result<T> {
    row.try_get(place).map_err(|_| garbled())
}

fn garbled() -> Error {
    Error::refused("the hub answers something that haymark does not understand")
        .advise("ask its lead whether its tables were changed by hand")
}

async fn connected(address: &Address) -> Result<(Client, JoinHandle<()>)> {
    let mut config = Config::new();
    config.user(&address.user).dbname(&address.database).port(address.port).application_name("haymark");
    config.connect_timeout(address.patience).tcp_user_timeout(PATIENCE).keepalives_idle(PATIENCE);
    if let Some(password) = &address.password {
        config.password(password);
    }
    config.channel_binding(match address.channel_binding.as_deref() {
        Some("disable") => ChannelBinding::Disable,
        Some("require") => ChannelBinding::Require,
        _ => ChannelBinding::Prefer,
    });
    let is_socket = address.host.starts_with('/');
    config.host(&address.host);
    config.ssl_mode(match address.sslmode {
        _ if is_socket => Encryption::Disable,
        SslMode::Disable => Encryption::Disable,
        SslMode::Prefer => Encryption::Prefer,
        _ => Encryption::Require,
    });
    let way = MakeRustlsConnect::new(tls::config(address)?);
    let (client, connection) = config.connect(way).await.map_err(|error| told(&error, address))?;
    // The task ends with the client; its errors come back from the next call.
    let wire = tokio::spawn(async {
        let _ = connection.await;
    });
    Ok((client, wire))
}

/// Asks the hub of the member and of itself.
async fn asked(client: &Client, address: &Address, knows: usize) -> Result<Greeting> {
    let ask = "select (select value from hub.meta where key = 'schema'), (select value from hub.meta where key = 'oldest'),
         (select value from hub.meta where key = 'systems'), m.*, hub.has_room() from (select) one left join hub.mine() m on true";
    let rows = client.query_typed(ask, &[]).await.map_err(|error| told(&error, address))?;
    let row = rows.first().ok_or_else(garbled)?;
    steps::refuse_other(knows, &value::<String>(row, 0)?, value(row, 1)?, address)?;
    let hides_systems = value::<Option<&str>>(row, 2)? == Some("hidden");
    let stranger = || {
        Error::refused(format!("{} is no member of the hub at {}", address.user, address.place()))
            .advise("ask its lead to invite you")
    };
    let study = value::<Option<i32>>(row, 3)?.ok_or_else(stranger)?;
    if value::<bool>(row, 7)? {
        return Err(removed(address));
    }
    let kind = MemberKind::named(&value::<String>(row, 6)?).ok_or_else(garbled)?;
    let me = Me { study: value(row, 4)?, name: value(row, 5)?, kind, hides_systems };
    Ok(Greeting { study, me, has_room: value(row, 8)? })
}

fn removed(address: &Address) -> Error {
    Error::refused(format!("you were removed from the hub at {}", address.place()))
        .advise(
            "what you did is kept: what was sent is there, all of it is in your file; once its lead has let you in again, \
             `haymark sync` sends the rest",
        )
}

fn no_hub(address: &Address) -> Error {
    Error::refused(format!("there is no hub at {}", address.place()))
        .advise(
            "its lead makes one by `haymark hub create URL study.db`; if there was one, your file still holds everything \
             that is in it, and `haymark hub leave FILE` forgets the hub",
        )
}

fn silent(address: &Address) -> Error {
    Error::unreachable(format!("the hub at {} does not answer", address.place()))
}

/// Translates an error of the server or the connection for the person.
fn told(error: &tokio_postgres::Error, address: &Address) -> Error {
    let place = address.place();
    if let Some(said) = error.as_db_error() {
        let message = said.message();
        return match said.code().code() {
            "28P01" => {
                Error::refused(format!("the hub at {place} does not know this password of {}", address.user))
                    .advise(
                        "look into PGPASSWORD and ~/.pgpass, or ask the lead to invite you again; where the invitation has another \
                         login, `haymark hub join URL -o NEW.db`, `haymark merge NEW.db FILE` and `haymark sync NEW.db` bring what \
                         is in your file",
                    )
            }
            "28000" if message.contains("not permitted to log in") => removed(address),
            "28000" => Error::refused(format!(
                "the server at {place} refuses the login {:?}: {message}",
                address.user
            )),
            "3D000" => Error::no_database(format!("there is no database {place}")).advise(
                "if the hub is gone, your file still holds everything that is in it; --offline stops trying, \
                         `haymark hub leave FILE` forgets the hub",
            ),
            "3F000" | "42P01" => no_hub(address),
            "42883" => Error::other_version(format!("the hub at {place} lacks what this haymark asks of it")).advise(
                "its lead runs `haymark hub create` once more, which takes it along; work goes on in the file",
            ),
            "55P03" => Error::unreachable(format!(
                "somebody held what the hub at {place} needs for this for more than five seconds"
            ))
            .advise("try again; `haymark hub check` says who is connected, and `haymark hub remove` ends an access"),
            "53300" => {
                Error::full(format!("the server at {place} has no place for one more connection: {message}"))
            }
            // The server ends, starts, is too busy, gave the statement up, or the connection was cut.
            code if ["08", "53", "57", "58", "40", "25", "55", "XX"]
                .iter()
                .any(|class| code.starts_with(class)) =>
            {
                Error::unreachable(format!("the server at {place} says: {message}"))
            }
            "42501" => Error::no_right(format!("the hub at {place} refuses: {message}")),
            _ => Error::refused(format!("the hub at {place} refuses: {message}")),
        };
    }
    let mut source = error.source();
    let mut deepest = error.to_string();
    while let Some(inner) = source {
        let wrapped = inner.downcast_ref::<std::io::Error>().and_then(|error| error.get_ref());
        let tls = inner.downcast_ref().or_else(|| wrapped.and_then(|error| error.downcast_ref::<TlsError>()));
        if let Some(error @ TlsError::InvalidCertificate(_)) = tls {
            let what = format!("the certificate of {} is not good: {}", address.host, tls::fault(error));
            return Error::refused(what)
                .advise("ask whoever runs the server; sslrootcert=FILE in the address names its authority");
        }
        deepest = inner.to_string();
        source = inner.source();
    }
    match deepest.as_str() {
        "server does not support TLS" => Error::refused(format!("the server at {place} does not encrypt"))
            .advise("have it switched on there, or add ?sslmode=disable to the address if nobody listens"),
        "password missing" => {
            Error::refused(format!("the hub at {place} wants a password of {}", address.user))
                .advise("put it into ~/.pgpass or PGPASSWORD")
        }
        "authentication error" | "channel binding not supported" | "server did not use channel binding" => {
            Error::refused(format!("the server at {place} cannot be trusted: {deepest}"))
        }
        _ => Error::unreachable(format!("the hub at {place} cannot be reached ({deepest})")),
    }
}
