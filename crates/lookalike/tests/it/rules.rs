//! The rules for matches besides similarity: every field, one group, more than numbers; and which of several documents
//! is kept.

use crate::made;
use crate::made::{Case, dedup};
use lookalike::{Copies, DifferentNumbers, MatchRequest, PairsRequest, Purpose, ReadRequest, SchemeRequest, Silent};
use lookalike_judge as judge;
use proptest::prelude::*;
use serde_json::{Value, json};

const TEXT: &str = "the notice period is 30 days from receipt of written notice by either party to this agreement and the \
                    liability of either party is limited to 10000 euros for each calendar year that has begun since then";

fn write(case: &Case, name: &str, rows: &[Value]) {
    case.write(name, rows.iter().map(|row| format!("{row}\n")).collect::<String>());
}

fn ids(case: &Case, id: &str) -> Vec<String> {
    case.rows("removed.jsonl").iter().map(|row| row[id].as_str().unwrap().to_owned()).collect()
}

#[test]
fn what_differs_in_numbers_alone_is_kept_if_asked_for_and_counted_if_not() {
    let case = Case::new();
    let rows = [
        json!({"id": "a", "text": TEXT}),
        json!({"id": "b", "text": TEXT.replace("30", "60")}),
        json!({"id": "c", "text": TEXT.replace("written", "printed")}),
        json!({"id": "d", "text": TEXT.to_uppercase()}),
        json!({"id": "e", "text": TEXT.replace("30", "60").replace("10000", "2.5")}),
    ];
    write(&case, "in.jsonl", &rows);
    let request = case.request("in.jsonl", 0.5).id("id").keep("first");
    let summary = dedup(&request);
    assert_eq!((summary.found.removed_count, summary.found.different_numbers_count), (4, 2));
    let different = |row: &Value| row["different_numbers"].as_bool().unwrap();
    let rows: Vec<bool> = case.rows("removed.jsonl").iter().map(different).collect();
    assert_eq!(rows, [true, false, false, true], "2.5 is one number");
    for method in ["exact", "minhash"] {
        let summary = dedup(
            &request
                .clone()
                .method(method.parse::<lookalike::core::scheme::MethodName>().unwrap())
                .different_numbers(DifferentNumbers::Keep),
        );
        assert_eq!(ids(&case, "removed_id"), ["c", "d"], "{method}");
        assert_eq!(summary.found.different_numbers_count, 0);
    }
}

#[test]
fn fields_become_one_text_and_each_may_have_to_be_similar() {
    let case = Case::new();
    let (title, other) = ("storm hits the northern coast at night", "markets fall for the third day in a row");
    let rows = [
        json!({"id": "a", "title": title, "body": TEXT}),
        json!({"id": "b", "title": title, "body": TEXT.replace("written", "printed")}),
        json!({"id": "c", "title": other, "body": TEXT}),
        json!({"id": "d", "title": null, "body": TEXT}),
        json!({"id": "e", "body": title}),
    ];
    write(&case, "in.jsonl", &rows);
    let request = case.request("in.jsonl", 0.6).id("id").keep("first").text("title,body");
    dedup(&request);
    assert_eq!(ids(&case, "removed_id"), ["b", "c", "d"]);
    dedup(&request.clone().each_field(true));
    assert_eq!(ids(&case, "removed_id"), ["b"]);
    // Words that move from one field to the other make a different text.
    write(&case, "in.jsonl", &[json!({"title": "a b", "body": "c"}), json!({"title": "a", "body": "b c"})]);
    assert_eq!(dedup(&case.request("in.jsonl", 0.6).text("title,body").each_field(true)).found.removed_count, 0);
    assert_eq!(dedup(&case.request("in.jsonl", 0.6).text("title,body")).found.same_words_count, 1);
}

#[test]
fn conversations_are_read_from_lists_of_messages() {
    let case = Case::new();
    let say = |first: &str, second: &str| json!({"messages": [{"role": "user", "content": first}, {"role": "assistant", "content": second}]});
    write(
        &case,
        "in.jsonl",
        &[say(TEXT, "yes"), say(&TEXT.replace("written", "printed"), "yes"), say("no", TEXT), json!({"messages": []})],
    );
    let summary = dedup(&case.request("in.jsonl", 0.7).text("messages[].content"));
    assert_eq!((summary.found.removed_count, summary.input.document_count), (2, 3));
    let chat = lookalike::DedupRequest::new([case.path("in.jsonl")]).purpose(Purpose::Chat).threshold(0.7);
    assert_eq!(dedup(&chat).found.removed_count, 2);
}

#[test]
fn groups_share_nothing() {
    let case = Case::new();
    let row = |id: &str, group: Value, text: &str| json!({"id": id, "lang": group, "text": text});
    let near = TEXT.replace("written", "printed");
    let rows = [
        row("a", json!("en"), TEXT),
        row("b", json!("de"), TEXT),
        row("c", json!("en"), &near),
        row("d", json!("de"), TEXT),
        row("e", json!(7), &near),
    ];
    write(&case, "in.jsonl", &rows);
    for method in ["exact", "minhash"] {
        let method: lookalike::core::scheme::MethodName = method.parse().unwrap();
        dedup(&case.request("in.jsonl", 0.6).id("id").keep("first").within("lang").method(method));
        assert_eq!(ids(&case, "removed_id"), ["c", "d"]);
    }
    let refused = made::try_dedup(&case.request("in.jsonl", 0.6).within("language")).unwrap_err();
    assert!(refused.to_string().contains("no document has the field 'language'"), "{refused}");
}

#[test]
fn the_source_that_is_named_first_stays_and_sources_are_counted() {
    let case = Case::new();
    let row = |id: &str, site: &str, score: u32| json!({"id": id, "site": site, "score": score, "text": TEXT});
    write(
        &case,
        "in.jsonl",
        &[
            row("a", "x", 9),
            row("b", "cnn", 1),
            row("c", "cnn", 2),
            row("d", "y", 5),
            json!({"id": "e", "site": "z", "score": 1, "text": "something else"}),
        ],
    );
    let request = case.request("in.jsonl", 0.6).id("id").source("site");
    dedup(&request.clone().keep("source:cnn>*,max:score"));
    assert_eq!(ids(&case, "kept_id"), ["c", "c", "c"]);
    assert!(case.rows("removed.jsonl").iter().all(|row| row["cluster_sources"] == 3));
    dedup(&request.clone().keep("source:*>cnn,min:score"));
    assert_eq!(ids(&case, "kept_id"), ["d", "d", "d"]);
    dedup(&request.keep("max:score,longest"));
    assert_eq!(ids(&case, "kept_id"), ["a", "a", "a"]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    // Brute force decides what is similar; the rules take pairs away from it.
    #[test]
    fn both_promises_hold_with_rules(numbers in proptest::collection::vec((0_usize..3, 0_usize..3, 0_usize..4), 2..14), keeps in any::<bool>()) {
        let text = |(number, word, _): &(usize, usize, usize)| {
            format!("one two three {number} four five {} six seven eight nine ten", ["x", "y", "z w"][*word])
        };
        let texts: Vec<String> = numbers.iter().map(text).collect();
        let case = Case::new();
        let rows: Vec<Value> = (0..).zip(&texts).zip(&numbers).map(|((id, text), (.., group))| json!({"id": id, "group": group, "text": text})).collect();
        write(&case, "in.jsonl", &rows);
        let request = case.request("in.jsonl", 0.3).id("id").keep("first").within("group");
        let request = if keeps { request.different_numbers(DifferentNumbers::Keep) } else { request };
        dedup(&request);
        let folded: Vec<String> = texts.iter().map(|text| text.replace(char::is_numeric, "0")).collect();
        let is_match = |left: usize, right: usize| {
            let is_number = keeps && texts[left] != texts[right] && folded[left] == folded[right];
            let jaccard = judge::measure(&texts[left], &texts[right], judge::Shingle::Word(5)).jaccard();
            numbers[left].2 == numbers[right].2 && jaccard >= 0.3 && !is_number
        };
        let removed: Vec<(usize, usize)> = case.rows("removed.jsonl").iter().map(|row| {
            let id = |name: &str| row[name].as_str().unwrap().parse().unwrap();
            (id("removed_id"), id("kept_id"))
        }).collect();
        let is_removed = |document: usize| removed.iter().any(|(removed, _)| *removed == document);
        for (removed, kept) in &removed {
            prop_assert!(is_match(*removed, *kept) && !is_removed(*kept), "{removed} for {kept}");
        }
        for left in (0..texts.len()).filter(|left| !is_removed(*left)) {
            for right in (0..left).filter(|right| !is_removed(*right)) {
                prop_assert!(!is_match(left, right), "{left} and {right} are kept");
            }
        }
    }
}

#[test]
fn pairs_have_the_same_rules() {
    let case = Case::new();
    write(
        &case,
        "in.jsonl",
        &[
            json!({"text": TEXT}),
            json!({"text": TEXT.replace("30", "60")}),
            json!({"text": TEXT.replace("written", "printed")}),
        ],
    );
    let count = |matching: MatchRequest| {
        let mut request = PairsRequest::new([case.path("in.jsonl")]).threshold(0.5).copies(Copies::All);
        request.matching = matching;
        lookalike::pairs(&request.check().unwrap(), &mut Vec::new(), &Silent).unwrap().pair_count
    };
    assert_eq!(count(MatchRequest::default()), 3);
    assert_eq!(count(MatchRequest::default().different_numbers(DifferentNumbers::Keep)), 2);
}

/// Short texts, contracts and conversations written around real sentences.
#[test]
#[ignore = "reads labeled data: cargo xtask test runs it where that is"]
fn each_purpose_does_what_it_is_for() {
    let data = |name: &str| made::labeled("short-and-legal").join(name);
    let run = |name: &str, purpose: Purpose, id: Option<&str>| {
        let case = Case::new();
        let mut request = lookalike::DedupRequest::new([data(name)]).purpose(purpose).output(case.path("out"));
        request.read.id = id.map(str::to_owned);
        dedup(&request);
        case.rows("removed.jsonl")
    };
    let tweets = run("tweets.jsonl", Purpose::Short, Some("id"));
    let cluster = |row: &Value, name: &str| row[name].as_str().unwrap().split('-').next().unwrap().to_owned();
    assert!(tweets.iter().all(|row| cluster(row, "removed_id") == cluster(row, "kept_id")));
    assert_eq!(tweets.len(), 59);
    assert!(run("legal.jsonl", Purpose::Legal, Some("id")).is_empty());
    assert!(run("legal2.jsonl", Purpose::Legal, Some("id")).is_empty());
    for name in ["chat.jsonl", "chat.parquet"] {
        assert_eq!(run(name, Purpose::Chat, Some("id")).len(), 10, "{name}");
    }
    let scheme = SchemeRequest::default();
    let alpaca = ReadRequest::new([data("alpaca.jsonl")]).text("instruction,output");
    assert!(!made::pairs(&alpaca, &scheme, Copies::All).is_empty());
}
