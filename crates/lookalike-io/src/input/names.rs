//! The names of files in ids and in the output, given their paths.

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

/// Removes `..` from a path lexically, without following links.
pub(super) fn without_detours(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        if part == Component::ParentDir {
            plain.pop();
        } else {
            plain.push(part);
        }
    }
    plain
}

/// The deepest folder that contains all files.
pub(super) fn common_folder<'a>(files: impl Iterator<Item = &'a Path>) -> PathBuf {
    files
        .map(|file| file.parent().unwrap_or(file).to_owned())
        .reduce(|left, right| {
            let both = left.components().zip(right.components());
            both.take_while(|(left, right)| left == right).map(|(part, _)| part).collect()
        })
        .unwrap_or_default()
}

/// The name of a file below a folder, with `/` on every system. It has no `..`, so it never leads out of an output.
pub(super) fn name_below(folder: &Path, file: &Path) -> String {
    let below = file.strip_prefix(folder).unwrap_or(file);
    let parts = below.components().filter_map(|part| match part {
        Component::Normal(part) => Some(part.to_string_lossy()),
        _ => None,
    });
    parts.collect::<Vec<_>>().join("/")
}

/// Makes names unique, by a number at the end of all except the first: `stdin` and `stdin~2`.
pub fn unique(names: Vec<String>) -> Vec<String> {
    let mut taken: HashSet<String> = names.iter().cloned().collect();
    let mut times: HashMap<String, u32> = HashMap::new();
    let mut different = Vec::with_capacity(names.len());
    for name in names {
        let time = times.entry(name.clone()).or_insert(0);
        *time += 1;
        if *time == 1 {
            different.push(name);
            continue;
        }
        let mut other = format!("{name}~{time}");
        while !taken.insert(other.clone()) {
            *time += 1;
            other = format!("{name}~{time}");
        }
        different.push(other);
    }
    different
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_files_with_one_name_stay_apart() {
        let names = ["a", "b", "a", "a~2", "a"].map(str::to_owned).to_vec();
        assert_eq!(unique(names), ["a", "b", "a~3", "a~2", "a~4"]);
    }
}
