//! Names of indexes, results and keys.

/// A name from a request, shortened for a message.
pub(crate) fn shown(name: &str) -> String {
    name.chars().take(80).map(|letter| if letter.is_control() { '\u{fffd}' } else { letter }).collect()
}

/// True if a name is valid: at most 64 letters, digits, `-`, `_` and `.`, not starting with a dot. A name is therefore
/// never a path.
pub(crate) fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    !name.is_empty() && name.len() <= 64 && !name.starts_with('.') && name.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_never_a_path() {
        assert!(["news", "news-2024", "a.b", "7"].into_iter().all(is_name));
        assert!(
            !["", ".", "..", ".hidden", "a/b", "a\\b", "a b", "ä", "a\0", &"x".repeat(65)].into_iter().any(is_name)
        );
    }
}
