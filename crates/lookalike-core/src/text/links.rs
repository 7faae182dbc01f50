//! Removes what posts add to their text: addresses, mentions, hashtags, and "RT" before a mention.
//!
//! They are replaced by the same number of blanks, so that all other positions stay the same.

use std::borrow::Cow;

/// Prefixes of addresses.
const ADDRESSES: [&[u8]; 3] = [b"http://", b"https://", b"www."];

/// The text with links replaced by blanks.
pub(crate) fn without_links(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut without: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(next) = next_sign(bytes, at) {
        match link(bytes, next) {
            Some((start, end)) => {
                without.get_or_insert_with(|| bytes.to_vec())[start..end].fill(b' ');
                at = end;
            }
            None => at = next + 1,
        }
    }
    // Only whole characters were replaced.
    without.map_or(Cow::Borrowed(text), |bytes| Cow::Owned(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Returns the position of the next byte that a link may start with, from `at` on.
fn next_sign(bytes: &[u8], at: usize) -> Option<usize> {
    let is_sign = |byte: &u8| matches!(byte, b'@' | b'#' | b'h' | b'H' | b'w' | b'W');
    bytes[at..].iter().position(is_sign).map(|next| at + next)
}

/// Start and end of the link that has its sign at `at`, if there is one.
fn link(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    if at > 0 && is_word(bytes[at - 1]) {
        return None;
    }
    let rest = &bytes[at..];
    if ADDRESSES
        .iter()
        .any(|address| rest.get(..address.len()).is_some_and(|start| start.eq_ignore_ascii_case(address)))
    {
        let length = rest.iter().position(u8::is_ascii_whitespace);
        return Some((at, at + length.unwrap_or(rest.len())));
    }
    if !matches!(bytes[at], b'@' | b'#') {
        return None;
    }
    let length = rest[1..].iter().take_while(|byte| is_word(**byte)).count();
    if length == 0 {
        return None;
    }
    let end = at + 1 + length;
    let before = bytes[..at].trim_ascii_end();
    let is_repost = bytes[at] == b'@' && before.len() < at && before.ends_with(b"RT");
    let stands_alone = before.len() == 2 || before.len() > 2 && !is_word(before[before.len() - 3]);
    if is_repost && stands_alone {
        return Some((before.len() - 2, end + usize::from(bytes.get(end) == Some(&b':'))));
    }
    Some((at, end))
}

/// True if a byte is part of a name: all characters beyond ASCII are.
fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_posts_add_is_blank_and_nothing_else() {
        for (text, expected) in [
            ("RT @someone: so it is", "             so it is"),
            ("so it is https://t.co/1X?a=b", "so it is                    "),
            ("so it is #news #today, www.a.b c", "so it is             ,         c"),
            ("@you und @müller", "     und         "),
            ("a@b.c # @ C# 100% ART @x", "a@b.c # @ C# 100% ART   "),
            ("whttp://x shows", "whttp://x shows"),
        ] {
            let without = without_links(text);
            assert_eq!(without, expected);
            assert_eq!(without.len(), text.len());
        }
        assert!(matches!(without_links("here, what is what"), Cow::Borrowed(_)));
    }
}
