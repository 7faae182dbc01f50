//! Tokens and shingles, by example.

#![expect(clippy::float_cmp, reason = "the same division of the same counts has the same bits")]

use std::collections::HashSet;

use lookalike_judge::{ParseShingleError, Shingle, measure, shingles, tokens};

fn words(text: &str) -> Vec<String> {
    tokens(text, Shingle::Word(1))
}

#[test]
fn a_rose_is_a_rose_is_a_rose_has_three_different_shingles_of_four_words() {
    let roses = shingles("a rose is a rose is a rose", Shingle::Word(4));
    let expected = ["a rose is a", "rose is a rose", "is a rose is"];
    let expected: HashSet<Vec<String>> = expected.iter().map(|shingle| words(shingle)).collect();
    assert_eq!(roses, expected);
}

#[test]
fn a_letter_pair_that_comes_twice_is_one_shingle() {
    let found = shingles("abcab", Shingle::Char(2));
    let found: HashSet<String> = found.iter().map(|shingle| shingle.concat()).collect();
    assert_eq!(found, HashSet::from(["ab", "bc", "ca"].map(String::from)));
}

#[test]
fn two_words_put_into_a_line_cost_the_shingles_across_them() {
    let line = "Once upon a midnight dreary, while I pondered weak and weary";
    let longer = "Once upon a time, a midnight dreary, while I pondered weak and weary";
    let measures = measure(line, longer, Shingle::Word(3));
    // 11 words make 9 shingles and 13 make 11; only `upon a midnight` is lost.
    assert_eq!((measures.left, measures.right), (9, 11));
    assert_eq!(measures.shared, 8);
    assert_eq!(measures.jaccard(), 8.0 / 12.0);
    assert_eq!(measures.containment_left(), 8.0 / 9.0);
    assert_eq!(measures.containment_right(), 8.0 / 11.0);
}

#[test]
fn precomposed_and_decomposed_letters_are_the_same_token() {
    assert_eq!(words("caf\u{E9}"), ["caf\u{E9}"]);
    assert_eq!(words("cafe\u{301}"), ["caf\u{E9}"]);
}

#[test]
fn sharp_s_is_the_same_as_two_letters_s() {
    assert_eq!(words("Straße"), ["strasse"]);
    assert_eq!(words("STRASSE"), ["strasse"]);
    assert_eq!(words("STRAẞE"), ["strasse"]);
}

#[test]
fn all_three_greek_letters_sigma_are_one() {
    assert_eq!(words("ΣΊΣΥΦΟΣ σίσυφος"), ["σίσυφοσ", "σίσυφοσ"]);
}

#[test]
fn a_dotted_capital_i_keeps_its_dot() {
    assert_eq!(words("İstanbul"), ["i\u{307}stanbul"]);
}

#[test]
fn chinese_is_a_token_a_character() {
    assert_eq!(words("我爱Rust语言"), ["我", "爱", "rust", "语", "言"]);
}

#[test]
fn japanese_kana_are_tokens_but_the_shared_length_mark_joins_what_follows() {
    // U+30FC belongs to several scripts, so it is not a separate token.
    assert_eq!(words("カタナ"), ["カ", "タ", "ナ"]);
    assert_eq!(words("コーヒー2"), ["コ", "ー", "ヒ", "ー2"]);
}

#[test]
fn thai_is_a_token_a_character_with_its_marks() {
    // The vowel signs and tone marks above and below are marks; sara am decomposes into a mark and a letter that is a
    // separate token.
    assert_eq!(words("ที่นี่"), ["\u{E17}\u{E35}\u{E48}", "\u{E19}\u{E35}\u{E48}"]);
    assert_eq!(words("น้ำ"), ["\u{E19}\u{E49}\u{E4D}", "\u{E32}"]);
    assert_eq!(words("๑๒"), ["๑", "๒"]);
}

#[test]
fn hindi_is_by_words_with_the_marks_inside() {
    assert_eq!(words("हिन्दी भाषा"), ["हिन्दी", "भाषा"]);
}

#[test]
fn hangul_is_by_words() {
    assert_eq!(words("안녕하세요 세계"), ["안녕하세요", "세계"]);
}

#[test]
fn a_mark_without_a_letter_before_it_is_passed_over() {
    assert_eq!(words("\u{301}a \u{301}\u{302}b!\u{301}"), ["a", "b"]);
    assert_eq!(words("\u{301}"), Vec::<String>::new());
}

#[test]
fn a_soft_hyphen_inside_a_word_vanishes() {
    assert_eq!(words("co\u{AD}operate"), ["cooperate"]);
}

#[test]
fn a_zero_width_space_joins_what_it_stands_between() {
    assert_eq!(words("zero\u{200B}width"), ["zerowidth"]);
}

#[test]
fn a_ligature_is_its_letters() {
    assert_eq!(words("ﬁre"), ["fire"]);
}

#[test]
fn full_width_letters_are_letters() {
    assert_eq!(words("ＬＯＯＫ　２"), ["look", "2"]);
}

#[test]
fn punctuation_symbols_and_emoji_separate_but_underscores_join() {
    assert_eq!(words("snake_case it's 3.14+x 🙂yes"), ["snake_case", "it", "s", "3", "14", "x", "yes"]);
}

#[test]
fn white_space_between_characters_is_one_space_and_none_at_the_ends() {
    assert_eq!(tokens(" A\t\n\u{2003}b. ", Shingle::Char(3)), ["a", " ", "b", "."]);
}

#[test]
fn a_text_too_short_for_a_shingle_is_one_shingle() {
    let expected = HashSet::from([words("just three words")]);
    assert_eq!(shingles("Just three words.", Shingle::Word(5)), expected);
}

#[test]
fn a_text_without_tokens_is_not_even_similar_to_itself() {
    for text in ["", " \n", "!?", "\u{AD}"] {
        assert!(shingles(text, Shingle::Word(2)).is_empty());
        let measures = measure(text, text, Shingle::Word(2));
        assert_eq!(measures.jaccard(), 0.0);
        assert_eq!(measures.containment_left(), 0.0);
    }
}

#[test]
fn a_shingle_is_read_from_its_unit_and_count() {
    assert_eq!("word:5".parse(), Ok(Shingle::Word(5)));
    assert_eq!("char:12".parse(), Ok(Shingle::Char(12)));
    for text in ["", "word", "word:", "word:0", "char:-1", "line:3", "word:5:5"] {
        let text = text.to_string();
        assert_eq!(text.parse::<Shingle>(), Err(ParseShingleError { text }));
    }
}
