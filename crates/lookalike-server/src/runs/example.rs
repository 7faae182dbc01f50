//! The example documents of three newspapers, compiled into the program.

use std::io;
use std::path::Path;

macro_rules! example {
    ($($name:literal),+ $(,)?) => { [$(($name, include_bytes!(concat!("../../../../examples/news/", $name)))),+] };
}

/// The example files by name.
const FILES: [(&str, &[u8]); 11] = {
    let files: [(&str, &[u8]); 11] = example![
        "agency.jsonl",
        "crawl.warc.wet",
        "herald.jsonl",
        "letters/01-library-book.txt",
        "letters/02-clipping-river-wall.txt",
        "letters/03-bus-route-onslow.txt",
        "letters/04-bus-route-rudge.txt",
        "letters/05-police-cheese.txt",
        "letters/06-gulls.txt",
        "letters/07-piano.txt",
        "letters/08-hedge.txt",
    ];
    files
};

/// The name of indexes and results of the example.
pub(crate) const NAME: &str = "example";

/// The id field of the files that have fields.
pub(crate) const ID: &str = "id";

/// The id of a document that several others are similar to.
pub(crate) const SIMILAR: &str = "agency-001";

/// Writes the example to an existing folder.
///
/// # Errors
///
/// If the disk returns an error.
pub(crate) fn write_to(folder: &Path) -> io::Result<()> {
    std::fs::create_dir(folder.join("letters"))?;
    FILES.iter().try_for_each(|(name, bytes)| std::fs::write(folder.join(name), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        write_to(folder.path()).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/news");
        let names = |at: &Path| {
            let mut names: Vec<_> = std::fs::read_dir(at).unwrap().map(|entry| entry.unwrap().file_name()).collect();
            names.sort();
            names
        };
        assert_eq!(names(folder.path()), names(&source));
        assert_eq!(names(&folder.path().join("letters")), names(&source.join("letters")));
    }
}
