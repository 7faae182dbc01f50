//! Requests reject values that are impossible, have no effect, or contradict each other, and name the invalid option.

use std::fmt::Debug;
use std::path::PathBuf;

use crate::made::Case;
use lookalike::core::join::Measure as SetMeasure;
use lookalike::core::measure::criterion::Measure;
use lookalike::core::resolve::keep::Keep;
use lookalike::core::scheme::MethodName;
use lookalike::index::{CreateOptions, Index, SearchQuery};
use lookalike::{
    AddRequest, CreateRequest, DedupRequest, EvaluateRequest, Group, JobOption, LinkRequest, PairsRequest,
    PrintsRequest, ReadRequest, Refusal, Refused, ResourceRequest, SchemeRequest, SearchRequest, SetsRequest, Silent,
    TuneRequest, texts,
};
use serde_json::{Map, Value, json};

/// The invalid option, the kind of refusal, and the message.
fn refused<T: Debug>(checked: Result<T, Refused>) -> (String, &'static str, String) {
    let refused = checked.unwrap_err();
    (refused.name().to_owned(), refused.why().kind(), refused.to_string())
}

fn assert_refused<T: Debug>(checked: Result<T, Refused>, name: &str, kind: &str, message: &str) {
    let (found_name, found_kind, found_message) = refused(checked);
    assert_eq!((found_name.as_str(), found_kind, found_message.as_str()), (name, kind, message));
}

fn dedup() -> DedupRequest {
    DedupRequest::new(["in.jsonl"])
}

fn options(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(options) => options,
        other => panic!("{other} is not an object"),
    }
}

#[test]
fn a_search_is_for_one_text_one_document_or_its_input() {
    let search = SearchRequest::default;
    let with = |mut request: SearchRequest, input: ReadRequest| {
        request.input = input;
        request
    };
    assert_refused(search().check(), "text", "missing", "text, input or like must be given");
    let both = search().text("a").like("b");
    assert_refused(both.check(), "like", "not_with", "like cannot be combined with text");
    assert_refused(search().id("a").check(), "id", "needs", "id needs text");
    let files = || ReadRequest::new(["in.jsonl"]);
    let both = with(search().text("a"), files());
    assert_refused(both.check(), "input", "not_with", "input cannot be combined with text");
    let both = with(search().like("a"), files());
    assert_refused(both.check(), "like", "not_with", "like cannot be combined with input");
    let unused = with(search().text("a"), ReadRequest::default().text("body"));
    assert_refused(unused.check(), "text", "needs", "text needs an input");

    let query = |request: SearchRequest| request.check().unwrap().query;
    assert!(matches!(query(search().text("a")), SearchQuery::Text(text) if text == "a"));
    assert!(matches!(query(search().text("a").id("b")), SearchQuery::Document { id, .. } if id == "b"));
    assert!(matches!(query(search().like("a")), SearchQuery::Like(id) if id == "a"));
    assert!(matches!(query(with(search(), files())), SearchQuery::Input(_)));
}

#[test]
fn containment_keeps_the_longest() {
    for keep in ["first", "last", "max:score", "min:score"] {
        let request = dedup().measure(Measure::Containment).keep(keep);
        assert_refused(request.check(), "keep", "not_with", "keep cannot be combined with measure containment");
    }
    dedup().measure(Measure::Containment).keep("longest").check().unwrap();
    dedup().measure(Measure::Containment).check().unwrap();
    dedup().measure(Measure::Jaccard).keep("first").check().unwrap();
}

#[test]
fn containment_has_no_bands() {
    let contained = || SchemeRequest::default().measure(Measure::Containment);
    for (request, name) in [
        (contained().rows_random(true), "rows_random"),
        (contained().bands(20).rows(5), "bands"),
        (contained().slots(64), "slots"),
        (contained().agree(2), "agree"),
        (contained().method(MethodName::SimHash), "method"),
        (contained().method(MethodName::SuperShingle), "method"),
        (contained().method(MethodName::Copies), "method"),
    ] {
        let (found_name, kind, message) = refused(request.check());
        assert_eq!((found_name.as_str(), kind), (name, "not_with"));
        assert!(message.starts_with(&format!("{name} cannot be combined with measure containment; ")), "{message}");
    }
}

#[test]
fn slots_are_drawn_at_random_or_not_given() {
    let bands = || dedup().bands(20).rows(5);
    assert_refused(bands().slots(64).check(), "slots", "needs", "slots needs rows_random");
    bands().rows_random(true).slots(64).check().unwrap();
    assert_refused(dedup().rows_random(true).check(), "rows_random", "needs", "rows_random needs bands");
}

#[test]
fn parameters_of_another_method_are_refused() {
    for (request, name) in [
        (dedup().bits(3), "bits"),
        (dedup().verify(true), "verify"),
        (dedup().method(MethodName::SimHash).bands(20).rows(5), "bands"),
        (dedup().exact(true).recall(0.9), "recall"),
        (dedup().method(MethodName::Copies).recall(0.9), "recall"),
    ] {
        let (found, kind, message) = refused(request.check());
        assert_eq!((found.as_str(), kind), (name, "needs"), "{message}");
    }
}

#[test]
fn components_take_no_index_and_no_reference_alone() {
    let case = Case::new();
    Index::create(&case.path("index"), &CreateOptions::default()).unwrap();
    let request = dedup().group(Group::Components).against_index(case.path("index"));
    let message = "against_index cannot be combined with group components";
    assert_refused(request.check(), "against_index", "not_with", message);
    let request = dedup().group(Group::Components).against([case.path("other.jsonl")]).only_against(true);
    assert_refused(
        request.check(),
        "only_against",
        "not_with",
        "only_against cannot be combined with group components",
    );
    dedup().group(Group::Independent).against_index(case.path("index")).check().unwrap();
}

#[test]
fn references_and_indexes_are_what_their_options_need() {
    assert_refused(dedup().only_against(true).check(), "only_against", "needs", "only_against needs against");
    assert_refused(dedup().add_kept(true).check(), "add_kept", "needs", "add_kept needs against_index");
    let both = dedup().against(["other.jsonl".into()]).against_index("index");
    assert_refused(both.check(), "against_index", "not_with", "against_index cannot be combined with against");
    assert_refused(dedup().resume(true).check(), "resume", "needs", "resume needs work");
    let both = dedup().dry_run(true).annotate(true);
    assert_refused(both.check(), "dry_run", "not_with", "dry_run cannot be combined with annotate");
}

#[test]
fn a_probability_is_above_0_and_below_1() {
    for threshold in [7.0, 1.0, 0.0, -0.5, f64::NAN] {
        let message = format!("threshold must be a probability above 0 and below 1, not {threshold}");
        assert_refused(LinkRequest::new(["a.csv"]).threshold(threshold).check(), "threshold", "out_of_range", &message);
    }
    LinkRequest::new(["a.csv"]).threshold(0.9).check().unwrap();
}

#[test]
fn one_to_one_is_between_two_tables() {
    let both = LinkRequest::new(["a.csv", "b.csv"]).within(true).one_to_one(true);
    assert_refused(both.check(), "one_to_one", "not_with", "one_to_one cannot be combined with within");
    for tables in [&["a.csv"][..], &["a.csv", "b.csv", "c.csv"]] {
        let request = LinkRequest::new(tables.iter().copied()).one_to_one(true);
        assert_refused(request.check(), "one_to_one", "needs", "one_to_one needs two tables");
    }
    LinkRequest::new(["a.csv", "b.csv"]).one_to_one(true).check().unwrap();
    let right = LinkRequest::new(["a.csv", "b.csv"]).id_right("nr");
    assert_refused(right.check(), "id_right", "needs", "id_right needs id");
}

#[test]
fn sets_have_at_least_one_of_what_is_counted() {
    let sets = || SetsRequest::new(["in.txt"]).threshold(0.5);
    for wrong in [0, -3] {
        assert_refused(
            sets().top(wrong).check(),
            "top",
            "out_of_range",
            &format!("top must be at least 1, not {wrong}"),
        );
        let message = format!("grams must be at least 1, not {wrong}");
        assert_refused(sets().grams(wrong).check(), "grams", "out_of_range", &message);
    }
    sets().top(1).grams(1).check().unwrap();
    let neither = SetsRequest::new(["in.txt"]);
    assert_refused(neither.check(), "threshold", "missing", "threshold or top must be given");
    // Sketches have no weights.
    assert_refused(sets().recall(0.9).idf(true).check(), "recall", "not_with", "recall cannot be combined with idf");
    assert_eq!(refused(sets().recall(0.9).measure(SetMeasure::Overlap).check()).0, "recall");
}

#[test]
fn a_value_of_a_wrong_type_names_its_option() {
    for (given, name, message) in [
        (json!({"threshold": "high"}), "threshold", "threshold must be a number, not string \"high\""),
        (json!({"bands": 2.5}), "bands", "bands must be a whole number, not floating point `2.5`"),
        (json!({"annotate": "yes"}), "annotate", "annotate must be true or false, not string \"yes\""),
        (json!({"keep": 3}), "keep", "keep must be a string, not integer `3`"),
        (json!({"inputs": "in.jsonl"}), "inputs", "inputs must be a sequence, not string \"in.jsonl\""),
        (
            json!({"memory": true}),
            "memory",
            "memory must be a size such as 500M, or a number of bytes, not boolean `true`",
        ),
        (json!({"group": 1}), "group", "group must be a word, not floating point `1.0`"),
    ] {
        assert_refused(DedupRequest::from_options(options(given)), name, "wrong_type", message);
    }
    let word = DedupRequest::from_options(options(json!({"group": "pairs"})));
    assert_refused(word, "group", "unknown_word", "group must be independent or components, not pairs");
}

#[test]
fn an_unknown_option_is_refused_with_the_similar_one() {
    let refused = DedupRequest::from_options(options(json!({"treshold": 0.7}))).unwrap_err();
    assert_eq!(*refused.why(), Refusal::UnknownOption { similar: Some(JobOption::Threshold) });
    assert_eq!((refused.name(), refused.option()), ("treshold", None));
    assert_eq!(refused.to_string(), "there is no option treshold: did you mean threshold?");
    let unlike = DedupRequest::from_options(options(json!({"zzz": 1})));
    assert_refused(unlike, "zzz", "unknown_option", "there is no option zzz");
    // An option of another job is unknown to this job.
    let other = PairsRequest::from_options(options(json!({"keep": "first"})));
    assert_eq!(refused_kind(other), "unknown_option");
}

fn refused_kind<T: Debug>(checked: Result<T, Refused>) -> &'static str {
    refused(checked).1
}

#[test]
fn options_by_name_are_those_of_the_setters() {
    let given = json!({
        "inputs": ["in.jsonl"], "threshold": 0.7, "keep": "first", "output": "out", "dry_run": true, "memory": "64M",
        "shingle": "char:5", "group": "components", "split": "line", "threads": 2,
    });
    let by_name = DedupRequest::from_options(options(given)).unwrap();
    let by_setters = dedup()
        .threshold(0.7)
        .keep("first")
        .output("out")
        .dry_run(true)
        .memory("64M")
        .shingle("char:5")
        .group(Group::Components)
        .split(lookalike::io::read::Split::Line)
        .threads(2);
    assert_eq!(format!("{by_name:?}"), format!("{by_setters:?}"));
    // A null value counts as not given.
    let nothing = DedupRequest::from_options(options(json!({"threshold": null, "keep": null}))).unwrap();
    assert_eq!(format!("{nothing:?}"), format!("{:?}", DedupRequest::default()));
}

#[test]
fn numbers_out_of_range_are_refused_in_every_request() {
    let share = |name: &str, value: &str| format!("{name} must be above 0 and at most 1, not {value}");
    assert_refused(dedup().threshold(1.5).check(), "threshold", "out_of_range", &share("threshold", "1.5"));
    let pairs = PairsRequest::new(["in.jsonl"]);
    assert_refused(pairs.clone().recall(0.0).check(), "recall", "out_of_range", &share("recall", "0"));
    assert_refused(pairs.sample(0).check(), "sample", "out_of_range", "sample must be at least 1, not 0");
    let loses = dedup().fail_if_source_loses(95.0);
    assert_refused(loses.check(), "fail_if_source_loses", "out_of_range", &share("fail_if_source_loses", "95"));
    let evaluate = EvaluateRequest::new(["in.jsonl"]).thresholds([0.8, 2.0]);
    assert_refused(evaluate.check(), "thresholds", "out_of_range", &share("thresholds", "2"));
    let create = CreateRequest::default().threshold(0.0);
    assert_refused(create.check(), "threshold", "out_of_range", &share("threshold", "0"));
    let search = SearchRequest::default().text("a text");
    assert_refused(search.clone().threshold(2.0).check(), "threshold", "out_of_range", &share("threshold", "2"));
    assert_refused(search.clone().top(0).check(), "top", "out_of_range", "top must be at least 1, not 0");
    let add = AddRequest::new(["in.jsonl"]).text("body").fields(["author".to_owned(), "body".to_owned()]);
    let message = "fields must be a field other than that of the text, which is stored anyway, not body";
    assert_refused(add.check(), "fields", "unknown_word", message);
    let most = search.max_candidates(0);
    assert_refused(most.check(), "max_candidates", "out_of_range", "max_candidates must be at least 1, not 0");
    let prints = PrintsRequest::new(["in.csv"]).threshold(1.5);
    assert_refused(prints.check(), "threshold", "out_of_range", "threshold must be a score from 0 to 1, not 1.5");
    let threads = ResourceRequest::default().threads(0);
    assert_refused(threads.check(), "threads", "out_of_range", "threads must be from 1 to 1024, not 0");
    let memory = ResourceRequest::default().memory("1M");
    assert_eq!(refused(memory.check()).1, "out_of_range");
    let memory = ResourceRequest::default().memory("much");
    assert_refused(memory.check(), "memory", "unknown_word", "memory must be a size such as 500M or 4G, not much");
    let budget = TuneRequest::default().budget("7");
    assert_refused(budget.check(), "budget", "out_of_range", "budget must be from 8B to 32kB, such as 64B, not 7");
    let delimiter = ReadRequest::new(["in.csv"]).delimiter("::");
    let resources = ResourceRequest::default().check().unwrap();
    let message = "delimiter must be one character, or tab, not \"::\"";
    assert_refused(delimiter.check(&resources), "delimiter", "unknown_word", message);
}

#[test]
fn containment_of_an_index_keeps_the_longest_too() {
    let case = Case::new();
    let contained = CreateRequest::default().measure(Measure::Containment).check().unwrap();
    Index::create(&case.path("archive"), &contained).unwrap();
    let against = || dedup().against_index(case.path("archive"));
    let message = "keep cannot be combined with measure containment";
    assert_refused(against().keep("first").check(), "keep", "not_with", message);
    against().check().unwrap();
}

#[test]
fn texts_in_memory_have_the_rules_of_files() {
    let contained = SchemeRequest::default().measure(Measure::Containment).check().unwrap();
    let options = texts::TextOptions::default().keep(Keep::First);
    let error = texts::dedup_with(&["a b c"], &contained, &options, &Silent).unwrap_err();
    assert_eq!(error.to_string(), "keep cannot be combined with measure containment");
}

#[test]
fn parameters_of_a_method_need_it() {
    let refused = |request: EvaluateRequest| refused(request.check()).0;
    assert_eq!(refused(EvaluateRequest::new(["in.jsonl"]).recall(0.5)), "recall");
    assert_eq!(refused(EvaluateRequest::new(["in.jsonl"]).bits(17).methods(["simhash".to_owned()])), "bits");
    EvaluateRequest::new(["in.jsonl"]).method(MethodName::MinHash).recall(0.5).check().unwrap();
}

#[test]
fn how_documents_are_read_needs_documents() {
    let request = TuneRequest::new(Vec::<PathBuf>::new()).text("body");
    assert_refused(request.check(), "text", "needs", "text needs an input");
}

#[test]
fn a_grid_has_squares() {
    for (request, name) in [
        (PrintsRequest::new(["in.csv"]).grid(0.0), "grid"),
        (PrintsRequest::new(["in.csv"]).grid(f64::NAN), "grid"),
        (PrintsRequest::new(["in.csv"]).grid(20.0).margin(-3.0), "margin"),
    ] {
        assert_eq!((refused(request.clone().check()).0.as_str(), refused(request.check()).1), (name, "out_of_range"));
    }
}
