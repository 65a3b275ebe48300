//! The way to a server, by each `sslmode`, with certificates that are good, of somebody else, for another name, and old.

use haymark::error::ErrorKind;
use haymark::hub::{Address, Hub, HubLink};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use tempfile::TempDir;

use crate::harness::{Server, Sql};

type Authority = CertifiedIssuer<'static, KeyPair>;

fn authority(name: &str) -> Authority {
    let mut params = CertificateParams::new(Vec::new()).expect("parameters");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    params.distinguished_name.push(rcgen::DnType::CommonName, name);
    CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("signed")
}

/// A server whose certificate is for these names and ends in this year, and its database, in which nobody is trusted.
fn served(authority: &Authority, names: &[&str], ends: i32) -> Option<(Server, String)> {
    let server = Server::own("ssl = off\npassword_encryption = 'scram-sha-256'")?;
    server.hub();
    let mut lena = server.link(&server.lead);
    let (login, password) = lena.invite("alice", haymark::hub::MemberKind::Annotator).expect("invited");
    let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
    let mut params = CertificateParams::new(names).expect("parameters");
    params.not_before = date_time_ymd(2020, 1, 1);
    params.not_after = date_time_ymd(ends, 1, 1);
    let key = KeyPair::generate().expect("a key");
    let certificate = params.signed_by(&key, authority).expect("signed");
    let cluster = server.cluster.as_ref().expect("a server of its own");
    cluster.write("server.crt", &certificate.pem());
    cluster.write("server.key", &key.serialize_pem());
    cluster.append("postgresql.conf", "ssl = on");
    cluster.write("pg_hba.conf", "hostssl all all 127.0.0.1/32 scram-sha-256\n");
    cluster.end();
    cluster.begin();
    let url = format!("postgres://{login}:{password}@localhost:{}/{}", cluster.port, server.database);
    Some((server, url))
}

fn tried(url: &str, more: &str) -> haymark::error::Result<String> {
    let mut link = HubLink::to(Address::read(&format!("{url}?{more}")).expect("an address"))?;
    Ok(link.me()?.name)
}

#[test]
fn each_sslmode_lets_in_whom_it_should() {
    let folder = TempDir::new().expect("a folder");
    let file = |name: &str, authority: &Authority| {
        let path = folder.path().join(name);
        std::fs::write(&path, authority.pem()).expect("written");
        format!("sslrootcert={}", path.display())
    };
    let (ours, theirs) = (authority("ours"), authority("theirs"));
    let (ours_file, theirs_file) = (file("ours.pem", &ours), file("theirs.pem", &theirs));

    let Some((server, good)) = served(&ours, &["localhost"], 2100) else { return };
    for mode in ["verify-full", "verify-ca", "require", "prefer", "allow"] {
        assert_eq!(tried(&good, &format!("sslmode={mode}&{ours_file}")).as_deref(), Ok("alice"), "{mode}");
    }
    for mode in ["require", "prefer"] {
        assert_eq!(
            tried(&good, &format!("sslmode={mode}&channel_binding=require")).as_deref(),
            Ok("alice"),
            "{mode}"
        );
    }
    let refused = |url: &str, more: &str, what: &str| {
        let error = tried(url, more).expect_err(more);
        assert_eq!(error.kind(), ErrorKind::Refused, "{more}: {error}");
        assert!(error.to_string().contains(what), "{more}: {error}");
    };
    refused(&good, "sslmode=disable", "no encryption");
    for mode in ["verify-full", "verify-ca", "require"] {
        refused(&good, &format!("sslmode={mode}&{theirs_file}"), "nobody who is trusted here has signed it");
    }
    refused(&good, "sslmode=verify-full", "nobody who is trusted here has signed it");
    refused(
        &good,
        "sslmode=verify-ca&sslrootcert=/nowhere.pem",
        "/nowhere.pem: the certificates cannot be read",
    );
    // The address is an IP address, for which it is not.
    let by_number = good.replace("localhost", "127.0.0.1");
    refused(&by_number, &format!("sslmode=verify-full&{ours_file}"), "it is for another name");
    assert_eq!(tried(&by_number, &format!("sslmode=verify-ca&{ours_file}")).as_deref(), Ok("alice"));
    // The password is asked for and looked at.
    let wrong = good.replacen(":", "\u{0}", 1).replacen(':', ":x", 1).replace('\u{0}', ":");
    refused(&wrong, "sslmode=require", "does not know this password of ");
    let (person, place) = good.split_once('@').expect("a place");
    let (person, _) = person.rsplit_once(':').expect("a password");
    refused(&format!("{person}@{place}"), "sslmode=require", "wants a password of ");
    drop(server);

    let Some((_server, old)) = served(&ours, &["localhost"], 2021) else { return };
    for mode in ["verify-full", "verify-ca"] {
        refused(&old, &format!("sslmode={mode}&{ours_file}"), "it has expired");
    }
    assert_eq!(tried(&old, "sslmode=require").as_deref(), Ok("alice"));
}

#[test]
fn a_server_that_cannot_encrypt() {
    let Some(server) = Server::find() else { return };
    server.hub();
    if Sql::open(&server.address(&server.lead)).expect("in").rows("show ssl")[0].get::<_, String>(0) == "on" {
        println!("skipped: the server encrypts");
        return;
    }
    for mode in ["require", "verify-ca", "verify-full"] {
        let error = tried(&server.url(&server.lead), &format!("sslmode={mode}")).expect_err(mode);
        assert!(error.to_string().contains("does not encrypt"), "{error}");
    }
    assert_eq!(tried(&server.url(&server.lead), "sslmode=prefer").as_deref(), Ok("lena"));
}
