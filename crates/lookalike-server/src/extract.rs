//! Extractors for parts of a request, which return problems if they cannot be parsed.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

use crate::problem::{Kind, Problem};
use crate::state::Shared;

/// The query string.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<Arc<Shared>> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<Shared>) -> Result<Self, Problem> {
        let query = axum::extract::Query::try_from_uri(&parts.uri);
        query.map(|query| Self(query.0)).map_err(|error| Problem::new(Kind::Malformed, error.body_text()))
    }
}

/// The path parameters, decoded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path<T>(pub(crate) T);

impl<T: DeserializeOwned + Send> FromRequestParts<Arc<Shared>> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, shared: &Arc<Shared>) -> Result<Self, Problem> {
        let path = axum::extract::Path::from_request_parts(parts, shared).await;
        path.map(|path| Self(path.0)).map_err(|error| Problem::new(Kind::Malformed, error.body_text()))
    }
}
