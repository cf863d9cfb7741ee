use super::*;
use std::sync::atomic::{AtomicBool, AtomicU32};

fn work(mut f: impl FnMut() + Send + 'static) -> Work {
    Box::new(move || {
        f();
        Outcome::Done
    })
}

#[test]
fn commands_of_a_queue_run_in_order() {
    let queue = Queue::new();
    let seen = Arc::new(Mutex::new(Vec::new()));
    for i in 0..1000 {
        let seen = seen.clone();
        queue.push(vec![], work(move || seen.lock().push(i)));
    }
    queue.last().wait();
    assert!(queue.is_idle() && queue.backlog() == 0);
    assert_eq!(*seen.lock(), (0..1000).collect::<Vec<_>>());
}

#[test]
fn a_command_waits_for_points_of_other_queues() {
    // A chain over ten queues, which are pushed to last first.
    let gate = Arc::new(AtomicBool::new(false));
    let start = Queue::new();
    let open = gate.clone();
    let started = start.push(vec![], Box::new(move || if open.load(SeqCst) { Outcome::Done } else { Outcome::Again }));
    let sum = Arc::new(AtomicU32::new(0));
    let mut point = started.clone();
    for i in 0..10 {
        let sum = sum.clone();
        point = Queue::new().push(
            vec![point, started.clone()],
            work(move || {
                assert_eq!(sum.fetch_add(1, SeqCst), i);
            }),
        );
    }
    std::thread::sleep(Duration::from_millis(5));
    assert!(!point.is_reached() && sum.load(SeqCst) == 0);
    gate.store(true, SeqCst);
    point.wait();
    assert_eq!(sum.load(SeqCst), 10);
}

#[test]
fn queues_run_beside_each_other_however_many_wait() {
    // Each of the first waits, at a runner, for what the last one does.
    let flag = Arc::new(AtomicBool::new(false));
    let busy: Vec<Point> = (0..10)
        .map(|_| {
            let flag = flag.clone();
            Queue::new().push(
                vec![],
                work(move || {
                    while !flag.load(SeqCst) {
                        std::thread::sleep(Duration::from_millis(1));
                    }
                }),
            )
        })
        .collect();
    Queue::new().push(vec![], work(move || flag.store(true, SeqCst)));
    busy.iter().for_each(Point::wait);
}

#[test]
fn queues_get_on_while_all_who_could_run_them_are_busy() {
    // More commands that wait for the last one than threads run them without hesitation; who waits for one of them runs it.
    let (begun, flag) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicBool::new(false)));
    let wait_for_flag = || {
        let (begun, flag) = (begun.clone(), flag.clone());
        work(move || {
            begun.fetch_add(1, SeqCst);
            while !flag.load(SeqCst) {
                std::thread::sleep(Duration::from_millis(1));
            }
        })
    };
    let mut busy: Vec<Point> = (0..8).map(|_| Queue::new().push(vec![], wait_for_flag())).collect();
    while begun.load(SeqCst) < 4 {
        std::thread::sleep(Duration::from_millis(1));
    }
    busy.push(Queue::new().push(vec![], wait_for_flag()));
    let open = flag.clone();
    let last = Queue::new().push(vec![], work(move || open.store(true, SeqCst)));
    busy.iter().rev().for_each(Point::wait);
    last.wait();
}

#[test]
fn ten_thousand_queues_and_threads_that_push_and_wait() {
    let count = Arc::new(AtomicU32::new(0));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let queues: Vec<Queue> = (0..2500).map(|_| Queue::new()).collect();
                let mut points: Vec<Point> = Vec::new();
                for (i, queue) in queues.iter().enumerate() {
                    let count = count.clone();
                    let waits = points.get(i / 2).cloned().into_iter().collect();
                    points.push(queue.push(waits, work(move || _ = count.fetch_add(1, SeqCst))));
                }
                points.iter().for_each(Point::wait);
            });
        }
    });
    assert_eq!(count.load(SeqCst), 10_000);
}

#[test]
fn a_command_that_panics_does_not_hold_up_those_behind_it() {
    let queue = Queue::new();
    queue.push(vec![], Box::new(|| std::panic::resume_unwind(Box::new("as wanted"))));
    queue.push(vec![], work(|| ())).wait();
}
