//! Decides if two texts are exact copies: equal in every character.
//!
//! Two differences are ignored: how an accent is encoded, and white space at the end of a line or of the text. A line
//! ends only at a line feed.

use unicode_normalization::UnicodeNormalization;

/// `White_Space` (`PropList.txt`; unchanged since Unicode 6.3).
const WHITE_SPACE: &str = "\t\n\u{B}\u{C}\r \u{85}\u{A0}\u{1680}\u{2000}\u{2001}\u{2002}\u{2003}\u{2004}\u{2005}\u{2006}\
    \u{2007}\u{2008}\u{2009}\u{200A}\u{2028}\u{2029}\u{202F}\u{205F}\u{3000}";

/// True if `left` and `right` are exact copies of each other.
///
/// ```
/// use lookalike_judge::is_exact_copy;
///
/// assert!(is_exact_copy("caf\u{E9} \r\nau lait\n", "cafe\u{301}\nau lait"));
/// assert!(!is_exact_copy("x < y", "x > y"));
/// ```
pub fn is_exact_copy(left: &str, right: &str) -> bool {
    content(left) == content(right)
}

/// The significant characters, last one first: from the end, it is known which characters are at the end of a line.
fn content(text: &str) -> Vec<char> {
    let composed: Vec<char> = text.nfc().collect();
    let mut content = Vec::new();
    let mut is_at_line_end = true;
    for &character in composed.iter().rev() {
        if character == '\n' {
            is_at_line_end = true;
            // Line feeds at the end of the text are white space at its end.
            if !content.is_empty() {
                content.push(character);
            }
        } else if !is_at_line_end || !WHITE_SPACE.contains(character) {
            is_at_line_end = false;
            content.push(character);
        }
    }
    content
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_line_ends_and_encodings_make_no_difference() {
        for (left, right) in [("a \t\r\n\r\nb \n \n", "a\n\nb"), ("\u{212B}", "A\u{30A}"), ("", " \n\u{3000}")] {
            assert!(is_exact_copy(left, right), "{left:?} {right:?}");
        }
        for (left, right) in [
            ("a\nb", "a\n\nb"),
            ("  a", "a"),
            ("a  b", "a b"),
            ("\na", "a"),
            ("a\rb", "a\nb"),
            ("a!", "a"),
            ("A", "a"),
            ("\u{1F600}", "\u{1F601}"),
        ] {
            assert!(!is_exact_copy(left, right), "{left:?} {right:?}");
        }
    }
}
