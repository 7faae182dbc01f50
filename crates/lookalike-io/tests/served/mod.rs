//! Servers on this machine for tests: a real S3 store, a proxy with network faults, and a minimal web server.
//!
//! Each test starts its own on a port chosen by the system, so tests can run in parallel.
#![allow(unreachable_pub, reason = "a module of a test")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hyper_util::rt::TokioIo;
use lookalike_io::remote::{Access, Patience};
use s3s::auth::SimpleAuth;
use s3s::service::S3ServiceBuilder;

pub const KEY: &str = "key-of-the-tests";
pub const SECRET: &str = "secret-of-the-tests";

/// Many retries with almost no delay.
fn eager() -> Patience {
    let wait = Duration::from_millis(2);
    Patience {
        tries: 10,
        first_wait: wait,
        longest_wait: 4 * wait,
        in_all: Duration::from_secs(30),
        ..Patience::default()
    }
}

/// A proxy that does not exist, and is not used for this machine: this also disables a proxy of the environment.
pub const NO_PROXY: [(&str, &str); 2] =
    [("proxy_url", "http://127.0.0.1:9"), ("proxy_excludes", "127.0.0.1,localhost")];

/// Access to the S3 store at an address.
pub fn access(at: SocketAddr, key: &str) -> Access {
    access_with(at, key, eager())
}

/// The same, with a different retry policy.
pub fn access_with(at: SocketAddr, key: &str, patience: Patience) -> Access {
    let endpoint = format!("http://{at}");
    let settings = [
        ("AWS_ENDPOINT_URL", endpoint.as_str()),
        ("AWS_ACCESS_KEY_ID", key),
        ("AWS_SECRET_ACCESS_KEY", SECRET),
        ("AWS_REGION", "us-east-1"),
    ];
    Access::new(settings.into_iter().chain(NO_PROXY), patience)
}

/// Access to web servers.
pub fn web_access() -> Access {
    Access::new(NO_PROXY, eager())
}

/// A real S3 store with the bucket `bucket`. A bucket is a folder in it.
pub struct Store {
    pub at: SocketAddr,
    pub root: tempfile::TempDir,
    _runtime: tokio::runtime::Runtime,
}

impl Store {
    pub fn start() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("bucket")).unwrap();
        let mut builder = S3ServiceBuilder::new(s3s_fs::FileSystem::new(root.path()).unwrap());
        builder.set_auth(SimpleAuth::from_single(KEY, SECRET));
        let service = builder.build().into_shared();
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0")).unwrap();
        let at = listener.local_addr().unwrap();
        runtime.spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let connection =
                    hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(socket), service.clone());
                tokio::spawn(connection);
            }
        });
        Self { at, root, _runtime: runtime }
    }

    pub fn path(&self, key: &str) -> PathBuf {
        self.root.path().join("bucket").join(key)
    }

    /// Writes an object directly to the folder of the store.
    pub fn put(&self, key: &str, bytes: &[u8]) {
        std::fs::create_dir_all(self.path(key).parent().unwrap()).unwrap();
        std::fs::write(self.path(key), bytes).unwrap();
    }

    /// All objects in the store, without the store's own files.
    pub fn names(&self) -> Vec<String> {
        let root = self.root.path().join("bucket");
        let mut names = Vec::new();
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    names.push(path.strip_prefix(&root).unwrap().to_str().unwrap().to_owned());
                }
            }
        }
        names.sort();
        names
    }

    /// Remaining parts of multipart uploads.
    pub fn leftovers(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.root.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.contains("upload") && name.contains("part")).collect()
    }
}

/// Effect of the network on a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    None,
    /// "Slow down", with or without a retry time.
    Busy {
        retry_after: bool,
    },
    /// The response ends after this many bytes.
    Cut(usize),
    Late(Duration),
    /// The server is not asked; the object is missing.
    Missing,
}

/// A network before a server that handles each request as its test requires.
pub struct Network {
    pub at: SocketAddr,
    /// The first lines of all requests, in order, each with its fault.
    pub log: Arc<Mutex<Vec<(String, Fault)>>>,
}

impl Network {
    /// `fault` receives the number of the request and its first line.
    pub fn before(server: SocketAddr, fault: impl Fn(usize, &str) -> Fault + Send + Sync + 'static) -> Self {
        let log: Arc<Mutex<Vec<(String, Fault)>>> = Arc::default();
        let (count, noted) = (AtomicUsize::new(0), Arc::clone(&log));
        let at = serve(move |mut client| {
            let Some(request) = Request::read(&mut client) else { return };
            let fault = fault(count.fetch_add(1, Ordering::SeqCst), &request.line);
            noted.lock().unwrap().push((request.line.clone(), fault));
            let mut left = usize::MAX;
            match fault {
                Fault::None => {}
                Fault::Late(time) => std::thread::sleep(time),
                Fault::Cut(bytes) => left = bytes,
                Fault::Missing => {
                    let _ =
                        client.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                    return;
                }
                Fault::Busy { retry_after } => {
                    let wait = if retry_after { "Retry-After: 0\r\n" } else { "" };
                    let answer =
                        format!("HTTP/1.1 503 Slow Down\r\nContent-Length: 0\r\nConnection: close\r\n{wait}\r\n");
                    let _ = client.write_all(answer.as_bytes());
                    return;
                }
            }
            let mut server = TcpStream::connect(server).unwrap();
            server.write_all(&request.forwarded()).unwrap();
            let mut buffer = vec![0; 64 << 10];
            while let Ok(count @ 1..) = server.read(&mut buffer) {
                let count = count.min(left);
                left -= count;
                if client.write_all(&buffer[..count]).is_err() || left == 0 {
                    break;
                }
            }
        });
        Self { at, log }
    }

    pub fn faults(&self, is_meant: impl Fn(Fault) -> bool) -> usize {
        self.log.lock().unwrap().iter().filter(|(_, fault)| is_meant(*fault)).count()
    }
}

/// A request, read as a whole.
pub struct Request {
    /// `GET /path?query HTTP/1.1`.
    pub line: String,
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    fn read(client: &mut TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(client);
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
            if line.trim().is_empty() {
                break;
            }
            lines.push(line.trim_end().to_owned());
        }
        let line = lines.remove(0);
        let header =
            |line: &String| line.split_once(": ").map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()));
        let headers: Vec<_> = lines.iter().filter_map(header).collect();
        let mut request = Self { line, headers, body: Vec::new() };
        request.body = vec![0; request.header("content-length").map_or(0, |length| length.parse().unwrap())];
        reader.read_exact(&mut request.body).ok()?;
        Some(request)
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }

    pub fn method(&self) -> &str {
        self.line.split(' ').next().unwrap()
    }

    pub fn target(&self) -> &str {
        self.line.split(' ').nth(1).unwrap()
    }

    /// The same, for a connection that is used only once.
    fn forwarded(&self) -> Vec<u8> {
        let headers = self.headers.iter().filter(|(name, _)| name != "connection");
        let headers: Vec<_> = headers.map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let mut bytes = format!("{}\r\n{}connection: close\r\n\r\n", self.line, headers.concat()).into_bytes();
        bytes.extend_from_slice(&self.body);
        bytes
    }
}

/// Response of a minimal web server.
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    /// Send the length of the body.
    pub has_length: bool,
    /// Number of bytes of the body after which the connection ends.
    pub cut: usize,
}

impl Answer {
    pub fn new(status: u16, body: &[u8]) -> Self {
        Self { status, headers: Vec::new(), body: body.to_vec(), has_length: true, cut: usize::MAX }
    }

    pub fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The requested range, or the whole body if none is requested.
    pub fn ranged(request: &Request, body: &[u8]) -> Self {
        let Some((start, end)) =
            request.header("range").and_then(|range| range.strip_prefix("bytes=")?.split_once('-'))
        else {
            return Self::new(200, body);
        };
        let start: usize = start.parse().unwrap();
        let end = end.parse().map_or(body.len(), |end: usize| (end + 1).min(body.len()));
        if start >= body.len() {
            return Self::new(416, b"").with("Content-Range", format!("bytes */{}", body.len()));
        }
        Self::new(206, &body[start..end]).with("Content-Range", format!("bytes {start}-{}/{}", end - 1, body.len()))
    }
}

/// Starts a minimal web server, and returns its address.
pub fn web(answer: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> SocketAddr {
    serve(move |mut client| {
        let Some(request) = Request::read(&mut client) else { return };
        let answer = answer(&request);
        let mut head = vec![format!("HTTP/1.1 {} Some", answer.status), "Connection: close".to_owned()];
        if answer.has_length {
            head.push(format!("Content-Length: {}", answer.body.len()));
        }
        head.extend(answer.headers.iter().map(|(name, value)| format!("{name}: {value}")));
        let _ = client.write_all(format!("{}\r\n\r\n", head.join("\r\n")).as_bytes());
        let _ = client.write_all(&answer.body[..answer.body.len().min(answer.cut)]);
    })
}

/// Accepts connections until the process ends, each on its own thread.
fn serve(handle: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let handle = Arc::new(handle);
    std::thread::spawn(move || {
        for client in listener.incoming().map_while(Result::ok) {
            let handle = Arc::clone(&handle);
            std::thread::spawn(move || {
                let other = client.try_clone().unwrap();
                handle(client);
                let _ = other.shutdown(Shutdown::Both);
            });
        }
    });
    at
}

/// Pseudorandom numbers, the same in every run.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }

    pub fn bytes(&mut self, count: usize) -> Vec<u8> {
        (0..count.div_ceil(8)).flat_map(|_| (self.below(usize::MAX) as u64).to_le_bytes()).take(count).collect()
    }
}
