//! Keys of `meta` as fields: a row has the keys of all records that it belongs to.

use indexmap::IndexMap;
use serde_json::{Number, Value};

use super::{BrowseTable, ColumnKind, ColumnValues, Entity, NONE, Tables, at, pack};
use crate::score::Undefined;
use crate::study::{Corpus, Meta};

/// A key of `meta` as a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MetaField {
    /// The name in filters, views and exports: `meta.year`, or for one kind of record `query.meta.year`.
    pub(super) name: String,
    /// The key in `meta`; dots lead into nested objects.
    key: String,
    /// The kinds of record that have the key. Where a row belongs to several, the first with a value counts.
    pub(super) things: Vec<Entity>,
    pub(super) kind: ColumnKind,
}

/// The most keys that become fields: an object may use names of other things as keys, thousands of them.
const KEYS: usize = 500;

/// The most decimals of a number that are shown.
const DECIMALS: usize = 3;

impl MetaField {
    /// The fields of all records. A field is a number where every value of its key is one, else words.
    pub(super) fn all(corpus: &Corpus) -> Vec<MetaField> {
        let mut keys: IndexMap<String, Vec<(Entity, Option<usize>)>> = IndexMap::new();
        for (_, thing) in Entity::THINGS {
            let mut take = |key: &str, value: &Value| {
                let decimals = decimals(value);
                if !keys.contains_key(key) && keys.len() < KEYS {
                    keys.insert(key.to_owned(), Vec::new());
                }
                let Some(things) = keys.get_mut(key) else { return };
                match things.last_mut().filter(|(last, _)| *last == thing) {
                    Some((_, known)) => *known = known.zip(decimals).map(|(one, other)| one.max(other)),
                    None => things.push((thing, decimals)),
                }
            };
            metas(corpus, thing).for_each(|meta| walk(meta, "", &mut take));
        }
        let kind = |decimals: Option<usize>| decimals.map_or(ColumnKind::Text, ColumnKind::Number);
        let field = |name, key: &String, things, decimals| MetaField {
            name,
            key: key.clone(),
            things,
            kind: kind(decimals),
        };
        let of_key = |(key, things): (&String, &Vec<(Entity, Option<usize>)>)| {
            let all: Option<Vec<usize>> = things.iter().map(|(_, decimals)| *decimals).collect();
            let most = all.and_then(|all| all.into_iter().max());
            let of_any =
                field(format!("meta.{key}"), key, things.iter().map(|(thing, _)| *thing).collect(), most);
            let of_one = things.iter().map(|(thing, decimals)| {
                field(format!("{}.meta.{key}", thing.name()), key, vec![*thing], *decimals)
            });
            std::iter::once(of_any).chain(of_one).collect::<Vec<MetaField>>()
        };
        keys.iter().flat_map(of_key).collect()
    }
}

impl Tables {
    /// The values of a key in the records that belong to each row.
    pub(super) fn meta_column(&self, table: BrowseTable, field: &MetaField) -> ColumnValues {
        let mut values: Vec<Option<&Value>> = Vec::new();
        let mut starts: Vec<(Entity, u32)> = Vec::new();
        for thing in field.things.iter().filter(|thing| table.things().contains(thing)) {
            starts.push((*thing, values.len() as u32));
            values.extend(metas(&self.corpus, *thing).map(|meta| value(meta, &field.key)));
        }
        let code = |row: u32| {
            let places = starts.iter().filter_map(|(thing, start)| match self.part(table, row, *thing) {
                NONE => None,
                place => Some(start + place),
            });
            places.into_iter().find(|place| at(&values, *place).is_some_and(Option::is_some)).unwrap_or(NONE)
        };
        let codes: Vec<u32> = (0..self.len(table) as u32).map(code).collect();
        if field.kind == ColumnKind::Text {
            return ColumnValues::Words {
                codes,
                words: values.into_iter().map(|value| word(value?)).collect(),
            };
        }
        let number = |place: u32| at(&values, place).copied().flatten().and_then(number)?.as_f64();
        let numbers = codes.into_iter().map(|place| pack(number(place).ok_or(Undefined::NotGiven)));
        ColumnValues::Numbers(numbers.collect())
    }
}

/// The `meta` of all records of a kind, in the order of the corpus.
fn metas(corpus: &Corpus, thing: Entity) -> Box<dyn Iterator<Item = &Meta> + '_> {
    match thing {
        Entity::Collection => Box::new(corpus.collections.iter().map(|(_, record)| &record.meta)),
        Entity::Document => Box::new(corpus.documents.iter().map(|(_, record)| &record.meta)),
        Entity::Query => Box::new(corpus.queries.iter().map(|(_, record)| &record.meta)),
        Entity::Unit => Box::new(corpus.units.iter().map(|(_, record)| &record.meta)),
        Entity::Candidate => Box::new(corpus.candidates.iter().map(|(_, record)| &record.meta)),
        Entity::System => Box::new(std::iter::empty()),
    }
}

/// Calls `take` for each value that is a word or a number, with its dotted key.
fn walk(meta: &Meta, before: &str, take: &mut impl FnMut(&str, &Value)) {
    for (key, value) in meta {
        let nested;
        let key = if before.is_empty() {
            key
        } else {
            nested = format!("{before}.{key}");
            &nested
        };
        match value {
            Value::Object(inner) => walk(inner, key, take),
            value if is_given(value) => take(key, value),
            _ => {}
        }
    }
}

/// The value at a dotted key.
fn value<'m>(meta: &'m Meta, key: &str) -> Option<&'m Value> {
    let nested = || {
        key.match_indices('.').find_map(|(dot, _)| {
            let (before, rest) = (key.get(..dot)?, key.get(dot + 1..)?);
            value(meta.get(before)?.as_object()?, rest)
        })
    };
    meta.get(key).filter(|value| is_given(value)).or_else(nested)
}

/// Whether a value is a word or a number.
fn is_given(value: &Value) -> bool {
    !matches!(value, Value::Object(_) | Value::Array(_) | Value::Null)
}

/// The number of a value. Cells of a table are texts, so a text that is a number of JSON counts as one; `007` is none.
fn number(value: &Value) -> Option<Number> {
    match value {
        Value::Number(number) => Some(number.clone()),
        Value::String(text) => written_number(text),
        _ => None,
    }
}

pub(super) fn written_number(text: &str) -> Option<Number> {
    serde_json::from_str(text).ok()
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The decimals with which a number is shown; `None` for other values.
fn decimals(value: &Value) -> Option<usize> {
    // An empty cell of a table is no number, and keeps no other from being one.
    if value == "" {
        return Some(0);
    }
    let number = number(value)?;
    if !number.is_f64() {
        return Some(0);
    }
    let text = number.as_f64()?.to_string();
    Some(text.split_once('.').map_or(0, |(_, decimals)| decimals.len().min(DECIMALS)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::browse::tests::small;
    use crate::browse::{BrowseTable, View, WhoCounts};

    fn meta(value: Value) -> Meta {
        value.as_object().expect("an object").clone()
    }

    /// Candidates with a number and a word, one without either; a query and the collection with the key of the number.
    fn tables() -> Tables {
        let mut corpus = small::tables().corpus().clone();
        corpus.candidates[0].1.meta =
            meta(json!({"year": 2024, "metrics": {"rouge-L": 0.25}, "cut": true, "list": [1]}));
        corpus.candidates[1].1.meta = meta(json!({"metrics": {"rouge-L": 10}, "cut": null}));
        corpus.queries[1].1.meta = meta(json!({"year": 1999, "level": "hard"}));
        corpus.collections[0].1.meta = meta(json!({"year": 3, "level": 5}));
        Tables::new(corpus, small::tables().judged().to_vec(), WhoCounts::People)
    }

    fn rows(tables: &Tables, table: BrowseTable, filter: &str) -> Vec<u32> {
        let view = View { filter: filter.into(), ..View::of(table) };
        tables.rows(&view).unwrap_or_else(|error| panic!("{filter}: {error}"))
    }

    fn shown(tables: &Tables, table: BrowseTable, column: &str) -> Vec<String> {
        let id = tables.column(table, column).unwrap_or_else(|| panic!("a column {column}"));
        (0..tables.len(table) as u32).map(|row| tables.shown(table, row, id)).collect()
    }

    #[test]
    fn keys_are_fields_of_their_thing_and_of_what_belongs_to_it() {
        let tables = tables();
        let candidates = |filter: &str| rows(&tables, BrowseTable::Candidates, filter);
        assert_eq!(shown(&tables, BrowseTable::Candidates, "meta.metrics.rouge-L"), ["0.25", "10.00", "–"]);
        assert_eq!(candidates("candidate.meta.metrics.rouge-L>3"), [1], "10 is more than 3");
        assert_eq!(candidates("meta.cut:true"), [0]);
        assert_eq!(candidates("meta.cut:\"\""), [1, 2], "null says nothing");
        // Of the records with the key the first counts: the candidate, the collection, the query.
        assert_eq!(shown(&tables, BrowseTable::Candidates, "meta.year"), ["2024", "3", "1999"]);
        assert_eq!(shown(&tables, BrowseTable::Candidates, "query.meta.year"), ["–", "–", "1999"]);
        // One word among the values makes all of them words.
        assert_eq!(shown(&tables, BrowseTable::Candidates, "meta.level"), ["5", "5", "hard"]);
        assert_eq!(shown(&tables, BrowseTable::Candidates, "collection.meta.level"), ["5", "5", "5"]);
        assert_eq!(rows(&tables, BrowseTable::Items, "candidate.meta.year>2000 unit:walk"), [1]);
        assert_eq!(rows(&tables, BrowseTable::Documents, "meta.year:3"), [0, 1, 2, 3]);
        assert_eq!(tables.column(BrowseTable::Documents, "candidate.meta.year"), None);
        assert_eq!(tables.column(BrowseTable::Candidates, "meta.list"), None);
    }

    #[test]
    fn numbers_in_the_cells_of_a_table_are_numbers() {
        let mut corpus = small::tables().corpus().clone();
        let cells =
            [json!({"bleu": "3.5", "code": "007"}), json!({"bleu": "10"}), json!({"bleu": "", "code": "8"})];
        for ((_, candidate), cells) in corpus.candidates.iter_mut().zip(cells) {
            candidate.meta = meta(cells);
        }
        let tables = Tables::new(corpus, small::tables().judged().to_vec(), WhoCounts::People);
        assert_eq!(shown(&tables, BrowseTable::Candidates, "meta.bleu"), ["3.5", "10.0", "–"]);
        assert_eq!(rows(&tables, BrowseTable::Candidates, "meta.bleu>4"), [1]);
        let numbers = tables.numbers_of_candidates("meta.bleu").expect("numbers");
        assert!(numbers[..2] == [3.5, 10.0] && numbers[2].is_nan(), "{numbers:?}");
        let told = tables.numbers_of_candidates("meta.code").expect_err("a word").to_string();
        assert!(told.contains("meta.code is no number of the summaries: one is \"007\""), "{told}");
    }

    #[test]
    fn fields_of_a_thing_are_fields_of_what_belongs_to_it() {
        let tables = tables();
        let items = |filter: &str| rows(&tables, BrowseTable::Items, filter);
        assert_eq!(items("unit.kind:insight"), [0, 1, 2, 3, 4, 5, 6]);
        // c1 of stress has 41.7, c2 50, c1 of sleep 100.
        assert_eq!(items("candidate.coverage>=50"), [3, 4, 5, 6, 7]);
        assert_eq!(items("candidate.summarizer:claude"), items("summarizer:claude"));
        assert_eq!(items("query.units:1"), [6]);
        assert_eq!(rows(&tables, BrowseTable::Units, "unit.kind:insight query.candidates:2"), [0, 1, 2]);
        let error = tables.check(BrowseTable::Candidates, "unit.kind:insight").expect_err("no units");
        assert!(error.sentence.contains("the table of "), "{}", error.sentence);
        let offers = tables.complete(BrowseTable::Items, "candidate.meta.ro", 17).offers;
        assert!(offers.is_empty(), "{offers:?}");
        let offers = tables.complete(BrowseTable::Items, "candidate.meta.metr", 19).offers;
        assert_eq!(offers.len(), 1, "{offers:?}");
    }
}
