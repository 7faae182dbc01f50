//! The input prints and their names.

use lookalike_core::prints::{PreparedPrint, Print};
use rayon::prelude::*;

use crate::error::Result;
use crate::progress::Progress;

/// Prints in input order.
#[derive(Debug, Default)]
pub(super) struct Roll {
    pub(super) ids: Vec<String>,
    pub(super) prints: Vec<Print>,
}

impl Roll {
    pub(super) fn push(&mut self, id: String, print: Print) {
        self.ids.push(id);
        self.prints.push(print);
    }

    pub(super) fn len(&self) -> usize {
        self.prints.len()
    }

    pub(super) fn id(&self, print: u32) -> &str {
        &self.ids[print as usize]
    }

    pub(super) fn prepare(&self, progress: &dyn Progress) -> Result<Vec<PreparedPrint>> {
        self.prints.par_iter().map(|print| progress.go_on().map(|()| PreparedPrint::new(print))).collect()
    }
}
