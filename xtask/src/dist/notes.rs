//! The notes of a release: the section of its version in the changelog.

use anyhow::{Context, Result, ensure};

/// Takes the section of a version, without its heading.
///
/// # Errors
///
/// If the changelog has no such section, or an empty one.
pub(super) fn of_version(changelog: &str, version: &str) -> Result<String> {
    let is_heading = |line: &str| line.strip_prefix("## ").is_some_and(|rest| rest.split(' ').next() == Some(version));
    let mut lines = changelog.lines().skip_while(|line| !is_heading(line));
    lines.next().with_context(|| format!("CHANGELOG.md has no section {version}"))?;
    let notes: Vec<&str> = lines.take_while(|line| !line.starts_with("## ")).collect();
    let notes = notes.join("\n").trim().to_owned();
    ensure!(!notes.is_empty(), "CHANGELOG.md says nothing about {version}");
    Ok(format!("# lookalike {version}\n\n{notes}\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHANGELOG: &str = "# Changelog\n\n## 0.1.10\n\n- later\n\n## 0.1.1 (2027-01-01)\n\n- a\n- b\n\n## 0.1.0\n";

    #[test]
    fn notes_are_the_section_of_the_version_alone() {
        assert_eq!(of_version(CHANGELOG, "0.1.1").unwrap(), "# lookalike 0.1.1\n\n- a\n- b\n");
        assert!(of_version(CHANGELOG, "0.1.0").is_err());
        assert!(of_version(CHANGELOG, "0.2.0").is_err());
    }

    #[test]
    fn the_changelog_has_notes_of_the_version_that_is_built() {
        let changelog = concat!(env!("CARGO_MANIFEST_DIR"), "/../CHANGELOG.md");
        let changelog = std::fs::read_to_string(changelog).unwrap();
        assert!(of_version(&changelog, env!("CARGO_PKG_VERSION")).is_ok());
    }
}
