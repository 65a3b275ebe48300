//! Passwords in `~/.pgpass`, read as libpq reads them.

use std::path::{Path, PathBuf};

use super::address::Address;
use crate::error::{Error, Result};
use crate::files::read_small_text;
use crate::system::is_private;

/// The password for an address, from the named file or the usual one.
///
/// # Errors
/// Others may read the file: then it is no secret, and libpq passes it over too.
pub(super) fn password(
    address: &Address,
    named: Option<&Path>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Option<String>> {
    let usual = || match cfg!(windows) {
        true => variable("APPDATA").map(|folder| Path::new(&folder).join("postgresql").join("pgpass.conf")),
        false => in_home(".pgpass", variable),
    };
    let file = named.map(Path::to_path_buf).or_else(usual);
    // As with libpq, a file that is not there says nothing, even where it is named.
    let Some(file) = file.filter(|file| file.is_file()) else { return Ok(None) };
    let text = text(&file)?;
    let Some(password) = find(&text, address) else { return Ok(None) };
    match is_private(&file) {
        true => Ok(Some(password)),
        false => Err(Error::usage("others may read the file of passwords")
            .in_file(&file)
            .advise(format!("chmod 600 {}", file.display()))),
    }
}

/// A file in the person's home folder.
pub(super) fn in_home(name: &str, variable: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    variable("HOME").map(|home| Path::new(&home).join(name))
}

pub(super) fn text(file: &Path) -> Result<String> {
    read_small_text(file)?.ok_or_else(|| Error::usage("there is no such file").in_file(file))
}

/// The password of the first line that fits: `host:port:database:user:password`, `*` for any.
fn find(text: &str, address: &Address) -> Option<String> {
    // The file calls a socket in a usual folder localhost.
    let host = match address.host.as_str() {
        "/var/run/postgresql" | "/tmp" => "localhost",
        host => host,
    };
    let port = address.port.to_string();
    let asked = [host, &port, &address.database, &address.user];
    let lines = text.lines().filter(|line| !line.starts_with('#')).map(fields);
    lines.filter(|fields| fields.len() >= 5).find_map(|fields| {
        let (keys, password) = fields.split_at(4);
        let fits = keys.iter().zip(asked).all(|(field, asked)| field == "*" || unescaped(field) == asked);
        fits.then(|| unescaped(&password.join(":"))).filter(|password| !password.is_empty())
    })
}

/// The parts of a line between unescaped colons, escapes kept.
fn fields(line: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut is_escaped = false;
    for letter in line.trim_end_matches('\r').chars() {
        match fields.last_mut() {
            Some(field) if letter != ':' || is_escaped => field.push(letter),
            _ => fields.push(String::new()),
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    fields
}

fn unescaped(field: &str) -> String {
    let mut plain = String::new();
    let mut letters = field.chars();
    while let Some(letter) = letters.next() {
        plain.extend(if letter == '\\' { letters.next() } else { Some(letter) });
    }
    plain
}
