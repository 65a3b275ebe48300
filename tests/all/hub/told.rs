//! What is said when a hub cannot be had.

use haymark::error::{Error, ErrorKind};
use haymark::hub::{Address, Hub, HubLink, HubMark, Made};

use crate::harness::Server;

fn fails(address: Address) -> Error {
    HubLink::to(address).and_then(|mut link| link.exchange(&[], HubMark::NONE, 1)).expect_err("no hub")
}

#[test]
fn nobody_there() {
    let port =
        std::net::TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port").port();
    let error = fails(Address::read(&format!("postgres://alice@127.0.0.1:{port}/db")).expect("an address"));
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
    let told = format!("the hub at db on 127.0.0.1:{port} cannot be reached (");
    assert!(error.to_string().starts_with(&told), "{error}");
}

#[test]
fn somebody_there_who_says_nothing() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("a port").port();
    let url = format!("postgres://alice@127.0.0.1:{port}/db?connect_timeout=2");
    let from = std::time::Instant::now();
    let error = fails(Address::read(&url).expect("an address"));
    assert_eq!(error.kind(), ErrorKind::Unreachable, "{error}");
    assert_eq!(error.to_string(), format!("the hub at db on 127.0.0.1:{port} does not answer"));
    assert!(from.elapsed().as_secs() < 10);
}

#[test]
fn a_database_without_a_hub_and_no_database() {
    let Some(server) = Server::find() else { return };
    let error = fails(server.address(&server.lead));
    assert_eq!(error.kind(), ErrorKind::Refused);
    let place = format!("there is no hub at {} on ", server.database);
    assert!(error.to_string().starts_with(&place), "{error}");
    let mut address = server.address(&server.lead);
    let mut stranger = address.clone();
    stranger.user = "nobody".to_owned();
    let error = fails(stranger).to_string();
    assert!(error.contains(" refuses the login \"nobody\": "), "{error}");
    address.database = "hm_test_nowhere".to_owned();
    assert!(fails(address).to_string().starts_with("there is no database hm_test_nowhere on "));
}

#[test]
fn a_hub_is_made_once_and_alone() {
    let Some(server) = Server::find() else { return };
    let mut link = server.link(&server.lead);
    server.sql(&server.lead).run("create table public.bills (a int)");
    let error = link.create("lena").expect_err("other tables");
    assert!(error.to_string().contains("holds other tables"), "{error}");
    server.sql(&server.lead).run("drop table public.bills");
    assert_eq!(link.create("Lena O'Hara 林").expect("made"), Made::New);
    assert_eq!(link.me().expect("the lead").name, "Lena O'Hara 林");
    let error = link.create("lena").expect_err("made already");
    assert!(error.to_string().starts_with("there is a hub already at "), "{error}");
    server.root().run(
        "create role hm_test_stranger login; grant connect on database {} to hm_test_stranger"
            .replace("{}", &server.database)
            .as_str(),
    );
    let error = fails(server.address("hm_test_stranger"));
    server.root().run(
        "revoke connect on database {} from hm_test_stranger; drop role hm_test_stranger"
            .replace("{}", &server.database)
            .as_str(),
    );
    assert!(error.is_refusal(), "{error}");
}

#[test]
fn a_hub_of_another_version() {
    let Some(server) = Server::find() else { return };
    let mut link = server.hub();
    let own = server.root().number("select value::bigint from hub.meta where key = 'schema'");
    for (key, version, what) in [
        ("schema", "0", "is of an older haymark; "),
        ("schema", "x", "wants a newer haymark than this one; "),
        ("oldest", "99", "wants a newer haymark than this one; "),
    ] {
        server.root().run(&format!("update hub.meta set value = '{version}' where key = '{key}'"));
        link.hang_up();
        let error = link.exchange(&[], HubMark::NONE, 1).expect_err("of another version");
        assert_eq!(error.kind(), ErrorKind::OtherVersion);
        assert!(error.to_string().contains(what) && !error.to_string().contains("leave"), "{error}");
        server.root().run(&format!("update hub.meta set value = '{own}' where key = 'schema'"));
    }
}
