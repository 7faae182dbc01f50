//! Computes the weight of an element for the main content from the words of its name and attributes: `entry-content` is
//! positive, `sidebar` is negative.
//!
//! The weights are learned: for each word on pages of at least 12 domains, the mean share of main content in the
//! elements with it.

use std::sync::LazyLock;

use super::super::tags::Attribute;

/// The attributes whose words count.
pub(super) const ATTRIBUTES: &[&[u8]] = &[b"class", b"id", b"role", b"itemprop", b"itemtype"];

/// The same, and those that do not describe the structure of the page.
pub(super) const ATTRIBUTES_WITH_EXTRAS: &[&[u8]] =
    &[b"class", b"id", b"role", b"itemprop", b"itemtype", b"alt", b"href"];

/// Maximum weight of an element, in hundredths, however many words it has.
pub(super) const MOST_OF_AN_ELEMENT: i32 = 600;

/// Maximum length of a word; longer ones are cut.
const LONGEST: usize = 24;

/// Weights of words.
pub(super) struct Words {
    /// A hash table whose number of slots is a power of two, most of them empty.
    slots: Vec<Option<(Box<[u8]>, i32)>>,
}

static LEARNED: LazyLock<Words> = LazyLock::new(|| Words::parse(include_str!("words.txt")));

impl Words {
    /// The weights of this version.
    pub(super) fn learned() -> &'static Self {
        &LEARNED
    }

    /// A table with a word and its weight on each line.
    pub(super) fn parse(table: &str) -> Self {
        let entries: Vec<_> = table.lines().filter_map(|line| line.split_once(' ')).collect();
        let mut words = Self { slots: vec![None; (entries.len() * 4).next_power_of_two().max(4)] };
        for (word, weight) in entries {
            let slot = words.slot(word.as_bytes());
            words.slots[slot] = weight.trim().parse().ok().map(|weight| (word.as_bytes().into(), weight));
        }
        words
    }

    /// Weight of a word for the main content; 0 if it is unknown.
    pub(super) fn weight(&self, word: &[u8]) -> i32 {
        self.slots[self.slot(word)].as_ref().map_or(0, |(_, weight)| *weight)
    }

    /// The slot of a word, or the empty one where it would be.
    fn slot(&self, word: &[u8]) -> usize {
        let hash = word.iter().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193));
        let mask = self.slots.len() - 1;
        let mut slot = (hash ^ (hash >> 15)) as usize & mask;
        while self.slots[slot].as_ref().is_some_and(|(other, _)| **other != *word) {
            slot = (slot + 1) & mask;
        }
        slot
    }
}

/// Passes each word of an element to `found`: its name after `<`, and the words of its attributes in lower case, split
/// at characters other than letters and before capital letters.
pub(super) fn each(name: &[u8], attributes: &[Attribute], mut found: impl FnMut(&[u8])) {
    let mut word = Word::default();
    word.push(b'<');
    name.iter().for_each(|byte| word.push(*byte));
    word.end(&mut found);
    for Attribute { name, value } in attributes.iter().filter(|attribute| ATTRIBUTES.contains(&attribute.name)) {
        // A type is an address: https://schema.org/Product.
        let value =
            if *name == b"itemtype" { value.rsplit(|byte| *byte == b'/').next().unwrap_or_default() } else { value };
        let mut was_small = false;
        for byte in value.iter().chain(b" ") {
            if !byte.is_ascii_alphabetic() || (was_small && byte.is_ascii_uppercase()) {
                word.end(&mut found);
            }
            if byte.is_ascii_alphabetic() {
                word.push(byte.to_ascii_lowercase());
            }
            was_small = byte.is_ascii_lowercase();
        }
    }
}

/// The word being read.
#[derive(Default)]
struct Word {
    letters: [u8; LONGEST],
    length: usize,
}

impl Word {
    fn push(&mut self, letter: u8) {
        if let Some(place) = self.letters.get_mut(self.length) {
            *place = letter;
            self.length += 1;
        }
    }

    fn end(&mut self, found: &mut impl FnMut(&[u8])) {
        let length = std::mem::take(&mut self.length);
        if length > 1 {
            found(&self.letters[..length]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(value: &str) -> Vec<String> {
        let attribute = Attribute { name: b"class", value: value.into() };
        let mut words = Vec::new();
        each(b"div", &[attribute], |word| words.push(String::from_utf8_lossy(word).into_owned()));
        words
    }

    #[test]
    fn words_are_parted_where_a_sign_or_a_capital_is() {
        assert_eq!(words("sideBar-2 entry_content x"), ["<div", "side", "bar", "entry", "content"]);
        assert_eq!(words(&"a".repeat(100)), ["<div".to_owned(), "a".repeat(LONGEST)]);
    }

    #[test]
    fn learned_words_are_found_and_others_weigh_nothing() {
        let words = Words::learned();
        assert!(words.weight(b"breadcrumb") < 0 && words.weight(b"hentry") > 0);
        assert_eq!((words.weight(b"zyzzyva"), words.weight(b"")), (0, 0));
        assert_eq!(Words::parse("").weight(b"content"), 0);
    }
}
