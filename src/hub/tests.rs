//! What only a hub of steps that a test makes up can show.

use super::{Address, Hub, HubLink, HubMark, Made};

/// A link to a new database of the server that is there; `None` where there is none, which is said.
fn database(name: &str) -> Option<HubLink> {
    let named = std::env::var("HAYMARK_POSTGRES").ok();
    let usual = "postgres://postgres@127.0.0.1:5432/postgres?connect_timeout=2";
    let mut address = Address::read(named.as_deref().unwrap_or(usual)).unwrap();
    let mut root = HubLink::to(address.clone()).unwrap();
    if let Err(error) = root.connect() {
        println!("skipped: {error}");
        return None;
    }
    root.batch(&format!("drop database if exists {name} with (force)")).unwrap();
    root.batch(&format!("create database {name}")).unwrap();
    address.database = name.to_owned();
    Some(HubLink::to(address).unwrap())
}

#[test]
fn an_older_hub_is_taken_along_and_keeps_what_it_has() {
    let name = format!("hm_steps_{}", std::process::id());
    let Some(mut link) = database(&name) else { return };
    let known = super::steps::STEPS;
    let with = |more| [known, &[more]].concat();
    assert_eq!(link.create_by(known, "lena").unwrap(), Made::New);
    let head = link.fetch(HubMark::NONE, 9).unwrap().head;
    let raise = "update hub.meta set value = value::int + 1 where key = 'schema';";
    let broken = format!("begin; {raise} select 1 / 0; commit;");
    link.create_by(&with(&broken), "lena").unwrap_err();
    assert_eq!(link.fetch(head, 9).unwrap().head, head, "a step is whole or not at all");
    let more = format!("begin; set local role {{owner}}; create table hub.more (a int); {raise} commit;");
    assert_eq!(link.create_by(&with(&more), "somebody").unwrap(), Made::Older(known.len()));
    assert!(link.create_by(&with(&more), "lena").is_err());
    let hub: String = link.query("select value from hub.meta where key = 'hub'", &[]).unwrap()[0].get(0);
    // This program knows all steps but the last.
    let told = link.me().unwrap_err().to_string();
    assert!(told.contains("is of a newer haymark; install the newest haymark"), "{told}");
    let mut address = link.address().clone();
    drop(link);
    address.database = "postgres".to_owned();
    let mut root = HubLink::to(address).unwrap();
    root.batch(&format!("drop database {name} with (force)")).unwrap();
    for role in ["inviter", "reader", "member", "gate", "owner"] {
        root.batch(&format!("drop role hm_{hub}_{role}")).unwrap();
    }
}
