//! Patterns of files to exclude.

use std::path::Path;

use glob::{MatchOptions, Pattern};

/// Patterns of files and folders to exclude.
///
/// A pattern without a slash matches the name of a file, or of a folder with everything in it: `*.md`, `cache`. One
/// with a slash matches the path below the given folder, or the path as it was given: `raw/*.json`, `**/old/*`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exclude {
    patterns: Vec<Pattern>,
}

impl Exclude {
    /// Parses patterns.
    ///
    /// # Errors
    ///
    /// The first invalid pattern, and the reason.
    pub fn new(patterns: &[String]) -> Result<Self, (String, String)> {
        let parse = |written: &String| match Pattern::new(written.trim_end_matches('/')) {
            Ok(pattern) if !pattern.as_str().is_empty() => Ok(pattern),
            Ok(_) => Err((written.clone(), "it is empty".to_owned())),
            Err(error) => Err((written.clone(), error.msg.to_owned())),
        };
        Ok(Self { patterns: patterns.iter().map(parse).collect::<Result<_, _>>()? })
    }

    /// True if no pattern was given.
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// The patterns as they were written.
    pub fn written(&self) -> impl Iterator<Item = &str> {
        self.patterns.iter().map(Pattern::as_str)
    }

    /// The patterns that match a file or folder: by its path below the given folder, or by that path as it is shown.
    pub(super) fn matching(&self, below: &Path, shown: &str) -> impl Iterator<Item = usize> {
        let options = MatchOptions { require_literal_separator: true, ..MatchOptions::default() };
        let name = below.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        // Windows has other separators.
        let below = below.components().map(|part| part.as_os_str().to_string_lossy()).collect::<Vec<_>>().join("/");
        let shown = shown.strip_prefix("./").unwrap_or(shown).replace(std::path::MAIN_SEPARATOR, "/");
        self.patterns.iter().enumerate().filter_map(move |(at, pattern)| {
            let is_matched = if pattern.as_str().contains('/') {
                [&below, &shown].iter().any(|path| pattern.matches_with(path, options))
            } else {
                pattern.matches_with(&name, options)
            };
            is_matched.then_some(at)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_excluded(pattern: &str, below: &str, shown: &str) -> bool {
        Exclude::new(&[pattern.to_owned()]).unwrap().matching(Path::new(below), shown).next().is_some()
    }

    #[test]
    fn a_name_is_matched_anywhere_and_a_path_below_the_folder_or_as_given() {
        assert!(is_excluded("*.md", "sub/README.md", "data/sub/README.md"));
        assert!(is_excluded("sub", "sub", "data/sub"));
        assert!(is_excluded("sub/", "sub", "data/sub"));
        assert!(is_excluded("sub/*.md", "sub/README.md", "data/sub/README.md"));
        assert!(is_excluded("data/sub/*.md", "sub/README.md", "./data/sub/README.md"));
        assert!(is_excluded("**/old/*.md", "a/b/old/x.md", "data/a/b/old/x.md"));
        assert!(is_excluded("[!a]*", "b.txt", "b.txt"));
        // The given folder is not part of the names below it, and * does not cross folders.
        assert!(!is_excluded("data", "a.txt", "data/a.txt"));
        assert!(!is_excluded("data/*.md", "sub/README.md", "data/sub/README.md"));
        assert!(!is_excluded("*.md", "md", "data/md"));
    }

    #[test]
    fn what_is_not_a_pattern_is_refused_with_the_reason() {
        let (written, reason) = Exclude::new(&["a".to_owned(), "a***".to_owned()]).unwrap_err();
        assert_eq!(written, "a***");
        assert!(reason.contains("wildcards"), "{reason}");
        assert!(Exclude::new(&[String::new()]).is_err());
    }
}
