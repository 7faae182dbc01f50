//! Times `pairs` on a synthetic corpus: `cargo run --release -p lookalike-judge --example speed -- 15000 word:5 0.8`.
//!
//! Texts have 1,000 words drawn from 50,000 by a Zipf distribution, as in natural language; every fifth text is an
//! edited copy.

use std::error::Error;
use std::time::Instant;

use lookalike_judge::{Shingle, pairs};

const WORD_COUNT: usize = 1_000;
const VOCABULARY: f64 = 50_000.0;

/// Numbers from a fixed seed (Marsaglia, Xorshift RNGs, 2003).
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Zipf's law: the probability of a word falls with its number.
    fn word(&mut self) -> u32 {
        VOCABULARY.powf(self.roll()) as u32
    }
}

/// Spells a number with letters, two for each digit of base 100, so that words have realistic lengths.
fn spell(mut number: u32) -> String {
    const CONSONANTS: &[u8; 20] = b"bcdfghjklmnpqrstvwxz";
    const VOWELS: &[u8; 5] = b"aeiou";
    let mut word = String::new();
    loop {
        word.push(char::from(CONSONANTS[(number % 20) as usize]));
        word.push(char::from(VOWELS[(number / 20 % 5) as usize]));
        number /= 100;
        if number == 0 {
            return word;
        }
    }
}

fn made_texts(text_count: usize) -> Vec<String> {
    let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
    let mut texts: Vec<Vec<u32>> = Vec::with_capacity(text_count);
    for place in 0..text_count {
        if place % 5 == 4 {
            let mut copy = texts[(dice.roll() * place as f64) as usize].clone();
            let edit_count = (dice.roll() * 60.0) as usize;
            for _ in 0..edit_count {
                copy[(dice.roll() * WORD_COUNT as f64) as usize] = dice.word();
            }
            texts.push(copy);
        } else {
            texts.push((0..WORD_COUNT).map(|_| dice.word()).collect());
        }
    }
    texts
        .iter()
        .map(|words| {
            let words: Vec<String> = words.iter().map(|&word| spell(word)).collect();
            words.join(" ")
        })
        .collect()
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [text_count, shingle, threshold] = &arguments[..] else {
        return Err("say how many texts, the shingle and the threshold: 15000 word:5 0.8".into());
    };
    let texts = made_texts(text_count.parse()?);
    let shingle: Shingle = shingle.parse()?;
    let threshold: f64 = threshold.parse()?;

    let text_bytes: usize = texts.iter().map(String::len).sum();
    let start = Instant::now();
    let found = pairs(&texts, shingle, threshold);
    println!(
        "{} texts, {} MB: {} pairs in {:.1} seconds",
        texts.len(),
        text_bytes / 1_000_000,
        found.len(),
        start.elapsed().as_secs_f64()
    );
    Ok(())
}
