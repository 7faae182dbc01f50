//! Further keys, which split a bucket that is too large. They are coarse, so that a typing error in the other field is
//! forgiven too.

use xxhash_rust::xxh3::xxh3_64;

use super::phonetic::sound;
use crate::link::config::Kind;
use crate::link::records::{Detail, Field, MISSING, Records};

/// A coarse code of every value of a field.
#[derive(Debug)]
pub(super) struct Coarse {
    pub(super) field: usize,
    /// Code of each value; zero if it has none.
    codes: Vec<u32>,
}

impl Coarse {
    /// The further keys of all fields.
    pub(super) fn of(records: &Records) -> Vec<Self> {
        let mut all = Vec::new();
        for (at, field) in records.fields().iter().enumerate() {
            let mut add = |code: &dyn Fn(usize) -> Option<u64>| {
                // Zero means none, so that no code may be zero.
                let codes =
                    (0..field.values.len()).map(|value| code(value).map_or(0, |code| code as u32 | 1)).collect();
                all.push(Self { field: at, codes });
            };
            let text = |value: usize| field.values.get(value);
            match field.kind {
                Kind::PersonName => add(&|value| Some(hash(&sound(text(value).split(' ').next().unwrap_or_default())))),
                Kind::Date => {
                    add(&|value| text(value).get(..7).map(hash));
                    add(&|value| text(value).get(5..10).map(hash));
                }
                Kind::Phone => add(&|value| Some(hash(&text(value)[text(value).len() - 4..]))),
                Kind::Email => add(&|value| Some(hash(text(value).split('@').next().unwrap_or_default()))),
                Kind::Number | Kind::Code | Kind::Category | Kind::Ignored => add(&|value| Some(hash(text(value)))),
                Kind::Organization | Kind::Address | Kind::FreeText => {
                    add(&|value| rarest(field, value, true));
                    add(&|value| rarest(field, value, false));
                }
            }
        }
        all
    }

    pub(super) fn code(&self, value: u32) -> Option<u32> {
        if value == MISSING {
            return None;
        }
        Some(self.codes[value as usize]).filter(|code| *code != 0)
    }
}

/// The rarest word that another record has too, either a number or a word that is not a number.
fn rarest(field: &Field, value: usize, is_number: bool) -> Option<u64> {
    let Detail::Words(words) = &field.detail else { return None };
    let word = words.sorted.list(value).iter().find(|word| {
        words.is_number[**word as usize] == is_number && words.counts[**word as usize].iter().sum::<u32>() > 1
    })?;
    Some(hash(words.texts.get(*word as usize)))
}

fn hash(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}
