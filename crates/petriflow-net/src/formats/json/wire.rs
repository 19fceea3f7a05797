//! The JSON form as types of its own, so that the net's types stay free of serde.

use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct DocumentWire {
    #[serde(default)]
    pub(super) name: String,
    pub(super) places: Vec<String>,
    pub(super) transitions: Vec<Object<TransitionWire>>,
    #[serde(default)]
    pub(super) initial_marking: MarkingWire,
    #[serde(default)]
    pub(super) terminal_places: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TransitionWire {
    pub(super) name: String,
    pub(super) inputs: Vec<ArcWire>,
    pub(super) outputs: Vec<ArcWire>,
}

/// An arc: a place's name, or an object with the weight.
pub(super) struct ArcWire {
    pub(super) place: String,
    pub(super) weight: Count,
}

/// The object form of an arc.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ArcObject {
    place: String,
    weight: Count,
}

/// Tokens by place, as a list: a map would silently keep the last of two equal keys.
#[derive(Default)]
pub(super) struct MarkingWire(pub(super) Vec<(String, Count)>);

/// A count written as a whole number.
pub(super) struct Count(pub(super) u64);

/// Only an object: derived structs would also accept a list of their fields in order.
pub(super) struct Object<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ObjectVisitor(PhantomData)).map(Self)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map))
    }
}

impl<'de> Deserialize<'de> for ArcWire {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ArcVisitor)
    }
}

struct ArcVisitor;

impl<'de> Visitor<'de> for ArcVisitor {
    type Value = ArcWire;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a place's name or an object with `place` and `weight`")
    }

    fn visit_str<E: Error>(self, place: &str) -> Result<ArcWire, E> {
        Ok(ArcWire { place: place.to_owned(), weight: Count(1) })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<ArcWire, A::Error> {
        let ArcObject { place, weight } = ArcObject::deserialize(MapAccessDeserializer::new(map))?;
        Ok(ArcWire { place, weight })
    }
}

impl<'de> Deserialize<'de> for MarkingWire {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MarkingVisitor)
    }
}

struct MarkingVisitor;

impl<'de> Visitor<'de> for MarkingVisitor {
    type Value = MarkingWire;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object from place names to counts")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<MarkingWire, A::Error> {
        let mut marking = Vec::new();
        while let Some(entry) = map.next_entry()? {
            marking.push(entry);
        }
        Ok(MarkingWire(marking))
    }
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CountVisitor)
    }
}

struct CountVisitor;

impl Visitor<'_> for CountVisitor {
    type Value = Count;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a whole number from 0 to {}", u32::MAX)
    }

    // The only number accepted: fractions, exponents and negative numbers arrive elsewhere.
    fn visit_u64<E: Error>(self, count: u64) -> Result<Count, E> {
        Ok(Count(count))
    }
}
