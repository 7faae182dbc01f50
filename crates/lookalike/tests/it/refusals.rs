//! The tables of refused and accepted requests, which every front end runs: the verdicts are the same everywhere.

use std::fs;
use std::path::Path;

use lookalike::index::Index;
use lookalike::{
    AddRequest, AuditRequest, BoilerplateRequest, CreateRequest, DecontaminateRequest, DedupRequest, EvaluateRequest,
    ExtractRequest, LinkRequest, PairsRequest, PassagesRequest, PrintsRequest, Refused, ReportRequest, SchemeRequest,
    SearchRequest, SetsRequest, SplitsRequest, TuneRequest,
};
use serde::Deserialize;
use serde_json::{Map, Value};

#[derive(Deserialize)]
struct Refusal {
    job: String,
    given: Map<String, Value>,
    option: String,
    kind: String,
    /// Options that the message offers, some with a value.
    #[serde(default)]
    offers: Vec<Vec<String>>,
}

#[derive(Deserialize)]
struct Accepted {
    given: Map<String, Value>,
    fingerprint: String,
}

fn table<T: for<'de> Deserialize<'de>>(name: &str) -> Vec<T> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures").join(name);
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn checked(job: &str, given: Map<String, Value>) -> Result<(), Refused> {
    match job {
        "dedup" | "dedup_files" => DedupRequest::from_options(given)?.check().map(drop),
        "dedup_with_index" => {
            let folder = tempfile::tempdir().unwrap();
            let index = folder.path().join("loose");
            let threshold = serde_json::json!({ "threshold": 0.7 }).as_object().unwrap().clone();
            Index::create(&index, &CreateRequest::from_options(threshold)?.check()?).unwrap();
            DedupRequest::from_options(given)?.against_index(index).check().map(drop)
        }
        "decontaminate" => {
            let request = DecontaminateRequest::from_options(given)?;
            let against = if request.against.is_empty() { vec!["items.jsonl".into()] } else { request.against.clone() };
            request.against(against).output("out").check().map(drop)
        }
        "splits" => SplitsRequest::from_options(given)?.check().map(drop),
        "splits_files" => SplitsRequest::from_options(given)?.output("out").check().map(drop),
        "passages" => PassagesRequest::from_options(given)?.output("out").check().map(drop),
        "boilerplate" => BoilerplateRequest::from_options(given)?.check().map(drop),
        "add" => AddRequest::from_options(given)?.check().map(drop),
        "pairs" => PairsRequest::from_options(given)?.check().map(drop),
        "extract_files" => ExtractRequest::from_options(given)?.check().map(drop),
        "create" => CreateRequest::from_options(given)?.check().map(drop),
        "search" => SearchRequest::from_options(given)?.text("a text").check().map(drop),
        "search_for" => SearchRequest::from_options(given)?.check().map(drop),
        "tune" => TuneRequest::from_options(given)?.check().map(drop),
        "evaluate" => EvaluateRequest::from_options(given)?.check().map(drop),
        "sets" => SetsRequest::from_options(given)?.check().map(drop),
        "prints" => PrintsRequest::from_options(given)?.check().map(drop),
        "report" => ReportRequest::from_options(given)?.check().map(drop),
        "audit" => AuditRequest::from_options(given)?.check().map(drop),
        "link" | "link_files" => LinkRequest::from_options(given)?.check().map(drop),
        other => panic!("no job {other}"),
    }
}

#[test]
fn every_refusal_names_its_option_and_kind() {
    let refusals: Vec<Refusal> = table("refusals.json");
    assert!(refusals.len() >= 60);
    for Refusal { job, given, option, kind, offers } in refusals {
        let shown = Value::Object(given.clone());
        let refused = checked(&job, given).expect_err(&format!("{job} {shown}"));
        assert_eq!((refused.name(), refused.why().kind()), (&*option, &*kind), "{job} {shown}: {refused}");
        let said = refused.to_string();
        for offer in offers {
            let (_, remedy) = said.split_once("; give ").unwrap_or_else(|| panic!("{job} {shown}: {said}"));
            assert!(remedy.contains(&offer.join(" ")), "{job} {shown}: {said}");
        }
    }
}

#[test]
fn own_stop_words_go_without_languages() {
    let given = serde_json::json!({ "shingle": "stopword:de", "stopwords": ["und"] });
    let refused = checked("dedup", given.as_object().unwrap().clone()).unwrap_err();
    assert_eq!(refused.to_string(), "stopwords cannot be combined with shingle stopword:de; give shingle stopword");
}

#[test]
fn an_accepted_request_has_its_fingerprint() {
    for Accepted { given, fingerprint } in table::<Accepted>("accepted.json") {
        let shown = Value::Object(given.clone());
        let scheme = SchemeRequest::from_options(given).unwrap().check().unwrap();
        assert_eq!(format!("{:016x}", scheme.fingerprint()), fingerprint, "{shown}: {scheme}");
    }
}
