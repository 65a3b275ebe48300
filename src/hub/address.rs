//! The address of a hub, read as every PostgreSQL client reads one: a URL or `key=value` pairs, then a service file, then
//! the variables `PG…`, then the defaults. The rules are libpq's; only `sslmode` has a stricter default.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::passfile;
use crate::error::{Error, Result};
use crate::text::percent;

/// Each setting, and the variable that is read where neither the address nor the service file has it.
const SETTINGS: &[(&str, &str)] = &[
    ("host", "PGHOST"),
    ("port", "PGPORT"),
    ("dbname", "PGDATABASE"),
    ("user", "PGUSER"),
    ("password", "PGPASSWORD"),
    ("passfile", "PGPASSFILE"),
    ("service", "PGSERVICE"),
    ("sslmode", "PGSSLMODE"),
    ("sslrootcert", "PGSSLROOTCERT"),
    ("channel_binding", "PGCHANNELBINDING"),
    ("connect_timeout", "PGCONNECT_TIMEOUT"),
];

/// Settings of libpq that are accepted and change nothing here.
const PASSED_OVER: &[&str] =
    &["application_name", "fallback_application_name", "client_encoding", "gssencmode"];

const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// How the connection to the server is secured: libpq's `sslmode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SslMode {
    /// In the clear.
    Disable,
    /// Encrypted where the server can.
    Prefer,
    /// Encrypted, with any certificate.
    Require,
    /// Encrypted, and a trusted authority has signed the server's certificate.
    VerifyCa,
    /// As `VerifyCa`, and the certificate is for this host.
    VerifyFull,
}

impl SslMode {
    /// `allow` asks in the clear first; encrypting first is as good where the server can.
    const NAMES: [(&str, SslMode); 6] = [
        ("disable", SslMode::Disable),
        ("prefer", SslMode::Prefer),
        ("allow", SslMode::Prefer),
        ("require", SslMode::Require),
        ("verify-ca", SslMode::VerifyCa),
        ("verify-full", SslMode::VerifyFull),
    ];

    /// The mode's name in libpq.
    pub fn name(self) -> &'static str {
        SslMode::NAMES.iter().find(|(_, mode)| *mode == self).map_or("prefer", |(name, _)| name)
    }
}

/// The address of a hub, its defaults filled in. Printed, it is a URL without the password.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    /// A name, an IP address, or the folder of a socket.
    pub host: String,
    pub port: u16,
    pub user: String,
    pub database: String,
    pub sslmode: SslMode,
    /// The file of trusted authorities; when absent, the system's are trusted.
    pub root: Option<PathBuf>,
    pub(super) password: Option<String>,
    pub(super) channel_binding: Option<String>,
    pub(super) patience: Duration,
    service: Option<String>,
    /// The password file, where the password came from one: `Some(None)` for the usual file.
    passfile: Option<Option<PathBuf>>,
}

/// Variables and folders around the program, so that tests have their own.
pub(super) struct Surroundings<'s> {
    pub(super) variable: &'s dyn Fn(&str) -> Option<String>,
    pub(super) is_there: &'s dyn Fn(&Path) -> bool,
}

impl Address {
    /// Whether an argument is the address of a hub, not a file.
    pub fn is_one(text: &str) -> bool {
        let is_pair = |name: &str| SETTINGS.iter().any(|(known, _)| *known == name.trim());
        SCHEMES.iter().any(|scheme| text.starts_with(scheme))
            || text.split_once('=').is_some_and(|(name, _)| is_pair(name))
    }

    /// Reads `postgres://…` or `host=… dbname=…`, completed by service file, variables and password file.
    ///
    /// # Errors
    /// The text or a setting in it is wrong, the service is not found, or others may read the password file.
    pub fn read(text: &str) -> Result<Address> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        Address::read_in(text, &Surroundings { variable: &variable, is_there: &|path| path.exists() })
    }

    pub(super) fn read_in(text: &str, around: &Surroundings<'_>) -> Result<Address> {
        let mut said = said(text)?;
        let variable = around.variable;
        let service = said.get("service").cloned().or_else(|| variable("PGSERVICE"));
        if let Some(service) = &service {
            for (name, value) in service_settings(service, around)? {
                said.entry(name).or_insert(value);
            }
        }
        for (name, variable_name) in SETTINGS {
            if let Some(value) = variable(variable_name) {
                said.entry((*name).to_owned()).or_insert(value);
            }
        }
        let mut take = |name: &str| said.remove(name).filter(|value| !value.is_empty());
        let port = match take("port") {
            None => 5432,
            Some(port) => port.parse().map_err(|_| Error::usage(format!("{port} is no port")))?,
        };
        let host = take("host").unwrap_or_else(|| usual_host(port, around.is_there));
        if host.contains(',') {
            return Err(Error::usage(format!("{host} names several hosts")).advise("name one"));
        }
        let named = |name: &str| variable(name).filter(|value| !value.is_empty());
        let user =
            take("user").or_else(|| ["USER", "LOGNAME", "USERNAME"].iter().find_map(|name| named(name)));
        let user = user.ok_or_else(|| {
            Error::usage("the hub's address names nobody").advise("write postgres://NAME@host/database")
        })?;
        let database = take("dbname").unwrap_or_else(|| user.clone());
        let sslmode = match take("sslmode") {
            None if is_local(&host) => SslMode::Prefer,
            None => SslMode::VerifyFull,
            Some(name) => mode_named(&name)?,
        };
        let root = take("sslrootcert").filter(|root| root != "system").map(PathBuf::from);
        let patience = match take("connect_timeout").map(|seconds| (seconds.parse::<u64>(), seconds)) {
            None | Some((Ok(0), _)) => Duration::from_secs(10),
            // libpq, too, waits for at least two seconds.
            Some((Ok(seconds), _)) => Duration::from_secs(seconds.clamp(2, 600)),
            Some((Err(_), text)) => {
                return Err(Error::usage(format!("connect_timeout={text} is no number of seconds")));
            }
        };
        let channel_binding = take("channel_binding");
        if let Some(binding) = &channel_binding
            && !["disable", "prefer", "require"].contains(&binding.as_str())
        {
            return Err(Error::usage(format!("channel_binding={binding} is unknown"))
                .advise("write disable, prefer or require"));
        }
        let (password, passfile) = (take("password"), take("passfile").map(PathBuf::from));
        let mut address = Address {
            host,
            port,
            user,
            database,
            sslmode,
            root,
            password,
            channel_binding,
            patience,
            service,
            passfile: None,
        };
        if address.password.is_none() {
            address.password = passfile::password(&address, passfile.as_deref(), variable)?;
            address.passfile = address.password.is_some().then_some(passfile);
        }
        Ok(address)
    }

    /// The address with the password that its file holds now: a member who was invited again has a new one.
    pub(super) fn now(&self) -> Result<Address> {
        let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
        let password = match &self.passfile {
            Some(file) => passfile::password(self, file.as_deref(), &variable)?,
            None => self.password.clone(),
        };
        Ok(Address { password, ..self.clone() })
    }

    /// Whether the server is on this machine.
    pub fn is_local(&self) -> bool {
        is_local(&self.host)
    }

    /// Whether a password is known.
    pub fn has_password(&self) -> bool {
        self.password.is_some()
    }

    /// The address of the same hub for another user, without a password.
    #[must_use]
    pub fn of(&self, user: &str) -> Address {
        Address { user: user.to_owned(), password: None, passfile: None, service: None, ..self.clone() }
    }

    /// The line of a password file for this address.
    pub fn password_line(&self, password: &str) -> String {
        let escaped = |field: &str| field.replace('\\', "\\\\").replace(':', "\\:");
        let fields = [&self.host, &self.port.to_string(), &self.database, &self.user, password].map(escaped);
        fields.join(":")
    }

    /// Database, host and unusual port, for a sentence.
    pub fn place(&self) -> String {
        let port = if self.port == 5432 { String::new() } else { format!(":{}", self.port) };
        let host = if self.host.contains(':') { format!("[{}]", self.host) } else { self.host.clone() };
        format!("{} on {host}{port}", self.database)
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let host = match self.host.contains(':') {
            true => format!("[{}]", self.host),
            false => percent::encoded(&self.host),
        };
        write!(formatter, "postgres://{}@{host}", percent::encoded(&self.user))?;
        if self.port != 5432 {
            write!(formatter, ":{}", self.port)?;
        }
        write!(formatter, "/{}", percent::encoded(&self.database))?;
        let usual = if self.is_local() { SslMode::Prefer } else { SslMode::VerifyFull };
        let root = self.root.as_ref().map(|root| root.to_string_lossy().into_owned());
        let mode = (self.sslmode != usual).then(|| self.sslmode.name().to_owned());
        let more = [
            ("sslmode", mode),
            ("sslrootcert", root),
            ("channel_binding", self.channel_binding.clone()),
            ("service", self.service.clone()),
        ];
        let more = more.into_iter().filter_map(|(name, value)| Some((name, value?)));
        for (place, (name, value)) in more.enumerate() {
            let before = if place == 0 { '?' } else { '&' };
            write!(formatter, "{before}{name}={}", percent::encoded(&value))?;
        }
        Ok(())
    }
}

/// As [`fmt::Display`] has it, so without the password.
impl fmt::Debug for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{self}")
    }
}

/// The settings that the text of an address gives, by name.
fn said(text: &str) -> Result<BTreeMap<String, String>> {
    let rest = SCHEMES.iter().find_map(|scheme| text.strip_prefix(scheme));
    let pairs = match rest {
        Some(rest) => of_url(rest),
        None => of_pairs(text),
    };
    // The text may hold a password, so no message quotes it.
    let pairs = pairs.ok_or_else(|| {
        Error::usage("the hub's address cannot be read")
            .advise("write postgres://NAME@host/database; % and @ in names as %25 and %40")
    })?;
    known(pairs)
}

/// Collects the settings; one that haymark does not know is an error.
fn known(pairs: Vec<(String, String)>) -> Result<BTreeMap<String, String>> {
    let mut settings = BTreeMap::new();
    for (name, value) in pairs {
        if SETTINGS.iter().any(|(known, _)| *known == name) {
            settings.insert(name, value);
        } else if !PASSED_OVER.contains(&name.as_str()) {
            let names: Vec<&str> = SETTINGS.iter().map(|(name, _)| *name).collect();
            return Err(Error::usage(format!("the setting {name} of a hub's address is unknown"))
                .advise(format!("leave it out; known are {}", names.join(", "))));
        }
    }
    Ok(settings)
}

/// The settings in a URL, from behind `postgres://`.
fn of_url(rest: &str) -> Option<Vec<(String, String)>> {
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, database) = rest.split_once('/').unwrap_or((rest, ""));
    let (person, place) = authority.rsplit_once('@').unwrap_or(("", authority));
    let (user, password) = person.split_once(':').unwrap_or((person, ""));
    let (host, port) = match place.strip_prefix('[') {
        Some(rest) => {
            rest.split_once(']').map(|(host, port)| (host, port.strip_prefix(':').unwrap_or(port)))?
        }
        None => place.rsplit_once(':').unwrap_or((place, "")),
    };
    let parts =
        [("user", user), ("password", password), ("host", host), ("port", port), ("dbname", database)];
    let mut pairs = Vec::new();
    for (name, value) in parts.into_iter().filter(|(_, value)| !value.is_empty()) {
        pairs.push((name.to_owned(), percent::decoded(value)?));
    }
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=')?;
        pairs.push((percent::decoded(name)?, percent::decoded(value)?));
    }
    Some(pairs)
}

/// The settings of `key=value key='a value'`; a backslash before ' or \ makes it one of the value.
fn of_pairs(text: &str) -> Option<Vec<(String, String)>> {
    let mut pairs = Vec::new();
    let mut letters = text.chars().peekable();
    loop {
        while letters.next_if(|letter| letter.is_whitespace()).is_some() {}
        if letters.peek().is_none() {
            return Some(pairs);
        }
        let mut name = String::new();
        while let Some(letter) = letters.next_if(|letter| *letter != '=') {
            name.push(letter);
        }
        letters.next_if_eq(&'=')?;
        while letters.next_if(|letter| letter.is_whitespace()).is_some() {}
        let is_quoted = letters.next_if_eq(&'\'').is_some();
        let mut value = String::new();
        loop {
            match letters.next() {
                Some('\\') => value.push(letters.next()?),
                Some('\'') if is_quoted => break,
                Some(letter) if !is_quoted && letter.is_whitespace() => break,
                Some(letter) => value.push(letter),
                None if is_quoted => return None,
                None => break,
            }
        }
        pairs.push((name.trim().to_owned(), value));
    }
}

fn mode_named(name: &str) -> Result<SslMode> {
    let known = SslMode::NAMES.iter().find(|(known, _)| *known == name);
    known.map(|(_, mode)| *mode).ok_or_else(|| {
        let names: Vec<&str> = SslMode::NAMES.iter().map(|(name, _)| *name).collect();
        Error::usage(format!("sslmode={name} is unknown"))
            .advise(format!("write one of {}", names.join(", ")))
    })
}

/// Whether the host is this machine, so that nobody can listen on the way.
fn is_local(host: &str) -> bool {
    let is_loopback = || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    host.starts_with('/') || host == "localhost" || is_loopback()
}

/// The folder of the server's socket, else `localhost`.
fn usual_host(port: u16, is_there: &dyn Fn(&Path) -> bool) -> String {
    let folders = ["/var/run/postgresql", "/tmp"];
    let has_socket =
        |folder: &&str| cfg!(unix) && is_there(&Path::new(folder).join(format!(".s.PGSQL.{port}")));
    folders.into_iter().find(has_socket).unwrap_or("localhost").to_owned()
}

/// The settings in the section of a service, from the first service file that has it.
fn service_settings(service: &str, around: &Surroundings<'_>) -> Result<BTreeMap<String, String>> {
    let variable = around.variable;
    let own = variable("PGSERVICEFILE").map(PathBuf::from);
    let of_system = variable("PGSYSCONFDIR").map(|folder| Path::new(&folder).join("pg_service.conf"));
    let is_there = |path: &PathBuf| (around.is_there)(path);
    let usual = passfile::in_home(".pg_service.conf", variable).filter(is_there);
    for file in [own.or(usual), of_system.filter(is_there)].into_iter().flatten() {
        let text = passfile::text(&file)?;
        if let Some(pairs) = section(&text, service) {
            return known(pairs).map_err(|error| error.in_file(file));
        }
    }
    Err(Error::usage(format!("there is no service {service:?}"))
        .advise("write a section of this name into ~/.pg_service.conf"))
}

/// The lines under `[name]`.
fn section(text: &str, name: &str) -> Option<Vec<(String, String)>> {
    let mut lines = text.lines().map(str::trim).skip_while(|line| {
        line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).is_none_or(|found| found != name)
    });
    lines.next()?;
    let lines = lines.take_while(|line| !line.starts_with('['));
    let pairs = lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once('='));
    Some(pairs.map(|(name, value)| (name.trim().to_owned(), value.trim().to_owned())).collect())
}

#[cfg(test)]
mod tests;
