//! Splits normalized text into word tokens or character tokens.
//!
//! Note that a mark is a word character but never starts a token, and that in scripts written without spaces each
//! character is a separate token.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_script::{Script, UnicodeScript};

/// Role of a character in a word.
enum Part {
    /// A letter, number or connector such as the underscore, which joins its neighbors.
    Joins,
    /// A letter or number of a script without spaces, which is a separate token.
    StandsAlone,
    /// A mark, which belongs to the letter or number before it.
    Mark,
    /// Anything else, which ends a word.
    Separator,
}

fn part(character: char) -> Part {
    match character.general_category_group() {
        GeneralCategoryGroup::Mark => Part::Mark,
        GeneralCategoryGroup::Letter | GeneralCategoryGroup::Number => match character.script() {
            Script::Han
            | Script::Hiragana
            | Script::Katakana
            | Script::Thai
            | Script::Lao
            | Script::Khmer
            | Script::Myanmar
            | Script::Tibetan => Part::StandsAlone,
            _ => Part::Joins,
        },
        _ if character.general_category() == GeneralCategory::ConnectorPunctuation => Part::Joins,
        _ => Part::Separator,
    }
}

/// The word tokens of text that is already normalized.
pub(crate) fn word_tokens(normalized: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    let mut token = String::new();
    let mut token_stands_alone = false;

    for character in normalized.chars() {
        match part(character) {
            // Without a current token, the mark is skipped.
            Part::Mark => {
                if !token.is_empty() {
                    token.push(character);
                }
            }
            Part::Joins => {
                if token_stands_alone {
                    end_token(&mut token, &mut tokens);
                }
                token.push(character);
                token_stands_alone = false;
            }
            Part::StandsAlone => {
                end_token(&mut token, &mut tokens);
                token.push(character);
                token_stands_alone = true;
            }
            Part::Separator => {
                end_token(&mut token, &mut tokens);
                token_stands_alone = false;
            }
        }
    }
    end_token(&mut token, &mut tokens);
    tokens
}

/// The strings between ASCII spaces, unchanged.
pub(crate) fn own_tokens(text: &str) -> Vec<String> {
    let is_blank = |character: char| " \t\n\r\x0c".contains(character);
    text.split(is_blank).filter(|token| !token.is_empty()).map(str::to_string).collect()
}

fn end_token(token: &mut String, tokens: &mut Vec<String>) {
    if !token.is_empty() {
        tokens.push(std::mem::take(token));
    }
}

/// The character tokens of text that is already normalized.
pub(crate) fn char_tokens(normalized: &str) -> Vec<String> {
    let spaced = normalized.split_whitespace().collect::<Vec<_>>().join(" ");
    spaced.chars().map(String::from).collect()
}
