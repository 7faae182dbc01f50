//! Encodes names and values for URLs.

use lookalike_page::Html;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// All characters except those that RFC 3986 calls unreserved.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Encodes a name or value as a part of a URL.
pub(super) fn part(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// A path with its parameters, for an attribute.
pub(super) fn with(path: &str, parameters: &[(&str, &str)]) -> Html {
    let parameters: Vec<String> = parameters.iter().map(|(name, value)| format!("{name}={}", part(value))).collect();
    let mark = if parameters.is_empty() { "" } else { "?" };
    Html::text(&format!("{path}{mark}{}", parameters.join("&")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_value_is_left_to_be_misread() {
        assert_eq!(part("a/b?c&d=\"<ü\0"), "a%2Fb%3Fc%26d%3D%22%3C%C3%BC%00");
        assert_eq!(with("/compare", &[("left", "a b"), ("right", "'")]).as_str(), "/compare?left=a%20b&amp;right=%27");
    }
}
