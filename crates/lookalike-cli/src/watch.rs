//! Progress: a bar where a person watches, a plain line now and then elsewhere.

use std::io::IsTerminal;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};
use lookalike::Progress;

use crate::number;
use crate::streams::talk;

/// How often a plain line comes.
const PERIOD: Duration = Duration::from_secs(10);

/// Shows how far a job is, on standard error.
#[derive(Default)]
pub(crate) struct Watch {
    documents: std::sync::Arc<AtomicU64>,
    bytes: AtomicU64,
    stage: Mutex<Option<Stage>>,
}

struct Stage {
    name: &'static str,
    bytes: Option<u64>,
    started: Instant,
    last_line: Instant,
    bar: Option<ProgressBar>,
}

impl Progress for Watch {
    fn stage(&self, name: &'static str, bytes: Option<u64>) {
        self.finish();
        self.documents.store(0, Relaxed);
        self.bytes.store(0, Relaxed);
        let bytes = bytes.filter(|bytes| *bytes > 0);
        let bar = std::io::stderr().is_terminal().then(|| self.bar(name, bytes));
        let now = Instant::now();
        *self.lock() = Some(Stage { name, bytes, started: now, last_line: now, bar });
    }

    fn advance(&self, bytes: u64, documents: u64) {
        self.documents.fetch_add(documents, Relaxed);
        let done = self.bytes.fetch_add(bytes, Relaxed) + bytes;
        // Whoever finds someone else showing has better things to do than wait.
        let Ok(mut stage) = self.stage.try_lock() else { return };
        let Some(stage) = stage.as_mut() else { return };
        if let Some(bar) = &stage.bar {
            bar.set_position(done);
        } else if stage.last_line.elapsed() >= PERIOD {
            stage.last_line = Instant::now();
            talk!("{}", stage.line(done, self.documents.load(Relaxed)));
        }
    }

    fn finish(&self) {
        if let Some(Stage { bar: Some(bar), .. }) = self.lock().take() {
            bar.finish_and_clear();
        }
    }
}

impl Watch {
    fn bar(&self, name: &'static str, bytes: Option<u64>) -> ProgressBar {
        let template = match bytes {
            Some(_) => "{prefix:>8} {bar:30} {bytes} of {total_bytes}, {documents}, {bytes_per_sec}, {eta} left",
            None => "{prefix:>8} {spinner} {documents}, {elapsed}",
        };
        let documents = std::sync::Arc::clone(&self.documents);
        let write = move |state: &ProgressState, f: &mut dyn std::fmt::Write| {
            let count = documents.load(Relaxed);
            let rate = count as f64 / state.elapsed().as_secs_f64().max(0.001);
            let _ = write!(f, "{} documents ({}/s)", HumanCount(count), HumanCount(rate as u64));
        };
        let style = ProgressStyle::with_template(template).expect("the template is right").with_key("documents", write);
        let bar = bytes.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        bar.set_style(style);
        bar.set_prefix(name);
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Stage>> {
        self.stage.lock().expect("no thread panicked")
    }
}

impl Stage {
    fn line(&self, done: u64, documents: u64) -> String {
        let seconds = self.started.elapsed().as_secs_f64();
        let rate = number::count((documents as f64 / seconds) as u64);
        let name = self.name;
        let documents = number::of(documents, "document");
        match self.bytes {
            Some(bytes) => {
                let left = seconds * (bytes.saturating_sub(done)) as f64 / done.max(1) as f64;
                let [done, bytes] = [done, bytes].map(number::bytes);
                let left = number::seconds(left);
                format!("{name}: {done} of {bytes}, {documents} ({rate}/s), {left} left")
            }
            None => format!("{name}: {documents} ({rate}/s), {}", number::seconds(seconds)),
        }
    }
}
