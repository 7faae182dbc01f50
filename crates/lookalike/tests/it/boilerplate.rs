//! Boilerplate of sources: what is ignored, that both promises hold on what remains, and what becomes of the rest.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::made::{Case, dedup, rows};
use lookalike::{
    BoilerplateRequest, CompareRequest, DedupRequest, EvaluateRequest, ExtractRequest, PairsRequest, Silent, Summary,
    TuneRequest, Verdict,
};
use lookalike_judge::{Shingle, shingles, tokens};
use proptest::prelude::*;
use serde_json::{Value, json};

/// A page: its source, and its text.
type Page = (String, String);

fn corpus(pages: &[Page]) -> String {
    let line = |(id, (source, text)): (usize, &Page)| {
        format!("{}\n", json!({"id": id.to_string(), "source": source, "text": text}))
    };
    pages.iter().enumerate().map(line).collect()
}

fn case(pages: &[Page]) -> Case {
    let case = Case::new();
    case.write("corpus.jsonl", corpus(pages));
    case
}

fn request(case: &Case, threshold: f64) -> DedupRequest {
    case.request("corpus.jsonl", threshold).id("id").source("source").ignore_boilerplate(true)
}

/// Words that no other seed has.
fn own(seed: usize, count: usize) -> String {
    (0..count).map(|at| format!("w{seed}x{at}")).collect::<Vec<_>>().join(" ")
}

fn page(source: &str, text: String) -> Page {
    (source.to_owned(), text)
}

fn ignored(summary: &Summary) -> (u64, u64) {
    summary.boilerplate.as_ref().map(|ignored| (ignored.source_count, ignored.undecided_count)).unwrap()
}

#[test]
fn products_of_one_template_are_kept_apart() {
    let pages: Vec<Page> =
        (0..300).map(|item| page("shop", format!("{} {}", own(10_000, 180), own(item, 20)))).collect();
    let case = case(&pages);
    let without = case.request("corpus.jsonl", 0.5).id("id").source("source");
    let noticed = dedup(&without);
    assert_eq!(noticed.found.removed_count, 299);
    let decides = noticed.boilerplate_decides.unwrap();
    assert_eq!((decides.removed_count, decides.sources.len(), &*decides.sources[0].source), (299, 1, "shop"));
    let summary = dedup(&request(&case, 0.5));
    assert_eq!((summary.found.removed_count, ignored(&summary)), (0, (1, 0)));
    let boilerplate = summary.boilerplate.unwrap();
    assert_eq!(boilerplate.document_count, 300);
    assert!((boilerplate.ignored_share - 176.0 / 196.0).abs() < 0.01, "{}", boilerplate.ignored_share);
}

#[test]
fn a_product_that_was_crawled_twice_is_found_with_the_share_that_was_ignored() {
    let mut pages: Vec<Page> =
        (0..60).map(|item| page("shop", format!("{} {}", own(10_000, 180), own(item, 20)))).collect();
    pages.push(page("shop", format!("{} {} now", own(10_000, 180), own(7, 20))));
    let case = case(&pages);
    let summary = dedup(&request(&case, 0.8));
    let removed = case.rows("removed.jsonl");
    assert_eq!(
        (summary.found.removed_count, &removed[0]["removed_id"], &removed[0]["kept_id"]),
        (1, &json!("7"), &json!("60"))
    );
    // 20 windows have a word of its own; the other has one more.
    assert_eq!(removed[0]["jaccard"], json!(20.0 / 21.0));
    assert_eq!(removed[0]["ignored_of_removed"], json!(176.0 / 196.0));
    assert_eq!(removed[0]["ignored_of_kept"], json!(176.0 / 197.0));
}

/// A press release, and a version of it.
fn version(of: usize) -> String {
    format!("{} {}", own(50_000, 100), own(60_000 + of, 3))
}

#[test]
fn versions_of_a_press_release_among_other_pages_of_a_host_are_found() {
    let menu = own(10_000, 50);
    let releases = (0..20).map(|of| page("host", format!("{menu} {}", version(of))));
    let others = (0..60).map(|seed| page("host", format!("{menu} {}", own(seed, 100))));
    let summary = dedup(&request(&case(&releases.chain(others).collect::<Vec<_>>()), 0.8));
    assert_eq!((summary.found.removed_count, ignored(&summary)), (19, (1, 0)));
}

#[test]
fn of_a_small_source_documents_are_compared_as_they_are() {
    let versions = (0..8).map(|of| page("folder", version(of)));
    let others = (0..7).map(|seed| page("folder", own(seed, 100)));
    let summary = dedup(&request(&case(&versions.chain(others).collect::<Vec<_>>()), 0.8));
    assert_eq!((summary.found.removed_count, ignored(&summary)), (7, (0, 0)));
}

#[test]
fn versions_that_are_half_of_a_host_are_reported_as_undecided() {
    let versions = (0..40).map(|of| page("host", version(of)));
    let others = (0..40).map(|seed| page("host", own(seed, 100)));
    let pages: Vec<Page> = versions.chain(others).collect();
    let case = case(&pages);
    let summary = dedup(&request(&case, 0.8));
    assert_eq!((summary.found.removed_count, ignored(&summary)), (0, (1, 40)));
    let undecided = &summary.boilerplate.unwrap().undecided;
    assert_eq!((undecided.len(), &*undecided[0].source, undecided[0].document_count), (1, "host", 40));
}

/// Pages of a host with a menu: `count` versions of one text of 300 words, each with so many words changed all over it,
/// and as many other pages.
fn half_versions(count: usize, edit_count: usize) -> Vec<Page> {
    let menu = [own(10_000, 70), own(20_000, 50)];
    // One edit in each part of the text, so that no two of them are one.
    let part = 300 / edit_count;
    let word = |of: usize, at: usize| {
        let is_edited = (0..edit_count).any(|edit| at == edit * part + (of * (7919 + edit) + edit * 104_729) % part);
        if is_edited { format!("e{of}x{at}") } else { format!("r{at}") }
    };
    let version = |of: usize| (0..300).map(|at| word(of, at)).collect::<Vec<_>>().join(" ");
    let texts = (0..count).map(version).chain((0..count).map(|seed| own(seed, 150 + seed)));
    texts.map(|text| page("host", format!("{} {text} {}", menu[0], menu[1]))).collect()
}

#[test]
fn versions_with_edits_all_over_them_are_reported_as_undecided() {
    for (count, edit_count) in [(15, 4), (20, 4), (50, 4), (50, 8)] {
        let case = case(&half_versions(count, edit_count));
        for threshold in [0.8, 0.35] {
            let summary = dedup(&request(&case, threshold));
            let undecided = &summary.boilerplate.as_ref().unwrap().undecided;
            assert_eq!(
                (&*undecided[0].source, undecided[0].document_count),
                ("host", count as u64),
                "{edit_count} edits"
            );
            assert_eq!(summary.found.removed_count, 0);
        }
    }
}

#[test]
fn versions_on_fewer_pages_than_boilerplate_are_found_whatever_their_edits() {
    let mut pages = half_versions(20, 4);
    pages.extend((1000..1040).map(|seed| page("host", own(seed, 200))));
    let summary = dedup(&request(&case(&pages), 0.35));
    assert_eq!((summary.found.removed_count, ignored(&summary)), (19, (1, 0)));
}

#[test]
fn items_with_little_text_at_several_places_of_a_template_are_kept_apart_and_found_again() {
    let item = |seed: usize| {
        let [title, price, note] = [(1, 8), (2, 1), (3, 4)].map(|(field, count)| own(100_000 * field + seed, count));
        let menu = [own(10_000, 60), own(20_000, 40), own(30_000, 40), own(40_000, 60)];
        format!("{} {title} {} {price} {} {note} {}", menu[0], menu[1], menu[2], menu[3])
    };
    let mut pages: Vec<Page> = (0..60).map(|seed| page("shop", item(seed))).collect();
    pages.extend((0..5).map(|seed| page("shop", format!("{} again", item(seed)))));
    let summary = dedup(&request(&case(&pages), 0.35));
    assert_eq!((summary.found.removed_count, ignored(&summary)), (5, (1, 0)));
}

#[test]
fn where_few_pages_share_what_is_removed_nothing_is_noticed() {
    let versions = (0..20).map(|of| page("host", version(of)));
    let others = (0..60).map(|seed| page("host", own(seed, 100)));
    let case = case(&versions.chain(others).collect::<Vec<_>>());
    let summary = dedup(&case.request("corpus.jsonl", 0.8).id("id").source("source"));
    assert_eq!((summary.found.removed_count, summary.boilerplate_decides), (19, None));
}

#[test]
fn exact_copies_are_removed_even_of_what_is_boilerplate_alone() {
    let mut pages: Vec<Page> = (0..40).map(|of| page("host", version(of))).collect();
    pages.push(page("host", version(3)));
    pages.push(page("other", version(3)));
    pages.push(page("other", version(3).to_uppercase()));
    let case = case(&pages);
    let summary = dedup(&request(&case, 0.8));
    assert_eq!(
        (summary.found.removed_count, summary.found.exact_copy_count, summary.found.same_words_count),
        (3, 2, 1)
    );
    for row in case.rows("removed.jsonl") {
        assert_eq!((&row["kept_id"], &row["similarity"]), (&json!("3"), &json!(1.0)), "{row}");
    }
    let mut out = Vec::new();
    let mut pairs = PairsRequest::new([case.path("corpus.jsonl")]).id("id").source("source").ignore_boilerplate(true);
    pairs.scheme.threshold = Some(0.8);
    lookalike::pairs(&pairs.check().unwrap(), &mut out, &Silent).unwrap();
    assert_eq!(String::from_utf8(out).unwrap().lines().count(), 6);
}

#[test]
fn a_saved_table_gives_the_answer_of_one_that_is_learned() {
    let menu = own(10_000, 50);
    let pages: Vec<Page> =
        (0..60).map(|seed| page("host", format!("{menu} {}", own(seed / 2, 30 + seed % 2)))).collect();
    let case = case(&pages);
    let learned = dedup(&request(&case, 0.8));
    let removed = case.rows("removed.jsonl");
    assert_eq!(removed.len(), 30);
    let learn = BoilerplateRequest::new([case.path("corpus.jsonl")]).id("id").source("source").check().unwrap();
    let (table, report) = lookalike::boilerplate(&learn, &Silent).unwrap();
    assert_eq!((report.source_count, report.sources.len(), report.sources[0].page_count), (1, 1, 60));
    assert_eq!(report.sources[0].examples, [menu]);
    let mut written = Vec::new();
    lookalike::write_boilerplate(&table, &mut written).unwrap();
    let file = case.write("host.boilerplate", written);
    let saved = dedup(&request(&case, 0.8).ignore_boilerplate(&*file));
    assert_eq!(saved.parameters.fingerprint, learned.parameters.fingerprint);
    assert_eq!(case.rows("removed.jsonl"), removed);
    // A source that the table lacks is compared as it is.
    let other = dedup(&case.request("corpus.jsonl", 0.8).source("id"));
    assert_ne!(other.parameters.fingerprint, saved.parameters.fingerprint);
}

/// Writes a table with these passages for every page of `corpus.jsonl`, and returns its path.
fn written_table(case: &Case, passages: &[String]) -> std::path::PathBuf {
    let head = json!({"lookalike_boilerplate": 1, "shingle": "word:5", "fold": "none", "source": "field:source", "share": 0.3});
    let shop = json!({"source": "shop", "page_count": 20, "sample_count": 20, "share": 0.5, "undecided_count": 0, "passages": passages});
    case.write("table.jsonl", format!("{head}\n{shop}\n"))
}

#[test]
fn passages_that_nobody_learned_do_no_harm() {
    let pages: Vec<Page> = (0..20).map(|item| page("shop", own(item / 2, 20))).collect();
    let case = case(&pages);
    let table = written_table(&case, &[" ", " x ", "", "\u{3000}", " one two "].map(str::to_owned));
    let summary = dedup(&request(&case, 0.5).ignore_boilerplate(&*table));
    assert_eq!((summary.found.removed_count, summary.boilerplate.unwrap().ignored_share), (10, 0.0));
}

#[test]
fn a_table_that_takes_the_memory_of_the_run_is_refused() {
    let case = case(&[page("shop", own(1, 20)), page("shop", own(1, 20))]);
    let table = written_table(&case, &["word ".repeat(400_000)]);
    let wanted = request(&case, 0.5).ignore_boilerplate(&*table).memory("64M");
    let error = lookalike::dedup(&wanted.check().unwrap(), &Silent).unwrap_err();
    assert!(matches!(error, lookalike::Error::MemoryTooSmallForMethod { method: "boilerplate", .. }), "{error}");
}

fn compared(pages: &[Page], shingle: &str, share: f64) -> Vec<Option<HashSet<Vec<String>>>> {
    let kind: Shingle = shingle.parse().unwrap();
    let width = kind.token_count();
    let mut sources: HashMap<&str, HashSet<&str>> = HashMap::new();
    for (source, text) in pages {
        sources.entry(source).or_default().insert(text);
    }
    let common: HashMap<&str, Common> =
        sources.iter().map(|(source, texts)| (*source, Common::of(texts, kind, share))).collect();
    let of_page = |(source, text): &Page| {
        let (all, common, tokens) = (shingles(text, kind), &common[source.as_str()], tokens(text, kind));
        let is_bare = all.iter().any(|shingle| common.shingles.contains(shingle))
            && common.own_count(windows(&tokens, width), width) < 2 * width;
        (!is_bare).then(|| all.difference(&common.shingles).cloned().collect())
    };
    pages.iter().map(of_page).collect()
}

fn windows(tokens: &[String], width: usize) -> std::slice::Windows<'_, String> {
    tokens.windows(width.min(tokens.len()).max(1))
}

/// The boilerplate of a source: its shingles, and those that follow each on a page.
struct Common {
    shingles: HashSet<Vec<String>>,
    next: HashMap<Vec<String>, HashSet<Vec<String>>>,
}

impl Common {
    fn of(texts: &HashSet<&str>, kind: Shingle, share: f64) -> Self {
        let mut counts: HashMap<Vec<String>, usize> = HashMap::new();
        texts.iter().flat_map(|text| shingles(text, kind)).for_each(|shingle| *counts.entry(shingle).or_default() += 1);
        counts.retain(|_, count| *count >= 10 && *count as f64 > share * texts.len() as f64);
        let mut next: HashMap<Vec<String>, HashSet<Vec<String>>> = HashMap::new();
        for text in texts {
            let tokens = tokens(text, kind);
            let windows: Vec<&[String]> = windows(&tokens, kind.token_count()).collect();
            for pair in windows.windows(2).filter(|pair| pair.iter().all(|window| counts.contains_key(*window))) {
                next.entry(pair[0].to_vec()).or_default().insert(pair[1].to_vec());
            }
        }
        Self { shingles: counts.into_keys().collect(), next }
    }

    /// The windows of a text that are neither boilerplate nor the remains of an edit of it.
    fn own_count(&self, windows: std::slice::Windows<'_, String>, width: usize) -> usize {
        let (mut own, mut run) = (0, 0);
        let mut before: Option<&[String]> = None;
        for window in windows {
            if self.shingles.contains(window) {
                let is_edit = before.is_some_and(|before| run <= 3 * width && self.leads_to(before, window, 8 * width));
                own += if is_edit { 0 } else { run };
                (run, before) = (0, Some(window));
            } else {
                run += 1;
            }
        }
        own + run
    }

    fn leads_to(&self, from: &[String], to: &[String], steps: usize) -> bool {
        let mut reached = HashSet::from([from.to_vec()]);
        let mut last = reached.clone();
        for _ in 0..steps {
            last = last.iter().filter_map(|shingle| self.next.get(shingle)).flatten().cloned().collect();
            if last.contains(to) {
                return true;
            }
            last.retain(|shingle| reached.insert(shingle.clone()));
        }
        false
    }
}

/// All pairs by the definition: texts with the same words are one text, which is a page of the source of the first.
fn judged(pages: &[Page], shingle: &str, threshold: f64) -> BTreeMap<(usize, usize), f64> {
    let kind: Shingle = shingle.parse().unwrap();
    let compared = compared(pages, shingle, 0.3);
    let words: Vec<Vec<String>> = pages.iter().map(|(_, text)| tokens(text, kind)).collect();
    let first = |page: usize| words.iter().position(|other| *other == words[page]).unwrap();
    let mut pairs = BTreeMap::new();
    for left in 0..pages.len() {
        for right in left + 1..pages.len() {
            if words[left].is_empty() || words[right].is_empty() {
                continue;
            }
            let (one, other) = (first(left), first(right));
            let similarity = match (&compared[one], &compared[other]) {
                _ if one == other => 1.0,
                (Some(one), Some(other)) => {
                    let shared = one.intersection(other).count();
                    if shared == 0 { 0.0 } else { shared as f64 / (one.len() + other.len() - shared) as f64 }
                }
                _ => 0.0,
            };
            if similarity >= threshold {
                pairs.insert((left, right), similarity);
            }
        }
    }
    pairs
}

/// Pages of two sources with a menu each and of a small one: articles, versions of them, and pages without text.
fn any_pages() -> impl Strategy<Value = Vec<Page>> {
    let any_page = (0_usize..3, 0_usize..8, 0_usize..30, 0_usize..4, 0_usize..12);
    proptest::collection::vec(any_page, 0..70).prop_map(|pages| {
        let of = |(source, article, length, edit, menu): (usize, usize, usize, usize, usize)| {
            let name = ["a", "b", "small"][if source == 2 && article > 2 { 0 } else { source }];
            let mut words: Vec<String> = (0..length).map(|at| format!("t{article}x{}", at % 17)).collect();
            if edit > 0 && !words.is_empty() {
                let at = (edit * 7) % words.len();
                words[at] = format!("edit{edit}");
            }
            let menu: Vec<String> = (0..if menu == 0 { 0 } else { 12 }).map(|at| format!("menu{name}{at}")).collect();
            page(name, format!("{} {}", menu.join(" "), words.join(" ")))
        };
        pages.into_iter().map(of).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(80))]

    #[test]
    fn what_remains_is_compared_as_the_judge_does(
        pages in any_pages(),
        threshold in prop_oneof![Just(0.3), Just(0.5), Just(0.8)],
        shingle in prop_oneof![Just("word:5"), Just("word:2"), Just("char:4")],
        exact: bool,
    ) {
        let case = case(&pages);
        let expected = judged(&pages, shingle, threshold);
        let input = [case.path("corpus.jsonl")];
        if pages.is_empty() {
            return Ok(());
        }
        let mut request = PairsRequest::new(input).id("id").source("source").ignore_boilerplate(true);
        (request.scheme.threshold, request.scheme.shingle) = (Some(threshold), Some(shingle.to_owned()));
        request.scheme.recall = (!exact).then_some(1.0);
        let mut out = Vec::new();
        lookalike::pairs(&request.check().unwrap(), &mut out, &Silent).unwrap();
        let id = |row: &Value, name: &str| row[name].as_str().unwrap().parse::<usize>().unwrap();
        let found: BTreeMap<(usize, usize), f64> = String::from_utf8(out)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .map(|row: Value| ((id(&row, "left_id"), id(&row, "right_id")), row["similarity"].as_f64().unwrap()))
            .collect();
        prop_assert_eq!(&found, &expected);

        // Both promises. Texts with the same words are a page of the source of the one that is kept, so the first is.
        let mut request = self::request(&case, threshold).keep("first").shingle(shingle);
        request.scheme.recall = (!exact).then_some(1.0);
        dedup(&request);
        let removed: HashMap<usize, (usize, f64)> = rows(&case.path("out/removed.jsonl"))
            .iter()
            .map(|row| (id(row, "removed_id"), (id(row, "kept_id"), row["similarity"].as_f64().unwrap())))
            .collect();
        for (removed_id, (kept, similarity)) in &removed {
            prop_assert!(!removed.contains_key(kept));
            let pair = (*kept.min(removed_id), *kept.max(removed_id));
            prop_assert_eq!(expected.get(&pair), Some(similarity), "{:?}", pair);
        }
        let left = expected.keys().find(|(left, right)| !removed.contains_key(left) && !removed.contains_key(right));
        prop_assert_eq!(left, None);
    }
}

/// Thirty pages of a shop, each but three crawled once, and the file of its table.
fn shop() -> (Case, std::path::PathBuf) {
    let menu = own(10_000, 100);
    let item = |seed: usize| page("shop", format!("{menu} {}", own(seed, 30)));
    let again = |seed: usize| page("shop", format!("{menu} {} now", own(seed, 30)));
    let case = case(&(0..30).map(item).chain((0..3).map(again)).collect::<Vec<_>>());
    let learn = BoilerplateRequest::new([case.path("corpus.jsonl")]).id("id").source("source").check().unwrap();
    let mut written = Vec::new();
    lookalike::write_boilerplate(&lookalike::boilerplate(&learn, &Silent).unwrap().0, &mut written).unwrap();
    let table = case.write("shop.boilerplate", written);
    (case, table)
}

#[test]
fn methods_are_compared_without_boilerplate() {
    let (case, table) = shop();
    let whole = EvaluateRequest::new([case.path("corpus.jsonl")])
        .id("id")
        .thresholds(vec![0.5])
        .methods(vec!["minhash".to_owned(), "simhash:verify".to_owned()]);
    let count = |request: &EvaluateRequest| {
        lookalike::evaluate(&request.clone().check().unwrap(), &Silent).unwrap().true_pairs[0].pair_count
    };
    assert_eq!(count(&whole), 33 * 32 / 2);
    assert_eq!(count(&whole.clone().ignore_boilerplate(true).source("source")), 3);
    assert_eq!(count(&whole.clone().ignore_boilerplate(&*table)), 3);
    let two = whole.clone().ignore_boilerplate(true).source("source").shingles(vec!["word:5".into(), "word:3".into()]);
    let found = lookalike::evaluate(&two.check().unwrap(), &Silent).unwrap();
    assert_eq!(found.true_pairs.iter().map(|pairs| pairs.pair_count).collect::<Vec<_>>(), [3, 3]);
    assert!(found.methods.iter().all(|method| method.score.found_count <= 3));
    assert!(whole.source("source").check().is_err(), "a source is for nothing else");
}

#[test]
fn pairs_are_counted_without_boilerplate() {
    let (case, table) = shop();
    let whole = TuneRequest::new([case.path("corpus.jsonl")]).id("id").threshold(0.5);
    let count = |request: &TuneRequest| {
        let tuning = lookalike::tune(&request.clone().check().unwrap(), &Silent).unwrap();
        let pairs = tuning.sample.unwrap().pairs;
        pairs.iter().find(|step| step.similarity <= 0.5 + 1e-9).unwrap().pair_count.value
    };
    assert!(count(&whole) > 500.0);
    for request in [whole.clone().ignore_boilerplate(true).source("source"), whole.ignore_boilerplate(&*table)] {
        // Pairs are counted by the chance that they are found.
        assert!((count(&request) - 3.0).abs() < 0.01, "{}", count(&request));
    }
    let without_corpus = TuneRequest::default().ignore_boilerplate(true);
    assert!(without_corpus.check().is_err(), "there is nothing to learn from");
    assert!(TuneRequest::default().purpose(lookalike::Purpose::Web).check().is_ok());
}

#[test]
fn two_documents_are_compared_without_boilerplate() {
    let (case, table) = shop();
    let whole = CompareRequest::new([case.path("corpus.jsonl")]).id("id").threshold(0.5);
    let compare = |request: &CompareRequest, ids: [&str; 2]| {
        lookalike::compare_documents(&request.clone().check().unwrap(), ids, &Silent).unwrap()
    };
    let other = compare(&whole, ["1", "2"]);
    assert_eq!((other.verdict, other.left.ignored), (Verdict::NearDuplicates, None));
    for request in [whole.clone().ignore_boilerplate(true).source("source"), whole.ignore_boilerplate(&*table)] {
        let other = compare(&request, ["1", "2"]);
        assert_eq!((other.verdict, other.shared_shingle_count), (Verdict::NotNearDuplicates, 0));
        // 96 windows are boilerplate, and 30 have a word of its own; the other has one more.
        assert_eq!((other.left.ignored, other.left.distinct_shingle_count), (Some(96.0 / 126.0), 30));
        let again = compare(&request, ["1", "31"]);
        assert_eq!((again.verdict, again.jaccard), (Verdict::NearDuplicates, 30.0 / 31.0));
        assert_eq!(again.right.ignored, Some(96.0 / 127.0));
        assert!(again.left.passages.iter().any(|passage| passage.text.contains("w10000x0")), "all of it is shown");
    }
}

#[test]
fn what_is_compared_of_a_page_can_be_seen() {
    let (case, table) = shop();
    let whole = ExtractRequest::new([case.path("corpus.jsonl")]).id("id");
    let extract = |request: &ExtractRequest| {
        let mut out = Vec::new();
        let report = lookalike::extract(&request.clone().check().unwrap(), &mut out, &Silent).unwrap();
        let rows: Vec<Value> =
            String::from_utf8(out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        (rows, report.undecided_count)
    };
    let (rows, _) = extract(&whole);
    assert!(rows[1]["text"].as_str().unwrap().starts_with("w10000x0 "));
    for request in [whole.clone().ignore_boilerplate(true).source("source"), whole.ignore_boilerplate(&*table)] {
        let (rows, undecided) = extract(&request);
        // The last words of the menu are in shingles with words of the page.
        let menu: Vec<String> = (96..100).map(|at| format!("w10000x{at}")).collect();
        assert_eq!(rows[1]["text"], json!(format!("{} {}", menu.join(" "), own(1, 30))));
        assert_eq!((rows.len(), undecided), (33, 0));
    }
    let versions: Vec<Page> = (0..40).map(|of| page("host", version(of))).collect();
    let case = self::case(&versions);
    let bare = ExtractRequest::new([case.path("corpus.jsonl")]).id("id").source("source").ignore_boilerplate(true);
    let (rows, undecided) = extract(&bare);
    assert_eq!((rows.len(), undecided, &rows[0]["text"]), (40, 40, &json!("")));
}

#[test]
fn threads_make_no_difference() {
    let pages: Vec<Page> = (0..400)
        .map(|seed| {
            let host = format!("host{}", seed % 7);
            page(&host, format!("{} {}", own(10_000 + seed % 7, 40), own(seed / 3, 20 + seed % 3)))
        })
        .collect();
    let case = case(&pages);
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let summary = pool.install(|| dedup(&request(&case, 0.5)));
        (summary.parameters.fingerprint, std::fs::read(case.path("out/removed.jsonl")).unwrap())
    };
    let one = run(1);
    assert!(one.1.len() > 1000);
    assert!(one == run(8));
}

#[test]
fn pages_are_not_compared_with_an_index_at_the_threshold_of_pages_without_boilerplate() {
    for purpose in [lookalike::Purpose::Web, lookalike::Purpose::News] {
        let request = DedupRequest::new(["pages.warc"]).against_index("pages.index").dry_run(true);
        let refused = request.purpose(purpose).check().unwrap_err();
        assert!(refused.to_string().contains("against_index"), "{refused}");
    }
}
