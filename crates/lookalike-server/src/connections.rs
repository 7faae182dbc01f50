//! Connections: limited in number, read with timeouts, and drained when the service ends.

use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::middleware::AddExtension;
use axum::{Extension, Router};
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::{Instant, Sleep, sleep, sleep_until, timeout};
use tokio_rustls::TlsAcceptor;
use tower::Layer as _;

use crate::attempts::Peer;
use crate::limits::Limits;
use crate::state::Shared;

/// Maximum size of the headers of a request.
const HEADER_BYTES: usize = 64 << 10;

/// Delay after a temporary error, such as too many open files.
const ACCEPT_AGAIN: Duration = Duration::from_millis(50);

/// The response to connections beyond the limit.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

/// All routes, with the address of the client.
type Served = AddExtension<Router, Peer>;

/// Accepts connections until it is told to stop, and then waits for pending requests.
pub(crate) async fn serve(
    listener: TcpListener,
    router: Router,
    tls: Option<TlsAcceptor>,
    shared: &Arc<Shared>,
    mut stop: watch::Receiver<bool>,
) {
    let limits = shared.limits;
    let room = Arc::new(Semaphore::new(limits.connections));
    let stopped = stop.clone();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.wait_for(|is_stopped| *is_stopped) => break,
        };
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                sleep(ACCEPT_AGAIN).await;
                continue;
            }
        };
        let Ok(permit) = Arc::clone(&room).try_acquire_owned() else {
            shared.metrics.refused_connection();
            if tls.is_none() {
                let _ = stream.try_write(FULL);
            }
            continue;
        };
        let (router, tls, stopped) = (router.clone(), tls.clone(), stopped.clone());
        tokio::spawn(async move {
            let _permit = permit;
            let service = Extension(Peer(address.ip())).layer(router);
            greet(stream, service, tls, limits, stopped).await;
        });
    }
    drop(listener);
    shared.drain();
    let all = u32::try_from(limits.connections).unwrap_or(u32::MAX);
    if timeout(limits.drain_time, room.acquire_many(all)).await.is_err() {
        tracing::warn!("connections were cut off: their requests were not done in time");
    }
}

/// Performs the TLS handshake if TLS is configured.
async fn greet(
    stream: TcpStream,
    service: Served,
    tls: Option<TlsAcceptor>,
    limits: Limits,
    stopped: watch::Receiver<bool>,
) {
    // Responses are small and complete: they need not wait for more data.
    let _ = stream.set_nodelay(true);
    match tls {
        None => look_after(stream, service, limits, stopped).await,
        Some(tls) => {
            if let Ok(Ok(stream)) = timeout(limits.header_time, tls.accept(stream)).await {
                look_after(stream, service, limits, stopped).await;
            }
        }
    }
}

async fn look_after(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    service: Served,
    limits: Limits,
    mut stopped: watch::Receiver<bool>,
) {
    let stream = TokioIo::new(Patient::new(stream, limits.answer_time));
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_time)
        .max_header_size(HEADER_BYTES)
        .serve_connection(stream, TowerToHyperService::new(service));
    let mut connection = pin!(connection);
    let done = tokio::select! {
        done = connection.as_mut() => Some(done),
        _ = stopped.wait_for(|is_stopped| *is_stopped) => None,
    };
    // Errors are between the client and the network: an aborted connection is normal.
    if done.is_none() {
        connection.as_mut().graceful_shutdown();
        let _ = connection.await;
    }
}

/// A stream that is closed if the other side does not receive what is written to it.
struct Patient<S> {
    stream: S,
    patience: Duration,
    sleep: Pin<Box<Sleep>>,
    is_waiting: bool,
}

impl<S> Patient<S> {
    fn new(stream: S, patience: Duration) -> Self {
        Self { stream, patience, sleep: Box::pin(sleep_until(Instant::now())), is_waiting: false }
    }

    /// Handles the result of a write: if it must wait, starts or checks the timeout.
    fn waited<T>(&mut self, context: &mut Context<'_>, tried: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if tried.is_ready() {
            self.is_waiting = false;
            return tried;
        }
        if !self.is_waiting {
            self.is_waiting = true;
            self.sleep.as_mut().reset(Instant::now() + self.patience);
        }
        ready!(self.sleep.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Patient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Patient<S> {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.waited(context, tried)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let tried = Pin::new(&mut self.stream).poll_write_vectored(context, bytes);
        self.waited(context, tried)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let tried = Pin::new(&mut self.stream).poll_flush(context);
        self.waited(context, tried)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let tried = Pin::new(&mut self.stream).poll_shutdown(context);
        self.waited(context, tried)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test]
    async fn a_client_that_takes_nothing_is_given_up_and_a_slow_one_is_not() {
        let (server, mut client) = duplex(8);
        let mut server = Patient::new(server, Duration::from_millis(100));
        let reads = tokio::spawn(async move {
            let mut bytes = [0; 4];
            for _ in 0..8 {
                sleep(Duration::from_millis(30)).await;
                client.read_exact(&mut bytes).await.unwrap();
            }
            client
        });
        server.write_all(&[7; 32]).await.unwrap();
        let _client = reads.await.unwrap();
        let stuck = server.write_all(&[7; 32]).await;
        assert_eq!(stuck.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }
}
