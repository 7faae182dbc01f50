//! Recognizes files that describe a data set but are not part of it by their names: `README.md`, `dataset_info.json`.

use std::collections::HashSet;
use std::path::Path;

use super::discover::Discovered;
use super::file::InputFile;
use crate::format::unpacked_extension;

/// Names, without extensions, of files that describe or check the data beside them.
const ABOUT_DATA: [&str; 18] = [
    "_common_metadata",
    "_metadata",
    "_success",
    "changelog",
    "checksums",
    "citation",
    "copying",
    "dataset_dict",
    "dataset_info",
    "dataset_infos",
    "licence",
    "license",
    "manifest",
    "md5sums",
    "notice",
    "readme",
    "sha256sums",
    "state",
];

/// Extensions of files that hold records.
const RECORDS: [&str; 11] = ["arc", "csv", "json", "jsonl", "ndjson", "parquet", "tab", "tsv", "warc", "wat", "wet"];

/// True if the name of a file shows that it describes the data beside it.
fn is_about_data(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().to_lowercase()).unwrap_or_default();
    let stem = name.split('.').next().unwrap_or_default();
    // "State" may also be the name of data: only data sets in Arrow files have this file.
    let is_state = stem != "state" || name == "state.json";
    is_state && ABOUT_DATA.contains(&stem)
}

/// True if the name of a file shows that it contains records.
fn holds_records(path: &Path) -> bool {
    unpacked_extension(&path.to_string_lossy()).is_some_and(|extension| RECORDS.contains(&&*extension))
}

impl Discovered {
    /// Leaves out files that describe data if only data is beside them: in a folder of texts, they are texts.
    #[must_use]
    pub fn without_what_is_about_data(mut self) -> Self {
        let is_about = |file: &InputFile| file.is_met && is_about_data(Path::new(&file.name));
        let (about, others): (Vec<&InputFile>, Vec<&InputFile>) = self.files.iter().partition(|file| is_about(file));
        let is_data = |file: &&InputFile| holds_records(Path::new(&file.name));
        if !about.is_empty() && !others.is_empty() && others.iter().all(is_data) {
            about.iter().for_each(|file| self.left_out.not_documents.push(&file.shown()));
            self.files.retain(|file| !is_about(file));
        }
        self
    }
}

/// Of the files without any text (`without`), those that are not data: nobody named them, and they describe data by
/// their names, or have another format than all files with texts (`with`).
pub fn not_data(files: &[InputFile], with: impl Iterator<Item = usize>, without: &[usize]) -> Vec<usize> {
    let extension = |at: usize| unpacked_extension(&files[at].name);
    let with: HashSet<Option<String>> = with.map(extension).collect();
    let is_not_data = |at: &usize| {
        let file = &files[*at];
        file.is_met && !with.is_empty() && (is_about_data(Path::new(&file.name)) || !with.contains(&extension(*at)))
    };
    without.iter().copied().filter(is_not_data).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::super::discover::{Names, discover};
    use super::*;

    fn folder_of(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x").unwrap();
        }
        folder
    }

    fn read(inputs: &[PathBuf]) -> (Vec<String>, Names) {
        let found = discover(inputs, None).unwrap().without_what_is_about_data();
        (found.files.into_iter().map(|file| file.name).collect(), found.left_out.not_documents)
    }

    #[test]
    fn what_describes_data_is_left_out_beside_data_and_read_among_texts_or_when_named() {
        let data =
            folder_of(&["README.md", "dataset_info.json", "train/manifest.tsv", "train/a.jsonl", "train/b.parquet"]);
        let (names, left_out) = read(&[data.path().to_owned()]);
        assert_eq!(names, ["train/a.jsonl", "train/b.parquet"]);
        let shown = ["README.md", "dataset_info.json", "train/manifest.tsv"];
        let shown = shown.map(|name| data.path().join(name).display().to_string());
        assert_eq!(left_out, Names { count: 3, first: shown.to_vec() });
        let (names, _) = read(&[data.path().join("README.md"), data.path().join("train")]);
        assert_eq!(names, ["README.md", "train/a.jsonl", "train/b.parquet", "train/manifest.tsv"]);
        let texts = folder_of(&["README.md", "a.txt"]);
        assert_eq!(read(&[texts.path().to_owned()]).0, ["README.md", "a.txt"]);
        let alone = folder_of(&["README.md"]);
        assert_eq!(read(&[alone.path().to_owned()]).0, ["README.md"]);
    }

    #[test]
    fn names_tell_data_from_what_is_written_about_it() {
        for name in
            ["README.md", "a/readme", "LICENSE", "dataset_info.json", "manifest.tsv.gz", "_SUCCESS", "state.json"]
        {
            assert!(is_about_data(Path::new(name)), "{name}");
        }
        for name in ["train.jsonl", "state.csv", "readme_corpus.jsonl", "licenses.csv", "a.readme"] {
            assert!(!is_about_data(Path::new(name)), "{name}");
        }
        assert!(["a.jsonl.zst", "part-1.parquet", "x.WARC.gz"].iter().all(|name| holds_records(Path::new(name))));
        assert!(["a.txt", "a.md.gz", "part-1"].iter().all(|name| !holds_records(Path::new(name))));
    }
}
