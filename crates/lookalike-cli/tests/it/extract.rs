//! `lookalike extract`: shows the text that is compared.

use crate::folder::{Folder, assert_refused};
use serde_json::Value;

const PAGE: &str = "<html><title>Hedgehogs</title><body><nav class=menu><ul><li><a href=/>Home</a><li><a href=/shop>Shop</a></ul></nav>\
    <main><article class=entry-content><h1>Hedgehogs at night</h1><p>In the garden, hedgehogs are awake at night, and they eat beetles, worms and \
    slugs. They sleep through the winter in piles of leaves.</p><p>Their spines are hollow hairs, made stiff with keratin. A young \
    hedgehog is born with a hundred of them, which are soft, and which harden within hours of its birth.</p><img src=a.jpg alt='a picture'>\
    </article></main><footer class=footer><a href=/imprint>Imprint</a> <a href=/privacy>Privacy</a></footer>";

fn texts(rows: &str) -> Vec<(String, String)> {
    let row = |line: &str| -> (String, String) {
        let row: Value = serde_json::from_str(line).unwrap();
        let [id, text] = ["id", "text"].map(|field| row[field].as_str().unwrap().to_owned());
        (id, text)
    };
    rows.lines().map(row).collect()
}

#[test]
fn the_text_of_a_page_is_what_is_compared() {
    let folder = Folder::new();
    folder.write("page.html", PAGE);
    let all = folder.run(&["extract", "page.html"]);
    assert_eq!(all.code, 0, "{}", all.stderr);
    let all = texts(&all.stdout);
    assert_eq!(all[0].0, "page.html");
    assert!(all[0].1.starts_with("Hedgehogs\nHome\nShop\nHedgehogs at night\nIn the garden"), "{all:?}");
    assert!(!all[0].1.contains("a picture"), "{all:?}");
    let article = texts(&folder.run(&["extract", "page.html", "--extract", "article"]).stdout);
    assert!(article[0].1.contains("In the garden") && article[0].1.ends_with("hours of its birth."), "{article:?}");
    assert!(!article[0].1.contains("Shop") && !article[0].1.contains("Imprint"), "{article:?}");
}

#[test]
fn pages_in_fields_are_extracted_and_keep_their_ids() {
    let folder = Folder::new();
    let row = serde_json::json!({ "key": "a", "html": PAGE });
    folder.write("in.jsonl", format!("{row}\n{{\"key\":\"b\",\"html\":\"<html><p>One <b>two</b>.\"}}\n"));
    let flags = ["--html-field", "html", "--id", "key", "--extract", "article"];
    let ran = folder.run(&[&["extract", "in.jsonl", "-o", "texts.jsonl"], &flags[..]].concat());
    assert_eq!((ran.code, &*ran.stdout), (0, ""), "{}", ran.stderr);
    let rows = texts(&folder.read("texts.jsonl"));
    assert!(rows[0].0 == "a" && rows[0].1.contains("hollow hairs") && !rows[0].1.contains("Shop"), "{rows:?}");
    assert_eq!(rows[1], ("b".to_owned(), "One two.".to_owned()));
    // A file being written is not read, and is replaced only with --force.
    assert_eq!(folder.run(&[&["extract", ".", "-o", "texts.jsonl", "--force"], &flags[..]].concat()).code, 0);
    assert_eq!(texts(&folder.read("texts.jsonl")), rows);
    assert_refused(
        &folder,
        &["extract", "in.jsonl", "--text", "html", "-o", "texts.jsonl"],
        &["texts.jsonl", "--force"],
    );
}

#[test]
fn the_summary_counts_documents_and_bytes() {
    let folder = Folder::new();
    folder.write("in.jsonl", "{\"text\":\"one two\"}\n{\"text\":null}\n{\"text\":\"three\"}\n");
    let ran = folder.run(&["extract", "in.jsonl", "-o", "out.tsv", "--format", "tsv", "--summary", "json"]);
    let summary: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!((&summary["document_count"], &summary["text_bytes"]), (&2.into(), &12.into()), "{summary}");
    assert_eq!(summary["without_text_count"], 1);
    assert_eq!(folder.read("out.tsv"), "id\ttext\nin.jsonl:1\tone two\nin.jsonl:3\tthree\n");
}
