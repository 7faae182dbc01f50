//! Generators of benchmark inputs, with fixed seeds, the same on every machine; and the correct results for them.

pub(in crate::bench) mod baskets;
pub(in crate::bench) mod crawl;
pub(in crate::bench) mod crm;
pub(in crate::bench) mod customers;
pub(crate) mod dice;
mod edit;
pub(in crate::bench) mod even;
pub(crate) mod history;
pub(in crate::bench) mod language;
pub(in crate::bench) mod mixed;
pub(in crate::bench) mod quadratic;
pub(in crate::bench) mod script;
pub(in crate::bench) mod short;
pub(in crate::bench) mod texts;
pub(in crate::bench) mod truth;
