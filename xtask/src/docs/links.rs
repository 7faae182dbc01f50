//! Links between pages of the repository, rewritten for the places that the pages have in the site.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result, ensure};

/// The place in the site of each page and picture, by its path in the repository.
pub(super) type Places = BTreeMap<PathBuf, PathBuf>;

/// The text of a page with its links rewritten. A link to a file that is not in the site keeps its text only; a link to
/// a file that does not exist is an error.
pub(super) fn rewrite(text: &str, page: &Path, root: &Path, places: &Places) -> Result<String> {
    let place = places.get(page).with_context(|| format!("{} has no place in the site", page.display()))?;
    let mut rewritten = String::with_capacity(text.len());
    let mut in_block = false;
    for line in text.split_inclusive('\n') {
        in_block ^= line.trim_start().starts_with("```");
        if in_block {
            rewritten.push_str(line);
        } else {
            rewrite_line(line, page, root, places, place, &mut rewritten)?;
        }
    }
    Ok(rewritten)
}

fn rewrite_line(
    line: &str,
    page: &Path,
    root: &Path,
    places: &Places,
    place: &Path,
    rewritten: &mut String,
) -> Result<()> {
    let mut rest = line;
    while let Some((before, target, after)) = next_link(rest) {
        let (path, anchor) = target.split_once('#').map_or((target, None), |(path, anchor)| (path, Some(anchor)));
        let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
        if path.is_empty() || target.contains("://") || target.starts_with("mailto:") {
            rewritten.push_str(&format!("{before}]({target})"));
        } else {
            let file = normal(&page.parent().unwrap_or(Path::new("")).join(path));
            ensure!(root.join(&file).exists(), "{}: the link to {target} leads nowhere", page.display());
            match places.get(&file) {
                Some(there) => rewritten.push_str(&format!("{before}]({}{anchor})", relative(place, there))),
                None => rewritten.push_str(&without_bracket(before)),
            }
        }
        rest = after;
    }
    rewritten.push_str(rest);
    Ok(())
}

/// The text up to the first link's closing bracket, its target, and the text after it.
fn next_link(line: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = line.split_once("](")?;
    let (target, after) = rest.split_once(')')?;
    Some((before, target, after))
}

/// The text without the last opening bracket, and the `!` of a picture.
fn without_bracket(text: &str) -> String {
    let Some((before, name)) = text.rsplit_once('[') else { return text.to_owned() };
    format!("{}{name}", before.strip_suffix('!').unwrap_or(before))
}

/// The path without `.` and `..`.
fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                normal.pop();
            }
            other => normal.push(other),
        }
    }
    normal
}

/// The path of `there` as a page at `place` names it.
fn relative(place: &Path, there: &Path) -> String {
    let up = place.components().count() - 1;
    let names: Vec<_> = there.components().map(|name| name.as_os_str().to_string_lossy()).collect();
    format!("{}{}", "../".repeat(up), names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(text: &str) -> Result<String> {
        let folder = tempfile::tempdir()?;
        for file in ["README.md", "docs/guide.md", "docs/sets.md", "crates/a.rs"] {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap())?;
            std::fs::write(path, "")?;
        }
        let places = [("README.md", "index.md"), ("docs/guide.md", "guide.md"), ("docs/sets.md", "how/sets.md")];
        let places = places.map(|(file, place)| (PathBuf::from(file), PathBuf::from(place))).into();
        rewrite(text, Path::new("docs/sets.md"), folder.path(), &places)
    }

    #[test]
    fn links_lead_to_the_places_in_the_site() {
        let said =
            rewritten("See [home](../README.md) and [the guide](guide.md#start), [here](#x), [web](https://a.b/c).");
        let expected = "See [home](../index.md) and [the guide](../guide.md#start), [here](#x), [web](https://a.b/c).";
        assert_eq!(said.unwrap(), expected);
    }

    #[test]
    fn a_file_outside_of_the_site_is_named_without_a_link() {
        assert_eq!(rewritten("In [`a.rs`](../crates/a.rs), line 1").unwrap(), "In `a.rs`, line 1");
    }

    #[test]
    fn a_link_that_leads_nowhere_is_an_error_except_in_an_example() {
        assert!(rewritten("[gone](gone.md)").unwrap_err().to_string().contains("gone.md"));
        assert_eq!(rewritten("```\n[gone](gone.md)\n```\n").unwrap(), "```\n[gone](gone.md)\n```\n");
    }
}
