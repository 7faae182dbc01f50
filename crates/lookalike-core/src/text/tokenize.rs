//! Text to token hashes, in one pass and without an allocation per token.
//!
//! **Words**: runs of letters, marks, numbers and connectors (the underscore) of the normalized text, as `\w` means in
//! regular expressions. A mark belongs to the letter or number before it; one with none is passed over. A letter or
//! number of a script that puts no spaces between words (Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar, Tibetan)
//! is a token by itself, with its marks.
//!
//! **Characters**: every character of the normalized text, runs of white space as one space, none at the ends.
//!
//! **Tokens of the caller**: the text between ASCII blanks, unchanged: neither normalized nor folded.
//!
//! **Code**: identifiers, numbers, strings and operators of source code: see [`code`].
//!
//! A [`Fold`] is applied between the two steps: characters are normalized, then folded, then split into tokens.
//!
//! Text is split into *units* at ASCII bytes that are in no word, before it is normalized. This is safe, because no
//! composition extends across such a byte to form a word, and it allows most units to be recognized as plain ASCII, or
//! as characters that normalize on their own.

use super::ascii::{BLOCK, Block, Kernel, is_word, kernel};
use super::character::{Character, Kind, character, normal_character};
use super::code::{self, Language};
use super::fold::{Fold, Folder};
use super::links::without_links;
use super::unit;
use super::word::{WordWriter, Words, classify, hash_in_place};
use crate::hash::{Hasher, Key, SHORT};

/// Receives the tokens of a text in order.
pub trait TokenSink {
    /// One token: its hash, and the bytes of the text that it came from.
    fn token(&mut self, hash: u64, start: usize, end: usize);

    /// Slots for the hashes of the last `count` tokens, in order: with a secret key, hashes are filled in later.
    fn last_hashes(&mut self, count: usize) -> impl Iterator<Item = &mut u64>;
}

/// Keeps the hashes only.
impl TokenSink for Vec<u64> {
    #[inline]
    fn token(&mut self, hash: u64, _start: usize, _end: usize) {
        self.push(hash);
    }

    fn last_hashes(&mut self, count: usize) -> impl Iterator<Item = &mut u64> {
        let from = self.len() - count;
        self[from..].iter_mut()
    }
}

/// Counts tokens without storing them.
impl TokenSink for usize {
    #[inline]
    fn token(&mut self, _hash: u64, _start: usize, _end: usize) {
        *self += 1;
    }

    fn last_hashes(&mut self, _count: usize) -> impl Iterator<Item = &mut u64> {
        std::iter::empty()
    }
}

/// A token and the bytes of the text that it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The hash of the normalized token.
    pub hash: u64,
    /// Its start in the text.
    pub start: usize,
    /// Its end.
    pub end: usize,
}

/// Stores positions too, to show what two texts share.
impl TokenSink for Vec<Token> {
    fn token(&mut self, hash: u64, start: usize, end: usize) {
        self.push(Token { hash, start, end });
    }

    fn last_hashes(&mut self, count: usize) -> impl Iterator<Item = &mut u64> {
        let from = self.len() - count;
        self[from..].iter_mut().map(|token| &mut token.hash)
    }
}

/// Cuts texts into tokens. Use one per thread, since it reuses its buffers.
pub struct Tokenizer {
    fold: Fold,
    /// Links are blanks before anything else is done.
    ignores_links: bool,
    hasher: Hasher,
    kernel: Kernel,
    lower: Vec<u8>,
    blocks: Vec<Block>,
    word: String,
}

/// Number of characters, or tokens of the caller, that are hashed together with a secret key.
const TOGETHER: usize = 1024;

/// Bytes of text to classify at once: few enough for the lowercase copy to stay in the first-level cache.
const PIECE: usize = 2 * 1024;

impl Default for Tokenizer {
    fn default() -> Self {
        Self::new(Fold::NONE, Key::FIXED)
    }
}

impl Tokenizer {
    /// A tokenizer with this fold and hashes of this key.
    pub fn new(fold: Fold, key: Key) -> Self {
        Self {
            fold: Fold { links: false, ..fold },
            ignores_links: fold.links,
            hasher: Hasher::new(key),
            kernel: kernel(),
            lower: Vec::new(),
            blocks: Vec::new(),
            word: String::new(),
        }
    }

    /// Passes the word tokens of `text` to `sink`.
    pub fn words(&mut self, text: &str, sink: &mut impl TokenSink) {
        let text = &*if self.ignores_links { without_links(text) } else { text.into() };
        let mut start = 0;
        while start < text.len() {
            let end = piece_end(text.as_bytes(), start);
            self.words_of_piece(&text[start..end], start, sink);
            hash_noted(&mut self.hasher, sink);
            start = end;
        }
    }

    /// Passes the character tokens of `text` to `sink`.
    pub fn characters(&mut self, text: &str, sink: &mut impl TokenSink) {
        let text = &*if self.ignores_links { without_links(text) } else { text.into() };
        let mut writer = CharacterWriter { hasher: &mut self.hasher, space: None, any: false, sink };
        let mut folder = Folder::new(self.fold);
        let is_folded = self.fold != Fold::NONE;
        let mut write = |character: &Character, start: usize, end: usize| {
            if is_folded {
                for c in folder.fold(character.folded).into_iter().flatten() {
                    writer.push(&normal_character(c), start, end);
                }
            } else {
                writer.push(character, start, end);
            }
        };
        let bytes = text.as_bytes();
        let mut start = 0;
        while start < bytes.len() {
            // A unit is one ASCII character with all non-ASCII characters after it, since only those can compose with
            // it.
            let wide = bytes[start + 1..].iter().take_while(|byte| !byte.is_ascii()).count();
            let end = start + 1 + wide;
            if wide == 0 {
                write(character(char::from(bytes[start])), start, end);
                start = end;
                continue;
            }
            unit::for_each(&text[start..end], start, &mut write);
            start = end;
        }
        hash_noted(&mut self.hasher, sink);
    }

    /// Passes the text between blanks to `sink`.
    pub fn between_blanks(&mut self, text: &str, sink: &mut impl TokenSink) {
        for token in text.split_ascii_whitespace() {
            let start = token.as_ptr() as usize - text.as_ptr() as usize;
            sink.token(self.hasher.hash_or_note(token.as_bytes()), start, start + token.len());
            if self.hasher.noted_count() == TOGETHER {
                hash_noted(&mut self.hasher, sink);
            }
        }
        hash_noted(&mut self.hasher, sink);
    }

    /// Passes the tokens of source code to `sink`.
    pub fn code(&mut self, text: &str, language: Language, sink: &mut impl TokenSink) {
        code::tokenize(text, language, self.fold.identifiers, &mut self.hasher, sink);
    }

    /// A piece starts and ends where no word is cut; `offset` is where it stands in the text.
    fn words_of_piece(&mut self, piece: &str, offset: usize, sink: &mut impl TokenSink) {
        // Room for a last block filled up with zeros, which are no words, and to look a short token ahead.
        let padded = piece.len().next_multiple_of(BLOCK);
        self.lower.resize((padded + SHORT).max(self.lower.len()), 0);
        self.blocks.resize((padded / BLOCK).max(self.blocks.len()), Block::default());
        let whole = piece.len() / BLOCK * BLOCK;
        let bytes = piece.as_bytes();
        (self.kernel)(&bytes[..whole], &mut self.lower[..whole], &mut self.blocks[..whole / BLOCK]);
        if whole < padded {
            let mut last = [0; BLOCK];
            last[..piece.len() - whole].copy_from_slice(&bytes[whole..]);
            (self.kernel)(&last, &mut self.lower[whole..padded], &mut self.blocks[whole / BLOCK..padded / BLOCK]);
        }

        let blocks = &mut self.blocks[..padded / BLOCK];
        if self.fold != Fold::NONE {
            for_each_run(
                blocks,
                |block| block.words | block.wide,
                |start, end| {
                    let lower = &self.lower[start..end];
                    if is_plain(blocks, start, end) && !(self.fold.digits && lower.iter().any(u8::is_ascii_digit)) {
                        sink.token(
                            hash_in_place(&mut self.hasher, &self.lower, start, end),
                            offset + start,
                            offset + end,
                        );
                    } else {
                        let mut writer = WordWriter::new(&mut self.hasher, &mut self.word, sink);
                        folded_words(&piece[start..end], offset + start, self.fold, &mut writer);
                    }
                },
            );
        } else if blocks.iter().all(|block| block.wide == 0) {
            for_each_run(
                blocks,
                |block| block.words,
                |start, end| {
                    sink.token(hash_in_place(&mut self.hasher, &self.lower, start, end), offset + start, offset + end);
                },
            );
        } else {
            classify(&mut self.lower, blocks);
            let blocks = &*blocks;
            let mut words =
                Words { hasher: &mut self.hasher, piece, lower: &mut self.lower, offset, word: &mut self.word, sink };
            for_each_run(
                blocks,
                |block| block.words | block.wide,
                |start, end| {
                    if is_plain(blocks, start, end) {
                        words.end(start, end);
                    } else {
                        words.read(start, end);
                    }
                },
            );
        }
    }
}

/// Hashes the tokens that were noted, and puts the hashes where they belong.
fn hash_noted(hasher: &mut Hasher, sink: &mut impl TokenSink) {
    hasher.hash_noted(sink.last_hashes(hasher.noted_count()));
}

/// Gives the words of a stretch of text that stands at `offset` to `writer`, one character after the other.
fn folded_words(text: &str, offset: usize, fold: Fold, writer: &mut WordWriter<'_, impl TokenSink>) {
    let mut folder = Folder::new(fold);
    unit::for_each(text, offset, |character, start, end| {
        let [first, second] = folder.fold(character.folded);
        match first {
            Some(c) => writer.push(&normal_character(c), start, end),
            None => writer.stretch(end),
        }
        if let Some(c) = second {
            writer.push(&normal_character(c), start, end);
        }
    });
    writer.end();
}

/// End of the piece that starts at `start`: after an ASCII byte that is in no word, or at the end of the text.
fn piece_end(bytes: &[u8], start: usize) -> usize {
    let cuts = |byte: &u8| byte.is_ascii() && !is_word(*byte);
    let most = start + PIECE;
    if most >= bytes.len() {
        return bytes.len();
    }
    match bytes[start..most].iter().rposition(cuts) {
        Some(at) => start + at + 1,
        // A single word, or a script without spaces, longer than a piece: go on to the next cut.
        None => bytes[most..].iter().position(cuts).map_or(bytes.len(), |at| most + at + 1),
    }
}

/// True if no byte from `start` to before `end` needs a closer look. Most runs are within one block.
#[inline(always)]
#[expect(clippy::inline_always, reason = "called for every word of text that is not all ASCII")]
fn is_plain(blocks: &[Block], start: usize, end: usize) -> bool {
    let (first, last) = (start / BLOCK, (end - 1) / BLOCK);
    let from_start = u64::MAX << (start % BLOCK);
    let to_end = u64::MAX >> (BLOCK - 1 - (end - 1) % BLOCK);
    if first == last {
        return blocks[first].wide & from_start & to_end == 0;
    }
    blocks[first].wide & from_start == 0
        && blocks[last].wide & to_end == 0
        && blocks[first + 1..last].iter().all(|block| block.wide == 0)
}

/// Calls `run` with the start and end of each run of set bits.
#[inline]
fn for_each_run(blocks: &[Block], bits: impl Fn(&Block) -> u64, mut run: impl FnMut(usize, usize)) {
    let mut before = 0;
    let mut start = 0;
    for (at, block) in blocks.iter().enumerate() {
        let inside = bits(block);
        // A bit of `edges` is set where a run starts or has just ended.
        let mut edges = inside ^ (inside << 1 | before);
        let mut next = || {
            let edge = at * BLOCK + edges.trailing_zeros() as usize;
            let is_there = edges != 0;
            edges &= edges.wrapping_sub(1);
            is_there.then_some(edge)
        };
        // A run that came in from the block before, then whole ones, then one that may go on to the next.
        if before == 1
            && let Some(end) = next()
        {
            run(start, end);
        }
        while let Some(edge) = next() {
            start = edge;
            if let Some(end) = next() {
                run(start, end);
            }
        }
        before = inside >> 63;
    }
    if before == 1 {
        run(start, blocks.len() * BLOCK);
    }
}

/// Passes characters on, with white space collapsed.
struct CharacterWriter<'a, S> {
    hasher: &'a mut Hasher,
    /// White space that is one token if a character follows.
    space: Option<(usize, usize)>,
    any: bool,
    sink: &'a mut S,
}

impl<S: TokenSink> CharacterWriter<'_, S> {
    #[inline]
    fn push(&mut self, character: &Character, start: usize, end: usize) {
        if character.kind == Kind::Space {
            self.space = Some((self.space.map_or(start, |(first, _)| first), end));
            return;
        }
        if let Some((start, end)) = self.space.take()
            && self.any
        {
            self.sink.token(self.hasher.hash_or_note(b" "), start, end);
        }
        self.any = true;
        self.sink.token(character.token_hash(self.hasher), start, end);
        if self.hasher.noted_count() >= TOGETHER {
            hash_noted(self.hasher, self.sink);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::hash::token_hash;

    fn words(text: &str) -> Vec<u64> {
        let mut tokens = Vec::new();
        Tokenizer::default().words(text, &mut tokens);
        tokens
    }

    fn characters(text: &str) -> Vec<u64> {
        let mut tokens = Vec::new();
        Tokenizer::default().characters(text, &mut tokens);
        tokens
    }

    fn hashes(tokens: &[&str]) -> Vec<u64> {
        tokens.iter().map(|token| token_hash(token.as_bytes())).collect()
    }

    const FOLDS: [Fold; 3] = [
        Fold { accents: true, digits: false, ..Fold::NONE },
        Fold { accents: false, digits: true, ..Fold::NONE },
        Fold { accents: true, digits: true, ..Fold::NONE },
    ];

    fn folded_judge(text: &str, fold: Fold, shingle: lookalike_judge::Shingle) -> Vec<u64> {
        let Fold { accents, digits, .. } = fold;
        judge(&lookalike_judge::fold(text, lookalike_judge::Fold { accents, digits }), shingle)
    }

    fn judge(text: &str, shingle: lookalike_judge::Shingle) -> Vec<u64> {
        lookalike_judge::tokens(text, shingle).iter().map(|token| token_hash(token.as_bytes())).collect()
    }

    #[test]
    fn words_are_runs_of_letters_and_digits_in_lower_case() {
        assert_eq!(words("The QUICK-brown fox's 2nd_den."), hashes(&["the", "quick", "brown", "fox", "s", "2nd_den"]));
        assert!(words(" \t\n--- !").is_empty());
        assert!(words("").is_empty());
    }

    #[test]
    fn a_script_without_spaces_gives_a_token_a_character() {
        assert_eq!(words("漢字とKanji"), hashes(&["漢", "字", "と", "kanji"]));
        assert_eq!(words("กิน"), hashes(&["กิ", "น"]));
        assert_eq!(words("한국어 학교"), hashes(&["한국어", "학교"]));
    }

    #[test]
    fn words_longer_than_a_block_and_than_a_piece_stay_whole() {
        for length in [63, 64, 65, 128, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE] {
            let long = "x".repeat(length);
            assert_eq!(words(&format!("a {long} b")), hashes(&["a", &long, "b"]), "{length}");
        }
    }

    #[test]
    fn characters_collapse_white_space() {
        assert_eq!(characters("  A \n\tb, "), hashes(&["a", " ", "b", ","]));
        assert_eq!(characters(" \u{3000}é "), hashes(&["é"]));
    }

    #[test]
    fn folded_words_are_cut_as_if_they_had_been_written_so() {
        let folded = |text: &str, fold: Fold| {
            let mut tokens: Vec<u64> = Vec::new();
            Tokenizer::new(fold, Key::FIXED).words(text, &mut tokens);
            tokens
        };
        let [accents, digits, both] = FOLDS;
        assert_eq!(folded("Café v1.23", accents), words("cafe v1.23"));
        assert_eq!(folded("Café v1.23", digits), hashes(&["café", "v0", "0"]));
        assert_eq!(folded("Café v1.23 ก๑๒ข", both), hashes(&["cafe", "v0", "0", "ก", "0", "ข"]));
    }

    #[test]
    fn the_place_of_a_folded_word_is_all_of_it() {
        let text = "cafe\u{301}s caf\u{65}\u{323}\u{301} 2024";
        let mut tokens: Vec<Token> = Vec::new();
        Tokenizer::new(FOLDS[2], Key::FIXED).words(text, &mut tokens);
        let places: Vec<&str> = tokens.iter().map(|token| &text[token.start..token.end]).collect();
        assert_eq!(places, ["cafe\u{301}s", "caf\u{65}\u{323}\u{301}", "2024"]);
    }

    #[test]
    fn places_are_those_of_the_text() {
        let text = "Now, le cafe\u{301} — ŒUVRE!";
        let mut tokens: Vec<Token> = Vec::new();
        Tokenizer::default().words(text, &mut tokens);
        let places: Vec<&str> = tokens.iter().map(|token| &text[token.start..token.end]).collect();
        assert_eq!(places, ["Now", "le", "cafe\u{301}", "ŒUVRE"]);
    }

    /// Text of all kinds: plain, accented, unspaced scripts, marks out of place, compatibility forms, invisible ones.
    fn any_text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            "[a-zA-Z0-9_ .,'<=>-]{0,12}",
            "[äöüßÉñçŁøæŒẞﬁﬀ½²Ⅷ…’“—]{0,6}",
            "[а-яА-ЯёЁ ]{0,10}",
            "[一-丯ぁ-んァ-ンー。、ｱ-ﾟ！？]{0,8}",
            "[ก-๛ກ-ໝက-ၿក-៹ཀ-࿌]{0,8}",
            "[가-힣ᄀ-ᇿ]{0,5}",
            "[\u{1138e}-\u{113c9}\u{dcf}\u{dd9}-\u{ddd}\u{1025}\u{102e}\u{1b05}-\u{1b35}]{0,6}",
            "[\u{590}-\u{6ff}\u{900}-\u{97f}]{0,8}",
            "[0-9٠-٩๑-๓０-９²½ａ-ｃ]{0,4}",
            "[йёўїѝaeiouαωכא\u{627}-\u{64a}\u{64b}-\u{655}\u{5b0}-\u{5c7}\u{300}-\u{308}\u{323}]{0,8}",
            "[a-zé]{60,70}[а-яЖ]{1,4}",
            "[\u{300}-\u{36f}\u{338}\u{200b}-\u{200f}\u{ad}\u{fe0f}\u{20e3}😀]{0,3}",
            any::<String>(),
        ];
        proptest::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn words_are_those_of_the_judge(text in any_text()) {
            prop_assert_eq!(words(&text), judge(&text, lookalike_judge::Shingle::Word(5)));
        }

        #[test]
        fn folded_words_are_those_of_the_judge(text in any_text(), fold in proptest::sample::select(&FOLDS)) {
            let mut tokens: Vec<u64> = Vec::new();
            Tokenizer::new(fold, Key::FIXED).words(&text, &mut tokens);
            prop_assert_eq!(tokens, folded_judge(&text, fold, lookalike_judge::Shingle::Word(5)));
        }

        #[test]
        fn folded_characters_are_those_of_the_judge(text in any_text(), fold in proptest::sample::select(&FOLDS)) {
            let mut tokens: Vec<u64> = Vec::new();
            Tokenizer::new(fold, Key::FIXED).characters(&text, &mut tokens);
            prop_assert_eq!(tokens, folded_judge(&text, fold, lookalike_judge::Shingle::Char(5)));
        }

        #[test]
        fn tokens_of_the_caller_are_those_of_the_judge(text in any_text()) {
            let mut tokens: Vec<u64> = Vec::new();
            Tokenizer::default().between_blanks(&text, &mut tokens);
            prop_assert_eq!(tokens, judge(&text, lookalike_judge::Shingle::Token(5)));
        }

        #[test]
        fn tokens_that_are_hashed_together_have_the_hashes_of_each(text in any_text(), times in 1_usize..60) {
            use lookalike_judge::Shingle::{Char, Token, Word};
            // Long enough that they are hashed in several goes.
            let (text, key) = (format!("{text} ").repeat(times), Key::new(7));
            let mut tokenizer = Tokenizer::new(Fold::NONE, key);
            let [mut words, mut characters, mut own]: [Vec<u64>; 3] = Default::default();
            tokenizer.words(&text, &mut words);
            tokenizer.characters(&text, &mut characters);
            tokenizer.between_blanks(&text, &mut own);
            for (tokens, shingle) in [(words, Word(5)), (characters, Char(5)), (own, Token(5))] {
                let judged = lookalike_judge::tokens(&text, shingle);
                let judged: Vec<u64> = judged.iter().map(|token| key.token_hash(token.as_bytes())).collect();
                prop_assert_eq!(tokens, judged, "{:?}", shingle);
            }
        }

        #[test]
        fn characters_are_those_of_the_judge(text in any_text()) {
            prop_assert_eq!(characters(&text), judge(&text, lookalike_judge::Shingle::Char(5)));
        }
    }
}
