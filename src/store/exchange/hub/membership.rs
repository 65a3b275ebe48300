//! What a study file knows of its hub: the member whose file it is, what waits to be sent, and what is held.

use std::collections::HashSet;

use rusqlite::{Connection, params};

use super::give::SECRET;
use super::take::unpacked;
use super::{give, names};
use crate::error::{Error, Result};
use crate::hub::{HubMark, Me, MemberKind, SentThing};
use crate::store::file::{
    LONG_PATIENCE, SHARED, StudyFile, Tried, all, all_by, change, exists, first, first_by, one, said,
};
use crate::store::journal::caches;
use crate::store::work::MASKED;

/// The hub of a study, and the member whose file this is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Membership {
    /// The address of the hub, without a password.
    pub address: String,
    pub me: Me,
}

/// The things of one sender that are held for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldThings {
    /// The sender; `None` for records, which only leads send.
    pub sender: Option<String>,
    pub why: String,
    pub count: usize,
}

/// The row of `hub`: the hub, the member, and the mark.
pub(crate) struct Home {
    pub(super) address: String,
    pub(super) study: Vec<u8>,
    pub(crate) member: String,
    pub(super) kind: MemberKind,
    /// The secret of aliases, where the hub hides systems and the member is no annotator.
    pub(super) secret: Option<Vec<u8>>,
    pub(super) mark: HubMark,
}

impl Home {
    /// The home for taking things from a file, with the rights of a lead and no hub.
    pub(crate) const NONE: Home = Home {
        address: String::new(),
        study: Vec::new(),
        member: String::new(),
        kind: MemberKind::Lead,
        secret: None,
        mark: HubMark { pos: 0, received: 0 },
    };

    pub(super) fn read(connection: &Connection) -> Tried<Option<Home>> {
        let select =
            "SELECT address, study, member, kind, secret, pos, received FROM hub WHERE address <> ''";
        let found = first_by(connection, select, [], |row| {
            let kind: String = row.get(3)?;
            Ok(Home {
                address: row.get(0)?,
                study: row.get(1)?,
                member: row.get(2)?,
                // A kind of member that only a newer program knows may at least read.
                kind: MemberKind::named(&kind).unwrap_or(MemberKind::Observer),
                secret: row.get(4)?,
                mark: HubMark { pos: row.get(5)?, received: row.get(6)? },
            })
        })?;
        Ok(found)
    }

    /// The home for taking things from the file of an annotator of a hub, which goes on or was left, into the file of a lead: it
    /// brings what its member did, and of a file that does not say whose it is nothing. Where candidates have aliases there, this study
    /// knows them, of its hub or of one that it left. `None` for any other file.
    pub(crate) fn of_member(connection: &Connection, theirs: &Connection) -> Tried<Option<Home>> {
        let annotator = MemberKind::Annotator.name();
        let member: Option<String> = first(theirs, "SELECT member FROM hub WHERE kind = ?1", [annotator])?;
        let there: Vec<String> = all(theirs, "SELECT key FROM candidate", [])?;
        let there: HashSet<String> = there.into_iter().filter(|key| names::is_alias(key)).collect();
        if there.is_empty() {
            let is_leads = exists(connection, "SELECT 1 FROM hub WHERE kind <> ?1", [annotator])?;
            return Ok(member.filter(|_| is_leads).map(|member| Home { member, ..Home::NONE }));
        }
        let Some(secret) = secret(connection)? else { return Ok(None) };
        let select = "SELECT c.key, q.key, k.key FROM candidate k JOIN query q ON q.id = k.query
             JOIN collection c ON c.id = q.collection";
        let here: Vec<(String, String, String)> = all(connection, select, [])?;
        let is_there = |(collection, query, key): &(String, String, String)| {
            there.contains(&names::alias(&secret, collection, query, key))
        };
        let member = member.unwrap_or_default();
        Ok(here.iter().any(is_there).then_some(Home { secret: Some(secret), member, ..Home::NONE }))
    }

    pub(super) fn expect(connection: &Connection) -> Tried<Home> {
        Home::read(connection)?.ok_or_else(|| {
            let advice =
                "`haymark hub create` makes one, `haymark hub join` makes a file for one that there is";
            no_hub(advice).into()
        })
    }
}

/// The secret of aliases, of the study's hub or of the one that it left.
fn secret(connection: &Connection) -> Tried<Option<Vec<u8>>> {
    first(connection, "SELECT secret FROM hub WHERE secret IS NOT NULL", [])
}

fn no_hub(advice: &str) -> Error {
    Error::usage("the study has no hub").advise(advice)
}

impl StudyFile {
    /// The hub of the study.
    ///
    /// # Errors
    /// The study has no hub; `advice` says what to do then.
    pub fn membership_or(&self, advice: &str) -> Result<Membership> {
        self.membership()?.ok_or_else(|| no_hub(advice).in_file(self.path()))
    }

    /// The hub of the study, if it has one.
    pub fn membership(&self) -> Result<Option<Membership>> {
        self.read(|connection| {
            let home = Home::read(connection)?;
            Ok(home.map(|Home { address, study, member, kind, secret, .. }| Membership {
                address,
                me: Me { study, name: member, kind, hides_systems: secret.is_some() },
            }))
        })
    }

    /// The annotator of the hub whose file this is; `None` where the file is no annotator's.
    pub fn annotator_on_hub(&self) -> Result<Option<String>> {
        let me = self.membership()?.map(|hub| hub.me);
        Ok(me.filter(|me| me.kind == MemberKind::Annotator).map(|me| me.name))
    }

    /// Refuses to write what an observer of the hub, who writes nothing there, would do in her file.
    pub fn refuse_observer(&self) -> Result<()> {
        let Some(hub) = self.membership()?.filter(|hub| hub.me.kind == MemberKind::Observer) else {
            return Ok(());
        };
        let what =
            format!("the file is that of {:?}, an observer of the hub, who writes nothing", hub.me.name);
        Err(Error::new(what)
            .in_file(self.path())
            .advise("a lead does it in a file of her own, or invites anew as annotator or lead"))
    }

    /// Notes the hub; from now on everything in the file waits to be sent. With `hides_systems`, candidates have aliases on the
    /// hub, which annotators get in the place of the keys.
    ///
    /// # Errors
    /// The study has another hub, or cannot be written.
    pub fn remember_hub(&mut self, membership: &Membership, hides_systems: bool) -> Result<()> {
        let Membership { address, me } = membership;
        self.write(LONG_PATIENCE, |transaction| {
            if let Some(home) = Home::read(transaction)? {
                if home.study != me.study {
                    return Err(Error::new(format!("the study has another hub: {}", home.address))
                        .advise("name the study of this hub, or make a new file: `haymark hub join URL -o NEW.db`")
                        .into());
                }
                change(transaction, "UPDATE hub SET address = ?1", [address])?;
                return Ok(());
            }
            // Members' files of an earlier hub stay readable.
            let secret = match (hides_systems, secret(transaction)?) {
                (true, None) => {
                    Some(names::draw().map_err(|error| said(format!("no random numbers: {error}")))?.to_vec())
                }
                (true, known) => known,
                (false, _) => None,
            };
            change(
                transaction,
                "INSERT OR REPLACE INTO hub (only_row, address, study, member, kind, secret, pos, received, takes)
                 VALUES (1, ?1, ?2, ?3, ?4, ?5, 0, 0, 0)",
                params![address, me.study, me.name, me.kind.name(), secret],
            )?;
            start_over(transaction)
        })
    }

    /// The aliases of candidates on the hub, by collection, query and key; `None` where the hub hides no
    /// systems, or this file lacks the secret.
    pub fn aliases(&self) -> Result<impl Fn(&str, &str, &str) -> Option<String>> {
        let secret = self.read(Home::read)?.and_then(|home| home.secret);
        Ok(move |collection: &str, query: &str, candidate: &str| {
            Some(names::alias(secret.as_deref()?, collection, query, candidate))
        })
    }

    /// How many rows that the member of this file may send wait for the hub; 0 without a hub.
    pub fn waiting_for_hub(&self) -> Result<usize> {
        self.read(|connection| {
            let Some(home) = Home::read(connection)? else { return Ok(0) };
            let mut waiting = 0;
            for what in give::given_by(home.kind) {
                let count = format!("SELECT count(*) {}", give::waiting(what, home.kind));
                waiting += one::<u32>(connection, &count, [&home.member])? as usize;
            }
            Ok(waiting)
        })
    }

    /// How many rows are in the file and not on its hub, whoever may send them.
    pub fn only_here(&self) -> Result<usize> {
        Ok(self.waiting_for_hub()? + self.others_waiting_for_hub()?)
    }

    /// Forgets the hub, and which rows waited for it. The rows stay in the study, and so do whose file it was, and the secret of
    /// aliases: by these it reads the files of the hub's members, and they its.
    pub fn forget_hub(&mut self) -> Result<()> {
        self.write(LONG_PATIENCE, |transaction| {
            for table in ["hub_waits", "hub_held", "hub_lease", "handed_out"] {
                change(transaction, &format!("DELETE FROM {table}"), [])?;
            }
            change(transaction, "UPDATE hub SET address = '', pos = 0, received = 0, takes = 1", [])?;
            caches::look_again(transaction)
        })
    }

    /// How many rows wait that this member may not send, such as another person's events in the file.
    pub fn others_waiting_for_hub(&self) -> Result<usize> {
        let all = self.read(|connection| {
            // The hub has its member's own name, and masked assignments come from the hub.
            let select = "SELECT count(*) FROM hub_waits WHERE NOT (what = 'annotator' AND number IN
                 (SELECT a.id FROM annotator a JOIN hub h ON h.member = a.key AND h.kind = 'annotator'))
                 AND NOT (what = 'assignment_event' AND number = ?1)";
            one::<u32>(connection, select, [MASKED])
        })?;
        Ok((all as usize).saturating_sub(self.waiting_for_hub()?))
    }

    /// Things from the hub that are held and not in the study, by sender and reason, the most first.
    pub fn held_from_hub(&self) -> Result<Vec<HeldThings>> {
        let select = "SELECT sender, why, count(*) FROM hub_held GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2";
        self.read(|connection| {
            all_by(connection, select, [], |row| {
                let count = row.get::<_, u32>(2)? as usize;
                Ok(HeldThings { sender: row.get(0)?, why: row.get(1)?, count })
            })
        })
    }

    /// The items, by their keys on the hub, of the events that are held, each with the sender.
    pub fn items_held(&self) -> Result<HashSet<(String, Vec<u8>)>> {
        let held: Vec<Vec<u8>> = self.read(|connection| all(connection, "SELECT thing FROM hub_held", []))?;
        let item = |thing: Vec<u8>| match unpacked(&thing)? {
            SentThing::Event(event) => Some((event.annotator, event.item?)),
            SentThing::Record(_) => None,
        };
        Ok(held.into_iter().filter_map(item).collect())
    }

    /// A number that changes when another connection writes to the file.
    pub fn change_counter(&self) -> Result<i64> {
        self.read(|connection| Ok(connection.pragma_query_value(None, "data_version", |row| row.get(0))?))
    }
}

const SECRET_WAITS: &str =
    "INSERT OR IGNORE INTO hub_waits SELECT ?1, 0, 0 FROM hub WHERE secret IS NOT NULL";

/// Starts the exchange over: everything is fetched again, and all rows wait.
pub(super) fn start_over(connection: &Connection) -> Tried<()> {
    change(connection, "UPDATE hub SET pos = 0, received = 0", [])?;
    change(connection, "DELETE FROM hub_held", [])?;
    for (table, is_sequenced) in SHARED {
        let row = if is_sequenced { "writer, seq" } else { "0, id" };
        let wait = format!("INSERT OR IGNORE INTO hub_waits SELECT '{table}', {row} FROM \"{table}\"");
        change(connection, &wait, [])?;
    }
    change(connection, SECRET_WAITS, [SECRET])?;
    Ok(())
}
