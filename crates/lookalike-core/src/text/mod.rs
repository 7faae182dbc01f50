//! Turns text into tokens: normalizes it, then splits it.
//!
//! Normalized means Unicode's `NFKC_Casefold`, so that case, width, ligatures and the way an accent is written make no
//! difference; [`fold`] can ignore more. [`tokenize`] defines tokens. Two texts with the same tokens may still differ
//! in their [`content`].

pub mod ascii;
pub mod boilerplate;
mod character;
pub mod checksum;
pub mod code;
mod composed;
pub mod content;
pub mod fold;
mod ignored;
mod links;
pub mod normalize;
pub mod shingle;
pub mod stop_words;
pub mod tokenize;
mod unit;
mod word;
