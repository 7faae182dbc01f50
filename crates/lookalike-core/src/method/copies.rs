//! Exact copies only: they are joined before any method, so nothing remains to be done.

use super::{Method, Sketched, Sketcher, Take};
use crate::join::Sets;
use crate::measure::distinct::Distinct;
use crate::measure::similarity::Similarity;
use crate::sketch::{Layout, Sketches};
use crate::sources::SourceError;

/// Finds exact copies.
#[derive(Clone, Copy, Debug)]
pub struct Copies;

impl Method for Copies {
    fn layout(&self) -> Layout {
        Layout::default()
    }

    fn sketcher(&self) -> Box<dyn Sketcher> {
        Box::new(Self)
    }

    fn candidates(&self, _: Sketched<'_>, _: Take<'_>) -> Result<Option<Sets>, SourceError> {
        Ok(None)
    }

    fn recall_at(&self, _: Similarity) -> Option<f64> {
        None
    }
}

impl Sketcher for Copies {
    fn sketch(&mut self, _: &[u64], _: &Distinct, sketches: &mut Sketches) {
        sketches.push_none();
    }
}
