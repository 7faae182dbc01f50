//! Splits a text into words: folded, without accents, and with normalized numbers.

use crate::text::fold::{Fold, Folder};
use crate::text::normalize::normalize;

/// Folds case, width and accents; changes nothing else.
pub(in crate::link) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut folder = Folder::new(Fold { accents: true, ..Fold::NONE });
    normalize(text).chars().flat_map(|c| folder.fold(c)).flatten().collect()
}

/// The words of a text. Apostrophes are removed, `&` becomes "and", and a decimal point remains part of its number.
pub(in crate::link) fn words(text: &str) -> Vec<String> {
    let folded = fold(text);
    let mut words: Vec<String> = Vec::new();
    let mut word = String::new();
    let mut before = ' ';
    let mut characters = folded.chars().peekable();
    while let Some(c) = characters.next() {
        let is_inside_number =
            before.is_ascii_digit() && characters.peek().is_some_and(char::is_ascii_digit) && matches!(c, '.' | ',');
        if stands_alone(c) {
            end_word(&mut word, &mut words);
            words.push(c.to_string());
        } else if c.is_alphanumeric() || (c == '.' && is_inside_number) {
            word.push(c);
        } else if c == '&' {
            end_word(&mut word, &mut words);
            words.push("and".to_owned());
        } else if !(matches!(c, '\'' | '’' | '`' | '´') || (c == ',' && is_inside_number)) {
            end_word(&mut word, &mut words);
        }
        before = c;
    }
    end_word(&mut word, &mut words);
    words
}

/// True for Han and Kana, which are written without spaces, so that each character is a word.
fn stands_alone(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{20000}'..='\u{3FFFF}')
}

fn end_word(word: &mut String, words: &mut Vec<String>) {
    if word.is_empty() {
        return;
    }
    let mut plain = std::mem::take(word);
    // "v7" and "7.0" are the same version as "7".
    if plain.starts_with('v') && plain[1..].starts_with(|c: char| c.is_ascii_digit()) {
        plain.remove(0);
    }
    if plain.contains('.') {
        while plain.ends_with(".0") || plain.ends_with(".00") {
            plain.truncate(plain.rfind('.').expect("it ends with one and zeros"));
        }
    }
    if plain != "v" {
        words.push(plain);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_whole() {
        assert_eq!(words("Mac OS X v10.4.8, 1,500 pcs. 7.0"), ["mac", "os", "x", "10.4.8", "1500", "pcs", "7"]);
    }

    #[test]
    fn apostrophes_vanish_and_other_signs_separate() {
        assert_eq!(words("Noah's Ark—O’Neill/R&D"), ["noahs", "ark", "oneill", "r", "and", "d"]);
    }

    #[test]
    fn scripts_without_spaces_give_a_word_a_character() {
        assert_eq!(words("東京 Tower"), ["東", "京", "tower"]);
    }
}
