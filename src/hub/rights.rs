//! The rights of a hub's roles on its server: set when the hub is made, and again after a restore, since no dump has them.

use super::link::{HubLink, value};
use super::steps::filled;
use crate::error::{Error, Result};

/// Faults of the rights: an SQL condition that is true where the fault is, and a sentence.
const FAULTS: [(&str, &str); 8] = [
    (
        "exists (select from pg_database d, aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a
         where d.datname = current_database() and a.grantee = 0)",
        "everybody with a login on the server may connect to the database",
    ),
    (
        "not has_database_privilege('{member}', current_database(), 'connect')",
        "members may not connect to the database",
    ),
    (
        "exists (select from pg_namespace n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) a
         where n.nspname = 'public' and a.grantee = 0)",
        "everybody may look into the schema public of the database",
    ),
    (
        "exists (select from pg_class where relnamespace = to_regnamespace('hub') and relkind = 'r' and relname <> 'meta'
         and not relrowsecurity)",
        "a table shows everybody's rows, since its row-level security is off",
    ),
    (
        "exists (select from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
         where p.pronamespace = to_regnamespace('hub') and a.grantee = 0)",
        "a function of the hub may be called by everybody",
    ),
    (
        "exists (select from pg_roles where rolname in ('{owner}', '{gate}', '{member}', '{reader}', '{inviter}')
         and (rolcanlogin or rolsuper or rolbypassrls))",
        "one of the hub's roles may log in, or see everybody's rows",
    ),
    (
        "exists (select from pg_roles r where r.rolcanlogin and not r.rolsuper
         and (pg_has_role(r.oid, '{owner}', 'usage') or pg_has_role(r.oid, '{gate}', 'usage')))",
        "somebody's login owns the hub's tables",
    ),
    ("hub.has_logins() is not true", "the hub's logins are not those of this database"),
];

impl HubLink {
    /// The faults of the hub's rights on its server, in sentences; empty where there are none. `haymark hub create` by the owner
    /// of the database mends them, as after a restore. Not for annotators.
    pub fn wrong_rights(&mut self) -> Result<Vec<&'static str>> {
        let conditions = FAULTS.map(|(condition, _)| format!("coalesce(({condition}), true)")).join(", ");
        let statement = self.of_hub(&format!("select {conditions}"))?;
        let rows = self.query(&statement, &[])?;
        let Some(row) = rows.first() else { return Ok(Vec::new()) };
        let fault =
            |(place, (_, what)): (usize, &(_, &'static str))| Ok(value::<bool>(row, place)?.then_some(*what));
        FAULTS.iter().enumerate().map(fault).filter_map(Result::transpose).collect()
    }

    /// Sets the rights, and checks them.
    ///
    /// # Errors
    /// The login does not own the database; the database is a copy beside the hub; a fault stays that only a person can mend.
    pub fn set_rights(&mut self) -> Result<()> {
        let statements = self.of_hub(include_str!("rights.sql"))?;
        self.batch(&statements)?;
        match self.wrong_rights()?.as_slice() {
            [] => Ok(()),
            faults => Err(Error::refused(format!(
                "the rights of the hub at {} are not in order: {}",
                self.address().place(),
                faults.join("; ")
            ))
            .advise("ask whoever runs the server")),
        }
    }

    /// Fills the names of this hub's roles into statements.
    fn of_hub(&mut self, statements: &str) -> Result<String> {
        let hub = self.word("select value from hub.meta where key = 'hub'")?;
        Ok(filled(statements, &hub.unwrap_or_default()))
    }
}
