//! The words of a stretch of text with characters that are not ASCII, to token hashes.
//!
//! Most words are hashed where they stand, in a copy of the text whose ASCII letters are small already: capitals of as many
//! bytes are overwritten there. What a reader would get wrong: a word can turn out to be one that does not fit, by a mark that
//! melts into its last letter. Then what was read of it goes to a [`WordWriter`], which takes characters one by one.

use super::character::{Character, Class, Kind, character, class};
use super::tokenize::TokenSink;
use super::unit;
use crate::hash::{SHORT, short_token_hash, token_hash};

/// The hash of the token from `start` to `end` in a lower-case copy that has room for a short token after it.
#[inline]
pub(super) fn hash_in_place(lower: &[u8], start: usize, end: usize) -> u64 {
    match lower[start..].first_chunk() {
        Some(bytes) if end - start <= SHORT => short_token_hash(bytes, end - start),
        _ => token_hash(&lower[start..end]),
    }
}

/// Text under way to words: a piece, its lower-case copy, and where the piece stands in the text.
pub(super) struct Words<'a, S> {
    pub(super) piece: &'a str,
    pub(super) lower: &'a mut [u8],
    pub(super) offset: usize,
    /// Room for a word that does not fit.
    pub(super) word: &'a mut String,
    pub(super) sink: &'a mut S,
}

impl<S: TokenSink> Words<'_, S> {
    /// Gives the words from `start` to `end` to the sink. No word reaches over either.
    #[inline]
    pub(super) fn read(&mut self, start: usize, end: usize) {
        let bytes = self.piece.as_bytes();
        let mut at = start;
        // The word under way starts here; none is when this is `at`.
        let mut word = start;
        let mut is_alone = false;
        // Where the last mark ended that may have to change places with another one.
        let mut ordered = usize::MAX;
        while at < end {
            let (code, length) = decode(bytes, at);
            let mut class = if length == 1 { Class::LETTER } else { class(code) };
            if class == Class::OTHER_LETTER || class == Class::OTHER_ALONE {
                class = self.overwrite(code, at, class);
            }
            match class {
                Class::LETTER => {
                    if is_alone {
                        self.end(word, at);
                        word = at;
                        is_alone = false;
                    }
                }
                Class::ALONE => {
                    self.end(word, at);
                    word = at;
                    is_alone = true;
                }
                Class::MARK => word = if word == at { at + length } else { word },
                Class::ORDERED_MARK if ordered != at => {
                    word = if word == at { at + length } else { word };
                    ordered = at + length;
                }
                Class::OTHER => {
                    self.end(word, at);
                    word = at + length;
                    is_alone = false;
                }
                _ => {
                    at = self.read_slowly(word, is_alone, at, start, end);
                    word = at;
                    is_alone = false;
                    continue;
                }
            }
            at += length;
        }
        self.end(word, at);
    }

    /// Gives the word from `start` to `end` to the sink, if there is one.
    #[inline]
    pub(super) fn end(&mut self, start: usize, end: usize) {
        if start < end {
            self.sink.token(hash_in_place(self.lower, start, end), self.offset + start, self.offset + end);
        }
    }

    /// Puts what a letter becomes into its place, where it stays.
    fn overwrite(&mut self, code: u32, at: usize, class: Class) -> Class {
        let folded = char::from_u32(code).map_or('\0', |c| character(c).folded);
        let mut bytes = [0; 4];
        let bytes = folded.encode_utf8(&mut bytes).as_bytes();
        self.lower[at..at + bytes.len()].copy_from_slice(bytes);
        if class == Class::OTHER_ALONE { Class::ALONE } else { Class::LETTER }
    }

    /// Reads on until no word is under way, and says where that is. The word starts at `word`, and the character at `at`
    /// does not fit; nothing before `start` matters.
    #[cold]
    fn read_slowly(&mut self, word: usize, is_alone: bool, at: usize, start: usize, end: usize) -> usize {
        let text = &self.piece[..end];
        // What does not fit may melt into what stands before it: a letter, and at most one mark since.
        let mut from = at;
        while let Some(before) = text[start..from].chars().next_back() {
            from -= before.len_utf8();
            if !character(before).reorders {
                break;
            }
        }
        let kept = std::str::from_utf8(&self.lower[word.min(from)..from]).unwrap_or_default();
        self.word.clear();
        self.word.push_str(kept);
        let mut writer = WordWriter {
            word: &mut *self.word,
            start: self.offset + word,
            end: self.offset + from,
            // A lone letter with marks: only a single character has its hash in the table.
            alone: (is_alone && !kept.is_empty()).then_some(token_hash(kept.as_bytes())),
            sink: &mut *self.sink,
        };
        let mut at = from;
        while at < end {
            at = unit::piece(text, at, self.offset, &mut |character, start, end| writer.push(character, start, end));
            if text[at..].chars().next().is_none_or(|c| class(c as u32).ends_a_word()) {
                break;
            }
        }
        writer.end();
        at
    }
}

/// The code of the character that starts at `at`, and its length in bytes. The text is UTF-8, so nothing is missing.
#[inline]
fn decode(bytes: &[u8], at: usize) -> (u32, usize) {
    let first = u32::from(bytes[at]);
    let next = |i: usize| bytes.get(at + i).map_or(0, |byte| u32::from(byte & 0x3F));
    match first {
        0..0x80 => (first, 1),
        0x80..0xE0 => ((first & 0x1F) << 6 | next(1), 2),
        0xE0..0xF0 => ((first & 0x0F) << 12 | next(1) << 6 | next(2), 3),
        _ => ((first & 0x07) << 18 | next(1) << 12 | next(2) << 6 | next(3), 4),
    }
}

/// Puts characters together to words.
pub(super) struct WordWriter<'a, S> {
    pub(super) word: &'a mut String,
    pub(super) start: usize,
    pub(super) end: usize,
    /// The open word is one character of a script without spaces, and this is its hash as long as no mark follows.
    pub(super) alone: Option<u64>,
    pub(super) sink: &'a mut S,
}

impl<S: TokenSink> WordWriter<'_, S> {
    #[inline]
    pub(super) fn push(&mut self, character: &Character, start: usize, end: usize) {
        match character.kind {
            Kind::Letter => {
                if self.alone.is_some() {
                    self.end();
                }
                if self.word.is_empty() {
                    self.start = start;
                }
            }
            Kind::Alone => {
                self.end();
                self.start = start;
                self.alone = Some(character.hash);
            }
            // What follows a lone letter's marks must still start anew, so the word stays `alone`.
            Kind::Mark if !self.word.is_empty() => {}
            Kind::Mark | Kind::Space | Kind::Other | Kind::Complex => return self.end(),
        }
        self.word.push(character.folded);
        self.end = end;
    }

    #[inline]
    pub(super) fn end(&mut self) {
        if !self.word.is_empty() {
            let hash = match self.alone {
                Some(hash) if self.is_one_character() => hash,
                _ => token_hash(self.word.as_bytes()),
            };
            self.sink.token(hash, self.start, self.end);
            self.word.clear();
        }
        self.alone = None;
    }

    fn is_one_character(&self) -> bool {
        self.word.chars().nth(1).is_none()
    }
}
