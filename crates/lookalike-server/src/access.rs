//! Access: extractors that refuse a request whose key lacks the scope.

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
                // Who calls was found out by a layer; without it nobody is let in.
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
    /// The caller may write, and so may the server.
    MayWrite Write;
    /// The caller may do everything, and the server may write.
    MayAdmin Admin;
}
