//! Agreement of ratings that lie in memory: `cargo run --example ratings`.

use haymark::agreement::{Category, RatingsBuilder, Scale, TableError, all};

fn main() -> Result<(), TableError> {
    let ratings = [
        ("the bridge", "alice", "full"),
        ("the bridge", "bora", "full"),
        ("the ferry", "alice", "none"),
        ("the ferry", "bora", "partial"),
        ("the mill", "alice", "none"),
        ("the mill", "bora", "none"),
    ];
    let mut table = RatingsBuilder::new(Scale::Ordinal, Category::numbered(["none", "partial", "full"]))?;
    for (item, annotator, label) in ratings {
        table.add(item, annotator, label)?;
    }
    for coefficient in all(&table.finish()) {
        match coefficient.value {
            Ok(value) => println!("{}: {value:.3}", coefficient.name),
            Err(reason) => println!("{}: undefined, {}", coefficient.name, reason.code()),
        }
    }
    Ok(())
}

#[test]
fn it_runs() {
    assert_eq!(main(), Ok(()));
}
