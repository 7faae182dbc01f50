//! Text to tokens: normalize, then cut.
//!
//! Normalized means Unicode's `NFKC_Casefold`, so that case, width, ligatures and the way an accent is written make no
//! difference; [`fold`] can ignore more. [`tokenize`] defines tokens. Two texts with the same tokens may still differ
//! in their [`content`].

pub mod ascii;
mod character;
pub mod checksum;
mod composed;
pub mod content;
pub mod fold;
pub mod normalize;
pub mod shingle;
pub mod stop_words;
pub mod tokenize;
mod unit;
mod word;
