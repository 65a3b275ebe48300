use std::collections::BTreeMap;
use std::fs;

use super::*;

/// A machine with these variables and files, and a home folder for both.
fn read(text: &str, variables: &[(&str, &str)], files: &[&str]) -> Result<Address> {
    let variables: BTreeMap<&str, &str> = variables.iter().copied().collect();
    let variable = |name: &str| variables.get(name).map(|value| (*value).to_owned());
    let is_ours = |path: &Path| path.exists() && !path.starts_with("/var/run");
    let is_there = |path: &Path| is_ours(path) || files.iter().any(|file| path == Path::new(file));
    Address::read_in(text, &Surroundings { variable: &variable, is_there: &is_there })
}

/// Host, port, user, database, password.
fn parts(address: &Address) -> (&str, u16, &str, &str, Option<&str>) {
    let password = address.password.as_deref();
    (&address.host, address.port, &address.user, &address.database, password)
}

#[test]
fn urls_and_pairs_say_the_same() {
    for text in [
        "postgres://alice:a%20b%2f@db.example.org:5433/team%20one?sslmode=require",
        "postgresql://alice@db.example.org/x?dbname=team%20one&port=5433&password=a%20b%2F&sslmode=require",
        "host=db.example.org port = 5433 user=alice dbname='team one' password='a b/' sslmode=require",
        r"user=alice host=db.example.org port=5433 dbname=team\ one password=a\ b/ sslmode=require application_name=x",
    ] {
        let address = read(text, &[], &[]).unwrap();
        assert_eq!(parts(&address), ("db.example.org", 5433, "alice", "team one", Some("a b/")), "{text}");
        assert_eq!(address.sslmode, SslMode::Require);
        assert_eq!(address.to_string(), "postgres://alice@db.example.org:5433/team%20one?sslmode=require");
        assert_eq!(format!("{address:?}"), address.to_string());
        assert_eq!(read(&address.to_string(), &[], &[]).unwrap().to_string(), address.to_string());
    }
    let address = read(r"host=::1 user=a password='it\'s \\ ' dbname=d", &[], &[]).unwrap();
    assert_eq!(parts(&address), ("::1", 5432, "a", "d", Some(r"it's \ ")));
    assert_eq!(address.to_string(), "postgres://a@[::1]/d");
    assert_eq!(
        parts(&read("postgres://a:p@w@[::1]:7/d", &[], &[]).unwrap()),
        ("::1", 7, "a", "d", Some("p@w"))
    );
}

#[test]
fn variables_fill_what_is_not_said() {
    let variables = [
        ("PGHOST", "db.example.org"),
        ("PGPORT", "6000"),
        ("PGUSER", "bob"),
        ("PGDATABASE", "team"),
        ("PGPASSWORD", "secret"),
        ("PGSSLMODE", "verify-ca"),
        ("PGSSLROOTCERT", "/etc/ca.pem"),
    ];
    let address = read("postgres://", &variables, &[]).unwrap();
    assert_eq!(parts(&address), ("db.example.org", 6000, "bob", "team", Some("secret")));
    assert_eq!(
        address.to_string(),
        "postgres://bob@db.example.org:6000/team?sslmode=verify-ca&sslrootcert=%2Fetc%2Fca.pem"
    );
    let address = read("postgres://eve@other:1/x?sslmode=disable", &variables, &[]).unwrap();
    assert_eq!(parts(&address), ("other", 1, "eve", "x", Some("secret")));
    let address = read("postgres://", &[("USER", "carol")], &[]).unwrap();
    assert_eq!(parts(&address), ("localhost", 5432, "carol", "carol", None));
    let socket = ["/var/run/postgresql/.s.PGSQL.5432"];
    let address = read("postgres:///d", &[("USER", "carol")], &socket).unwrap();
    assert_eq!(address.host, "/var/run/postgresql");
    assert_eq!(address.to_string(), "postgres://carol@%2Fvar%2Frun%2Fpostgresql/d");
}

#[test]
fn what_is_not_local_is_checked_whole_unless_something_else_is_said() {
    for (host, mode) in [
        ("db.example.org", SslMode::VerifyFull),
        ("192.0.2.1", SslMode::VerifyFull),
        ("localhost.example.org", SslMode::VerifyFull),
        ("localhost", SslMode::Prefer),
        ("127.0.0.9", SslMode::Prefer),
        ("%2Ftmp", SslMode::Prefer),
        ("[::1]", SslMode::Prefer),
    ] {
        assert_eq!(read(&format!("postgres://a@{host}/d"), &[], &[]).unwrap().sslmode, mode, "{host}");
    }
    let said =
        [("disable", SslMode::Disable), ("allow", SslMode::Prefer), ("verify-full", SslMode::VerifyFull)];
    for (name, mode) in said {
        assert_eq!(read(&format!("postgres://a@db/d?sslmode={name}"), &[], &[]).unwrap().sslmode, mode);
    }
}

#[test]
fn what_cannot_be_read_is_said_without_the_password() {
    for text in [
        "postgres://a:pw@db:port/d",
        "postgres://a:pw%zz@db/d",
        "postgres://a:pw@[::1/d",
        "postgres://a:pw@db/d?sslmode",
        "postgres://a:pw@db/d?sslmode=often",
        "postgres://a:pw@db/d?sslcert=x",
        "postgres://a:pw@db,db2/d",
        "postgres://a:pw@db/d?connect_timeout=soon",
        "postgres://a:pw@db/d?channel_binding=x",
        "host=db password='pw",
        "host=db password=pw user",
        "postgres://db/d",
    ] {
        let error = read(text, &[], &[]).expect_err(text).to_string();
        assert!(!error.contains("pw"), "{error}");
    }
}

#[test]
fn addresses_are_no_files() {
    for text in ["postgres://x", "postgresql://x/y", "host=db dbname=x", "service=team"] {
        assert!(Address::is_one(text), "{text}");
    }
    for text in ["study.db", "a=b.db", "/srv/x.db", "file:///x.db"] {
        assert!(!Address::is_one(text), "{text}");
    }
}

#[test]
fn services_stand_between_what_is_said_and_variables() {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join(".pg_service.conf");
    fs::write(
        &file,
        "# ours\n[other]\nhost=nowhere\n\n[team]\nhost = db.example.org\nport=6000\nuser=bob\n[x]\nuser=x\n",
    )
    .unwrap();
    let folder = home.path().to_str().unwrap();
    let variables = [("HOME", folder), ("PGSERVICE", "team"), ("PGUSER", "carol"), ("PGDATABASE", "d")];
    let address = read("postgres://", &variables, &[]).unwrap();
    assert_eq!(parts(&address), ("db.example.org", 6000, "bob", "d", None));
    let address = read("service=team user=eve", &variables[..1], &[]).unwrap();
    assert_eq!(parts(&address), ("db.example.org", 6000, "eve", "eve", None));
    assert_eq!(address.to_string(), "postgres://eve@db.example.org:6000/eve?service=team");
    let error = read("service=tram", &variables, &[]).unwrap_err();
    assert!(error.to_string().starts_with("there is no service \"tram\""), "{error}");
    fs::write(&file, "[team]\nport=6000\nldap=x\n").unwrap();
    let error = read("service=team", &variables, &[]).unwrap_err();
    assert!(error.to_string().contains("the setting ldap"), "{error}");
    let elsewhere = home.path().join("services");
    fs::write(&elsewhere, "[team]\nhost=elsewhere\nuser=a\n").unwrap();
    let named = [("HOME", folder), ("PGSERVICEFILE", elsewhere.to_str().unwrap())];
    assert_eq!(read("service=team", &named, &[]).unwrap().host, "elsewhere");
}

#[cfg(unix)]
#[test]
fn passwords_come_from_the_first_line_that_fits() {
    use std::os::unix::fs::PermissionsExt;
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join(".pgpass");
    let lines =
        "#db:5432:d:a:no\ntoo:short\ndb:5432:d:bob:for bob\ndb:*:d:a:p\\:w\\\\ with: more\n*:*:*:*:any\n";
    fs::write(&file, lines).unwrap();
    let mode = |mode| fs::set_permissions(&file, fs::Permissions::from_mode(mode)).unwrap();
    mode(0o600);
    let variables = [("HOME", home.path().to_str().unwrap())];
    let password = |text: &str| read(text, &variables, &[]).map(|address| address.password);
    assert_eq!(password("postgres://bob@db/d").unwrap().as_deref(), Some("for bob"));
    assert_eq!(password("postgres://a@db:9/d").unwrap().as_deref(), Some("p:w\\ with: more"));
    assert_eq!(password("postgres://a@db/other").unwrap().as_deref(), Some("any"));
    assert_eq!(password("postgres://a:said@db/other").unwrap().as_deref(), Some("said"));
    mode(0o640);
    let error = password("postgres://bob@db/d").unwrap_err();
    assert!(error.to_string().ends_with(&format!("chmod 600 {}", file.display())), "{error}");
    let address = read("postgres://a:b@db:9/t%3Aone", &[], &[]).unwrap();
    let line = address.password_line(r"x:\y");
    assert_eq!(line, r"db:9:t\:one:a:x\:\\y");
    fs::write(&file, line).unwrap();
    mode(0o600);
    assert_eq!(password("postgres://a@db:9/t%3Aone").unwrap().as_deref(), Some(r"x:\y"));
    let elsewhere = format!("postgres://a@db:9/t%3Aone?passfile={}", file.display());
    assert_eq!(read(&elsewhere, &[], &[]).unwrap().password.as_deref(), Some(r"x:\y"));
    fs::write(&file, "localhost:*:*:*:by socket").unwrap();
    assert_eq!(password("postgres://a@%2Ftmp/d").unwrap().as_deref(), Some("by socket"));
}
