//! The sampled pages of each source: a few hundred distinct ones, chosen by the hashes of their bytes.

use lookalike_core::ids::Document;
use lookalike_core::text::boilerplate::LEAST_PAGES;
use rayon::prelude::*;

use super::SourceCounts;
use crate::corpus::{Corpus, Origin, Row};
use crate::error::Result;
use crate::options::SourceBy;

/// Maximum number of sampled pages per source. Of 200, a shingle that is on half of all pages is on less than 30 % with
/// a probability of one in a hundred million.
const MOST_PAGES: usize = 200;

/// Longer pages are not sampled, and the sample of a source is limited to this many bytes in all.
const LONGEST_PAGE: u32 = 1 << 20;
const MOST_BYTES: u64 = 8 << 20;

/// The sampled pages of a source.
pub(super) struct SourceSample {
    pub(super) documents: Vec<Document>,
    /// Number of its distinct pages.
    pub(super) page_count: u64,
}

/// A page: its source, the hash of its bytes, its document number, and its length.
type Page = (u64, u64, u32, u32);

impl SourceSample {
    /// The samples of all sources with enough pages, in arbitrary order.
    pub(super) fn of_all(corpus: &Corpus, by: SourceBy) -> Result<(Vec<Self>, SourceCounts)> {
        let mut pages: Vec<Page> = Vec::with_capacity(corpus.len());
        // By a keyed hash that nobody can predict, so that nobody can mix the pages of two sources.
        let key = corpus.key();
        corpus.each_origin(&mut |document: Document, row: &Row, origin: Origin<'_>| {
            if let Some(source) = origin.named_source(by).filter(|_| row.token_count > 0) {
                let source = key.bytes_hash(source.as_bytes()) as u64;
                pages.push((source, row.text_hash as u64, document.0, row.token_count));
            }
        })?;
        pages.par_sort_unstable();
        pages.dedup_by_key(|(source, hash, ..)| (*source, *hash));
        let (mut samples, mut counts) = (Vec::new(), SourceCounts::default());
        for of_source in pages.chunk_by(|left, right| left.0 == right.0) {
            counts.all += 1;
            let sample = Self::of(of_source);
            if sample.documents.len() >= LEAST_PAGES {
                samples.push(sample);
            } else {
                counts.small += 1;
            }
        }
        Ok((samples, counts))
    }

    fn of(pages: &[Page]) -> Self {
        let mut bytes = 0;
        let chosen = pages.iter().filter(|(.., length)| *length <= LONGEST_PAGE).take(MOST_PAGES).take_while(|page| {
            bytes += u64::from(page.3);
            bytes <= MOST_BYTES
        });
        let documents = chosen.map(|(_, _, document, _)| Document(*document)).collect();
        Self { documents, page_count: pages.len() as u64 }
    }
}
