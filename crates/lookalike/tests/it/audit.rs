//! The audit: the sample, blind labeling, the results of labels, and the label files that count.

use std::fs;

use crate::made::{Case, dedup, jsonl};
use lookalike::core::scheme::MethodName;
use lookalike::{
    Answer, Audit, AuditRequest, AuditResult, DedupRequest, EvaluateRequest, ReadOptions, ReportRequest, ReportTexts,
    Said, Silent,
};
use serde_json::{Value, json};

/// Words that no other text has.
fn words(seed: usize, count: usize) -> Vec<String> {
    (0..count).map(|at| format!("w{seed}x{at}")).collect()
}

/// Pairs of documents that differ in this many of 100 words at the end.
fn corpus(changes: &[usize]) -> Vec<String> {
    let pair = |(at, changed): (usize, &usize)| {
        let one = words(at, 100);
        let mut other = one.clone();
        other.iter_mut().rev().take(*changed).for_each(|word| word.push('z'));
        [one.join(" ") + " and an end", other.join(" ")]
    };
    changes.iter().enumerate().flat_map(pair).collect()
}

/// A run over 100 pairs of several similarities, ten exact copies, and ten pairs just below the threshold.
fn run() -> (Case, ReadOptions) {
    let changes: Vec<usize> = (0..100).map(|at| 1 + at % 8).chain([13; 10]).collect();
    let mut texts = corpus(&changes);
    let copies: Vec<String> = texts.iter().step_by(2).take(10).cloned().collect();
    texts.extend(copies);
    let case = Case::of(&texts);
    let request = case.request("corpus.jsonl", 0.8).id("id");
    let summary = dedup(&request);
    assert_eq!((summary.found.removed_count, summary.found.exact_copy_count), (110, 10));
    (case, read_by(&request))
}

/// The read options of a run.
fn read_by(request: &DedupRequest) -> ReadOptions {
    request.clone().check().unwrap().read().clone()
}

fn prepare(case: &Case, read: &ReadOptions, change: impl FnOnce(AuditRequest) -> AuditRequest) -> Audit {
    let options = change(AuditRequest::new(case.path("out"), read.clone())).check().unwrap();
    Audit::prepare(&options, &Silent).unwrap()
}

fn same() -> Said {
    Said::default().label(Answer::Same)
}

fn different() -> Said {
    Said::default().label(Answer::Different)
}

fn saved(case: &Case) -> AuditResult {
    serde_json::from_slice(&fs::read(case.path("out/audit.json")).unwrap()).unwrap()
}

#[test]
fn removals_and_near_misses_have_the_sources_of_the_run() {
    let texts = corpus(&[2, 2, 13, 13, 13]);
    let line = |(at, text): (usize, &String)| {
        json!({"id": at.to_string(), "text": text, "from": format!("feed {}", at % 2)}).to_string() + "\n"
    };
    let case = Case::new();
    case.write("in.jsonl", texts.iter().enumerate().map(line).collect::<String>());
    for by in [None, Some("host"), Some("file"), Some("field:from")] {
        let mut request = case.request("in.jsonl", 0.8).id("id");
        request.source = by.map(str::to_owned);
        assert_eq!(dedup(&request).found.removed_count, 2);
        let audit = prepare(&case, &read_by(&request), |request| request);
        assert_eq!((audit.len(), audit.near_misses()), (5, 3));
        for number in 0..audit.len() {
            let facts = audit.facts(number).unwrap();
            for (id, source) in [(&facts.left_id, &facts.left_source), (&facts.right_id, &facts.right_source)] {
                let at: usize = id.parse().unwrap();
                let expected = match by {
                    Some("field:from") => format!("feed {}", at % 2),
                    Some("host") => "(no host)".to_owned(),
                    _ => facts.left_file.clone(),
                };
                assert_eq!(source.as_deref(), Some(&*expected), "{by:?} {}", facts.near_miss);
            }
        }
        // An unknown field is not guessed.
        request.source = None;
        let audit = prepare(&case, &read_by(&request), |request| request);
        let misses = (0..audit.len()).map(|number| audit.facts(number).unwrap()).filter(|facts| facts.near_miss);
        assert!(misses.clone().all(|facts| facts.left_source.is_some() == (by != Some("field:from"))));
        assert_eq!(misses.count(), 3);
    }
}

#[test]
fn near_misses_of_a_crawl_have_their_hosts() {
    let texts = corpus(&[2, 13, 13, 13]);
    let page = |(at, text): (usize, &String)| {
        let uri = format!("https://{}.example/{at}", if at % 2 == 0 { "news" } else { "mirror" });
        let length = text.len();
        format!(
            "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: {uri}\r\nContent-Length: {length}\r\n\r\n{text}\r\n\r\n"
        )
    };
    let case = Case::new();
    case.write("crawl.warc.wet", texts.iter().enumerate().map(page).collect::<String>());
    let request = case.request("crawl.warc.wet", 0.8);
    assert_eq!(dedup(&request).found.removed_count, 1);
    let audit = prepare(&case, &read_by(&request), |request| request);
    assert_eq!((audit.len(), audit.near_misses()), (4, 3));
    for number in 0..audit.len() {
        let facts = audit.facts(number).unwrap();
        let mut hosts = [&facts.left_source, &facts.right_source].map(|source| source.as_deref().unwrap());
        hosts.sort_unstable();
        assert_eq!(hosts, ["mirror.example", "news.example"], "{}", facts.near_miss);
    }
}

#[test]
fn the_sample_has_all_bands_near_misses_and_no_exact_copies() {
    let (case, read) = run();
    let audit = prepare(&case, &read, |request| request);
    assert_eq!((audit.len(), audit.near_misses(), audit.without_text()), (110, 10, 0));
    let facts: Vec<_> = (0..audit.len()).map(|number| audit.facts(number).unwrap()).collect();
    assert!(facts.iter().filter(|facts| facts.near_miss).all(|facts| (0.7..0.8).contains(&facts.similarity)));
    assert!(facts.iter().filter(|facts| !facts.near_miss).all(|facts| (0.8..1.0).contains(&facts.similarity)));
    // The larger sample contains the smaller one, and some of each band.
    let fewer = prepare(&case, &read, |request| request.sample(20).near_misses(0));
    assert_eq!((fewer.len(), fewer.near_misses()), (20, 0));
    let few: Vec<_> = (0..20).map(|number| fewer.facts(number).unwrap()).collect();
    assert!(few.iter().all(|one| facts.contains(one)));
    for band in [0.8, 0.85, 0.9, 0.95] {
        assert!(few.iter().any(|facts| (band..band + 0.05).contains(&facts.similarity)), "{band}");
    }
}

#[test]
fn the_same_seed_draws_the_same_pairs_and_another_draws_others() {
    let (case, read) = run();
    let facts = |seed: i64| -> Vec<_> {
        let audit = prepare(&case, &read, |request| request.sample(30).seed(seed));
        (0..audit.len()).map(|number| (audit.facts(number).unwrap().clone(), audit.side_by_side(number))).collect()
    };
    assert_eq!(facts(7), facts(7));
    assert_ne!(facts(7), facts(8));
}

#[test]
fn a_pair_is_shown_blind_and_sides_are_chance() {
    let (case, read) = run();
    let audit = prepare(&case, &read, |request| request);
    let mut removed_on_the_left = 0;
    for number in 0..audit.len() {
        let (facts, shown) = (audit.facts(number).unwrap(), audit.side_by_side(number).unwrap().to_string());
        assert!(!shown.contains("removed") && !shown.contains("kept"), "{shown}");
        assert!(!shown.contains(&format!("{:.3}", facts.similarity)), "{shown}");
        let place = |id: &str| shown.find(&format!(">{id}</b>")).unwrap();
        removed_on_the_left += usize::from(place(&facts.left_id) < place(&facts.right_id));
    }
    assert!((35..=75).contains(&removed_on_the_left), "{removed_on_the_left} of {}", audit.len());
}

#[test]
fn labels_become_a_table_by_band_and_all_by_weight() {
    let (case, read) = run();
    let audit = prepare(&case, &read, |request| request.labeler("anna"));
    let (mut wrong, mut lowest) = (0, 0);
    for number in 0..audit.len() {
        let facts = audit.facts(number).unwrap();
        let is_wrong = facts.similarity < 0.85;
        lowest += u64::from(is_wrong && !facts.near_miss);
        wrong += u64::from(is_wrong);
        audit.label(number, if is_wrong { different() } else { same() }).unwrap();
    }
    assert!(lowest > 0 && wrong == lowest + 10);
    let result = audit.result(&Silent).unwrap();
    assert_eq!(result, saved(&case));
    assert_eq!((result.removed_count, result.exact_copy_count, result.all.labeled_count), (110, 10, 100));
    assert_eq!((result.bands[0].different_count, result.bands[0].same_count), (lowest, 0));
    assert!(
        result.bands[1..].iter().all(|row| row.different_count == 0 && row.precision.unwrap().estimate.value >= 1.0)
    );
    // All are labeled, so the interval has no width.
    let precision = result.all.precision.unwrap().estimate;
    assert!((precision.value - (100 - lowest) as f64 / 100.0).abs() < 1e-12 && precision.low >= precision.high);
    let with_copies = result.precision_with_exact_copies.unwrap();
    assert!((with_copies.value - (110 - lowest) as f64 / 110.0).abs() < 1e-12);
    let misses = result.near_misses.unwrap();
    assert_eq!((misses.labeled_count, misses.same_count), (10, 0));
    assert_eq!(result.labelers["anna"], 110);
    // One file is one source.
    assert_eq!((result.sources[0].labeled_count, result.sources[1].labeled_count), (100, 0));
}

#[test]
fn a_part_of_the_sample_has_an_interval_that_covers_the_whole() {
    let (case, read) = run();
    let audit = prepare(&case, &read, |request| request.sample(40).near_misses(0));
    for number in 0..audit.len() {
        let is_wrong = audit.facts(number).unwrap().similarity < 0.85;
        audit.label(number, if is_wrong { different() } else { same() }).unwrap();
    }
    let truth = prepare(&case, &read, |request| request.near_misses(0));
    let wrong = (0..truth.len()).filter(|number| truth.facts(*number).unwrap().similarity < 0.85).count();
    let precision = audit.result(&Silent).unwrap().all.precision.unwrap().estimate;
    let truth = 1.0 - wrong as f64 / 100.0;
    assert!(precision.low < truth && truth < precision.high && precision.low < precision.high, "{precision:?} {truth}");
}

#[test]
fn labels_survive_and_are_taken_back() {
    let (case, read) = run();
    let audit = prepare(&case, &read, |request| request);
    audit.label(0, same()).unwrap();
    audit.label(1, same().something_lost(true).note("a <b>note</b>")).unwrap();
    audit.label(2, different()).unwrap();
    audit.label(2, Said::default()).unwrap();
    let again = prepare(&case, &read, |request| request);
    let said = again.said().unwrap();
    assert_eq!(said[0], Some(same()));
    assert_eq!(said[1].as_ref().map(|said| (said.something_lost, &*said.note)), Some((true, "a <b>note</b>")));
    assert!(said[2..].iter().all(Option::is_none));
    let other = prepare(&case, &read, |request| request.labeler("ben"));
    assert!(other.said().unwrap().iter().all(Option::is_none));
}

#[test]
fn several_labelers_are_compared_and_most_decide() {
    let (case, read) = run();
    let of = |name: &str| prepare(&case, &read, |request| request.labeler(name));
    let [anna, ben, cleo] = ["anna", "ben", "cleo"].map(of);
    for number in 0..20 {
        anna.label(number, same()).unwrap();
        ben.label(number, if number < 5 { different() } else { same() }).unwrap();
        cleo.label(number, if number < 2 { different() } else { same() }).unwrap();
    }
    let result = anna.result(&Silent).unwrap();
    let near_misses = (0..20).filter(|number| anna.facts(*number).unwrap().near_miss).count() as u64;
    assert_eq!(result.labeled(), 20);
    assert_eq!(result.all.labeled_count, 20 - near_misses);
    let different = result.all.different_count + result.near_misses.as_ref().map_or(0, |row| row.different_count);
    assert_eq!(different, 2);
    assert_eq!((result.agreement.len(), result.disagreements.len()), (3, 5));
    let ben_and_cleo = result.agreement.iter().find(|kappa| kappa.left == "ben" && kappa.right == "cleo").unwrap();
    // They agree in 17 of 20; by chance in (5 · 2 + 15 · 18) / 400 = 0.7.
    assert_eq!((ben_and_cleo.pair_count, ben_and_cleo.agreed_count), (20, 17));
    assert!((ben_and_cleo.kappa.unwrap() - 0.5).abs() < 1e-12);
}

#[test]
fn labels_of_other_files_count_and_those_of_other_runs_do_not() {
    let (case, read) = run();
    let audit = prepare(&case, &read, |request| request);
    let removal = (0..audit.len()).find(|number| !audit.facts(*number).unwrap().near_miss).unwrap();
    audit.label(removal, same()).unwrap();
    let line = fs::read_to_string(case.path("out/labels.jsonl")).unwrap();
    let mut other: Value = serde_json::from_str(&line).unwrap();
    other["left_position"] = 9999.into();
    let sent = case.write("sent.jsonl", format!("{line}{other}\n"));
    fs::remove_file(case.path("out/labels.jsonl")).unwrap();
    let result = lookalike::judge(&case.path("out"), &[sent], &Silent).unwrap();
    assert_eq!((result.all.labeled_count, result.other_pair_count, result.labelers["sent"]), (1, 1, 2));
    let error = lookalike::judge(&case.path("out"), &[], &Silent).unwrap_err().to_string();
    assert!(error.contains("nobody has labeled pairs of"), "{error}");
}

#[test]
fn a_later_run_forgets_the_result_and_keeps_the_labels() {
    let (case, read) = run();
    let audit = prepare(&case, &read, |request| request);
    audit.label(0, same()).unwrap();
    audit.result(&Silent).unwrap();
    dedup(&case.request("corpus.jsonl", 0.8).id("id"));
    assert!(!case.path("out/audit.json").exists() && case.path("out/labels.jsonl").exists());
}

#[test]
fn the_report_of_an_audited_run_has_the_table() {
    let (case, read) = run();
    let report = |read: &ReadOptions| {
        let request = ReportRequest::new(case.path("out")).report_texts(ReportTexts::None).read(read.clone());
        lookalike::report(&request.check().unwrap(), &Silent).unwrap();
        fs::read_to_string(case.path("out/report.html")).unwrap()
    };
    assert!(!report(&read).contains("Precision by labels"));
    let audit = prepare(&case, &read, |request| request);
    (0..audit.len()).for_each(|number| audit.label(number, same()).unwrap());
    audit.result(&Silent).unwrap();
    let page = report(&read);
    assert!(page.contains("Precision by labels") && page.contains("0.95 to 1.00") && page.contains("0 wrong"));
    fs::write(case.path("out/audit.json"), "{}").unwrap();
    let options = ReportRequest::new(case.path("out")).report_texts(ReportTexts::None).check().unwrap();
    assert!(lookalike::report(&options, &Silent).unwrap_err().to_string().contains("audit.json: "));
}

#[test]
fn texts_that_changed_are_not_labeled_as_if_they_were_those_compared() {
    let (case, read) = run();
    let mut texts = corpus(&(0..100).map(|at| 1 + at % 8).collect::<Vec<_>>());
    texts[1] = words(999, 100).join(" ");
    case.write("corpus.jsonl", jsonl(&texts));
    let audit = prepare(&case, &read, |request| request.near_misses(0));
    assert_eq!((audit.len(), audit.without_text()), (99, 1));
    fs::remove_file(case.path("corpus.jsonl")).unwrap();
    let options = AuditRequest::new(case.path("out"), read).near_misses(0).check().unwrap();
    let error = Audit::prepare(&options, &Silent).unwrap_err().to_string();
    assert!(error.contains("nothing to label") && error.contains("100 pairs"), "{error}");
}

#[test]
fn super_shingles_are_judged_by_how_many_are_equal() {
    let case = Case::of(&corpus(&[1, 1, 2, 2, 3]));
    let request = case.request("corpus.jsonl", 0.5).method(MethodName::SuperShingle).bands(6).rows(4).agree(2);
    assert!(dedup(&request).found.removed_count > 0);
    let scheme = request.scheme.check().unwrap();
    let audit = prepare(&case, &read_by(&request), |request| request.scheme(scheme).near_misses(0));
    for number in 0..audit.len() {
        let equal = audit.facts(number).unwrap().equal_super_shingle_count.unwrap();
        assert!((2..=6).contains(&equal), "{equal}");
        audit.label(number, same()).unwrap();
    }
    let result = audit.result(&Silent).unwrap();
    assert_eq!(result.super_shingles.iter().map(|row| row.labeled_count).sum::<u64>(), audit.len() as u64);
    assert!(result.super_shingles[0].name.ends_with("-sim"));
}

#[test]
fn labels_are_a_truth_for_evaluate_and_a_table_for_tune() {
    let (case, read) = run();
    let audit = prepare(&case, &read, |request| request);
    // Near misses are labeled the same, and the least similar removals different.
    for number in 0..audit.len() {
        let facts = audit.facts(number).unwrap();
        let is_wrong = !facts.near_miss && facts.similarity < 0.85;
        audit.label(number, if is_wrong { different() } else { same() }).unwrap();
    }
    let wrong = audit.result(&Silent).unwrap().all.different_count;
    let labels = case.path("out/labels.jsonl");
    let request = EvaluateRequest::new([case.path("corpus.jsonl")])
        .id("id")
        .methods(["minhash:recall=0.9999".to_owned()])
        .thresholds([0.8, 0.7])
        .labels(labels.clone());
    let options = request.check().unwrap();
    let evaluation = lookalike::evaluate(&options, &Silent).unwrap();
    let [strict, loose] = [0, 1].map(|at: usize| evaluation.methods[at].score);
    assert_eq!(
        (evaluation.true_pairs[0].pair_count, evaluation.true_pairs[0].different_count),
        (110 - wrong, Some(wrong))
    );
    assert_eq!((strict.found_count, strict.right_count, strict.missed_count), (100, 100 - wrong, 10));
    assert_eq!((loose.found_count, loose.right_count, loose.missed_count), (110, 110 - wrong, 0));
    let rows = lookalike::labels_by_similarity(&[labels]).unwrap();
    assert!(rows[0].name == "0.70 to 0.75" && rows.last().unwrap().name == "0.95 to 1.00");
    assert_eq!(rows.iter().map(|row| row.labeled_count).sum::<u64>(), 110);
}

#[test]
fn hostile_texts_stay_text_on_both_pages() {
    let hostile = "</script></template><script>alert(1)</script><img src=x onerror=alert(2)>\u{202e}\u{0}";
    let base = words(1, 60).join(" ");
    let document = |id: &str, text: String| serde_json::json!({ "id": id, "text": text }).to_string() + "\n";
    let case = Case::new();
    case.write("in.jsonl", document(hostile, base.clone()) + &document("b", format!("{base} {hostile} more")));
    let request = case.request("in.jsonl", 0.5).id("id");
    assert_eq!(dedup(&request).found.removed_count, 1);
    let audit = prepare(&case, &read_by(&request), |request| request);
    for page in [audit.page().unwrap(), audit.offline_page(), audit.side_by_side(0).unwrap().to_string()] {
        assert!(!page.contains("<script>alert") && !page.contains("<img") && !page.contains('\u{202e}'), "{page}");
        assert!(!page.contains("</template><script") && !page.contains('\0'));
    }
    assert!(audit.offline_page().contains("&lt;script&gt;alert(1)"));
    // The label contains the id unchanged.
    audit.label(0, same()).unwrap();
    let line: Value = serde_json::from_str(&fs::read_to_string(case.path("out/labels.jsonl")).unwrap()).unwrap();
    assert!(line["left_id"] == hostile || line["right_id"] == hostile);
}
