//! Builds the keys of each field, once per value.

use rayon::prelude::*;
use rdst::RadixSort;
use xxhash_rust::xxh3::xxh3_64_with_seed;

use super::KeyKind;
use super::phonetic::sound;
use super::split::Entry;
use crate::hash::mix;
use crate::ids::{Number, Record};
use crate::link::config::Kind;
use crate::link::measure::LOCAL_DIGITS;
use crate::link::records::{Detail, Field, MISSING, Records};
use crate::link::words::Words;

/// One kind of key of one field, or of two that may be swapped.
pub(super) struct Maker {
    kind: KeyKind,
    fields: Vec<usize>,
}

/// Maximum share of random pairs that are equal in a key field: above it, a bucket would hold half the records.
const MOST_EQUAL: f64 = 0.05;

/// Expected size of a bucket of equal values above which no keys with a deleted letter are built: such a bucket would
/// also hold the near matches of all of its values, each in many buckets. Other fields find these pairs.
const MOST_EXPECTED: f64 = 1_000.0;

/// Number of rare words per value to use as keys.
const RARE_WORDS: usize = 5;

/// Bands and rows of `MinHash` over three-letter pieces: a pair with a Jaccard similarity of 0.55 is found with
/// probability 0.9.
const GRAM_BANDS: u64 = 12;
const GRAM_ROWS: u64 = 3;

/// Maximum length of texts for these keys: longer texts have enough rare words.
const MOST_GRAM_LETTERS: usize = 100;

impl Maker {
    /// All keys that fit the fields.
    pub(super) fn all(records: &Records) -> Vec<Self> {
        let mut makers = Vec::new();
        for kind in KeyKind::ALL {
            for (at, field) in records.fields().iter().enumerate() {
                if fits(kind, field) {
                    makers.push(Self { kind, fields: vec![at] });
                }
            }
            if let (KeyKind::Swapped, Some(fields)) = (kind, records.swappable()) {
                makers.push(Self { kind, fields: fields.to_vec() });
            }
        }
        makers
    }

    pub(super) fn kind(&self) -> KeyKind {
        self.kind
    }

    /// The field whose key it is, which cannot split it further.
    pub(super) fn field(&self) -> Option<usize> {
        (self.fields.len() == 1).then(|| self.fields[0])
    }

    /// Fields that the keys are built from.
    pub(super) fn fields(&self) -> &[usize] {
        &self.fields
    }

    /// The keys that two records share.
    pub(super) fn shared(&self, records: &Records, left: Record, right: Record) -> Vec<u64> {
        let of_record = |record: Record| -> Vec<u64> {
            let fields = self.fields.iter().map(|at| &records.fields()[*at]);
            let values = fields.map(|field| (field, field.of_record[record.index()]));
            let known = values.filter(|(_, value)| *value != MISSING);
            known.flat_map(|(field, value)| keys(self.kind, field, value as usize)).collect()
        };
        let of_right = of_record(right);
        of_record(left).into_iter().filter(|key| of_right.contains(key)).collect()
    }

    /// A bit for each field.
    pub(super) fn field_bits(&self) -> u16 {
        self.fields.iter().fold(0, |bits, field| bits | 1 << field)
    }

    /// All records under all their keys, sorted by key.
    pub(super) fn entries(&self, records: &Records) -> Vec<Entry> {
        let mut entries = Vec::new();
        for at in &self.fields {
            let field = &records.fields()[*at];
            let keys: Vec<Vec<u64>> =
                (0..field.values.len()).into_par_iter().map(|value| keys(self.kind, field, value)).collect();
            for (record, value) in records.all().zip(&field.of_record).filter(|(_, value)| **value != MISSING) {
                entries.extend(keys[*value as usize].iter().map(|key| Entry { key: *key, record }));
            }
        }
        entries.radix_sort_unstable();
        entries
    }
}

/// True if the field has keys of this kind.
fn fits(kind: KeyKind, field: &Field) -> bool {
    let is_words = matches!(field.kind, Kind::Organization | Kind::Address | Kind::FreeText);
    match kind {
        KeyKind::Identical => equal_share(field) <= MOST_EQUAL,
        KeyKind::Part => is_words || matches!(field.kind, Kind::Phone | Kind::Email),
        KeyKind::Swapped => field.kind == Kind::Date,
        KeyKind::Deletion => {
            matches!(field.kind, Kind::PersonName | Kind::Phone | Kind::Date | Kind::Code | Kind::Email)
                && equal_share(field) <= MOST_EQUAL
                && equal_share(field) * field.of_record.len() as f64 <= MOST_EXPECTED
        }
        KeyKind::Phonetic => field.kind == Kind::PersonName,
        KeyKind::RareWord | KeyKind::WordPair => is_words,
        KeyKind::Grams => is_words && equal_share(field) <= MOST_EQUAL,
    }
}

/// Share of random pairs that are equal in the field. A record does not form a pair with itself; otherwise small tables
/// would seem to have only equal values.
fn equal_share(field: &Field) -> f64 {
    let pairs = |count: f64| count * (count - 1.0);
    let total = field.of_record.iter().filter(|value| **value != MISSING).count() as f64;
    let equal: f64 = (0..field.values.len() as u32).map(|value| pairs(f64::from(field.frequency(value)))).sum();
    equal / pairs(total).max(1.0)
}

fn keys(kind: KeyKind, field: &Field, value: usize) -> Vec<u64> {
    let text = field.values.get(value);
    let key = |text: &str| xxh3_64_with_seed(text.as_bytes(), kind as u64);
    match kind {
        KeyKind::Identical => vec![key(text)],
        KeyKind::Part => match field.kind {
            Kind::Phone => text.len().checked_sub(LOCAL_DIGITS).map(|start| key(&text[start..])).into_iter().collect(),
            Kind::Email => text.split_once('@').map_or_else(Vec::new, |(name, domain)| {
                let mut keys = vec![key(name), !key(domain)];
                keys.extend(thirds(name));
                keys
            }),
            _ => match &field.detail {
                Detail::Words(words) => {
                    words.part_numbers.list(value).iter().map(|number| mix(u64::from(*number))).collect()
                }
                _ => Vec::new(),
            },
        },
        KeyKind::Swapped => match &field.detail {
            Detail::Dates(dates) => {
                let date = dates[value];
                let (least, most) = (date.day.min(date.month), date.day.max(date.month));
                vec![key(&format!("{}-{least}-{most}", date.year))]
            }
            _ => vec![key(text)],
        },
        KeyKind::Deletion => deletions(match field.kind {
            Kind::Email => text.split('@').next().unwrap_or_default(),
            Kind::Phone => &text[text.len().saturating_sub(LOCAL_DIGITS)..],
            _ => text,
        }),
        KeyKind::Phonetic => {
            text.split(' ').map(sound).filter(|sound| sound.len() > 1).map(|sound| key(&sound)).collect()
        }
        KeyKind::RareWord | KeyKind::WordPair => match &field.detail {
            Detail::Words(words) => rare_words(words, value, kind),
            _ => Vec::new(),
        },
        KeyKind::Grams => grams(text),
    }
}

/// The thirds of a name, the middle one counted from both ends: two typing errors leave one of them intact.
fn thirds(name: &str) -> Vec<u64> {
    /// Minimum length of a third: shorter ones are too common.
    const LEAST_LETTERS: usize = 4;
    let letters: Vec<char> = name.chars().collect();
    // The same number of letters in a name that is a letter or two longer.
    let length = letters.len().saturating_sub(2) / 3;
    if length < LEAST_LETTERS {
        return Vec::new();
    }
    let end = letters.len() - length;
    let places = [(0, 0), (1, end), (2, length), (3, end - length)];
    let key = |(place, start): (u64, usize)| {
        let third: String = letters[start..start + length].iter().collect();
        xxh3_64_with_seed(third.as_bytes(), place << 8 | KeyKind::Part as u64)
    };
    places.into_iter().map(key).collect()
}

/// The text, and the text without each of its letters: two texts at an edit distance of one share one of these.
fn deletions(text: &str) -> Vec<u64> {
    /// Minimum length: in shorter names an edit makes a different name.
    const LEAST_LETTERS: usize = 4;
    let letters: Vec<char> = text.chars().filter(|c| *c != '-').collect();
    if letters.len() < LEAST_LETTERS {
        return Vec::new();
    }
    let key = |letters: String| xxh3_64_with_seed(letters.as_bytes(), KeyKind::Deletion as u64);
    let mut keys = vec![key(letters.iter().collect())];
    for left_out in 0..letters.len() {
        keys.push(key(letters.iter().enumerate().filter(|(at, _)| *at != left_out).map(|(_, c)| *c).collect()));
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Returns the rarest words that some other record has too, or the pairs of them.
fn rare_words(words: &Words, value: usize, kind: KeyKind) -> Vec<u64> {
    let is_shared = |word: &u32| {
        let [first, second] = words.counts[*word as usize];
        first + second > 1
    };
    let rare =
        words.sorted.list(value).iter().copied().filter(is_shared).take(RARE_WORDS).map(u64::from).collect::<Vec<_>>();
    if kind == KeyKind::RareWord {
        return rare.into_iter().map(mix).collect();
    }
    let pairs =
        rare.iter().enumerate().flat_map(|(at, first)| rare[at + 1..].iter().map(move |second| (first, second)));
    pairs.map(|(first, second)| mix(first << 32 | second)).collect()
}

/// Returns the keys of bands of `MinHash` over three-letter pieces, without spaces so that words may be joined.
fn grams(text: &str) -> Vec<u64> {
    let letters: Vec<char> = text.chars().filter(|c| *c != ' ').collect();
    if letters.len() < 5 || letters.len() > MOST_GRAM_LETTERS {
        return Vec::new();
    }
    let pieces: Vec<u64> = letters
        .windows(3)
        .map(|piece| piece.iter().fold(0, |hash: u64, c| mix(hash ^ u64::from(*c)).rotate_left(7)))
        .collect();
    let least = |seed: u64| pieces.iter().map(|piece| mix(piece ^ mix(seed + 1))).min().unwrap_or(0);
    (0..GRAM_BANDS)
        .map(|band| (0..GRAM_ROWS).fold(mix(band), |key, row| mix(key ^ least(band * GRAM_ROWS + row)).rotate_left(9)))
        .collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use rapidfuzz::distance::osa;

    use super::*;

    fn share_a_key(left: &[u64], right: &[u64]) -> bool {
        left.iter().any(|key| right.contains(key))
    }

    proptest! {
        #[test]
        fn texts_one_slip_apart_share_a_deletion(text in "[a-d]{5,9}", at in 0_usize..8, letter in "[a-d]", way in 0..4) {
            let mut slipped: Vec<char> = text.chars().collect();
            let at = at.min(slipped.len() - 2);
            let letter = letter.chars().next().unwrap_or('a');
            match way {
                0 => slipped.insert(at, letter),
                1 => drop(slipped.remove(at)),
                2 => slipped[at] = letter,
                _ => slipped.swap(at, at + 1),
            }
            let slipped: String = slipped.into_iter().collect();
            prop_assert!(osa::distance(text.chars(), slipped.chars()) <= 1);
            prop_assert!(share_a_key(&deletions(&text), &deletions(&slipped)), "{text} {slipped}");
        }
    }

    #[test]
    fn an_email_with_two_slips_shares_a_third() {
        for (left, right) in [
            ("katherine.johnson", "catherine.johnsen"),
            ("katherine.johnson", "katherine.jhonsin"),
            ("robert.allen1975", "robret.allen1957"),
        ] {
            assert!(share_a_key(&thirds(left), &thirds(right)), "{left} {right}");
        }
    }

    #[test]
    fn texts_with_many_pieces_in_common_share_a_band() {
        let title = "an experimental virtual museum based on augmented reality";
        assert!(share_a_key(&grams(title), &grams("an experimental virtuhal museum bfqsed on augmented reality")));
        assert!(!share_a_key(&grams(title), &grams("significant inferences preliminary report")));
    }
}
