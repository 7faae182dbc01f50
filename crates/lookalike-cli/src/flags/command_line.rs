//! The command line as it may be logged: word by word, without secrets.

use std::ffi::OsString;
use std::path::Path;

/// Placeholder for a secret.
const HIDDEN: &str = "…";

/// Returns the words of a command line without the key, and without passwords and queries in addresses.
pub(crate) fn command_line(words: impl Iterator<Item = OsString>) -> Vec<String> {
    let mut line = vec!["lookalike".to_owned()];
    let mut is_key = false;
    for word in words.skip(1) {
        let word = word.to_string_lossy();
        let shown = match word.split_once('=') {
            _ if is_key => HIDDEN.to_owned(),
            Some(("--key", _)) => format!("--key={HIDDEN}"),
            Some((flag, value)) if flag.starts_with("--") => format!("{flag}={}", without_secrets(value)),
            _ => without_secrets(&word),
        };
        is_key = word == "--key";
        line.push(shown);
    }
    line
}

fn without_secrets(word: &str) -> String {
    lookalike::io::remote::shown_path(Path::new(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_passwords_are_not_written_down() {
        let words = [
            "/usr/bin/lookalike",
            "dedup",
            "https://me:secret@example.org/a.jsonl?token=1",
            "--key",
            "c0ffee",
            "--key=c0ffee",
            "-o",
            "out",
        ];
        let line = command_line(words.iter().map(OsString::from)).join(" ");
        assert!(line.starts_with("lookalike dedup https://") && line.ends_with("--key … --key=… -o out"), "{line}");
        assert!(!line.contains("secret") && !line.contains("token") && !line.contains("c0ffee"), "{line}");
    }
}
