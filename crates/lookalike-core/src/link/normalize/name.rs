//! Names of people: "Smith, Dr. John" is "john smith".

use super::words::words;

/// Words that stand before or after a name without being part of it.
const TITLES: [&str; 20] = [
    "mr",
    "mrs",
    "ms",
    "miss",
    "dr",
    "prof",
    "professor",
    "sir",
    "rev",
    "jr",
    "sr",
    "junior",
    "senior",
    "ii",
    "iii",
    "iv",
    "phd",
    "md",
    "herr",
    "frau",
];

pub(super) fn normalize(value: &str) -> String {
    // A comma puts the family name first, unless only a title follows.
    let turned = match value.split_once(',') {
        Some((family, given)) if words(given).iter().any(|word| !is_title(word)) => {
            [words(given), words(family)].concat()
        }
        _ => words(value),
    };
    let kept: Vec<&str> = turned.iter().map(String::as_str).filter(|word| !is_title(word)).collect();
    // Somebody may be named just "Sir".
    if kept.is_empty() { turned.join(" ") } else { kept.join(" ") }
}

fn is_title(word: &str) -> bool {
    TITLES.contains(&word)
}

/// Content of a column that may say the generation of a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::link) enum NameColumn {
    /// Names with given and family name.
    Whole,
    /// Given names, or another part of a name.
    Part,
    /// The generation alone.
    Generation,
}

/// Generation in a name: 1 for "Sr", 2 for "Jr" and "II", and so on; 0 if there is none.
pub(in crate::link) fn generation_of(value: &str, column: NameColumn) -> u8 {
    // Nearly all names are decided by the lengths of their words alone.
    let is_word = |word: &&str| (1..=6).contains(&word.len());
    let mut parts = value.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    // Somebody may be named just "Sir", and "Sr. García" is a gentleman.
    if column != NameColumn::Generation {
        parts.next();
    }
    let count = parts.clone().count();
    // Elsewhere "I" is an initial: in "John I" that of a family name, and in "Smith, John I" that of a second name.
    let is_last = |at| match column {
        NameColumn::Whole => at + 1 == count && count > 1 && !value.contains(','),
        NameColumn::Part => at + 1 == count,
        NameColumn::Generation => true,
    };
    let words = parts.enumerate().filter(|(_, word)| is_word(word));
    let generation = |(at, word): (usize, &str)| match &*word.to_ascii_lowercase() {
        "sr" | "senior" => 1,
        "i" if is_last(at) => 1,
        "jr" | "junior" | "ii" | "2nd" => 2,
        "iii" | "3rd" => 3,
        "iv" | "4th" => 4,
        _ => 0,
    };
    words.map(generation).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_say_its_generation() {
        for (name, expected) in [
            ("John Smith", 0),
            ("John Smith Jr.", 2),
            ("Smith Sr", 1),
            ("Smith, John, Jr", 2),
            ("SMITH, JOHN III", 3),
            ("John Smith II", 2),
            ("John Smith I", 1),
            ("John I Smith", 0),
            ("Smith, John I", 0),
            ("Sr. García", 0),
            ("Jr", 0),
        ] {
            assert_eq!(generation_of(name, NameColumn::Whole), expected, "{name}");
        }
        assert_eq!(["Jr", "I"].map(|word| generation_of(word, NameColumn::Generation)), [2, 1]);
        let given = ["Morris I", "Morris II", "Morris", "I", "John Morris I"];
        assert_eq!(given.map(|name| generation_of(name, NameColumn::Part)), [1, 2, 0, 0, 1]);
    }
}
