//! Words that a flag takes: listed and parsed by the library.

use std::fmt::Debug;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use strum::VariantNames;

/// Parses one of the words of a type.
pub(crate) fn words<T>() -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Debug> + VariantNames + Clone + Send + Sync + 'static,
{
    described(&[])
}

/// The same, with a description of each word in the order of its variants.
pub(crate) fn described<T>(descriptions: &'static [&'static str]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err: Debug> + VariantNames + Clone + Send + Sync + 'static,
{
    let descriptions = descriptions.iter().map(Some).chain(std::iter::repeat(None));
    let word = |(word, description): (&&'static str, Option<&&'static str>)| {
        description.map_or(PossibleValue::new(*word), |description| PossibleValue::new(*word).help(*description))
    };
    let words: Vec<PossibleValue> = T::VARIANTS.iter().zip(descriptions).map(word).collect();
    PossibleValuesParser::new(words).map(|word| word.parse().expect("only listed words get here"))
}
