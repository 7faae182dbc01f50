use std::time::Instant;

use super::*;
use crate::hash::Key;

const BAKERY: &str = "A bakery has 40 less than seven times as many loaves of bread as Sam had last Friday. If Sam had \
    seventy loaves of bread last Friday, how many loaves of bread does the bakery have?";

fn items(all: &[&[&str]]) -> TestItems {
    let mut builder = TestItemsBuilder::new(Key::FIXED, NGRAM, all.iter().map(|fields| fields.len()).max().unwrap());
    all.iter().for_each(|fields| builder.add(fields));
    builder.finish()
}

fn scan(items: &TestItems, text: &str) -> Vec<FoundItem> {
    Scanner::new(items, COVERAGE).scan(text).found
}

#[test]
fn an_item_is_found_in_any_form_at_its_place() {
    let items = items(&[&[BAKERY, "", "490 - 40 = 450 loaves"]]);
    let wrapped =
        BAKERY.split(' ').collect::<Vec<_>>().chunks(5).map(|words| words.join(" ")).collect::<Vec<_>>().join("\n");
    let forms = [
        BAKERY.to_owned(),
        BAKERY.to_uppercase(),
        wrapped.clone(),
        BAKERY.replace(' ', "  ").replace('.', " –"),
        BAKERY.replace("40", "forty").replace("seven times", "7 times").replace("seventy", "70"),
        wrapped.replace('\n', "\\n"),
        BAKERY.replace("loaves", "**loaves**").replace("Sam", "_Sam_"),
        BAKERY
            .chars()
            .map(|c| if c.is_ascii_lowercase() { char::from_u32(c as u32 - 97 + 0xFF41).unwrap() } else { c })
            .collect(),
    ];
    for form in forms {
        let text = format!("Good morning, and welcome. {form} That was all for today.");
        let found = scan(&items, &text);
        assert_eq!(found.len(), 1, "{form}");
        assert_eq!(text[found[0].bytes.clone()], form, "{form}");
        assert!((found[0].coverage - 1.0).abs() < 1e-9);
        assert_eq!((&*found[0].fields, found[0].answer_near), (&[true, false, false][..], Some(false)));
    }
}

#[test]
fn the_answer_near_the_question_is_found_too() {
    let items = items(&[&[BAKERY, "", "450"]]);
    assert_eq!(scan(&items, &format!("{BAKERY}\n**Answer:** 450"))[0].answer_near, Some(true));
    assert_eq!(scan(&items, &format!("{BAKERY} {} 450", "and so on ".repeat(40)))[0].answer_near, Some(false));
    let long = "Seven times seventy loaves are four hundred and ninety, and forty less than that are what the bakery has: 450.";
    let items = self::items(&[&[BAKERY, "", long]]);
    let found = scan(&items, &format!("Q: {BAKERY} A: {long} Next."));
    assert_eq!(found[0].fields, [true, false, true]);
    // The answer alone is a hit as well.
    assert_eq!(scan(&items, long)[0].fields, [false, false, true]);
}

#[test]
fn an_item_of_one_repeated_word_takes_no_longer_than_others() {
    let repeated = "la ".repeat(50_000);
    let items = items(&[&[&*repeated], &[BAKERY]]);
    let begun = Instant::now();
    let found = scan(&items, &format!("{BAKERY} {}", "la ".repeat(500_000)));
    assert_eq!(found.iter().map(|found| found.item).collect::<Vec<_>>(), [1, 0]);
    assert!((found[1].coverage - 1.0).abs() < 1e-9);
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
}

#[test]
fn equal_items_are_searched_for_once_and_all_found() {
    let all = vec![&[BAKERY, "450"][..]; 5_000];
    let items = items(&[&all[..], &[&["Another question of eight words and one more?", "1"]]].concat());
    let text = format!("{BAKERY} {}", "and so on ".repeat(30)).repeat(3);
    let found = scan(&items, &text);
    assert_eq!(found.len(), 3 * 5_000);
    let first: Vec<u32> = found[..5_000].iter().map(|found| found.item).collect();
    assert_eq!(first, (0..5_000).collect::<Vec<u32>>());
    assert!(found.iter().all(|hit| hit.words == found[0].words && hit.fields == [true, false]));
    assert!((0..5_000).all(|item| items.state(item) == ItemState::Searched));
}

#[test]
fn items_with_the_same_words_in_other_fields_are_two() {
    let (head, tail) = BAKERY.split_at(BAKERY.find("If Sam").unwrap());
    let items = items(&[&[BAKERY, ""], &[head, tail]]);
    let found = scan(&items, BAKERY);
    assert_eq!(
        found.iter().map(|found| (found.item, &*found.fields)).collect::<Vec<_>>(),
        [(0, &[true, false][..]), (1, &[true, true][..])]
    );
}

#[test]
fn a_phrase_is_no_hit() {
    let items = items(&[&[BAKERY]]);
    assert!(
        scan(&items, "A bakery has 40 less than seven times as many loaves of bread as any of its neighbors.")
            .is_empty()
    );
    assert!(scan(&items, "").is_empty());
}

#[test]
fn an_instruction_of_many_items_weighs_nothing() {
    let instruction = "Solve the following problem step by step. Show your work, and give the final answer on the last line \
        after four hash signs, without units.";
    let names = ["Ann", "Bea", "Cem", "Dan", "Eva"];
    let questions: Vec<String> = names
        .iter()
        .map(|name| format!("{instruction}\n\n{name} counted all of the ships that {name} saw in the harbor of {name}'s town. How many?"))
        .collect();
    let all: Vec<[&str; 1]> = questions.iter().map(|question| [&**question]).collect();
    let items = items(&all.iter().map(|fields| &fields[..]).collect::<Vec<_>>());
    let mut scanner = Scanner::new(&items, COVERAGE);
    let other =
        scanner.scan(&format!("{instruction} Fritz found four mushrooms and ate three of them. How many are left?"));
    assert!(other.found.is_empty());
    assert_eq!(items.templates().len(), 1);
    assert_eq!((other.templates, items.templates()[0].item_count), (vec![0], 5));
    let found = scanner.scan(&questions[2]).found;
    assert_eq!((found.len(), found[0].item), (1, 2));
    // The instruction belongs to the passage all the same.
    assert_eq!(found[0].bytes, 0..questions[2].len());
}

#[test]
fn short_items_must_be_there_in_whole_and_shorter_ones_are_not_searched() {
    let items = items(&[&["Which planet has the largest moon of all?"], &["What is two plus two?"]]);
    assert_eq!((items.state(0), items.state(1)), (ItemState::Searched, ItemState::TooShort));
    assert_eq!(scan(&items, "Quiz: which planet has the LARGEST moon of all? Jupiter.").len(), 1);
    assert!(scan(&items, "Which planet has the largest moon of these? What is two plus two?").is_empty());
}

#[test]
fn choices_help_to_find_a_short_question() {
    let items = items(&[&[
        "Which of these is one?",
        "a whale that swims\na tuna that swims\na gecko that climbs\na wasp that stings",
        "a wasp that stings",
    ]]);
    let text = "Which of these is one? a whale that swims, a tuna that swims, a gecko that climbs, a wasp that stings";
    assert_eq!(scan(&items, text).len(), 1);
    // The answer is one of the choices, so that it is there in any case.
    assert_eq!(scan(&items, text)[0].fields, [true, true, false]);
}

#[test]
fn a_passage_without_its_question_is_common() {
    let passage = "The river rose for nine days and on the tenth it carried away the old bridge, the mill, and both of the barns \
        that stood below the hill.";
    let items =
        items(&[&[&format!("{passage}\n\nWhat did the river carry away on the tenth day of the flood?"), "the mill"]]);
    let alone = scan(&items, passage);
    assert!(alone[0].is_passage_alone);
    let whole = scan(&items, &format!("{passage} What did the river carry away on the tenth day of the flood?"));
    assert!(!whole[0].is_passage_alone);
    let facts = [HitFacts::new(0, 0, &alone[0]), HitFacts::new(1, 0, &whole[0])];
    assert_eq!(common_hits(&facts, &[2], COMMON_SHARE), [Some(CommonHit::Passage), None]);
}

const PASSAGE: &str = "The river rose for nine days and on the tenth it carried away the old bridge, the mill, and both of the \
    barns that stood below the hill.";
const ASKED: &str = "What did the river carry away on the tenth day of the flood?";

/// True for each text if it has the passage alone.
fn are_passages(items: &TestItems, texts: &[&str]) -> Vec<bool> {
    let alone = |text: &&str| match &*scan(items, text) {
        [found] => found.is_passage_alone,
        found => panic!("{text}: {found:?}"),
    };
    texts.iter().map(alone).collect()
}

#[test]
fn a_passage_is_told_from_its_question_in_any_layout() {
    let whole = format!("{ASKED} {PASSAGE}");
    let questions = [
        format!("{PASSAGE}\n{ASKED}"),
        format!("Passage: {PASSAGE} Question: {ASKED}"),
        format!("question: {ASKED} context: {PASSAGE}"),
        format!("Question: {ASKED}\n\n{PASSAGE}"),
        format!("{PASSAGE}\nName what the river carried away on that day."),
        format!("{PASSAGE}\nWho saw it?\nA. Ann, who is the neighbor\nB. Bea, who lived below the hill"),
    ];
    for question in &questions {
        let items = items(&[&[question, "the mill"]]);
        assert_eq!(are_passages(&items, &[PASSAGE, question]), [true, false], "{question}");
    }
    for question in &questions[..4] {
        let items = items(&[&[question, "the mill"]]);
        let after = format!("{PASSAGE} Now tell me. {ASKED}");
        assert_eq!(are_passages(&items, &[&whole, &after]), [false, false], "{question}");
    }
}

#[test]
fn a_passage_in_a_field_of_its_own_is_told_from_the_question() {
    let texts = [PASSAGE, &format!("{PASSAGE}\n\n{ASKED}"), &format!("Q: {ASKED} {PASSAGE}")];
    for asked in [ASKED, "What was lost?", "what did the river carry away"] {
        let texts = texts.map(|text| text.replace(ASKED, asked));
        let texts = [&*texts[0], &texts[1], &texts[2]];
        let expected = [true, false, false];
        assert_eq!(are_passages(&items(&[&[asked, PASSAGE, "the mill"]]), &texts), expected, "{asked}");
        let mut builder = TestItemsBuilder::new(Key::FIXED, NGRAM, 3).question(1);
        builder.add(&[PASSAGE, asked, "the mill"]);
        assert_eq!(are_passages(&builder.finish(), &texts), expected, "{asked}");
    }
    // Without a name, the form of the fields tells which one asks.
    assert_eq!(are_passages(&items(&[&[PASSAGE, ASKED, "the mill"]]), &texts), [true, false, false]);
    // An answer that tells, near the passage, is the item's.
    let answered = format!("{PASSAGE} So the parson Gribble wrote.");
    assert_eq!(are_passages(&items(&[&[ASKED, PASSAGE, "parson Gribble"]]), &[&answered]), [false]);
}

#[test]
fn a_word_problem_without_its_question_is_a_hit_until_it_is_passed_on() {
    let items = items(&[&[BAKERY]]);
    let problem = &BAKERY[..BAKERY.find(", how many").unwrap()];
    assert!(!scan(&items, problem)[0].is_passage_alone);
    let text = format!("{PASSAGE} {ASKED}");
    let items = self::items(&[&[&text]]);
    let (alone, whole) = (&scan(&items, PASSAGE)[0], &scan(&items, &text)[0]);
    assert_eq!(
        [alone, whole].map(|found| (found.is_passage_alone, found.lacks_question)),
        [(false, true), (false, false)]
    );
    let facts = |documents: u64| (0..documents).map(|document| HitFacts::new(document, 0, alone)).collect::<Vec<_>>();
    assert_eq!(common_hits(&facts(1), &[9], COMMON_SHARE), [None]);
    let mut hits = facts(2);
    hits.push(HitFacts::new(2, 0, whole));
    let passage = Some(CommonHit::Passage);
    assert_eq!(common_hits(&hits, &[9], COMMON_SHARE), [passage, passage, None]);
}

#[test]
fn a_short_question_is_found_with_its_choices_however_they_are_set() {
    let items = items(&[
        &["What is the capital of Australia?", "Sydney\nCanberra\nMelbourne\nPerth", "Canberra"],
        &["Which organ removes urea?", "(A) the left kidney (B) the large liver\n(C) the red spleen", "A"],
    ]);
    let capital = "What is the capital of Australia?";
    for (text, expected) in [
        (format!("{capital}\nA) Sydney\nB) Canberra\nC) Melbourne\nD) Perth\nAnswer: B"), &[0][..]),
        (format!("{capital}\n(A) Sydney (B) Canberra (C) Melbourne (D) Perth"), &[0]),
        (
            format!(
                "{{\"question\": \"{capital}\", \"choices\": [\"Sydney\", \"Canberra\", \"Melbourne\", \"Perth\"]}}"
            ),
            &[0],
        ),
        ("Which organ removes urea?\n1. the left kidney\n2. the large liver\n3. the red spleen".to_owned(), &[1]),
        (format!("{capital} It is Canberra, and neither Sydney nor Melbourne. Perth is far away."), &[]),
        (format!("{capital} Canberra."), &[]),
        (format!("{capital} Sydney, Canberra, {} Melbourne or Perth.", "and so on ".repeat(20)), &[]),
        ("Sydney, Canberra, Melbourne, Perth: which is the capital of Australia?".to_owned(), &[]),
        ("Which organ removes urea? The kidney, not the liver.".to_owned(), &[]),
    ] {
        let found: Vec<u32> = scan(&items, &text).iter().map(|found| found.item).collect();
        assert_eq!(found, expected, "{text}");
    }
    let text = format!("Quiz! {capital}\nA) Sydney\nB) Canberra\nC) Melbourne\nD) Perth\nThe end.");
    let found = &scan(&items, &text)[0];
    assert_eq!(&text[found.bytes.clone()], &text[6..text.len() - "\nThe end.".len()]);
    assert_eq!(found.fields, [true, true, false]);
}

#[test]
fn punctuation_belongs_to_the_nearer_word() {
    let question = "小明家里养了三十二只鸡和十八只鸭子，昨天卖掉了十二只鸡，又买来了五只鸭子，请问现在一共有多少只？";
    let items = items(&[&[question, "43"]]);
    for (before, after) in
        [("他走了。", "然后他又回来了。"), ("他说：", "「好」。"), ("<p>", "</p>"), ("他说 ", " 然后")]
    {
        let text = format!("{before}{question}{after}");
        assert_eq!(&text[scan(&items, &text)[0].bytes.clone()], question, "{text}");
    }
    let quoted = format!("「{question}」");
    assert_eq!(scan(&items, &quoted)[0].bytes, 0..quoted.len());
}

#[test]
fn an_answer_that_any_text_may_have_accuses_nobody() {
    let passage = "The river rose for nine days and on the tenth it carried away the old bridge, the mill, and both of the barns \
        that stood below the hill.";
    let question = format!("{passage}\n\nWhat did the river carry away on the tenth day of the flood?");
    let text = format!(
        "Report of the parish, part B. {passage} A storm followed. Yes, it was a Tuesday, and Kent was spared."
    );
    let is_alone = |answers: &[&str]| {
        let names = ["the first", "one more", "another", "the fourth"];
        let others =
            names.map(|name| format!("{name} question asks of {name} thing what {name} person would do with it then?"));
        let mut all = vec![[&*question, answers[0]]];
        all.extend(others.iter().zip(&answers[1..]).map(|(question, answer)| [&**question, answer]));
        let items = items(&all.iter().map(|fields| &fields[..]).collect::<Vec<_>>());
        let found = scan(&items, &text).swap_remove(0);
        assert_eq!((found.item, found.answer_near), (0, Some(true)), "{answers:?}");
        found.is_passage_alone
    };
    assert!(is_alone(&["B", "no", "no", "no"]), "a letter is in most texts");
    assert!(is_alone(&["yes", "yes", "yes", "no"]), "many items have this answer");
    assert!(!is_alone(&["Kent", "yes", "yes", "no"]));
}

#[test]
fn what_several_documents_quote_accuses_none_of_them() {
    let quotation = "Four score and seven years ago our fathers brought forth, upon this continent, a new nation, conceived in liberty";
    let items =
        items(&[&[&format!("Who began a speech with the words: {quotation}? Give the full name of the person.")]]);
    assert_eq!(
        scan(&items, &format!("Who began a speech with the words: {}?", quotation.replace("years", "summers")))[0]
            .longest_gap,
        7
    );
    let quoted = &scan(&items, quotation)[0];
    let whole =
        &scan(&items, &format!("Who began a speech with the words: {quotation}? Give the full name of the person."))[0];
    let facts = |documents: u64| (0..documents).map(|document| HitFacts::new(document, 0, quoted)).collect::<Vec<_>>();
    assert_eq!(common_hits(&facts(2), &[1000], COMMON_SHARE), [None, None]);
    let mut hits = facts(3);
    hits.push(HitFacts::new(3, 0, whole));
    let quoted = Some(CommonHit::Quoted);
    assert_eq!(common_hits(&hits, &[1000], COMMON_SHARE), [quoted, quoted, quoted, None]);
}

#[test]
fn what_a_share_of_a_source_has_is_widespread() {
    let clause = "Be it enacted by the Senate and House of Representatives of the United States of America in Congress assembled";
    let items = items(&[&[clause]]);
    let found = &scan(&items, clause)[0];
    let hits = |documents: u64| (0..documents).map(|document| HitFacts::new(document, 0, found)).collect::<Vec<_>>();
    assert!(common_hits(&hits(20), &[1000], 0.01).iter().all(|reason| *reason == Some(CommonHit::Widespread)));
    assert!(common_hits(&hits(20), &[1000], 0.03).iter().all(Option::is_none));
    assert!(common_hits(&hits(20), &[20], 1.0).iter().all(Option::is_none), "no share is more than all");
    assert!(common_hits(&hits(9), &[9], 0.01).iter().all(Option::is_none));
}
