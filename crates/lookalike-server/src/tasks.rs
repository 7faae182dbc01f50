//! Tasks that outlast a request: compacting, copying and verifying an index, and deduplicating a file.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use lookalike::{Counted, Progress};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::problem::{Kind, Problem};

/// Number of tasks to remember.
const REMEMBERED: usize = 100;

/// All tasks of this server, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    list: Mutex<List>,
    workers: Workers,
}

#[derive(Debug, Default)]
struct List {
    next: u64,
    tasks: VecDeque<(Instant, Arc<Seen>, Task)>,
}

/// Something that is done beside all requests.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Task {
    /// Its number.
    pub(crate) id: u64,
    /// The kind of work.
    pub(crate) kind: TaskKind,
    /// With which index; empty if with none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) index: String,
    /// The result that is being created, if any.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) makes: String,
    /// The state of the task.
    pub(crate) state: TaskState,
    /// The stage of a run that is under way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stage: Option<&'static str>,
    /// Share of the stage that is done, from 0 to 1, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) done_share: Option<f64>,
    /// The outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub(crate) result: Option<Value>,
    /// The reason for a failure, as a problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub(crate) problem: Option<Value>,
    /// Duration so far, in seconds.
    pub(crate) seconds: f64,
}

/// The kind of work of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TaskKind {
    /// Joins segments and frees space.
    Compact,
    /// Copies the index.
    Snapshot,
    /// Checks every byte.
    Verify,
    /// Removes near-duplicates from a file that was sent.
    Dedup,
}

/// The state of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TaskState {
    /// Under way, or waiting for another run to end.
    Running,
    /// Done.
    Done,
    /// Not done.
    Failed,
}

impl List {
    fn none_of(&self, index: &str) -> Result<(), Problem> {
        let is_running =
            |task: &Task| task.kind != TaskKind::Dedup && task.index == index && task.state == TaskState::Running;
        match self.tasks.iter().find(|(.., task)| is_running(task)) {
            None => Ok(()),
            Some((.., task)) => {
                let detail = format!("task {} of the index '{index}' is running", task.id);
                Err(Problem::new(Kind::Busy, detail).with("task", task.id))
            }
        }
    }
}

impl Tasks {
    /// Checks that an index has no running task.
    ///
    /// # Errors
    ///
    /// If it has one.
    pub(crate) fn none_of(&self, index: &str) -> Result<(), Problem> {
        self.list().none_of(index)
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All remembered tasks, newest first.
    pub(crate) fn all(&self) -> Vec<Task> {
        self.list().tasks.iter().rev().map(shown).collect()
    }

    /// The task with this number.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub(crate) fn task(&self, id: u64) -> Result<Task, Problem> {
        let list = self.list();
        let found = list.tasks.iter().find(|(.., task)| task.id == id).map(shown);
        found.ok_or_else(|| Problem::new(Kind::NoSuchTask, format!("there is no task {id}")))
    }

    /// Starts a task, unless the index already has one.
    ///
    /// # Errors
    ///
    /// If it has one.
    fn begin(&self, kind: TaskKind, index: &str) -> Result<Task, Problem> {
        let mut list = self.list();
        list.none_of(index)?;
        Ok(list.add(kind, index, "", &Arc::default()))
    }

    /// Starts a run that creates a result in the background. `job` reports progress through its argument.
    ///
    /// # Errors
    ///
    /// If too many are running or queued.
    pub(crate) fn start_run(
        self: &Arc<Self>,
        makes: &str,
        most: usize,
        job: impl FnOnce(&Seen) -> Result<Value, Problem> + Send + 'static,
    ) -> Result<Task, Problem> {
        let seen: Arc<Seen> = Arc::default();
        let task = {
            let mut list = self.list();
            let is_run = |task: &Task| task.kind == TaskKind::Dedup && task.state == TaskState::Running;
            if list.tasks.iter().filter(|(.., task)| is_run(task)).count() >= most {
                let detail = format!("{most} files are being deduplicated or wait for it: try again later");
                return Err(Problem::new(Kind::Overloaded, detail));
            }
            list.add(TaskKind::Dedup, "", makes, &seen)
        };
        self.run(task.id, move || job(&seen));
        Ok(task)
    }

    /// The last task that creates or created the result with this name.
    pub(crate) fn making(&self, makes: &str) -> Option<Task> {
        self.list().tasks.iter().rev().find(|(.., task)| task.kind == TaskKind::Dedup && task.makes == makes).map(shown)
    }

    /// Forgets the task of a result.
    pub(crate) fn forget(&self, makes: &str) {
        let mut list = self.list();
        list.tasks.retain(|(.., task)| task.makes != makes || task.state == TaskState::Running);
    }

    /// Requests all runs to stop.
    pub(crate) fn stop_runs(&self) {
        self.list().tasks.iter().for_each(|(_, seen, _)| seen.stop());
    }

    /// Requests the run that creates a result to stop; returns false if there is none.
    pub(crate) fn stop_run(&self, makes: &str) -> bool {
        let list = self.list();
        let is_it = |task: &Task| task.makes == makes && task.state == TaskState::Running;
        let found = list.tasks.iter().find(|(.., task)| is_it(task));
        found.inspect(|(_, seen, _)| seen.stop()).is_some()
    }
}

impl List {
    fn add(&mut self, kind: TaskKind, index: &str, makes: &str, seen: &Arc<Seen>) -> Task {
        let list = self;
        list.next += 1;
        let task = Task {
            id: list.next,
            kind,
            index: index.to_owned(),
            makes: makes.to_owned(),
            state: TaskState::Running,
            stage: None,
            done_share: None,
            result: None,
            problem: None,
            seconds: 0.0,
        };
        while list.tasks.len() >= REMEMBERED {
            let oldest = list.tasks.iter().position(|(.., task)| task.state != TaskState::Running);
            list.tasks.remove(oldest.unwrap_or(0));
        }
        list.tasks.push_back((Instant::now(), Arc::clone(seen), task.clone()));
        task
    }
}

impl Tasks {
    /// Starts a background task.
    ///
    /// # Errors
    ///
    /// If the index already has one.
    pub(crate) fn start(
        self: &Arc<Self>,
        kind: TaskKind,
        index: &str,
        job: impl FnOnce() -> Result<Value, Problem> + Send + 'static,
    ) -> Result<Task, Problem> {
        let task = self.begin(kind, index)?;
        self.run(task.id, job);
        Ok(task)
    }

    fn run(self: &Arc<Self>, id: u64, job: impl FnOnce() -> Result<Value, Problem> + Send + 'static) {
        let tasks = Arc::clone(self);
        self.workers.run(move || {
            let done = catch_unwind(AssertUnwindSafe(job));
            let ended = |_| Err(Problem::new(Kind::Internal, "the task ended early: see the log"));
            tasks.end(id, done.unwrap_or_else(ended));
        });
    }

    fn end(&self, id: u64, outcome: Result<Value, Problem>) {
        let mut list = self.list();
        let Some((start, _, task)) = list.tasks.iter_mut().find(|(.., task)| task.id == id) else { return };
        task.seconds = start.elapsed().as_secs_f64();
        match outcome {
            Ok(result) => (task.state, task.result) = (TaskState::Done, Some(result)),
            Err(problem) => (task.state, task.problem) = (TaskState::Failed, Some(problem.to_json())),
        }
    }
}

fn shown((start, seen, task): &(Instant, Arc<Seen>, Task)) -> Task {
    let mut task = task.clone();
    if task.state == TaskState::Running {
        task.seconds = start.elapsed().as_secs_f64();
        (task.stage, task.done_share) = seen.now();
    }
    task
}

/// Progress of a run, and its stop flag.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    stage: Mutex<Option<&'static str>>,
    bytes: AtomicU64,
    all_bytes: AtomicU64,
    is_stopped: AtomicBool,
}

impl Seen {
    fn now(&self) -> (Option<&'static str>, Option<f64>) {
        let stage = *self.stage.lock().unwrap_or_else(PoisonError::into_inner);
        let (bytes, all) = (self.bytes.load(Relaxed), self.all_bytes.load(Relaxed));
        (stage, (all > 0).then(|| (bytes as f64 / all as f64).min(1.0)))
    }

    fn stop(&self) {
        self.is_stopped.store(true, Relaxed);
    }
}

impl Progress for Seen {
    fn stage(&self, name: &'static str, bytes: Option<u64>) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = Some(name);
        self.bytes.store(0, Relaxed);
        self.all_bytes.store(bytes.unwrap_or(0), Relaxed);
    }

    fn advance(&self, bytes: u64, _: Counted) {
        self.bytes.fetch_add(bytes, Relaxed);
    }

    fn finish(&self) {}

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Relaxed)
    }
}

/// Threads for tasks. Idle threads are reused, since an allocator keeps the memory that a thread freed: a new thread
/// for each task would keep as much again.
#[derive(Debug, Default)]
struct Workers {
    idle: Arc<Mutex<Vec<Sender<Job>>>>,
}

type Job = Box<dyn FnOnce() + Send>;

impl Workers {
    fn run(&self, job: impl FnOnce() + Send + 'static) {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let worker = idle().pop().unwrap_or_else(new_worker);
        let (waiting, itself) = (Arc::downgrade(&self.idle), worker.clone());
        let job = move || {
            job();
            if let Some(idle) = waiting.upgrade() {
                idle.lock().unwrap_or_else(PoisonError::into_inner).push(itself);
            }
        };
        worker.send(Box::new(job)).expect("a worker waits as long as it can be reached");
    }
}

/// Starts a thread that runs the jobs sent to it, until the sender is dropped.
fn new_worker() -> Sender<Job> {
    let (sender, jobs) = channel::<Job>();
    thread::spawn(move || jobs.into_iter().for_each(|job| job()));
    sender
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_has_one_task_at_a_time_and_the_oldest_are_forgotten() {
        let tasks = Tasks::default();
        let first = tasks.begin(TaskKind::Compact, "news").unwrap();
        assert_eq!(tasks.begin(TaskKind::Verify, "news").unwrap_err().kind(), Kind::Busy);
        tasks.begin(TaskKind::Verify, "other").unwrap();
        tasks.end(first.id, Ok(Value::from(1)));
        assert_eq!(tasks.task(first.id).unwrap().state, TaskState::Done);
        for _ in 0..REMEMBERED {
            let task = tasks.begin(TaskKind::Verify, "news").unwrap();
            tasks.end(task.id, Err(Problem::new(Kind::Internal, "")));
        }
        assert_eq!(tasks.task(first.id).unwrap_err().kind(), Kind::NoSuchTask);
        assert_eq!(tasks.all().len(), REMEMBERED);
        assert_eq!(tasks.task(2).unwrap().state, TaskState::Running, "what runs is not forgotten");
    }

    #[test]
    fn a_run_says_how_far_it_is_stops_when_it_is_asked_to_and_is_one_of_few() {
        let tasks: Arc<Tasks> = Arc::default();
        let (go, wait) = channel::<()>();
        let task = tasks.start_run("news", 1, move |seen| {
            seen.stage("read", Some(100));
            seen.advance(25, Counted::Documents(1));
            wait.recv().unwrap();
            if seen.is_stopped() { Err(Problem::new(Kind::Internal, "stopped")) } else { Ok(Value::Null) }
        });
        let id = task.unwrap().id;
        while tasks.task(id).unwrap().done_share.is_none_or(|share| share < 0.25) {
            thread::yield_now();
        }
        let seen = tasks.making("news").unwrap();
        assert_eq!((seen.stage, seen.done_share, seen.makes.as_str()), (Some("read"), Some(0.25), "news"));
        assert_eq!(tasks.start_run("more", 1, |_| Ok(Value::Null)).unwrap_err().kind(), Kind::Overloaded);
        tasks.begin(TaskKind::Verify, "news").unwrap();
        assert!(tasks.stop_run("news") && !tasks.stop_run("other"));
        go.send(()).unwrap();
        while tasks.task(id).unwrap().state == TaskState::Running {
            thread::yield_now();
        }
        assert_eq!(tasks.making("news").unwrap().state, TaskState::Failed);
        tasks.forget("news");
        assert!(tasks.making("news").is_none());
    }

    #[test]
    fn jobs_one_after_the_other_are_done_by_one_thread_and_two_at_once_by_two() {
        let workers = Workers::default();
        let (told, threads) = channel();
        let done = || {
            while Arc::weak_count(&workers.idle) > 0 {
                thread::yield_now();
            }
        };
        for _ in 0..10 {
            let told = told.clone();
            workers.run(move || told.send(thread::current().id()).unwrap());
            done();
        }
        let both = Arc::new(std::sync::Barrier::new(2));
        for _ in 0..2 {
            let (told, both) = (told.clone(), Arc::clone(&both));
            workers.run(move || {
                told.send(thread::current().id()).unwrap();
                both.wait();
            });
        }
        done();
        let threads: Vec<_> = threads.try_iter().collect();
        assert!(threads[..10].iter().all(|thread| *thread == threads[0]));
        assert_ne!(threads[10], threads[11]);
        assert_eq!(workers.idle.lock().unwrap().len(), 2);
    }
}
