//! Represents lists of tokens as texts with blanks between tokens, as compared by the shingle `token:K`.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, LargeStringArray};
use arrow_cast::cast;
use arrow_schema::{ArrowError, DataType};

/// Replacement for a blank inside a token: it looks like a blank, but does not end the token.
const BLANK: char = '\u{a0}';

/// True if a column has lists of texts or of numbers.
pub(crate) fn is_tokens(kind: &DataType) -> bool {
    let (DataType::List(item) | DataType::LargeList(item)) = kind else { return false };
    let kind = item.data_type();
    kind.is_integer() || matches!(kind, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Null)
}

/// The tokens of each row with blanks between them.
pub(crate) fn joined(lists: &ArrayRef) -> Result<LargeStringArray, ArrowError> {
    let lists = match lists.data_type() {
        DataType::List(item) => &cast(lists, &DataType::LargeList(item.clone()))?,
        _ => lists,
    };
    let lists = lists.as_list::<i64>();
    let tokens = cast(lists.values(), &DataType::LargeUtf8)?;
    let tokens = tokens.as_string::<i64>();
    let text = |row: usize| {
        let mut text = String::new();
        for at in lists.value_offsets()[row] as usize..lists.value_offsets()[row + 1] as usize {
            if tokens.is_valid(at) {
                add(&mut text, tokens.value(at));
            }
        }
        text
    };
    Ok((0..lists.len()).map(|row| lists.is_valid(row).then(|| text(row))).collect())
}

fn add(text: &mut String, token: &str) {
    if !text.is_empty() && !token.is_empty() {
        text.push(' ');
    }
    text.extend(token.chars().map(|character| if character.is_ascii_whitespace() { BLANK } else { character }));
}
