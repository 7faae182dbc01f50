//! What takes longer than a request: compacting, copying and verifying an index.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::problem::{Kind, Problem};

/// How many tasks are remembered.
const REMEMBERED: usize = 100;

/// All tasks of this server, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    list: Mutex<List>,
    workers: Workers,
}

#[derive(Debug, Default)]
struct List {
    next: u64,
    tasks: VecDeque<(Instant, Task)>,
}

/// Something that is done beside all requests.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub(crate) struct Task {
    /// Its number.
    pub(crate) id: u64,
    /// What is done.
    pub(crate) kind: TaskKind,
    /// With which index.
    pub(crate) index: String,
    /// How far it is.
    pub(crate) state: TaskState,
    /// What came of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub(crate) result: Option<Value>,
    /// Why it failed: a problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub(crate) problem: Option<Value>,
    /// How long it took, or has taken so far.
    pub(crate) seconds: f64,
}

/// What a task does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TaskKind {
    /// Joins segments and frees space.
    Compact,
    /// Copies the index.
    Snapshot,
    /// Checks every byte.
    Verify,
}

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum TaskState {
    /// Under way.
    Running,
    /// Done.
    Done,
    /// Not done.
    Failed,
}

impl List {
    fn none_of(&self, index: &str) -> Result<(), Problem> {
        let is_running = |task: &Task| task.index == index && task.state == TaskState::Running;
        match self.tasks.iter().find(|(_, task)| is_running(task)) {
            None => Ok(()),
            Some((_, task)) => {
                let detail = format!("task {} of the index '{index}' is running", task.id);
                Err(Problem::new(Kind::Busy, detail).with("task", task.id))
            }
        }
    }
}

impl Tasks {
    /// Makes sure that an index has no task that is running.
    ///
    /// # Errors
    ///
    /// When it has.
    pub(crate) fn none_of(&self, index: &str) -> Result<(), Problem> {
        self.list().none_of(index)
    }

    fn list(&self) -> MutexGuard<'_, List> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All that are remembered, the newest first.
    pub(crate) fn all(&self) -> Vec<Task> {
        self.list().tasks.iter().rev().map(shown).collect()
    }

    /// The task with this number.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub(crate) fn task(&self, id: u64) -> Result<Task, Problem> {
        let list = self.list();
        let found = list.tasks.iter().find(|(_, task)| task.id == id).map(shown);
        found.ok_or_else(|| Problem::new(Kind::NoSuchTask, format!("there is no task {id}")))
    }

    /// Begins a task, unless the index has one already.
    ///
    /// # Errors
    ///
    /// When it has.
    fn begin(&self, kind: TaskKind, index: &str) -> Result<Task, Problem> {
        let mut list = self.list();
        list.none_of(index)?;
        list.next += 1;
        let task = Task {
            id: list.next,
            kind,
            index: index.to_owned(),
            state: TaskState::Running,
            result: None,
            problem: None,
            seconds: 0.0,
        };
        while list.tasks.len() >= REMEMBERED {
            let oldest = list.tasks.iter().position(|(_, task)| task.state != TaskState::Running);
            list.tasks.remove(oldest.unwrap_or(0));
        }
        list.tasks.push_back((Instant::now(), task.clone()));
        Ok(task)
    }

    /// Begins a task beside all requests.
    ///
    /// # Errors
    ///
    /// When the index has one already.
    pub(crate) fn start(
        self: &Arc<Self>,
        kind: TaskKind,
        index: &str,
        job: impl FnOnce() -> Result<Value, Problem> + Send + 'static,
    ) -> Result<Task, Problem> {
        let task = self.begin(kind, index)?;
        let (tasks, id) = (Arc::clone(self), task.id);
        self.workers.run(move || {
            let done = catch_unwind(AssertUnwindSafe(job));
            let ended = |_| Err(Problem::new(Kind::Internal, "the task ended early: see the log"));
            tasks.end(id, done.unwrap_or_else(ended));
        });
        Ok(task)
    }

    fn end(&self, id: u64, outcome: Result<Value, Problem>) {
        let mut list = self.list();
        let Some((start, task)) = list.tasks.iter_mut().find(|(_, task)| task.id == id) else { return };
        task.seconds = start.elapsed().as_secs_f64();
        match outcome {
            Ok(result) => (task.state, task.result) = (TaskState::Done, Some(result)),
            Err(problem) => (task.state, task.problem) = (TaskState::Failed, Some(problem.to_json())),
        }
    }
}

fn shown((start, task): &(Instant, Task)) -> Task {
    let mut task = task.clone();
    if task.state == TaskState::Running {
        task.seconds = start.elapsed().as_secs_f64();
    }
    task
}

/// Threads that do tasks. One that is done waits for the next, since an allocator keeps what a thread freed: a new thread for each task
/// would keep as much again.
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

/// A thread that does what it is sent, until nobody can send it anything.
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
