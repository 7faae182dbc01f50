//! `report.html`: its contents, escaping of texts, its maximum size, and reproducibility.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use crate::made::{Case, dedup, jsonl, rows};
use lookalike::{
    Counted, DecontaminateRequest, DedupRequest, Error, LinkRequest, PassagesRequest, Progress, ReadOptions,
    ReportRequest, ReportTexts, Silent,
};
use serde_json::{Value, json};

/// Words that no other text has.
fn words(seed: usize, count: usize) -> Vec<String> {
    (0..count).map(|at| format!("w{seed}x{at}")).collect()
}

/// Lets somebody else create the output folder while the job writes, so that its result gets no name.
struct Obstacle(PathBuf);

impl Progress for Obstacle {
    fn stage(&self, name: &'static str, _: Option<u64>) {
        if name == "write" {
            fs::create_dir_all(&self.0).unwrap();
            fs::write(self.0.join("other"), "").unwrap();
        }
    }

    fn advance(&self, _: u64, _: Counted) {}
    fn finish(&self) {}
}

#[test]
fn a_report_with_a_name_of_its_own_is_not_there_before_the_result() {
    type Job<'a> = &'a dyn Fn(PathBuf, PathBuf, PathBuf, &Obstacle) -> Result<(), Error>;
    let jobs: [(&str, &str, Job<'_>); 4] = [
        ("dedup", "in.jsonl", &|input, out, page, progress| {
            let options = DedupRequest::new([input]).output(out).report(page).check()?;
            lookalike::dedup(&options, progress).map(drop)
        }),
        ("passages", "in.jsonl", &|input, out, page, progress| {
            let options = PassagesRequest::new([input]).output(out).report(page).check()?;
            lookalike::passages(&options, progress).map(drop)
        }),
        ("decontaminate", "in.jsonl", &|input, out, page, progress| {
            let request = DecontaminateRequest::new([input.clone()]).against([input]).fields(["text".to_owned()]);
            lookalike::decontaminate(&request.output(out).report(page).check()?, progress).map(drop)
        }),
        ("link", "in.csv", &|input, out, page, progress| {
            let options = LinkRequest::new([input]).output(out).report(page).check()?;
            lookalike::link(&options, progress).map(drop)
        }),
    ];
    for (job, input, run) in jobs {
        let case = Case::new();
        case.write("in.jsonl", jsonl(&texts()));
        case.write("in.csv", "name,city\nann lee,reno\nann lee,reno\nbob ray,york\n");
        let (out, page) = (case.path("out"), case.path("page.html"));
        let ended = run(case.path(input), out.clone(), page.clone(), &Obstacle(out.clone()));
        assert!(matches!(ended, Err(Error::Io(lookalike::io::Error::OutputExists { .. }))), "{job}: {ended:?}");
        assert!(!page.exists(), "{job}: a report on a result that is not there");
    }
}

/// Three families and a single: near-duplicates, exact copies, and texts with the same words.
fn texts() -> Vec<String> {
    let near = words(1, 60).join(" ");
    let long = words(2, 80);
    let mut changed = long.clone();
    "changed".clone_into(&mut changed[40]);
    vec![
        near.clone() + " and an end",
        near.clone(),
        near.to_uppercase(),
        long.join(" "),
        changed.join(" "),
        words(3, 30).join(" "),
        words(3, 30).join(" "),
        words(3, 30).join(" "),
        "alone among many others in the corpus".to_owned(),
    ]
}

fn page(case: &Case) -> String {
    fs::read_to_string(case.path("out/report.html")).unwrap()
}

/// A page without the block of times and the date.
fn without_times(page: &str) -> String {
    let (before, times) = page.split_once("<section id=\"stages\"").unwrap();
    let page = before.to_owned() + times.split_once("</section>").unwrap().1;
    let (before, date) = page.split_once("<time ").unwrap();
    before.to_owned() + date.split_once("</time>").unwrap().1
}

fn report(case: &Case, read: Option<ReadOptions>, texts: ReportTexts) -> lookalike::Reported {
    let mut request = ReportRequest::new(case.path("out")).report_texts(texts);
    request.read = read;
    lookalike::report(&request.check().unwrap(), &Silent).unwrap()
}

#[test]
fn the_parts_come_in_order_and_warnings_first() {
    let mut lines = jsonl(&texts());
    lines += "{oops\n";
    lines += &json!({ "id": "8", "text": "" }).to_string();
    let case = Case::new();
    case.write("in/a.jsonl", lines);
    case.write("in/b.jsonl", jsonl(&texts()));
    // With sketches, which have a curve.
    let mut request = case.request("in", 0.8).recall(0.99);
    request.read.id = Some("id".to_owned());
    dedup(&request);
    let page = page(&case);
    let ids = [
        "eye-h",
        "similarity",
        "by-band",
        "recall",
        "s-curve",
        "clusters",
        "by-size",
        "sources",
        "who-copies",
        "pairs",
        "least",
        "funnel",
        "from-all",
        "stages",
        "run",
    ];
    let places: Vec<usize> =
        ids.iter().map(|id| page.find(&format!("id=\"{id}\"")).unwrap_or_else(|| panic!("{id}"))).collect();
    assert!(places.is_sorted(), "{places:?}");
    for said in
        ["What needs attention", "1 entry was skipped", "have the id of another", "1 document has no words", "b.jsonl"]
    {
        assert!(page.contains(said), "{said}");
    }
    // Both bars of the chart open existing parts.
    for opened in ["copies", "band-90"] {
        assert!(
            page.contains(&format!("href=\"#{opened}\"")) && page.contains(&format!("id=\"{opened}\"")),
            "{opened}"
        );
    }
    assert!(page.contains("<del>changed"));
}

#[test]
fn a_report_begins_with_the_corpus_the_date_and_the_numbers_that_people_know() {
    let case = Case::new();
    case.write("in/a.jsonl", jsonl(&texts()));
    case.write("in/b.jsonl", jsonl(&texts()));
    dedup(&case.request("in", 0.8));
    let page = page(&case);
    assert!(page.contains("<title>in · Deduplication report</title>") && page.contains("<h1 dir=\"auto\">in</h1>"));
    let (_, date) = page.split_once("Deduplication report, <time datetime=\"").unwrap();
    assert!(date[..10].split('-').map(str::len).eq([4, 2, 2]), "{}", &date[..10]);
    let (_, facts) = page.split_once("<dl class=\"facts\">").unwrap();
    let facts = facts.split_once("</dl>").unwrap().0;
    let names: Vec<&str> = facts.split("<dt>").skip(1).map(|fact| fact.split_once("</dt>").unwrap().0).collect();
    assert_eq!(names, ["Documents", "Removed", "Kept", "Exact copies", "Clusters", "Lowest similarity"]);
    let (_, clusters) = page.split_once("<figure class=\"chart\" id=\"by-size\">").unwrap();
    assert!(clusters.split_once("</figure>").unwrap().0.contains("<rect class=\"bar\""));
    let (_, funnel) = page.split_once("<figure class=\"chart\" id=\"from-all\">").unwrap();
    let funnel = funnel.split_once("</figure>").unwrap().0;
    for step in ["documents", "distinct texts", "removed"] {
        assert!(funnel.contains(step), "{step}");
    }
    for pairs in [">candidates", ">measured", ">matches"] {
        assert!(!funnel.contains(pairs), "{pairs} counts pairs");
    }
}

#[test]
fn numbers_have_at_most_four_digits_after_the_point() {
    let case = Case::of(&texts());
    dedup(&case.request("corpus.jsonl", 0.8));
    let page = page(&case);
    let (_, body) = page.split_once("<h1").unwrap();
    let mut visible = String::new();
    for part in body.split('<').skip(1) {
        // People read neither tags nor the script.
        visible
            .push_str(part.split_once('>').map_or("", |(tag, text)| if tag.starts_with("script") { "" } else { text }));
        visible.push('\n');
    }
    for (at, _) in visible.match_indices('.') {
        let before = visible[..at].ends_with(|letter: char| letter.is_ascii_digit());
        let digits = visible[at + 1..].chars().take_while(char::is_ascii_digit).count();
        assert!(!before || digits <= 4, "{}", &visible[at.saturating_sub(8)..(at + 12).min(visible.len())]);
    }
}

#[test]
fn a_run_without_anything_to_say_has_a_page_too() {
    let case = Case::of(&["one text of a few words", "and another one that is not alike"]);
    dedup(&case.request("corpus.jsonl", 0.8));
    let page = page(&case);
    assert!(page.contains("Nothing was removed") && !page.contains("What needs attention"));
    let case = Case::of(&[] as &[&str]);
    dedup(&case.request("corpus.jsonl", 0.8));
    assert!(case.path("out/report.html").exists());
}

#[test]
fn no_report_is_written_where_none_is_wanted() {
    let case = Case::of(&texts());
    dedup(&case.request("corpus.jsonl", 0.8).no_report(true));
    assert!(!case.path("out/report.html").exists() && case.path("out/summary.json").exists());
    // An earlier one goes.
    dedup(&case.request("corpus.jsonl", 0.8));
    assert!(case.path("out/report.html").exists());
    dedup(&case.request("corpus.jsonl", 0.8).no_report(true));
    assert!(!case.path("out/report.html").exists());
}

#[test]
fn hostile_texts_ids_and_sources_stay_text() {
    let hostile = "</div><script>alert(1)</script><img src=x onerror=alert(2)>\u{202e}\u{0}'\"&--><!--";
    let base = words(1, 60).join(" ");
    let document = |id: &str, text: String| {
        json!({ "id": format!("{id}{hostile}"), "host": format!("{id}{hostile}"), "text": text }).to_string() + "\n"
    };
    let case = Case::new();
    let texts = [base.clone(), format!("{base} {hostile} more"), format!("{hostile} {base}"), base];
    case.write(
        "corpus.jsonl",
        ["a", "b", "c", "d"].iter().zip(texts).map(|(id, text)| document(id, text)).collect::<String>(),
    );
    for texts in [ReportTexts::Excerpt, ReportTexts::Full, ReportTexts::None] {
        let request = case
            .request("corpus.jsonl", 0.5)
            .report_texts(texts)
            .id("id")
            .source("field:host")
            .command(["lookalike".to_owned(), hostile.to_owned()]);
        assert_eq!(dedup(&request).found.removed_count, 3);
        let page = page(&case);
        assert_eq!(page.matches("<script>").count(), 1, "only the page's own");
        assert!(!page.contains("<img") && !page.contains('\u{202e}') && !page.contains('\0'));
        assert!(page.contains("&lt;script&gt;alert(1)") && page.contains("⟨U+202E⟩"));
        assert_eq!(page.matches("<section").count(), page.matches("</section>").count());
        assert_eq!(page.contains("class=\"sides\""), texts != ReportTexts::None);
        assert_eq!(page.contains("w1x1 "), texts != ReportTexts::None);
    }
}

#[test]
fn the_same_input_gives_the_same_bytes_but_for_the_times() {
    let case = Case::of(&texts());
    let request = case.request("corpus.jsonl", 0.8);
    let pages: Vec<String> = [1, 4]
        .iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(*threads).build().unwrap();
            pool.install(|| dedup(&request));
            without_times(&page(&case))
        })
        .collect();
    assert_eq!(pages[0], pages[1]);
}

#[test]
fn a_finished_run_gets_the_same_report_again() {
    let case = Case::of(&texts());
    let request = case.request("corpus.jsonl", 0.8);
    dedup(&request);
    let read = request.check().unwrap().read().clone();
    let first = page(&case);
    let reported = report(&case, Some(read.clone()), ReportTexts::Excerpt);
    assert_eq!((reported.without_text_count, reported.bytes), (0, first.len() as u64));
    assert_eq!(page(&case), first);
    // A text that replaced a compared one is not shown in its place.
    let mut changed = texts();
    changed[4] = words(9, 80).join(" ");
    case.write("corpus.jsonl", jsonl(&changed));
    let reported = report(&case, Some(read.clone()), ReportTexts::Excerpt);
    assert!(reported.without_text_count >= 1 && !page(&case).contains("w9x40"));
    assert!(page(&case).contains("have changed since the run"));
    // Without the input there are no texts, and the page says so.
    fs::remove_file(case.path("corpus.jsonl")).unwrap();
    let reported = report(&case, Some(read), ReportTexts::Excerpt);
    assert_eq!(reported.without_text_count, reported.document_count);
    assert!(page(&case).contains("Texts are not shown") && !page(&case).contains("class=\"sides\""));
}

#[test]
fn a_folder_that_is_no_result_is_refused() {
    let case = Case::new();
    case.write("out/summary.json", "{\"records\": [1, 2]}");
    let options = ReportRequest::new(case.path("out")).check().unwrap();
    let error = lookalike::report(&options, &Silent).unwrap_err().to_string();
    assert!(
        error.ends_with("is not the output of a finished run of dedup: its summary.json is not one of dedup"),
        "{error}"
    );
    fs::remove_file(case.path("out/summary.json")).unwrap();
    assert!(lookalike::report(&options, &Silent).unwrap_err().to_string().contains("summary.json: "));
}

#[test]
fn documents_of_fifty_megabytes_do_not_make_a_large_page() {
    let mut text = String::with_capacity(50_000_000);
    for at in 0.. {
        if text.len() > 49_900_000 {
            break;
        }
        write!(text, "word{} <&> ", at % 5_000_011).unwrap();
    }
    let changed = text.replacen("word999 ", "another ", 1);
    let case = Case::of(&[text + "end", changed]);
    let summary = dedup(&case.request("corpus.jsonl", 0.8).report_texts(ReportTexts::Full));
    assert_eq!(summary.found.removed_count, 1);
    let page = page(&case);
    assert!(page.len() < 2_000_000, "{}", page.len());
    assert!(page.contains("another"));
}

/// Writes a result of a million removals, each from one source to another, with long and malicious names.
fn many_sources(out: &Path) {
    let mut lines = String::new();
    let hostile = "\u{202e}\"<'&>".repeat(40);
    for at in 0..1_000_000 {
        // A few long names are enough to fill every part of the page; a million of them would fill the disk.
        let name = if at < 3_000 { format!("{at}{hostile}") } else { at.to_string() };
        let name = serde_json::to_string(&name).unwrap();
        writeln!(lines, "{{\"removed_id\":{name},\"kept_id\":{name},\"similarity\":{},\"exact_copy\":false,\"same_words\":false,\"cluster\":{},\"cluster_size\":2,\"copy_count\":1,\"removed_file\":{name},\"removed_position\":1,\"kept_file\":{name},\"kept_position\":2,\"removed_source\":{name},\"kept_source\":{name}}}", f64::from(at % 1000) / 1000.0, at % 7).unwrap();
    }
    fs::write(out.join("removed.jsonl"), lines).unwrap();
    let name = |at: u64| format!("{at}{hostile}");
    let mut summary: Value = serde_json::from_slice(&fs::read(out.join("summary.json")).unwrap()).unwrap();
    let source = |at: u64| json!({ "source": name(at), "document_count": 2, "removed_count": 1, "share": 0.5 });
    let lost = |at: u64| json!({ "source": name(at), "document_count": 20, "removed_count": 20, "share": 1.0, "mostly_for": name(at + 1), "mostly_for_reference": true, "mostly_for_removed_count": 20 });
    summary["sources"] = (0..1000).map(source).collect();
    summary["more_source_count"] = json!(999_000);
    summary["nearly_lost"] = (0..50_000).map(lost).collect();
    summary["skipped"] = (0..1000)
        .map(|at| json!({ "file": name(at), "entry": "line", "position": at, "reason": name(at), "count": 3 }))
        .collect();
    summary["similarity"] = (0..20)
        .map(|at| json!({ "from": f64::from(at) / 20.0, "to": f64::from(at + 1) / 20.0, "removed_count": 50_000 }))
        .collect();
    summary["largest_clusters"] = (0..10)
        .map(|at| json!({ "cluster": at, "kept_id": name(at), "cluster_size": 100_000, "copy_count": 5 }))
        .collect();
    summary["clusters_by_size"] =
        (1..100_000).map(|size: u64| (size.to_string(), json!(1))).collect::<serde_json::Map<_, _>>().into();
    summary["kept_by_copy_count"] = summary["clusters_by_size"].clone();
    summary["command"] = (0..1000).map(|at| json!(name(at))).collect();
    fs::write(out.join("summary.json"), summary.to_string()).unwrap();
}

#[test]
fn a_million_sources_do_not_make_a_large_page() {
    let case = Case::of(&texts());
    dedup(&case.request("corpus.jsonl", 0.8));
    many_sources(&case.path("out"));
    let reported = report(&case, None, ReportTexts::Full);
    assert!(reported.bytes < 2_000_000, "{}", reported.bytes);
    let page = page(&case);
    assert!(page.contains("there are 999,") && page.contains("49,9"));
}

#[test]
fn cluster_sizes_and_copies_are_those_that_rows_show() {
    let case = Case::of(&texts());
    let mut request = case.request("corpus.jsonl", 0.8);
    request.read.id = Some("id".to_owned());
    let summary = dedup(&request);
    let removed = case.rows("removed.jsonl");
    // Counted from the removals.
    let mut counts: HashMap<String, (u64, u64)> = HashMap::new();
    for row in &removed {
        let count = counts.entry(row["kept_id"].as_str().unwrap().to_owned()).or_insert((1, 1));
        *count = (count.0 + 1, count.1 + u64::from(row["exact_copy"].as_bool().unwrap()));
    }
    assert!(!removed.is_empty());
    for row in &removed {
        let told = (row["cluster_size"].as_u64().unwrap(), row["copy_count"].as_u64().unwrap());
        assert_eq!(told, counts[row["kept_id"].as_str().unwrap()], "{row}");
    }
    let largest: Vec<(&str, u64, u64)> =
        summary.largest_clusters.iter().map(|at| (&*at.kept_id, at.cluster_size, at.copy_count)).collect();
    assert_eq!(largest, [("0", 3, 1), ("5", 3, 3), ("3", 2, 1)]);
    assert_eq!(summary.kept_by_copy_count, [(1, 3), (3, 1)].into());
    dedup(&request.annotate(true));
    let annotated = rows(&case.path("out/annotated/corpus.jsonl"));
    let notes: Vec<(u64, u64)> = annotated
        .iter()
        .map(|row| (row["cluster_size"].as_u64().unwrap(), row["copy_count"].as_u64().unwrap()))
        .collect();
    assert_eq!(notes, [(3, 1), (3, 1), (3, 1), (2, 1), (2, 1), (3, 3), (3, 3), (3, 3), (1, 1)]);
}

#[test]
fn a_reference_document_counts_to_its_cluster() {
    let case = Case::new();
    let text = words(1, 40).join(" ");
    case.write("in.jsonl", jsonl(&[&text, &text]));
    case.write("reference.jsonl", jsonl(&[&text]));
    dedup(&case.request("in.jsonl", 0.8).against([case.path("reference.jsonl")]));
    let told: Vec<(u64, u64)> = case
        .rows("removed.jsonl")
        .iter()
        .map(|row| (row["cluster_size"].as_u64().unwrap(), row["copy_count"].as_u64().unwrap()))
        .collect();
    assert_eq!(told, [(3, 3), (3, 3)]);
    assert!(page(&case).contains("it belongs to the reference"));
}
