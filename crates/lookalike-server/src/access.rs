//! Extractors that reject requests whose key lacks the required scope.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

use crate::keys::{Caller, Scope};
use crate::problem::{Kind, Problem};
use crate::state::Shared;

/// Defines an extractor per scope: a handler that takes one runs only if the caller has that scope.
macro_rules! allowed {
    ($($(#[$doc:meta])* $name:ident $scope:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name;

        impl FromRequestParts<Arc<Shared>> for $name {
            type Rejection = Problem;

            async fn from_request_parts(parts: &mut Parts, shared: &Arc<Shared>) -> Result<Self, Problem> {
                // A layer has identified the caller; without it, access is denied.
                parts.extensions.get::<Caller>().unwrap_or(&Caller::Nameless).needs(Scope::$scope)?;
                if shared.is_read_only && Scope::$scope >= Scope::Write {
                    return Err(Problem::new(Kind::ReadOnly, "this server was started to read only"));
                }
                Ok(Self)
            }
        }
    )+};
}

allowed! {
    /// The caller may search.
    MaySearch Search;
    /// The caller may read.
    MayRead Read;
    /// The caller may write, and the server is not read-only.
    MayWrite Write;
    /// The caller may do everything, and the server is not read-only.
    MayAdmin Admin;
}

/// The part of stored documents that the caller may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    /// Only passages shared with the query text, which the caller already has.
    Shared,
    /// Whole documents.
    Everything,
}

impl FromRequestParts<Arc<Shared>> for Sight {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<Shared>) -> Result<Self, Problem> {
        let caller = parts.extensions.get::<Caller>().unwrap_or(&Caller::Nameless);
        Ok(if caller.needs(Scope::Read).is_ok() { Self::Everything } else { Self::Shared })
    }
}

impl Sight {
    /// Returns an error unless the caller may see whole stored documents.
    pub(crate) fn sees_documents(self) -> Result<(), Problem> {
        let detail = "this shows stored documents as a whole, which needs a key with the scope read";
        if self == Self::Everything { Ok(()) } else { Err(Problem::new(Kind::ScopeTooLow, detail)) }
    }
}
