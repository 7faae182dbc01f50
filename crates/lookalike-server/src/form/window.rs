//! Receives forms through a small window: no more of a form is in memory, whatever its headers and fields are.
//!
//! The form parser reads all available data before it looks for the end of a header, so an endless header would fill
//! the memory. It therefore gets at most a window of data ahead of the fields that were read; if it consumes nothing of
//! a full window, it is waiting for a header that is too long.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use axum::body::{Body, BodyDataStream, Bytes};
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{FromRequest, Multipart, Request};
use axum::response::IntoResponse as _;
use futures_util::Stream;

use crate::problem::{Kind, Problem};
use crate::state::Shared;

/// Size of the window: far more than the headers of a form.
pub(crate) const MOST_AHEAD: u64 = 64 << 10;

/// A form being received.
#[derive(Debug)]
pub(crate) struct Form {
    fields: Multipart,
    flow: Arc<Flow>,
}

/// Number of bytes of a form that were received, consumed, and may be received.
#[derive(Debug, Default)]
struct Flow {
    taken: AtomicU64,
    allowed: AtomicU64,
    /// Number of headers read, each of which is progress.
    headers: AtomicU64,
}

impl FromRequest<Arc<Shared>> for Form {
    type Rejection = Problem;

    async fn from_request(request: Request, shared: &Arc<Shared>) -> Result<Self, Problem> {
        let flow = Arc::new(Flow::default());
        let (head, body) = request.into_parts();
        let window = Window::new(body.into_data_stream(), Arc::clone(&flow));
        let request = Request::from_parts(head, Body::from_stream(window));
        let not_a_form = |_| Problem::new(Kind::OtherContent, "a form is sent as multipart/form-data");
        let fields = Multipart::from_request(request, shared)
            .await
            .map_err(|rejection| not_a_form(rejection.into_response()))?;
        Ok(Self { fields, flow })
    }
}

impl Form {
    /// Sets the maximum size of the form. Before this is called, nothing is received.
    pub(crate) fn allow(&self, bytes: u64) {
        self.flow.allowed.store(bytes, Ordering::Relaxed);
    }

    /// Returns the next field; the previous one is skipped.
    pub(crate) async fn next_field(&mut self) -> Result<Option<Field<'_>>, MultipartError> {
        let field = self.fields.next_field().await;
        self.flow.headers.fetch_add(1, Ordering::Relaxed);
        field
    }

    /// Returns a counter of the bytes read from fields.
    pub(crate) fn taker(&self) -> Taker {
        Taker(Arc::clone(&self.flow))
    }
}

/// Counts the bytes read from the fields of a form.
pub(crate) struct Taker(Arc<Flow>);

impl Taker {
    /// Allows as many more bytes to be received.
    pub(crate) fn took(&self, bytes: usize) {
        self.0.taken.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

/// The bytes of a form, at most a window ahead.
struct Window {
    stream: BodyDataStream,
    flow: Arc<Flow>,
    /// Data received but not passed on.
    rest: Bytes,
    given: u64,
    /// Number of bytes consumed and of headers read when the window was found to be full.
    full_at: Option<(u64, u64)>,
}

impl Window {
    fn new(stream: BodyDataStream, flow: Arc<Flow>) -> Self {
        Self { stream, flow, rest: Bytes::new(), given: 0, full_at: None }
    }
}

impl Stream for Window {
    type Item = io::Result<Bytes>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
        let window = self.get_mut();
        let taken = window.flow.taken.load(Ordering::Relaxed);
        let ahead = window.given.saturating_sub(taken);
        if ahead >= MOST_AHEAD {
            let reached = (taken, window.flow.headers.load(Ordering::Relaxed));
            if window.full_at == Some(reached) {
                return Poll::Ready(Some(Err(io::Error::other("a header of the form is too long"))));
            }
            // The reader processes what it has, and asks again.
            window.full_at = Some(reached);
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        window.full_at = None;
        if window.rest.is_empty() {
            match ready!(Pin::new(&mut window.stream).poll_next(context)) {
                Some(Ok(bytes)) => window.rest = bytes,
                Some(Err(error)) => return Poll::Ready(Some(Err(io::Error::other(error)))),
                None => return Poll::Ready(None),
            }
        }
        let room = usize::try_from(MOST_AHEAD - ahead).unwrap_or(usize::MAX);
        let piece = window.rest.split_to(window.rest.len().min(room));
        window.given += piece.len() as u64;
        if window.given > window.flow.allowed.load(Ordering::Relaxed) {
            return Poll::Ready(Some(Err(io::Error::other("the form is too large"))));
        }
        Poll::Ready(Some(Ok(piece)))
    }
}

#[cfg(test)]
mod tests {
    use axum::http::header;

    use super::*;
    use crate::keys::Keys;
    use crate::limits::Limits;

    async fn form(body: Body) -> Form {
        let shared = Arc::new(Shared::new(Keys::none(), Limits::default()));
        let request = Request::post("/").header(header::CONTENT_TYPE, "multipart/form-data; boundary=0").body(body);
        Form::from_request(request.unwrap(), &shared).await.unwrap()
    }

    /// A body that repeats the same bytes forever after a start, and the number of bytes requested from it.
    fn endless(start: &'static str, more: &'static [u8]) -> (Body, Arc<AtomicU64>) {
        let asked = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&asked);
        let first = std::iter::once(Bytes::from_static(start.as_bytes()));
        let all = first.chain(std::iter::repeat(Bytes::from_static(more))).map(move |bytes| {
            counted.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            Ok::<_, io::Error>(bytes)
        });
        (Body::from_stream(futures_util::stream::iter(all)), asked)
    }

    #[tokio::test]
    async fn a_header_that_does_not_end_is_given_up_after_a_window() {
        let (body, asked) = endless("--0\r\nX-A: ", &[b'a'; 4096]);
        let mut form = form(body).await;
        form.allow(1 << 40);
        assert!(form.next_field().await.is_err());
        assert!(asked.load(Ordering::Relaxed) <= MOST_AHEAD + 2 * 4096, "{asked:?}");
    }

    #[tokio::test]
    async fn a_field_may_be_longer_than_the_window_up_to_what_is_allowed() {
        let start = "--0\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n";
        let (body, asked) = endless(start, &[b'a'; 4096]);
        let mut form = form(body).await;
        form.allow(1 << 20);
        let taker = form.taker();
        let mut field = form.next_field().await.unwrap().unwrap();
        let (mut bytes, mut most_ahead) = (0, 0);
        let error = loop {
            match field.chunk().await {
                Ok(chunk) => {
                    let chunk = chunk.expect("it does not end").len();
                    bytes += chunk as u64;
                    taker.took(chunk);
                    most_ahead = most_ahead.max(asked.load(Ordering::Relaxed) - bytes);
                }
                Err(error) => break error,
            }
        };
        assert!(bytes > (1 << 20) - MOST_AHEAD && bytes <= 1 << 20, "{bytes}: {error}");
        assert!(most_ahead <= MOST_AHEAD + 2 * 4096, "{most_ahead}");
    }
}
