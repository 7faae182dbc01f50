//! Promises about remote files: the very bytes, or a clear word, whatever the network does.

mod served;

use std::fs;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use lookalike_io::Error;
use lookalike_io::remote::{Access, Patience, Problem, RemoteFile, Silence, on_silence};
use lookalike_io::write::{Staging, Unfinished};
use served::{
    Answer, Dice, Fault, KEY, NO_PROXY, Network, Request, SECRET, Store, access, access_with, web, web_access,
};

fn read(file: &RemoteFile) -> Vec<u8> {
    let mut bytes = Vec::new();
    file.open().unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

/// Reading fails; the error as the rest of the crate would see it.
fn failure(file: &RemoteFile) -> Error {
    let mut bytes = Vec::new();
    match file.open() {
        Err(error) => error,
        Ok(mut download) => download.read_to_end(&mut bytes).unwrap_err().downcast().unwrap(),
    }
}

fn problem<T: std::fmt::Debug>(result: lookalike_io::Result<T>) -> Problem {
    match result.unwrap_err() {
        Error::Remote { problem, .. } => problem,
        other => panic!("{other}"),
    }
}

fn names(files: &[RemoteFile]) -> Vec<&str> {
    files.iter().map(|file| file.url.strip_prefix("s3://bucket/").unwrap()).collect()
}

/// Every fifth request finds a busy store, every third answer is cut, some are late.
fn bad_network(store: &Store, seed: u64) -> Network {
    let dice = Mutex::new(Dice::new(seed));
    Network::before(store.at, move |number, _| match number {
        number if number % 5 == 2 => Fault::Busy { retry_after: number % 2 == 0 },
        number if number % 3 == 1 => Fault::Cut(dice.lock().unwrap().below(6 << 20)),
        number if number % 7 == 3 => Fault::Late(Duration::from_millis(50)),
        _ => Fault::None,
    })
}

#[test]
fn a_large_object_comes_through_a_bad_network_as_it_is() {
    let store = Store::start();
    let bytes = Dice::new(1).bytes(50_000_000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("big");
    fs::write(&path, &bytes).unwrap();
    access(store.at, KEY).upload_file(&path, "s3://bucket/a/big.bin").unwrap();

    let network = bad_network(&store, 2);
    let found = access(network.at, KEY).find("s3://bucket/a/big.bin").unwrap();
    assert_eq!((found.len(), found[0].bytes), (1, 50_000_000));
    assert!(found[0].local().is_none());
    assert!(read(&found[0]) == bytes, "other bytes came");
    assert!(network.faults(|fault| matches!(fault, Fault::Busy { .. })) > 1);
    assert!(network.faults(|fault| matches!(fault, Fault::Cut(_))) > 2);

    // The object is stored locally now, and is not requested again.
    let requests = network.log.lock().unwrap().len();
    assert!(read(&found[0].clone()) == bytes);
    let mut local = found[0].local().unwrap();
    let mut tail = Vec::new();
    local.seek(SeekFrom::Start(49_999_990)).unwrap();
    local.read_to_end(&mut tail).unwrap();
    assert_eq!(tail, bytes[49_999_990..]);
    assert_eq!(network.log.lock().unwrap().len(), requests);
    found[0].check_unchanged().unwrap();
}

#[test]
fn the_rest_can_be_fetched_first_and_read_later() {
    let store = Store::start();
    let bytes = Dice::new(3).bytes(20_000_000);
    store.put("x.parquet", &bytes);
    let found = access(store.at, KEY).find("s3://bucket/x.parquet").unwrap();
    let mut download = found[0].open().unwrap();
    let mut start = [0; 1000];
    download.read_exact(&mut start).unwrap();
    download.finish().unwrap();
    assert_eq!(download.received_bytes(), 20_000_000);
    assert_eq!(found[0].local().unwrap().metadata().unwrap().len(), 20_000_000);
    let mut rest = Vec::new();
    download.read_to_end(&mut rest).unwrap();
    assert!(start == bytes[..1000] && rest == bytes[1000..]);
}

#[test]
fn an_address_means_an_object_a_prefix_or_a_pattern() {
    let store = Store::start();
    for key in
        ["in/b.jsonl", "in/a.jsonl", "in/c/d.jsonl", "in/c/e.txt", "in/.x/f.jsonl", "in/.g.jsonl", "in/h[1].jsonl"]
    {
        store.put(key, key.as_bytes());
    }
    store.put("in/c/mark", b"");
    store.put("in/c/empty.jsonl", b"");
    store.put("index.jsonl", b"x");
    // This store has its objects in folders, and would take a folder for an object, which no other does.
    let network =
        Network::before(
            store.at,
            |_, line| {
                if line.starts_with("HEAD /bucket/in HTTP") { Fault::Missing } else { Fault::None }
            },
        );
    let access = access(network.at, KEY);
    let found = |url: &str| access.find(url).unwrap();
    assert_eq!(names(&found("s3://bucket/in/a.jsonl")), ["in/a.jsonl"]);
    let all = ["in/a.jsonl", "in/b.jsonl", "in/c/d.jsonl", "in/c/e.txt", "in/c/empty.jsonl", "in/h[1].jsonl"];
    assert_eq!(names(&found("s3://bucket/in/")), all);
    assert_eq!(names(&found("s3://bucket/in")), all);
    for bucket in ["s3://bucket", "s3a://bucket/"] {
        assert_eq!(found(bucket).len(), all.len() + 1);
    }
    assert_eq!(names(&found("s3://bucket/in/*.jsonl")), ["in/a.jsonl", "in/b.jsonl", "in/h[1].jsonl"]);
    assert_eq!(names(&found("s3://bucket/in/?.jsonl")), ["in/a.jsonl", "in/b.jsonl"]);
    assert_eq!(names(&found("s3://bucket/in/[!b].jsonl")), ["in/a.jsonl"]);
    assert_eq!(names(&found("s3://bucket/**/d.*")), ["in/c/d.jsonl"]);
    assert_eq!(names(&found("s3://bucket/in/h[1].jsonl")), ["in/h[1].jsonl"]);
    assert_eq!(read(&found("s3://bucket/in/c/d.jsonl")[0]), b"in/c/d.jsonl");
    assert_eq!(read(&found("s3://bucket/in/c/empty.jsonl")[0]), b"");
    for nothing in ["s3://bucket/none", "s3://bucket/none/*.jsonl", "s3://bucket/in/a.jsonl/"] {
        assert!(matches!(access.find(nothing), Err(Error::NothingToRead { .. })), "{nothing}");
    }
}

#[test]
fn a_result_goes_through_a_bad_network_with_the_seal_last() {
    let store = Store::start();
    let network = bad_network(&store, 4);
    let folder = tempfile::tempdir().unwrap();
    let big = Dice::new(5).bytes(20_000_000);
    fs::create_dir_all(folder.path().join("kept/deep")).unwrap();
    for (name, bytes) in
        [("a.jsonl", b"a".as_slice()), ("kept/deep/big.bin", &big), ("kept/none.txt", b""), ("kept/x y+é.txt", b"x")]
    {
        fs::write(folder.path().join(name), bytes).unwrap();
    }
    fs::write(folder.path().join("a-seal.json"), "\"lookalike\"").unwrap();
    let access = access(network.at, KEY);
    assert!(access.is_empty("s3://bucket/out/", "a-seal.json").unwrap());
    assert_eq!(access.read_small("s3://bucket/out/a-seal.json", 99).unwrap(), None);
    access.upload(folder.path(), "s3://bucket/out", "a-seal.json").unwrap();

    let sent: Vec<String> = network.log.lock().unwrap().iter().map(|(line, _)| line.clone()).collect();
    let last = sent.iter().rposition(|line| line.starts_with("PUT") || line.starts_with("POST")).unwrap();
    let first_seal = sent.iter().position(|line| line.starts_with("PUT") && line.contains("a-seal.json")).unwrap();
    assert!(sent[first_seal..=last].iter().all(|line| line.contains("a-seal.json")), "{sent:?}");
    assert!(network.faults(|fault| fault != Fault::None) > 3);
    assert!(!access.is_empty("s3://bucket/out", "a-seal.json").unwrap());
    assert_eq!(access.read_small("s3://bucket/out/a-seal.json", 5).unwrap().unwrap(), b"\"look");

    let found = access.find("s3://bucket/out/").unwrap();
    let all = ["out/a-seal.json", "out/a.jsonl", "out/kept/deep/big.bin", "out/kept/none.txt", "out/kept/x y+é.txt"];
    assert_eq!(names(&found), all);
    assert!(read(&found[2]) == big);
    assert_eq!(read(&found[4]), b"x");

    fs::write(folder.path().join("mine"), "mine").unwrap();
    access.upload_file(&folder.path().join("mine"), "s3://bucket/out/mine.txt").unwrap();
    access.remove_all("s3://bucket/out", &["a-seal.json", "kept", "a.jsonl", "never"]).unwrap();
    assert_eq!(names(&access.find("s3://bucket/out/").unwrap()), ["out/mine.txt"]);
}

#[test]
fn an_upload_that_fails_for_good_leaves_nothing_and_one_clear_word() {
    let store = Store::start();
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("first"), "1").unwrap();
    fs::write(folder.path().join("second"), Dice::new(6).bytes(20_000_000)).unwrap();
    fs::write(folder.path().join("seal"), "s").unwrap();
    // The first arrives, and parts of the second; one part never does.
    let network = Network::before(store.at, |_, line| {
        if line.contains("partNumber=2") { Fault::Busy { retry_after: false } } else { Fault::None }
    });
    let error = access(network.at, KEY).upload(folder.path(), "s3://bucket/out", "seal").unwrap_err();
    assert!(matches!(&error, Error::Remote { problem: Problem::Busy { .. }, .. }), "{error}");
    let message = error.to_string();
    assert!(message.contains("s3://bucket/out/second") && message.contains("503"), "{message}");
    let sent = network.log.lock().unwrap();
    assert!(sent.iter().any(|(line, _)| line.starts_with("PUT /bucket/out/first")), "{sent:?}");
    assert!(!sent.iter().any(|(line, _)| line.contains("/seal")));
    assert_eq!(store.names(), [""; 0]);
    assert_eq!(store.leftovers(), [""; 0]);

    let dead = Network::before(store.at, |_, _| Fault::Busy { retry_after: true });
    let start = Instant::now();
    let error = problem(access(dead.at, KEY).upload(folder.path(), "s3://bucket/out", "seal"));
    assert!(matches!(error, Problem::Busy { .. }), "{error}");
    assert!(start.elapsed() < Duration::from_secs(10));
    assert_eq!(store.names(), [""; 0]);
}

#[test]
fn who_may_not_or_cannot_is_told_why() {
    let store = Store::start();
    store.put("x.txt", b"x");
    assert_eq!(problem(access(store.at, KEY).find("s3://other/x/")), Problem::NoBucket);
    assert_eq!(problem(access(store.at, KEY).find("s3://other/x.txt")), Problem::NoBucket);
    let refused = problem(access(store.at, "wrong").find("s3://bucket/x.txt"));
    assert!(matches!(refused, Problem::Refused { .. }), "{refused}");
    let refused = problem(access(store.at, "wrong").upload_file(&store.path("x.txt"), "s3://bucket/y"));
    assert!(matches!(refused, Problem::Refused { .. }), "{refused}");

    // Ports that nobody listens to, for the store and for the machine's own credentials.
    let endpoint = format!("http://{}", store.at);
    let nobody = [("AWS_METADATA_ENDPOINT", "http://127.0.0.1:9"), ("AWS_ENDPOINT_URL", &endpoint)];
    let wait = Duration::from_millis(500);
    let patient =
        Patience { tries: 20, first_wait: wait, longest_wait: wait, in_all: 100 * wait, ..Patience::default() };
    let access_of = |settings: [(&'static str, &str); 2]| Access::new(settings.into_iter().chain(NO_PROXY), patient);
    let start = Instant::now();
    let nobody = problem(access_of(nobody).find("s3://bucket/x.txt"));
    assert_eq!(nobody, Problem::NoCredentials);
    assert!(nobody.to_string().contains("AWS_ACCESS_KEY_ID"));
    for status in [403, 404] {
        let refusing = format!("http://{}", web(move |_| Answer::new(status, b"denied")));
        let refused = [("AWS_METADATA_ENDPOINT", refusing.as_str()), ("AWS_ENDPOINT_URL", &endpoint)];
        assert_eq!(problem(access_of(refused).find("s3://bucket/x.txt")), Problem::NoCredentials, "{status}");
    }
    let offline = [("AWS_SKIP_SIGNATURE", "true"), ("AWS_ENDPOINT_URL", "http://127.0.0.1:9")];
    let offline = problem(access_of(offline).find("s3://bucket/x.txt"));
    assert!(matches!(&offline, Problem::Offline { cause } if cause.contains("refused")), "{offline}");
    let offline = problem(Access::new(NO_PROXY, patient).find("http://127.0.0.1:9/x"));
    assert!(matches!(&offline, Problem::Offline { .. }), "{offline}");
    assert!(start.elapsed() < Duration::from_secs(10), "what is hopeless is tried too long");
}

#[test]
fn what_sends_no_byte_is_given_up_after_a_while_and_told_before() {
    let told: Arc<Mutex<Vec<Silence>>> = Arc::default();
    let heard = Arc::clone(&told);
    on_silence(move |silence| heard.lock().unwrap().push(silence.clone()));
    let store = Store::start();
    store.put("x.bin", &Dice::new(3).bytes(1000));
    let without_progress = Duration::from_secs(1);
    let patience = Patience { without_progress, ..Patience::default() };
    let slow = Network::before(store.at, |_, line| match line {
        line if line.starts_with("HEAD") => Fault::None,
        _ => Fault::Late(Duration::from_secs(30)),
    });
    let found = access_with(slow.at, KEY, patience).find("s3://bucket/x.bin").unwrap();
    let start = Instant::now();
    let error = failure(&found[0]);
    assert!(matches!(&error, Error::Remote { problem: Problem::Silent { seconds: 1 }, .. }), "{error}");
    // Nor is it waited for when it is looked for, and refuses to answer again and again.
    let busy = Network::before(store.at, |_, _| Fault::Busy { retry_after: true });
    let problem = problem(access_with(busy.at, KEY, patience).find("s3://bucket/x.bin"));
    assert_eq!(problem, Problem::Silent { seconds: 1 });
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    let told = told.lock().unwrap();
    assert!(told[0].host == "s3://bucket" && told[0].left <= without_progress / 2, "{told:?}");
}

#[test]
fn an_object_that_changes_while_it_is_read_is_noticed() {
    let store = Store::start();
    store.put("x.bin", &Dice::new(7).bytes(50_000_000));
    let access = access(store.at, KEY);
    let found = access.find("s3://bucket/").unwrap();
    found[0].check_unchanged().unwrap();
    let mut download = found[0].open().unwrap();
    download.read_exact(&mut [0; 10]).unwrap();
    store.put("x.bin", &Dice::new(8).bytes(50_000_000));
    let error = download.read_to_end(&mut Vec::new()).unwrap_err().downcast::<Error>().unwrap();
    assert!(matches!(&error, Error::Changed { .. }), "{error}");
    // Nor can it be read on over the gap.
    download.read_exact(&mut vec![0; 40_000_000]).unwrap_err();

    store.put("y.bin", b"one");
    let found = access.find("s3://bucket/y.bin").unwrap();
    store.put("y.bin", b"three");
    assert!(matches!(found[0].check_unchanged(), Err(Error::Changed { .. })));
    fs::remove_file(store.path("y.bin")).unwrap();
    assert!(matches!(found[0].check_unchanged(), Err(Error::Changed { .. })));
    assert!(matches!(failure(&found[0]), Error::Changed { .. } | Error::Remote { problem: Problem::NotThere, .. }));
}

#[test]
fn a_signed_web_address_arrives_as_it_is_and_is_not_told_to_others() {
    let bytes = Dice::new(9).bytes(20_000_000);
    let body = bytes.clone();
    let conditions = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&conditions);
    let at = web(move |request| {
        // Signed for GET, and for this spelling.
        if request.method() != "GET" || request.target() != "/a%2Fb/c+d?X-Sig=a%2Bb%3D&n=1" {
            return Answer::new(403, b"<Error><Code>SignatureDoesNotMatch</Code></Error>");
        }
        seen.fetch_add(usize::from(request.header("if-match") == Some("\"v1\"")), Ordering::SeqCst);
        Answer::ranged(request, &body).with("ETag", "\"v1\"")
    });
    let access = web_access();
    let found = access.find(&format!("http://{at}/a%2Fb/c+d?X-Sig=a%2Bb%3D&n=1#top")).unwrap();
    assert_eq!((found[0].bytes, found[0].etag()), (20_000_000, Some("\"v1\"")));
    assert!(read(&found[0]) == bytes);
    assert_eq!(conditions.load(Ordering::SeqCst), 3);
    found[0].check_unchanged().unwrap();
    let error = access.find(&format!("http://{at}/a%2Fb/c+d?X-Sig=secret")).unwrap_err();
    let told = format!("{error} {error:?} {found:?}");
    assert!(told.contains("SignatureDoesNotMatch") && !told.contains("secret") && !told.contains("X-Sig"), "{told}");
}

#[test]
fn a_web_file_without_ranges_or_size_is_streamed_also_when_it_is_cut() {
    let bytes = Dice::new(10).bytes(9_000_000);
    for has_length in [true, false] {
        let (body, count) = (bytes.clone(), AtomicUsize::new(0));
        let at = web(move |_| {
            let number = count.fetch_add(1, Ordering::SeqCst);
            let mut answer = Answer { has_length, ..Answer::new(200, &body) };
            if has_length && matches!(number, 1 | 2) {
                answer.cut = 2_500_000 * number;
            }
            answer
        });
        let found = web_access().find(&format!("http://{at}/x")).unwrap();
        assert_eq!(found[0].bytes, if has_length { 9_000_000 } else { 0 });
        assert!(read(&found[0]) == bytes, "{has_length}");
        assert!(read(&found[0]) == bytes);
    }
}

#[test]
fn a_part_that_is_cut_is_taken_up_where_it_ended_also_without_an_etag() {
    let bytes = Dice::new(14).bytes(20_000_000);
    let (body, asked) = (bytes.clone(), Arc::new(Mutex::new(Vec::new())));
    let log = Arc::clone(&asked);
    let at = web(move |request| {
        let range = request.header("range").unwrap().to_owned();
        let is_first = range.ends_with("-8388607") && range.starts_with("bytes=0-");
        log.lock().unwrap().push(range);
        Answer { cut: if is_first { 3_000_000 } else { usize::MAX }, ..Answer::ranged(request, &body) }
    });
    let found = web_access().find(&format!("http://{at}/x")).unwrap();
    assert!(read(&found[0]) == bytes);
    let mut asked = asked.lock().unwrap().clone();
    asked.sort();
    let expected =
        ["bytes=0-0", "bytes=0-8388607", "bytes=16777216-19999999", "bytes=3000000-8388607", "bytes=8388608-16777215"];
    assert_eq!(asked, expected);
}

#[test]
fn a_stream_that_is_another_after_a_cut_is_no_mixture() {
    let count = AtomicUsize::new(0);
    let at = web(move |_| {
        let number = count.fetch_add(1, Ordering::SeqCst);
        let body = Dice::new(if number < 2 { 11 } else { 12 }).bytes(5_000_000);
        Answer { cut: if number == 1 { 3_000_000 } else { usize::MAX }, ..Answer::new(200, &body) }
    });
    let found = web_access().find(&format!("http://{at}/x")).unwrap();
    assert!(matches!(failure(&found[0]), Error::Changed { .. }));

    let at = web(|_| Answer { cut: 3_000_000, ..Answer::new(200, &vec![7; 5_000_000]) });
    let found = web_access().find(&format!("http://{at}/x")).unwrap();
    assert!(matches!(failure(&found[0]), Error::Remote { problem: Problem::Cut { .. }, .. }));
}

#[test]
fn a_busy_server_is_asked_again_when_it_wants_to_be() {
    let count = AtomicUsize::new(0);
    let at = web(move |request| match count.fetch_add(1, Ordering::SeqCst) {
        0 => Answer::new(429, b"").with("Retry-After", "1"),
        _ => Answer::ranged(request, b"x"),
    });
    let start = Instant::now();
    let found = web_access().find(&format!("http://{at}/x")).unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1), "{:?}", start.elapsed());
    assert_eq!(read(&found[0]), b"x");
}

#[test]
fn a_web_server_that_does_not_list_is_asked_for_the_seal() {
    let held = Arc::new(Mutex::new(Vec::<(String, Vec<u8>)>::new()));
    let not_done = Arc::new(AtomicUsize::new(0));
    let (shelf, counted) = (Arc::clone(&held), Arc::clone(&not_done));
    let answer = move |request: &Request| {
        let mut held = shelf.lock().unwrap();
        let name = request.target().to_owned();
        match request.method() {
            "PUT" => held.push((name, request.body.clone())),
            "DELETE" => held.retain(|(other, _)| *other != name),
            "GET" => {
                let found = held.iter().find(|(other, _)| *other == name);
                return found.map_or(Answer::new(404, b"none"), |(_, body)| Answer::ranged(request, body));
            }
            _ => {
                counted.fetch_add(1, Ordering::SeqCst);
                return Answer::new(501, b"<html>what?</html>");
            }
        }
        Answer::new(200, b"")
    };
    let url = format!("http://{}/out", web(answer));
    let access = web_access();
    assert!(access.is_empty(&url, "seal").unwrap());
    let folder = tempfile::tempdir().unwrap();
    let big = Dice::new(13).bytes(12_000_000);
    fs::write(folder.path().join("big"), &big).unwrap();
    fs::write(folder.path().join("seal"), "s").unwrap();
    access.upload(folder.path(), &url, "seal").unwrap();
    assert!(!access.is_empty(&url, "seal").unwrap());
    assert_eq!(held.lock().unwrap().last().unwrap().0, "/out/seal");
    assert!(read(&access.find(&format!("{url}/big")).unwrap()[0]) == big);
    assert_eq!(problem(access.find(&format!("{url}/"))), Problem::NoList);
    assert_eq!(problem(access.find(&format!("{url}/none"))), Problem::NotThere);
    access.remove_all(&url, &["seal", "big", "never"]).unwrap();
    assert!(held.lock().unwrap().is_empty());
    // Twice for `is_empty`, once for a folder, and once for each name to remove.
    assert_eq!(not_done.load(Ordering::SeqCst), 6, "what a server cannot do is asked for once");

    let read_only = web(|request| Answer::new(if request.method() == "GET" { 404 } else { 405 }, b""));
    let refused = access.upload(folder.path(), &format!("http://{read_only}/out"), "seal");
    assert_eq!(problem(refused), Problem::ReadOnly);
}

/// Its environment names the store.
#[test]
#[ignore = "not a test: the process that writes in the one below"]
fn writes_again() {
    let url = std::env::var("LOOKALIKE_WRITES_AGAIN").unwrap();
    let (url, owned) = (Path::new(&url), &["kept", "summary.json"]);
    assert!(matches!(Staging::new(url, true, owned, &[], &Unfinished::default()), Err(Error::NotOurs { .. })));
    let staging = Staging::again(url, owned, &[], &Unfinished::default()).unwrap();
    staging.file("kept/new").unwrap().write_all(b"new").unwrap();
    staging.file("summary.json").unwrap().write_all(b"{\"lookalike\": 1}").unwrap();
    staging.commit().unwrap();
}

#[test]
fn a_result_that_a_killed_run_sent_in_part_is_replaced_when_it_is_resumed() {
    let store = Store::start();
    store.put("out/kept/part", b"part");
    store.put("out/mine", b"mine");
    let ran = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["writes_again", "--exact", "--ignored"])
        .env("LOOKALIKE_WRITES_AGAIN", "s3://bucket/out")
        .env("AWS_ENDPOINT_URL", format!("http://{}", store.at))
        .env("AWS_ACCESS_KEY_ID", KEY)
        .env("AWS_SECRET_ACCESS_KEY", SECRET)
        .env("AWS_REGION", "us-east-1")
        .envs(NO_PROXY)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stdout));
    assert_eq!(store.names(), ["out/kept/new", "out/mine", "out/summary.json"]);
}
