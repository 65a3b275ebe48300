//! A JSON value in which no object has a key twice: of two values under one key nobody knows which one is meant.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// Visitors of plain values.
macro_rules! plain_values {
    ($($visit:ident: $plain:ty),*) => {
        $(fn $visit<E>(self, value: $plain) -> std::result::Result<Value, E> { Ok(value.into()) })*
    };
}
pub(super) use plain_values;

/// Refuses a key that an object has already.
pub(super) fn refuse_twice<E: Error>(object: &Map<String, Value>, key: &str) -> Result<(), E> {
    if object.contains_key(key) { Err(E::custom(format!("duplicate field `{key}`"))) } else { Ok(()) }
}

/// A value whose keys stand once.
pub(super) struct UniqueKeys(pub(super) Value);

impl<'de> Deserialize<'de> for UniqueKeys {
    fn deserialize<D: Deserializer<'de>>(parser: D) -> Result<UniqueKeys, D::Error> {
        parser.deserialize_any(UniqueVisitor).map(UniqueKeys)
    }
}

struct UniqueVisitor;

impl<'de> Visitor<'de> for UniqueVisitor {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut kept = Vec::new();
        while let Some(UniqueKeys(element)) = list.next_element()? {
            kept.push(element);
        }
        Ok(Value::Array(kept))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut kept = Map::new();
        while let Some(name) = object.next_key::<String>()? {
            refuse_twice(&kept, &name)?;
            let UniqueKeys(value) = object.next_value()?;
            kept.insert(name, value);
        }
        Ok(Value::Object(kept))
    }

    plain_values!(visit_bool: bool, visit_i64: i64, visit_u64: u64, visit_f64: f64, visit_str: &str, visit_string: String);

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }
}
