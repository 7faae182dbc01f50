//! Converts a flat object of options to the groups of a request: each group takes the fields that it knows, and any
//! remaining ones are an error.
//!
//! The error is [`Refused`], which names the option and describes the problem as data.

use lookalike_core::remedy::JobOption;
use serde::de::value::{MapDeserializer, SeqDeserializer, StringDeserializer};
use serde::de::{DeserializeOwned, DeserializeSeed, IntoDeserializer, MapAccess, Unexpected, Visitor};
use serde::{Deserializer, forward_to_deserialize_any};
use serde_json::{Map, Value};

use crate::refused::Refused;

/// Options by name, as JSON, Python and HTTP have them.
#[derive(Debug)]
pub(crate) struct Flat {
    left: Map<String, Value>,
    known: Vec<&'static str>,
}

impl Flat {
    pub(crate) fn new(options: Map<String, Value>) -> Self {
        Self { left: options, known: Vec::new() }
    }

    /// Takes the options of one group, which is a struct.
    pub(crate) fn take<T: DeserializeOwned>(&mut self) -> Result<T, Refused> {
        T::deserialize(self)
    }

    /// Checks that every option was taken.
    pub(crate) fn finish(self) -> Result<(), Refused> {
        match self.left.into_iter().next() {
            None => Ok(()),
            Some((name, _)) => {
                let known = self.known.into_iter().filter_map(JobOption::of_name);
                Err(Refused::unknown_option(&name, known))
            }
        }
    }
}

/// Reads a struct without groups from options by name.
///
/// # Errors
///
/// If an option is unknown or has a value of the wrong type.
pub fn from_options<T: DeserializeOwned>(options: Map<String, Value>) -> Result<T, Refused> {
    let mut flat = Flat::new(options);
    let request = flat.take()?;
    flat.finish()?;
    Ok(request)
}

impl<'de> Deserializer<'de> for &mut Flat {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, _: V) -> Result<V::Value, Refused> {
        unreachable!("a group of options is a struct")
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        self.known.extend(fields);
        let taken = fields.iter().filter_map(|name| Some((*name, self.left.remove(*name)?))).collect::<Vec<_>>();
        visitor.visit_map(Taken { left: taken.into_iter(), value: None })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit unit_struct newtype_struct
        seq tuple tuple_struct map enum identifier ignored_any
    }
}

/// The fields of one group.
struct Taken {
    left: std::vec::IntoIter<(&'static str, Value)>,
    value: Option<(&'static str, Value)>,
}

impl<'de> MapAccess<'de> for Taken {
    type Error = Refused;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Refused> {
        self.value = self.left.next();
        self.value.as_ref().map(|(name, _)| seed.deserialize((*name).into_deserializer())).transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Refused> {
        let (name, value) = self.value.take().expect("a value follows its name");
        seed.deserialize(Given(value)).map_err(|refused| refused.of(name))
    }
}

/// A value as it was passed.
struct Given(Value);

impl IntoDeserializer<'_, Refused> for Given {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Given {
    type Error = Refused;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
                (Some(number), ..) => visitor.visit_i64(number),
                (_, Some(number), _) => visitor.visit_u64(number),
                (.., number) => visitor.visit_f64(number.unwrap_or(f64::NAN)),
            },
            Value::String(text) => visitor.visit_string(text),
            Value::Array(values) => visitor.visit_seq(SeqDeserializer::new(values.into_iter().map(Given))),
            Value::Object(fields) => {
                visitor.visit_map(MapDeserializer::new(fields.into_iter().map(|(name, value)| (name, Given(value)))))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Refused> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Refused> {
        match self.0 {
            Value::String(word) => visitor.visit_enum(StringDeserializer::<Refused>::new(word)),
            other => Err(serde::de::Error::invalid_type(unexpected(&other), &"a word")),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Refused> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf unit unit_struct
        seq tuple tuple_struct map struct identifier ignored_any
    }
}

fn unexpected(value: &Value) -> Unexpected<'_> {
    match value {
        Value::Null => Unexpected::Unit,
        Value::Bool(value) => Unexpected::Bool(*value),
        Value::Number(number) => Unexpected::Float(number.as_f64().unwrap_or(f64::NAN)),
        Value::String(text) => Unexpected::Str(text),
        Value::Array(_) => Unexpected::Seq,
        Value::Object(_) => Unexpected::Map,
    }
}
