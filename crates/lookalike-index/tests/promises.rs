//! The promises of an index, one test each.

mod made;

use std::fs;
use std::io::Read;
use std::num::NonZeroUsize;
use std::path::Path;

use lookalike_core::bucket::banding::Banding;
use lookalike_core::bucket::hamming::Tables;
use lookalike_core::hash::Key;
use lookalike_core::kernel::TextSketcher;
use lookalike_core::method::{SuperShingle, Weights, Width};
use lookalike_core::scheme::{MethodOptions, Scheme, SketchKey};
use lookalike_core::sketch::{Sketches, SlotKind};
use lookalike_core::text::checksum::Checksum;
use lookalike_index::{
    CreateOptions, Error, Index, NewDocument, Put, Query, SearchOptions, Store, Upgrade, snapshot_to, upgrade, verify,
};
use made::{Chance, Model, check_answer, documents};

fn create(folder: &Path, scheme: Scheme) -> Index {
    Index::create(folder, &CreateOptions::new(scheme)).unwrap()
}

fn number(number: usize) -> NonZeroUsize {
    NonZeroUsize::new(number).unwrap()
}

fn all() -> SearchOptions {
    SearchOptions::default().with_top(number(1000))
}

#[test]
fn a_second_writer_is_refused_with_the_process_of_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let index = create(&folder.path().join("index"), Scheme::default());
    let writer = index.writer().unwrap();
    for other in [index.clone(), Index::open(&folder.path().join("index")).unwrap()] {
        let Err(Error::Locked { process_id, .. }) = other.writer() else { panic!("it is locked") };
        assert_eq!(process_id, Some(std::process::id()));
    }
    drop(writer);
    index.writer().unwrap();
}

#[test]
fn a_copy_or_a_creation_that_was_cut_off_does_not_block_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let [path, copy] = ["index", "copy"].map(|name| folder.path().join(name));
    let index = create(&path, Scheme::default());
    index.writer().unwrap().put(NewDocument::new("a", "the storm hit the coast")).unwrap();
    snapshot_to(&path, &copy).unwrap();
    assert!(matches!(snapshot_to(&path, &copy), Err(Error::NotEmpty { .. })));
    // The last step of a copy creates this file.
    fs::remove_file(copy.join("index.json")).unwrap();
    let writer = index.writer().unwrap();
    writer.put(NewDocument::new("b", "a calm day at sea")).unwrap();
    writer.compact(false).unwrap();
    snapshot_to(&path, &copy).unwrap();
    let copied = Index::open(&copy).unwrap().snapshot().unwrap();
    assert_eq!(documents(&copied), documents(&index.snapshot().unwrap()));
    fs::remove_file(copy.join("index.json")).unwrap();
    assert!(create(&copy, Scheme::default()).snapshot().unwrap().is_empty());
    assert!(verify(&copy, false).unwrap().problems.is_empty());
    // Files of others are not mistaken for leftovers.
    let mine = folder.path().join("mine");
    fs::create_dir_all(mine.join("log")).unwrap();
    fs::write(mine.join("log/20240101.log"), "mine").unwrap();
    assert!(matches!(Index::create(&mine, &CreateOptions::default()), Err(Error::NotEmpty { .. })));
    assert!(matches!(snapshot_to(&path, &mine), Err(Error::NotEmpty { .. })));
    assert_eq!(fs::read_to_string(mine.join("log/20240101.log")).unwrap(), "mine");
}

#[test]
fn a_folder_without_an_index_and_one_of_a_newer_version_are_told_apart() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    assert!(matches!(Index::open(&path), Err(Error::NotAnIndex { .. })));
    fs::create_dir(&path).unwrap();
    fs::write(path.join("notes.txt"), "mine").unwrap();
    assert!(matches!(Index::open(&path), Err(Error::NotAnIndex { .. })));
    assert!(matches!(Index::create(&path, &CreateOptions::default()), Err(Error::NotEmpty { .. })));
    assert_eq!(fs::read_dir(&path).unwrap().count(), 1, "nothing was touched");

    let path = folder.path().join("other");
    create(&path, Scheme::default());
    assert!(matches!(Index::create(&path, &CreateOptions::default()), Err(Error::NotEmpty { .. })));
    assert_eq!(upgrade(&path).unwrap(), Upgrade::Current);
    // As a later version would write it, with a valid checksum.
    let text = fs::read_to_string(path.join("index.json")).unwrap();
    let body = text.split(",\n \"checksum\"").next().unwrap().replace("\"layout_version\":1", "\"layout_version\":2");
    let checksum = xxhash_rust::xxh3::xxh3_64(body.as_bytes());
    fs::write(path.join("index.json"), format!("{body},\n \"checksum\":\"{checksum:016x}\"}}\n")).unwrap();
    let error = Index::open(&path).unwrap_err();
    assert!(matches!(error, Error::Newer { what: "layout", found: 2, known: 1, .. }), "{error}");
    assert!(error.to_string().contains("newer lookalike"));
    assert!(matches!(upgrade(&path), Err(Error::Newer { .. })));
}

#[test]
fn documents_that_cannot_be_stored_are_refused_and_others_are_not_touched() {
    let folder = tempfile::tempdir().unwrap();
    let index = create(&folder.path().join("index"), Scheme::default());
    let writer = index.writer().unwrap();
    let good = NewDocument::new("good", "one two three four five six");
    for bad in
        [NewDocument::new("", "text"), good.with_fields("[1]"), good.with_fields("{\"a\":"), good.with_fields("{} {}")]
    {
        assert!(matches!(writer.put_many(&[good, bad]), Err(Error::NotADocument { .. })), "{bad:?}");
        assert!(matches!(writer.put_if_new(&[bad]), Err(Error::NotADocument { .. })));
    }
    assert!(index.snapshot().unwrap().is_empty());
    writer.put(good.with_fields(" {\"a\": [1, null]} ")).unwrap();
    assert_eq!(index.snapshot().unwrap().document("good").unwrap().unwrap().fields, " {\"a\": [1, null]} ");
}

#[test]
fn deleted_documents_are_not_found_and_their_bytes_are_gone_after_a_purge() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    for store in [Store::Text, Store::Features] {
        let path = path.join(format!("{store:?}"));
        let index = Index::create(&path, &CreateOptions::default().with_store(store)).unwrap();
        let writer = index.writer().unwrap();
        // Random letters cannot be compressed.
        let secret = "the codeword qzXvW83kPoLmNbVtR belongs to the agent who came at night";
        writer.put(NewDocument::new("kept", "a document that stays where it is for good")).unwrap();
        writer.put(NewDocument::new("id-kJhGfDsAq", secret).with_fields("{\"n\":\"pOiUyTrEwQ77\"}")).unwrap();
        writer.put(NewDocument::new("replaced", "first words mNbVcXzLk99 of it")).unwrap();
        writer.put(NewDocument::new("replaced", "other words altogether")).unwrap();
        writer.compact(false).unwrap();
        writer.delete(&["id-kJhGfDsAq"]).unwrap();
        let snapshot = index.snapshot().unwrap();
        assert!(snapshot.search(Query::Text(secret), &all()).unwrap().hits.is_empty());
        assert!(snapshot.document("id-kJhGfDsAq").unwrap().is_none());
        assert!(matches!(snapshot.search(Query::Id("id-kJhGfDsAq"), &all()), Err(Error::NoSuchDocument { .. })));
        assert_eq!(snapshot.stat().deleted_count, 2);
        let has = |needle: &str| bytes_of(&path).windows(needle.len()).any(|window| window == needle.as_bytes());
        assert!(has("id-kJhGfDsAq") && has("pOiUyTrEwQ77"), "the bytes are there until the purge");
        writer.compact(true).unwrap();
        for needle in ["qzXvW83kPoLmNbVtR", "id-kJhGfDsAq", "pOiUyTrEwQ77", "mNbVcXzLk99"] {
            assert!(!has(needle), "{needle}");
        }
        let snapshot = index.snapshot().unwrap();
        assert_eq!((snapshot.stat().deleted_count, snapshot.len()), (0, 2));
        assert_eq!(documents(&snapshot).iter().map(|(id, ..)| &**id).collect::<Vec<_>>(), ["kept", "replaced"]);
        drop(writer);
        assert!(lookalike_index::verify(&path, false).unwrap().problems.is_empty());
    }
}

/// All bytes of all files, including decompressed contents.
fn bytes_of(folder: &Path) -> Vec<u8> {
    let mut all = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(bytes_of(&path));
            continue;
        }
        let bytes = fs::read(&path).unwrap();
        for at in (0..bytes.len()).filter(|at| bytes[*at..].starts_with(&[0x28, 0xB5, 0x2F, 0xFD])) {
            let mut unpacked = Vec::new();
            let decoder = zstd::stream::read::Decoder::with_buffer(&bytes[at..]).unwrap();
            if decoder.single_frame().read_to_end(&mut unpacked).is_ok() {
                all.extend(unpacked);
            }
        }
        all.extend(bytes);
    }
    all
}

#[test]
fn files_are_not_taken_away_from_a_reader() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let writer = create(&path, Scheme::default()).writer().unwrap();
    writer.set_limits(1, 1);
    let mut chance = Chance::new(8);
    let mut model = Model::default();
    for at in 0..20 {
        let text = chance.text(40);
        writer.put(NewDocument::new(&format!("d{at}"), &text)).unwrap();
        model.put(&format!("d{at}"), "", &text);
    }
    let reader = Index::open(&path).unwrap();
    let snapshot = reader.snapshot().unwrap();
    let ids: Vec<String> = model.ids();
    writer.delete(&ids.iter().map(|id| &**id).collect::<Vec<_>>()).unwrap();
    writer.compact(true).unwrap();
    assert_eq!(documents(&snapshot), model.documents());
    let text = model.text("d7").unwrap();
    check_answer(&model, text, &snapshot.search(Query::Text(text), &all()).unwrap(), 0.8, 0.95);
    assert!(reader.snapshot().unwrap().is_empty() && writer.snapshot().unwrap().is_empty());
}

#[test]
fn what_many_threads_put_is_there_and_written_together() {
    let folder = tempfile::tempdir().unwrap();
    let index = create(&folder.path().join("index"), Scheme::default());
    let writer = index.writer().unwrap();
    std::thread::scope(|scope| {
        for thread in 0..16 {
            let (writer, index) = (&writer, &index);
            scope.spawn(move || {
                for at in 0..10 {
                    let id = format!("{thread}-{at}");
                    let text = Chance::new(thread * 100 + at).text(30);
                    assert_eq!(writer.put(NewDocument::new(&id, &text)).unwrap(), Put::Added);
                    // Visible to every later search.
                    let answer = index.snapshot().unwrap().search(Query::Text(&text), &all()).unwrap();
                    assert!(answer.hits.iter().any(|hit| hit.id == id && hit.exact_copy));
                }
            });
        }
    });
    assert_eq!(index.snapshot().unwrap().len(), 160);
    drop(writer);
    assert_eq!(Index::open(&folder.path().join("index")).unwrap().snapshot().unwrap().len(), 160);
}

#[test]
fn thresholds_below_that_of_the_index_are_refused_and_others_are_kept_to() {
    let folder = tempfile::tempdir().unwrap();
    let index = create(&folder.path().join("index"), Scheme::jaccard(0.7).unwrap());
    let writer = index.writer().unwrap();
    let mut chance = Chance::new(4);
    let text = chance.text(100);
    let mut model = Model::default();
    for at in 0..8 {
        let changed = chance.changed(&text, at / 2);
        writer.put(NewDocument::new(&format!("d{at}"), &changed)).unwrap();
        model.put(&format!("d{at}"), "", &changed);
    }
    let snapshot = index.snapshot().unwrap();
    for threshold in [0.7, 0.8, 0.9, 1.0] {
        let answer = snapshot.search(Query::Text(&text), &all().with_threshold(threshold)).unwrap();
        check_answer(&model, &text, &answer, threshold, 0.95_f64.max(threshold));
    }
    for threshold in [0.69, 0.0, f64::NAN] {
        let options = all().with_threshold(threshold);
        assert!(matches!(snapshot.search(Query::Text(&text), &options), Err(Error::ThresholdTooLow { .. })));
    }
    assert!(snapshot.search(Query::Text(&text), &all().with_threshold(1.5)).is_err());
    let best = snapshot.search(Query::Text(&text), &all().with_top(number(2))).unwrap();
    assert_eq!(best.hits.len(), 2);
}

#[test]
fn every_method_that_can_sketch_a_text_by_itself_is_searched_by() {
    let folder = tempfile::tempdir().unwrap();
    let simhash = |width, weights, is_verified| MethodOptions::SimHash {
        width,
        weights,
        distance: 3,
        tables: Tables::Blocks,
        is_verified,
    };
    let banding = Banding::new(20, 5).unwrap();
    let methods = [
        MethodOptions::MinHash { banding, slots: SlotKind::Classic },
        MethodOptions::MinHash { banding: Banding::random(40, 5, 80).unwrap(), slots: SlotKind::Fast },
        MethodOptions::SuperShingle {
            banding: Banding::new(SuperShingle::GROUPS, 3).unwrap().with_agreeing(2).unwrap(),
            slots: SlotKind::Fast,
        },
        MethodOptions::Exact,
        simhash(Width::Bits64, Weights::Count, false),
        simhash(Width::Bits128, Weights::None, true),
    ];
    let mut chance = Chance::new(6);
    let texts: Vec<String> = (0..60).map(|_| chance.text(60)).collect();
    for (number, method) in methods.into_iter().enumerate() {
        let scheme = Scheme::default().with_method(method.clone()).unwrap().with_key(SketchKey::Random);
        let index = create(&folder.path().join(number.to_string()), scheme);
        let writer = index.writer().unwrap();
        for (at, text) in texts.iter().enumerate() {
            writer.put(NewDocument::new(&at.to_string(), text)).unwrap();
        }
        for is_compact in [false, true] {
            if is_compact {
                writer.compact(false).unwrap();
            }
            for (at, text) in texts.iter().enumerate().step_by(7) {
                // The same words in capitals, and with punctuation between them.
                let query = text.to_uppercase().replace(' ', ", ");
                let answer = index.snapshot().unwrap().search(Query::Text(&query), &all()).unwrap();
                assert_eq!(answer.hits.len(), 1, "{method}");
                let hit = &answer.hits[0];
                assert!(hit.id == at.to_string() && hit.similarity >= 1.0 && !hit.exact_copy, "{method}: {hit:?}");
            }
            let many: Vec<&str> = texts.iter().map(|text| &**text).collect();
            let answers = index.snapshot().unwrap().search_many(&many, &all()).unwrap();
            assert!(answers.iter().enumerate().all(|(at, answer)| answer.hits[0].id == at.to_string()), "{method}");
        }
    }
    for method in [MethodOptions::Copies(Checksum::Text), simhash(Width::Bits64, Weights::Idf, false)] {
        let options = CreateOptions::new(Scheme::default().with_method(method).unwrap());
        let path = folder.path().join("refused");
        assert!(matches!(Index::create(&path, &options), Err(Error::MethodWithoutIndex { .. })));
        assert!(!path.exists());
    }
}

#[test]
fn a_quotation_finds_its_book_and_a_book_its_quotations_as_often_as_stated() {
    let folder = tempfile::tempdir().unwrap();
    let mut chance = Chance::new(7);
    let books: Vec<String> = (0..150).map(|_| chance.text(400)).collect();
    let quotations: Vec<String> = books
        .iter()
        .map(|book| {
            let words: Vec<&str> = book.split(' ').collect();
            let from = chance.below(300) as usize;
            // One or two words of sixty changed: containment is mostly 0.82 or more.
            let changes = chance.below(3);
            chance.changed(&words[from..from + 60].join(" "), changes)
        })
        .collect();
    let shingle = "word:5".parse().unwrap();
    for (stored, asked) in [(&books, &quotations), (&quotations, &books)] {
        for store in [Store::Text, Store::Features] {
            let options = CreateOptions::new(Scheme::containment(0.8).unwrap()).with_store(store);
            let path = folder.path().join(format!("{}-{store:?}", stored[0].len()));
            let index = Index::create(&path, &options).unwrap();
            let writer = index.writer().unwrap();
            let ids: Vec<String> = (0..stored.len()).map(|at| at.to_string()).collect();
            let new = ids.iter().zip(stored).map(|(id, text)| NewDocument::new(id, text));
            writer.put_many(&new.collect::<Vec<_>>()).unwrap();
            writer.compact(false).unwrap();
            let asked: Vec<&str> = asked.iter().map(|text| &**text).collect();
            let snapshot = index.snapshot().unwrap();
            let answers = snapshot.search_many(&asked, &all()).unwrap();
            let (mut expected, mut missed) = (0, 0);
            for (at, answer) in answers.iter().enumerate() {
                let measures = lookalike_judge::measure(asked[at], &stored[at], shingle);
                let containment = measures.shared as f64 / measures.left.min(measures.right) as f64;
                let found = answer.hits.iter().find(|hit| hit.id == at.to_string());
                assert!(found.is_none_or(|hit| (hit.similarity - containment).abs() < 1e-12));
                assert!(answer.hits.len() <= 1, "texts by chance are in no other");
                expected += usize::from(containment >= 0.8);
                missed += usize::from(containment >= 0.8 && found.is_none());
            }
            // Each is missed with a probability of at most 0.2^3 = 0.008; nine or more of 150 are missed with
            // probability 10^-5.
            assert!(expected > 100 && missed < 9, "{missed} of {expected}");
            assert!(snapshot.stat().recall.unwrap() >= 0.99);
        }
    }
}

#[test]
fn a_huge_bucket_is_searched_in_bounded_memory_the_closest_first() {
    let count: u64 = if cfg!(debug_assertions) { 60_000 } else { 1_000_000 };
    let folder = tempfile::tempdir().unwrap();
    let scheme = Scheme::default();
    let index = create(&folder.path().join("index"), scheme.clone());
    let writer = index.writer().unwrap();
    let text = "five words and no more";
    let method = scheme.build_method();
    let mut sketches = Sketches::new(method.layout());
    TextSketcher::new(&scheme, &*method, Key::FIXED).sketch(text, &mut sketches);
    writer.put(NewDocument::new("itself", text)).unwrap();
    // Sketches that agree in every band, like those of one template; the texts differ.
    for from in (0..count).step_by(10_000) {
        let ids: Vec<String> = (from..from + 10_000).map(|at| at.to_string()).collect();
        let of = |id: &'_ String| -> String { format!("other words {id}") };
        let texts: Vec<String> = ids.iter().map(of).collect();
        let new = ids.iter().zip(&texts);
        let new: Vec<_> =
            new.map(|(id, text)| (NewDocument::new(id, text), sketches.all_keys(), sketches.all_bytes())).collect();
        writer.put_ready(&new).unwrap();
    }
    writer.compact(false).unwrap();
    let before = most_resident();
    let options = SearchOptions::default().with_max_candidates(number(1000));
    let snapshot = index.snapshot().unwrap();
    let answer = snapshot.search(Query::Text(text), &options).unwrap();
    assert_eq!((answer.candidate_count, answer.compared_count, answer.complete), (count + 1, 1000, false));
    assert_eq!(answer.hits.iter().map(|hit| &*hit.id).collect::<Vec<_>>(), ["itself"]);
    let many = snapshot.search_many(&vec![text; 20], &options).unwrap();
    assert!(many.iter().all(|other| *other == answer));
    if let (Some(before), Some(after)) = (before, most_resident()) {
        assert!(after - before < 64 << 20, "{} MiB", (after - before) >> 20);
    }
}

/// The peak resident memory of this process.
fn most_resident() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes << 10)
}

#[test]
fn an_answer_states_the_total_and_a_document_with_51_copies_finds_itself() {
    let folder = tempfile::tempdir().unwrap();
    let index = create(&folder.path().join("index"), Scheme::default());
    let writer = index.writer().unwrap();
    let text = Chance::new(12).text(80);
    for at in 0..51 {
        writer.put(NewDocument::new(&format!("d{at}"), &text)).unwrap();
    }
    for is_compact in [false, true] {
        if is_compact {
            writer.compact(false).unwrap();
        }
        let snapshot = index.snapshot().unwrap();
        let own = Query::Document { id: "d50", text: &text };
        let usual = SearchOptions::default();
        for options in [usual, usual.with_max_candidates(number(5)), usual.with_top(number(1))] {
            let answer = snapshot.search(own, &options).unwrap();
            assert_eq!(answer.hits[0].id, "d50", "{options:?}");
            assert!(!answer.complete, "{options:?}");
            // Bulk search gives the same answer.
            let queries = vec![own; 200];
            assert!(snapshot.search_each(&queries, &options).unwrap().iter().all(|other| *other == answer));
        }
        let cut = snapshot.search(own, &usual).unwrap();
        assert_eq!((cut.hits.len(), cut.match_count), (10, 51));
        let whole = snapshot.search(own, &all()).unwrap();
        assert_eq!((whole.hits.len(), whole.match_count, whole.complete), (51, 51, true));
        // A document with that id but another text is not the query's own.
        let other = snapshot.search(Query::Document { id: "d50", text: &format!("{text} more") }, &usual).unwrap();
        assert_eq!((&*other.hits[0].id, other.match_count), ("d0", 51));
    }
}

#[test]
fn an_identical_text_comes_before_others_of_the_same_similarity() {
    let folder = tempfile::tempdir().unwrap();
    let index = create(&folder.path().join("index"), Scheme::containment(0.5).unwrap());
    let writer = index.writer().unwrap();
    let mut chance = Chance::new(13);
    let (text, more) = (chance.text(80), chance.text(300));
    writer.put(NewDocument::new("book", &format!("{text} {more}"))).unwrap();
    writer.put(NewDocument::new("copy", &text)).unwrap();
    let answer = index.snapshot().unwrap().search(Query::Text(&text), &all()).unwrap();
    let found: Vec<(&str, f64)> = answer.hits.iter().map(|hit| (&*hit.id, hit.similarity)).collect();
    assert_eq!(found, [("copy", 1.0), ("book", 1.0)]);
}

#[test]
fn who_wants_to_write_to_an_index_of_a_service_is_told_its_address() {
    let folder = tempfile::tempdir().unwrap();
    let index = create(&folder.path().join("index"), Scheme::default());
    let held = index.writer_of_service("http://127.0.0.1:7811/v1/indexes/index").unwrap();
    let other = Index::open(&folder.path().join("index")).unwrap();
    let refused = other.writer().unwrap_err();
    let said = refused.to_string();
    assert!(said.contains(&format!("(process {})", std::process::id())), "{said}");
    assert!(said.contains("use its HTTP API at http://127.0.0.1:7811/v1/indexes/index"), "{said}");
    drop(held);
    // The next writer is not a service.
    let _next = other.writer().unwrap();
    let said = index.writer().unwrap_err().to_string();
    assert!(said.contains("wait until it is done") && !said.contains("http"), "{said}");
}
