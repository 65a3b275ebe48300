//! The health of a hub, as far as its server tells a lead or an observer.

use super::link::{HubLink, value};
use super::{Hub, MemberKind};
use crate::error::{Error, Result};

/// The state of a server and of the hub on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HubHealth {
    /// The version of PostgreSQL, such as `15.18`.
    pub server: String,
    /// Connections to the whole server, and the most that it lets in.
    pub connections: (i64, i64),
    /// Statements that wait for a lock, in all databases of the server.
    pub blocked: i64,
    /// The size of the database in bytes.
    pub size: i64,
    /// The last position: how many things ever came in.
    pub head: i64,
    pub archive: Archive,
    /// Whether everybody may store large objects, which no limit counts.
    pub takes_large_objects: bool,
    /// Members who are connected, with how many connections.
    pub connected: Vec<(String, i64)>,
    /// Members with a transaction that is open for longer than five seconds: name, login, seconds.
    pub lasting: Vec<(String, String, i64)>,
    /// Annotators who have sent nine tenths of what they may: bytes sent, bytes allowed.
    pub nearly_full: Vec<(String, i64, i64)>,
    /// Rights that are not as haymark gives them.
    pub wrong_rights: Vec<&'static str>,
}

/// Whether the server keeps its write-ahead log somewhere else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Archive {
    Off,
    /// The last attempt did not succeed.
    Fails,
    /// Seconds since the last segment was archived; `None` before the first.
    Works(Option<i64>),
}

impl HubLink {
    /// Reads the health of the hub. Not for annotators.
    pub fn health(&mut self) -> Result<HubHealth> {
        if self.me()?.kind == MemberKind::Annotator {
            return Err(Error::refused("only leads and observers look at how the hub is"));
        }
        let rows = self.rows(
            "select current_setting('server_version'), current_setting('max_connections')::bigint,
               (select sum(pg_stat_get_db_numbackends(oid))::bigint from pg_database),
               (select count(*) from pg_locks where not granted), pg_database_size(current_database()),
               (select head from hub.study where id = $1), current_setting('archive_mode') = 'off',
               coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false),
               extract(epoch from now() - last_archived_time)::bigint,
               exists (select from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a where a.grantee = 0
                 and p.pronamespace = 'pg_catalog'::regnamespace and p.proname in ('lo_creat', 'lo_create', 'lo_from_bytea'))
             from pg_stat_archiver",
            &[],
        )?;
        let row = rows.first().ok_or_else(|| Error::refused("the server says nothing of itself"))?;
        let archive = match (value(row, 6)?, value(row, 7)?) {
            (true, _) => Archive::Off,
            (_, true) => Archive::Fails,
            _ => Archive::Works(value(row, 8)?),
        };
        let connected = self.rows(
            "select a.key, count(*) from pg_stat_activity p join hub.member m on m.login = p.usename
             join hub.annotator a on a.id = m.annotator
             where p.datname = current_database() and m.study = $1 group by 1 order by 1",
            &[],
        )?;
        let lasting = self.rows(
            "select a.key, m.login::text, extract(epoch from clock_timestamp() - l.since)::bigint from hub.lasting() l
             join hub.member m using (login) join hub.annotator a on a.id = m.annotator where m.study = $1 order by l.since",
            &[],
        )?;
        let nearly_full = self.rows(
            "select a.key, m.sent, m.most from hub.member m join hub.annotator a on a.id = m.annotator
             where m.study = $1 and m.kind = 'annotator' and m.removed is null and m.sent >= m.most / 10 * 9 order by 1",
            &[],
        )?;
        Ok(HubHealth {
            server: value(row, 0)?,
            connections: (value(row, 2)?, value(row, 1)?),
            blocked: value(row, 3)?,
            size: value(row, 4)?,
            head: value(row, 5)?,
            archive,
            takes_large_objects: value(row, 9)?,
            connected: connected
                .iter()
                .map(|row| Ok((value(row, 0)?, value(row, 1)?)))
                .collect::<Result<_>>()?,
            lasting: lasting
                .iter()
                .map(|row| Ok((value(row, 0)?, value(row, 1)?, value(row, 2)?)))
                .collect::<Result<_>>()?,
            nearly_full: nearly_full
                .iter()
                .map(|row| Ok((value(row, 0)?, value(row, 1)?, value(row, 2)?)))
                .collect::<Result<_>>()?,
            wrong_rights: self.wrong_rights()?,
        })
    }
}
