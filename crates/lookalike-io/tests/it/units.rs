//! A file that is read in units has the documents of one that is read as a whole.

use std::fs;
use std::io::Write;
use std::path::Path;

use lookalike_io::bounds::InputLimit;
use lookalike_io::input::discover::discover;
use lookalike_io::input::shelf::Shelf;
use lookalike_io::read::{Chunk, Entry, Parser, Settings, Split, Stream, Unit, units};

/// The texts of all documents, each with its place read again; and where each unit's first one stands.
fn texts(path: &Path, unit_bytes: Option<u64>) -> (Vec<String>, usize) {
    let settings = Settings::default();
    let shelf = Shelf::new(discover(&[path.to_owned()], None).unwrap());
    let units = match unit_bytes {
        Some(bytes) => units(shelf.files(), &settings, bytes).unwrap(),
        None => vec![Unit::whole(0)],
    };
    let mut texts = Vec::new();
    for unit in &units {
        let mut stream = Stream::open(unit, &shelf.files()[0], &settings).unwrap();
        let (mut parser, mut again, mut chunk) = (Parser::new(&settings), Parser::new(&settings), Chunk::default());
        while stream.next(&mut chunk).unwrap() {
            assert_eq!(chunk.unit(), unit.number);
            chunk.settle(&shelf).unwrap();
            assert_eq!(chunk.damage(), None);
            let mut bytes = Vec::new();
            parser.entries(&chunk, |placed| match placed.entry {
                Entry::Document(document) => {
                    shelf.read(placed.place, &mut bytes).unwrap();
                    assert_eq!(again.document(chunk.kind(), &bytes).unwrap().text, document.text);
                    texts.push(document.text.to_owned());
                }
                Entry::Carried(_) => {}
                Entry::Skipped(reason) => panic!("{reason}"),
            });
        }
    }
    (texts, units.len())
}

fn check(path: &Path, expected: usize) {
    let (whole, one) = texts(path, None);
    assert_eq!((whole.len(), one), (expected, 1));
    let bytes = fs::metadata(path).unwrap().len();
    for count in [3, 10, 40] {
        let (parts, unit_count) = texts(path, Some(bytes / count));
        assert!(parts == whole, "{} in {unit_count} units", path.display());
        assert!(unit_count > 1 && unit_count <= count as usize + 1, "{unit_count} units of {count}");
    }
}

#[test]
fn very_short_lines_come_in_small_parts_and_none_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.txt");
    let settings = Settings { split: Split::Line, ..Settings::default() };
    for count in [100_000_u64, 16 << 10, 32 << 10] {
        // The last bytes of the file are gone.
        let packed = zstd::stream::encode_all(&*"a\n".repeat(count as usize).into_bytes(), 1).unwrap();
        fs::write(&path, [&packed[..], b"\x28\xB5\x2F\xFD"].concat()).unwrap();
        let shelf = Shelf::new(discover(std::slice::from_ref(&path), None).unwrap());
        let mut stream = Stream::open(&Unit::whole(0), &shelf.files()[0], &settings).unwrap();
        let (mut parser, mut chunk, mut positions, mut damage) =
            (Parser::new(&settings), Chunk::default(), 0, Vec::new());
        while stream.next(&mut chunk).unwrap() {
            chunk.settle(&shelf).unwrap();
            let entries = parser.entries(&chunk, |placed| assert!(matches!(placed.entry, Entry::Document(_))));
            assert!(entries <= 16 << 10, "{entries}");
            positions += entries;
            damage.extend(chunk.damage().map(|_| positions));
        }
        // Damage at the end is reported after all that comes before it.
        assert_eq!((positions, damage), (count, vec![count]));
    }
}

#[test]
fn a_zstd_window_is_read_where_there_is_memory_for_it_and_else_names_the_remedy() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl.zst");
    let line = b"{\"text\":\"once upon a time\"}\n";
    // A frame with a window of 256 MB, and a block that is not packed, which is the last. (RFC 8878, 3.1.1)
    let block = (line.len() as u32) << 3 | 1;
    let head = [&b"\x28\xB5\x2F\xFD\x00"[..], &[(28 - 10) << 3], &block.to_le_bytes()[..3]].concat();
    fs::write(&path, [&head, &line[..]].concat()).unwrap();
    let shelf = Shelf::new(discover(std::slice::from_ref(&path), None).unwrap());
    let read = |limit: InputLimit| {
        let settings = Settings { limit, ..Settings::default() };
        let mut stream = Stream::open(&Unit::whole(0), &shelf.files()[0], &settings).unwrap();
        let (mut parser, mut chunk, mut documents, mut damage) = (Parser::new(&settings), Chunk::default(), 0, None);
        while stream.next(&mut chunk).unwrap() {
            chunk.settle(&shelf).unwrap();
            documents += parser.entries(&chunk, |_| {});
            damage = chunk.damage().map(|(reason, _)| reason.clone());
        }
        (documents, damage)
    };
    assert_eq!(read(InputLimit::default().with_window_log(28)), (1, None));
    let (documents, damage) = read(InputLimit::default());
    assert!(documents == 0 && damage.as_ref().is_some_and(|damage| !damage.remedies().is_empty()), "{damage:?}");
}

fn text(number: usize) -> String {
    (0..number % 97).map(|word| format!("word{} ", word * number)).collect()
}

#[test]
fn lines_are_cut_between_lines() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.jsonl");
    let line = |number: usize| format!("{{\"text\":\"{}\"}}\n", text(number));
    fs::write(&path, (0..5000).map(line).collect::<String>()).unwrap();
    check(&path, 5000);
    // One line that is longer than a unit, and a last one without an end.
    let long = format!(
        "{{\"text\":\"{}\"}}\n{}{{\"text\":\"last\"}}",
        "long ".repeat(100_000),
        (0..2000).map(line).collect::<String>()
    );
    fs::write(&path, long).unwrap();
    check(&path, 2002);
}

#[test]
fn texts_of_crawls_are_cut_between_members_and_pages_are_not_cut() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.warc.wet.gz");
    let gzip = |bytes: &[u8], level| {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::new(level));
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    };
    let record = |body: &[u8], kind: &str, number: usize| {
        let head = format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{number}>\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        [head.as_bytes(), body, b"\r\n\r\n"].concat()
    };
    let texts_of = |numbers: std::ops::Range<usize>| {
        numbers
            .flat_map(|number| gzip(&record(text(number + 1).as_bytes(), "conversion", number), 6))
            .collect::<Vec<_>>()
    };
    let info = gzip(&record(b"software: a test", "warcinfo", 0), 6);
    fs::write(&path, [info.clone(), texts_of(0..3000)].concat()).unwrap();
    check(&path, 3000);

    // A crawl of a crawl: not packed any further, so that its members lie there as they are.
    let inner: Vec<u8> = (0..500).flat_map(|at| gzip(&record(b"inner", "conversion", at), 6)).collect();
    let page = gzip(&record(&inner, "metadata", 1), 0);
    fs::write(&path, [info, page, texts_of(0..1000)].concat()).unwrap();
    let (whole, parts) = (texts(&path, None), texts(&path, Some(1000)));
    assert!(whole == parts && whole.0.len() == 1000, "in one unit");
}
