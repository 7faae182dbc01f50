//! Inputs that a search for files left out: hidden files, additional names of a file, work folders.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// Inputs that a search for files left out although nothing is wrong with them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOut {
    /// Files and folders whose names start with a dot.
    pub hidden: Names,
    /// Further names of files and folders that are read: symbolic and hard links.
    pub links: Names,
    /// Folders that hold an unfinished run.
    pub work_folders: Names,
    /// Files and folders that a pattern of the user excludes.
    #[serde(default)]
    pub excluded: Names,
    /// Patterns of the user that no file or folder matches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluding_nothing: Vec<String>,
    /// Files found beside data that are not documents: by their names, or because their format differs from that of the
    /// data and they lack the field of the text.
    #[serde(default)]
    pub not_documents: Names,
}

/// Names of files: all are counted, and the first 100 are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Names {
    /// Their number.
    pub count: u64,
    /// The first of them.
    pub first: Vec<String>,
}

impl LeftOut {
    /// Adds the results of another search.
    pub fn add(&mut self, other: Self) {
        self.hidden.add(other.hidden);
        self.links.add(other.links);
        self.work_folders.add(other.work_folders);
        self.excluded.add(other.excluded);
        // A pattern may be meant for the input or for the reference.
        self.excluding_nothing.retain(|pattern| other.excluding_nothing.contains(pattern));
        self.not_documents.add(other.not_documents);
    }

    /// Removes the work folder of this run, which a run that is not resumed does not find.
    pub(crate) fn forget_work_folder(&mut self, own: &Path) {
        let Ok(own) = own.canonicalize() else { return };
        let names = &mut self.work_folders;
        let before = names.first.len();
        names.first.retain(|name| Path::new(name).canonicalize().ok().as_ref() != Some(&own));
        names.count -= (before - names.first.len()) as u64;
    }
}

impl Names {
    /// Maximum number of names to keep.
    const KEPT: usize = 100;

    /// Adds a name.
    pub fn push(&mut self, path: &Path) {
        self.add(Self { count: 1, first: vec![path.display().to_string()] });
    }

    fn add(&mut self, other: Self) {
        self.count += other.count;
        let room = Self::KEPT.saturating_sub(self.first.len());
        self.first.extend(other.first.into_iter().take(room));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_names_are_counted_and_the_first_are_kept() {
        let mut many = Names::default();
        (0..1000).for_each(|_| many.push(Path::new("x")));
        assert_eq!((many.count, many.first.len()), (1000, Names::KEPT));
    }
}
