//! Names of people: "Smith, Dr. John" is "john smith".

use super::words::words;

/// What stands before or after a name and is no part of it.
const TITLES: [&str; 17] = [
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
    "ii",
    "iii",
    "phd",
    "md",
    "herr",
    "frau",
];

pub(super) fn normalize(value: &str) -> String {
    // A comma puts the family name first, unless what follows is only a title.
    let turned = match value.split_once(',') {
        Some((family, given)) if words(given).iter().any(|word| !is_title(word)) => {
            [words(given), words(family)].concat()
        }
        _ => words(value),
    };
    let kept: Vec<&str> = turned.iter().map(String::as_str).filter(|word| !is_title(word)).collect();
    // Somebody may be called nothing but "Sir".
    if kept.is_empty() { turned.join(" ") } else { kept.join(" ") }
}

fn is_title(word: &str) -> bool {
    TITLES.contains(&word)
}
