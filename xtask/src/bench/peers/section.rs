//! A section of a document that a command writes, between two marks; everything around it is left alone.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

/// What the document is before there is any section.
const HEADING: &str = "# Benchmarks\n\nEverything between two marks is written by the command that the mark names.\n";

/// Puts a text between the marks of a name, or at the end of the document if it has none.
pub(super) fn replace(path: &Path, name: &str, text: &str) -> Result<()> {
    let document = fs::read_to_string(path).unwrap_or_else(|_| HEADING.to_owned());
    let document = replaced(&document, name, text).with_context(|| path.display().to_string())?;
    fs::write(path, document).with_context(|| format!("cannot write {}", path.display()))
}

fn replaced(document: &str, name: &str, text: &str) -> Result<String> {
    let start_mark = format!("<!-- {name}: written by `cargo xtask bench {name}` -->\n");
    let end_mark = format!("<!-- end of {name} -->\n");
    let section = format!("{start_mark}\n{}\n\n{end_mark}", text.trim());
    let Some((before, rest)) = document.split_once(&start_mark) else {
        ensure!(!document.contains(&end_mark), "the end of {name} is marked, and its start is not");
        return Ok(format!("{}\n\n{section}", document.trim_end()));
    };
    let (_, after) = rest.split_once(&end_mark).with_context(|| format!("the end of {name} is not marked"))?;
    Ok(format!("{before}{section}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_is_added_once_and_replaced_from_then_on() {
        let first = replaced("# Title\n\nWords.\n", "peers", "one\n").unwrap();
        let more = format!("{first}\nBelow.\n");
        let second = replaced(&more, "peers", "two").unwrap();
        assert_eq!(second, more.replace("one", "two"));
        assert!(second.starts_with("# Title\n\nWords.\n\n<!-- peers") && second.ends_with("-->\n\nBelow.\n"));
    }

    #[test]
    fn half_a_mark_is_an_error() {
        let first = replaced("", "peers", "one").unwrap();
        assert!(replaced(first.trim_end_matches("<!-- end of peers -->\n"), "peers", "two").is_err());
    }
}
