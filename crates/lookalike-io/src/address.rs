//! Distinguishes addresses from paths, and shows them without secrets; no store is contacted.

use std::path::Path;

/// True if `text` is an address, and not a path: a scheme of two letters or more, and `://`.
///
/// ```
/// assert!(lookalike_io::remote::is_url("s3://bucket/key"));
/// assert!(!lookalike_io::remote::is_url("c:/folder/file"));
/// ```
pub fn is_url(text: &str) -> bool {
    text.split_once("://").is_some_and(|(scheme, _)| {
        // One letter is a drive.
        scheme.len() > 1
            && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    })
}

/// An address for messages: anyone who has a signed query or a password has access.
pub(crate) fn shown(text: &str) -> String {
    let is_web = text.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("http"));
    let (place, query) =
        if is_web { text.split_once('?').map_or((text, ""), |(place, _)| (place, "?…")) } else { (text, "") };
    let Some((scheme, rest)) = place.split_once("://") else { return format!("{place}{query}") };
    let (host, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    // `container@account` of Azure is no secret, and has no colon.
    let host = match host.rsplit_once('@') {
        Some((user, host)) if is_web || user.contains(':') => host,
        _ => host,
    };
    format!("{scheme}://{host}{path}{query}")
}

/// A path or address for messages and output: without a password, and without a query, which may be a signature.
///
/// ```
/// # use std::path::Path;
/// let shown = lookalike_io::remote::shown_path(Path::new("https://user:password@host/file?token=1"));
/// assert_eq!(shown, "https://host/file?…");
/// ```
pub fn shown_path(path: &Path) -> String {
    path.to_str().filter(|url| is_url(url)).map_or_else(|| path.display().to_string(), shown)
}

/// An address without password and query: it identifies a location, and contains no secret.
pub(crate) fn place(url: &str) -> String {
    let place = shown(url);
    place.strip_suffix("?…").map_or_else(|| place.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_no_addresses() {
        for text in ["s3://b/k", "https://h", "abfss://c@a.host/x", "ftp://h/x"] {
            assert!(is_url(text), "{text}");
        }
        for text in ["a/b", "c://x", "/s3://b", "-", "", "a b://c", "://x", "é://x"] {
            assert!(!is_url(text), "{text}");
        }
    }

    #[test]
    fn secrets_are_not_shown() {
        assert_eq!(shown("https://u:p@h/a?sig=1"), "https://h/a?…");
        assert_eq!(shown("abfss://c@account.host/a?b"), "abfss://c@account.host/a?b");
    }
}
