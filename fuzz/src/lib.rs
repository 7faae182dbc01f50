//! What must hold for any bytes, whatever format they are read as. The fuzzer looks for bytes for which it does not;
//! `crates/lookalike-io/tests/hostile.rs` tries those that were found, and random ones.

use std::fs;
use std::path::{Path, PathBuf};

use lookalike_io::discover::discover;
use lookalike_io::format::FileKind;
use lookalike_io::place::{Place, Shelf};
use lookalike_io::read::{Chunk, Entry, Fields, Parser, Settings, Stream};
use lookalike_io::write::{FileWriter, Written};

/// What was read of a file.
#[derive(Debug, Default)]
pub struct Content {
    /// The documents: id and text.
    pub documents: Vec<(Option<String>, String)>,
    /// What was skipped, and why.
    pub skipped: Vec<String>,
}

/// Settings under which hostile files are read: the longest entry is short, so that its end is met.
pub fn settings() -> Settings {
    let fields = Fields { id: Some("id".to_owned()), ..Fields::default() };
    Settings { fields, longest: 1 << 20, ..Settings::default() }
}

/// Reads `bytes` as a file of this name.
///
/// # Panics
///
/// When a document that is read again is another one, when what is written reads as something else, or when the reader
/// panics. All three are what the fuzzer looks for.
pub fn check(folder: &Path, name: &str, bytes: &[u8], settings: &Settings) -> Content {
    let path = folder.join(name);
    fs::write(&path, bytes).unwrap();
    let (content, kind, written, shelf) = read(&path, settings);
    let writer = FileWriter { shelf: &shelf, settings, file: 0, kind: &kind, is_annotated: false };
    let copy = folder.join("written").join(name);
    fs::create_dir_all(copy.parent().unwrap()).unwrap();
    let mut file = fs::File::create(&copy).unwrap();
    // A file that is one document, and is none, is not written.
    if !(kind.format.is_one_document() && written.is_empty()) && !content.is_refused(&written) {
        writer.write(&written, &copy, &mut file).unwrap();
        let (again, again_kind, ..) = read(&copy, settings);
        // Without what was skipped at its start, a file may look like one of another format.
        if !content.skipped.is_empty() && again_kind.format != kind.format {
            return content;
        }
        assert_eq!(again.documents, content.documents, "what was written reads as something else");
        assert!(again.skipped.is_empty(), "what was written is not clean: {:?}", again.skipped);
    }
    content
}

impl Content {
    /// Whether nothing at all could be read of a file of many documents: there is nothing to copy its form from.
    fn is_refused(&self, written: &[Written]) -> bool {
        written.is_empty() && !self.skipped.is_empty()
    }
}

fn read(path: &PathBuf, settings: &Settings) -> (Content, FileKind, Vec<Written>, Shelf) {
    let shelf = Shelf::new(discover(std::slice::from_ref(path), None).unwrap());
    let mut stream = Stream::open(0, &shelf.files()[0], settings).unwrap();
    let kind = (**stream.kind()).clone();
    let mut parser = Parser::new(settings);
    let mut content = Content::default();
    let mut written = Vec::new();
    let mut places: Vec<(Place, String)> = Vec::new();
    let mut chunk = Chunk::default();
    let mut before = 0;
    while stream.next(&mut chunk).unwrap() {
        chunk.settle(&shelf).unwrap();
        before += parser.entries(&chunk, |placed| {
            let place = placed.place;
            let position = before + placed.position + 1;
            match placed.entry {
                Entry::Document(document) => {
                    content.documents.push((document.id.map(|id| id.into_owned()), document.text.to_owned()));
                    places.push((place, document.text.to_owned()));
                    written.push(Written { place, position, annotation: None });
                }
                Entry::Carried(_) => written.push(Written { place, position, annotation: None }),
                Entry::Skipped(reason) => content.skipped.push(reason),
            }
        });
        if let Some((reason, lost)) = chunk.damage() {
            before += lost;
            content.skipped.push(reason.to_owned());
        }
    }
    let mut bytes = Vec::new();
    for (place, text) in places {
        shelf.read(place, &mut bytes).unwrap();
        let again = parser.document(&kind, &bytes).expect("what was a document is one");
        assert_eq!(again.text, text, "read again, it is another document");
    }
    (content, kind, written, shelf)
}
