//! A lead's work on a hub: making it, inviting and removing members, and changing what it hands out.

use postgres_protocol::password::scram_sha_256;
use tokio_postgres::types::Type;

use super::link::{HubLink, Parameter, value};
use super::steps::{STEPS, filled, joined};
use super::{Hub, MemberKind};
use crate::error::{Error, ErrorKind, Result};
use crate::number::counted;
use crate::text::person::refuse_name;

/// The outcome of making a hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Made {
    /// The hub is new.
    New,
    /// The hub was of this older version and is brought up to date.
    Older(usize),
}

/// The first contents of a new hub.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Founding {
    /// The name of the first lead: the person who makes the hub.
    pub lead: String,
    /// The study's name on every hub: 16 bytes.
    pub study: Vec<u8>,
    pub hides_systems: bool,
}

impl Founding {
    /// The first contents of the hub of a study that has no name yet; a name is drawn.
    pub fn of(lead: &str, hides_systems: bool) -> Result<Founding> {
        refuse_name(lead)?;
        Ok(Founding { lead: lead.to_owned(), study: random::<16>()?.to_vec(), hides_systems })
    }
}

/// Somebody with a login.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    pub name: String,
    pub kind: MemberKind,
    pub login: String,
    pub is_removed: bool,
    /// How many events of the member's own work are there. What is imported for her, and assigned, is no work of hers.
    pub events: i64,
    /// When the last of them came in.
    pub last: Option<i64>,
    /// Seconds since then.
    pub idle: Option<i64>,
}

/// A group of work and a person to whom the hub gave it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenGroup {
    pub key: Vec<u8>,
    /// The person's name on the hub.
    pub name: String,
    pub is_done: bool,
    /// Whether the person gave it back, or it was taken from her for others to judge.
    pub is_back: bool,
}

/// Letters and digits that nobody takes for others: 32, so a letter of a password is five bits.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

impl HubLink {
    /// Makes the hub of a study that has no name yet. Annotators see the names of systems.
    pub fn create(&mut self, lead: &str) -> Result<Made> {
        self.found(&Founding::of(lead, false)?, &mut || Ok(()))
    }

    /// Makes the hub in its database, or brings an older one up to date. `before` is called once nothing stands in the way of a
    /// new hub, and before anything is made.
    ///
    /// # Errors
    /// There is a hub of this version, or of a newer one; the database holds other tables; the login may not
    /// do it; `before` failed.
    pub fn found(&mut self, founding: &Founding, before: &mut dyn FnMut() -> Result<()>) -> Result<Made> {
        self.found_by(STEPS, founding, before)
    }

    pub(super) fn found_by(
        &mut self,
        steps: &[&str],
        founding: &Founding,
        before: &mut dyn FnMut() -> Result<()>,
    ) -> Result<Made> {
        let place = self.address().place();
        let holds = self.holds("to_regclass('hub.meta') is not null");
        let known: Option<String> =
            match holds.map_err(|error| match error.kind() == ErrorKind::NoDatabase {
                true => error.advise("make it: createdb"),
                false => error,
            })? {
                false => None,
                true => self.word("select value from hub.meta where key = 'schema'")?,
            };
        let version = known.and_then(|version| version.parse::<usize>().ok());
        let (made, first, hub) = match version {
            Some(version) if version < steps.len() => {
                let hub = self.word("select value from hub.meta where key = 'hub'")?;
                (Made::Older(version), version, hub.unwrap_or_default())
            }
            Some(_) => {
                return Err(Error::refused(format!("there is a hub already at {place}"))
                    .advise("`haymark hub join` makes a file of it"));
            }
            None => (Made::New, 0, hex(&random::<4>()?)),
        };
        if made == Made::New && self.holds("exists (select from pg_tables where schemaname = 'public')")? {
            return Err(Error::refused(format!("the database {place} holds other tables"))
                .advise("make one for the hub alone: createdb"));
        }
        if made == Made::New {
            before()?;
        }
        let systems = if founding.hides_systems { "hidden" } else { "shown" };
        let statements = filled(&joined(steps.get(first..).unwrap_or_default(), made == Made::New), &hub)
            .replace("{study}", &hex(&founding.study))
            .replace("{lead}", &hex(founding.lead.as_bytes()))
            .replace("{systems}", systems);
        // Others go on working at an older hub, and of two transactions that wait for each other the server ends one.
        let tries = if made == Made::New { 1 } else { 5 };
        let mut outcome = self.batch(&statements);
        for _ in 1..tries {
            if outcome.as_ref().is_err_and(|error| error.kind() == ErrorKind::Unreachable) {
                outcome = self.batch(&statements);
            }
        }
        outcome.map_err(|error| match error.kind() == ErrorKind::NoRight {
            true => error.advise("make it with a login that owns the database and has CREATEROLE"),
            false => error,
        })?;
        self.set_rights()?;
        self.hang_up();
        Ok(made)
    }

    /// Lets somebody in, or in again with a new password; returns login and password, which is kept nowhere. Leads only.
    pub fn invite(&mut self, name: &str, kind: MemberKind) -> Result<(String, String)> {
        refuse_name(name)?;
        let password: String =
            random::<20>()?.iter().map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect();
        let verifier = scram_sha_256(password.as_bytes());
        let given: [Parameter<'_>; 3] =
            [(&name, Type::TEXT), (&kind.name(), Type::TEXT), (&verifier, Type::TEXT)];
        Ok((self.one("select hub.invite($1, $2, $3, $4)", &given)?, password))
    }

    /// Ends a member's access and closes her connections; `false` where nobody of this name has access. Her work stays. Leads
    /// only.
    pub fn remove(&mut self, name: &str) -> Result<bool> {
        let is_out = self.one("select hub.remove($1, $2)", &[(&name, Type::TEXT)])?;
        self.release(name)?;
        Ok(is_out)
    }

    /// Sets how many bytes an annotator's events may take on the hub; `false` where nobody of this name has a login. Leads only.
    pub fn limit(&mut self, name: &str, bytes: i64) -> Result<bool> {
        self.one("select hub.limit_to($1, $2, $3)", &[(&name, Type::TEXT), (&bytes, Type::INT8)])
    }

    /// Takes back the groups of work that an annotator holds, so that others can get them; returns how many. Leads only.
    pub fn release(&mut self, name: &str) -> Result<usize> {
        let groups: i32 = self.one("select hub.release($1, $2)", &[(&name, Type::TEXT)])?;
        Ok(counted(groups))
    }

    /// Who has, had or gave back which groups of a protocol as work. Not for annotators.
    pub fn taken(&mut self, protocol: &str) -> Result<Vec<TakenGroup>> {
        let select = "select q.key, a.key, l.state = 'd', l.state = 'r' from hub.lease l join hub.grp q using (study, grp)
             join hub.annotator a on a.id = l.annotator where l.study = $1 and q.protocol = $2 and l.state <> 'e' and l.beside is null";
        let taken = |row| {
            Ok(TakenGroup {
                key: value(row, 0)?,
                name: value(row, 1)?,
                is_done: value(row, 2)?,
                is_back: value(row, 3)?,
            })
        };
        self.rows(select, &[(&protocol, Type::TEXT)])?.iter().map(taken).collect()
    }

    /// Mixes controls into the work of annotators, each pair an annotator and the key of a group. `share` is the share of
    /// controls, 0 to 1. Leads only.
    pub fn mix(&mut self, protocol: &str, share: f64, controls: &[(String, Vec<u8>)]) -> Result<()> {
        let people: Vec<&str> = controls.iter().map(|(person, _)| person.as_str()).collect();
        let keys: Vec<&[u8]> = controls.iter().map(|(_, key)| key.as_slice()).collect();
        let given: [Parameter<'_>; 4] = [
            (&protocol, Type::TEXT),
            (&share, Type::FLOAT8),
            (&people, Type::TEXT_ARRAY),
            (&keys, Type::BYTEA_ARRAY),
        ];
        self.one::<i32>("select hub.mix($1, $2, $3, $4, $5)", &given).map(drop)
    }

    /// Everybody who has or had a login, in the order in which they came. Not for annotators.
    pub fn members(&mut self) -> Result<Vec<Member>> {
        if !self.me()?.kind.sees_all() {
            return Err(Error::refused("only leads and observers see who is in"));
        }
        let rows = self.rows(
            "select a.key, m.kind, m.login::text, m.removed is not null, e.n, e.last / 1000,
               (extract(epoch from now()) - e.last / 1000000)::bigint
             from hub.member m join hub.annotator a on a.id = m.annotator,
               lateral (select count(*) n, max(received) last from hub.event
                 where study = m.study and annotator = a.id and writer > 0 and journal in ('e', 's', 'j')) e
             where m.study = $1 order by a.id, m.login",
            &[],
        )?;
        let member = |row| {
            let kind: String = value(row, 1)?;
            let kind = MemberKind::named(&kind)
                .ok_or_else(|| Error::refused(format!("{kind} is no kind of member")))?;
            Ok(Member {
                name: value(row, 0)?,
                kind,
                login: value(row, 2)?,
                is_removed: value(row, 3)?,
                events: value(row, 4)?,
                last: value(row, 5)?,
                idle: value(row, 6)?,
            })
        };
        rows.iter().map(member).collect()
    }

    fn holds(&mut self, condition: &str) -> Result<bool> {
        let rows = self.query(&format!("select {condition}"), &[])?;
        rows.first().map_or(Ok(false), |row| value(row, 0))
    }

    pub(super) fn word(&mut self, statement: &str) -> Result<Option<String>> {
        self.query(statement, &[])?.first().map(|row| value(row, 0)).transpose()
    }
}

fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)
        .map_err(|error| Error::system(format!("the system gives no random numbers ({error})")))?;
    Ok(bytes)
}

/// Two digits a byte.
fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
