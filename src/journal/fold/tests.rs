use super::*;
use crate::journal::{PARTS, TOTALS, Writer};
use crate::protocol::{Answer, builtin};
use crate::text::hash::fingerprint;

fn event(seq: i64, at: i64, happening: Happening) -> Event {
    Event {
        id: EventId { writer: Writer(1), seq },
        happening,
        at: Some(at),
        active: 1_000,
        protocol: fingerprint(&["p"]),
        texts: fingerprint(&["t"]),
    }
}

fn coverage() -> &'static Protocol {
    builtin("coverage").expect("built in")
}

fn choose(value: &str) -> Happening {
    Happening::Answer { question: "coverage".into(), answer: Answer::Text(value.into()) }
}

fn retract(seq: i64) -> Happening {
    Happening::Retract { event: EventId { writer: Writer(1), seq } }
}

#[test]
fn the_latest_answer_counts_whatever_the_order_of_arrival() {
    let mut events = vec![event(1, 10, choose("full")), event(2, 20, choose("none"))];
    let expected = fold_under(&events, coverage());
    assert_eq!(expected.answers["coverage"], Answer::Text("none".into()));
    assert_eq!(expected.active, 2_000);
    events.reverse();
    assert_eq!(fold_under(&events, coverage()), expected);
}

/// The files are two copies' of one export: the same judgment, with an empty line in one of them.
#[test]
fn a_judgment_that_two_files_have_is_paid_once() {
    let of_file =
        |file: i64, event: Event| Event { id: EventId { writer: Writer(-file), ..event.id }, ..event };
    let once = of_file(1, event(1, 10, choose("full")));
    let again = of_file(2, event(3, 10, choose("full")));
    let other = of_file(3, event(1, 20, choose("full")));
    for (events, seconds) in [
        (vec![once.clone(), again.clone()], 1),
        (vec![again.clone(), other.clone(), once.clone()], 2),
        // What was exported of the journal, with another judgment of the same answer.
        (vec![once.clone(), event(1, 10, choose("full")), event(2, 10, choose("full"))], 2),
        (vec![once, event(1, 5, choose("full"))], 2),
        (vec![Event { at: None, ..other.clone() }, event(1, 5, choose("full"))], 1),
        // A table tells the second or the minute.
        (vec![Event { at: Some(120_000), ..other.clone() }, event(1, 179_999, choose("full"))], 1),
        (vec![Event { at: Some(121_000), ..other.clone() }, event(1, 121_999, choose("full"))], 1),
        (vec![Event { at: Some(121_000), ..other.clone() }, event(1, 122_000, choose("full"))], 2),
        (vec![Event { at: Some(120_000), ..other.clone() }, Event { at: Some(145_000), ..again.clone() }], 1),
        (vec![Event { at: Some(145_000), ..other.clone() }, Event { at: Some(120_000), ..again.clone() }], 1),
        (vec![Event { at: Some(120_000), ..other.clone() }, Event { at: Some(145_000), ..other.clone() }], 2),
        // Two judgments within the minute to which another file has the time of one, the longer.
        (
            vec![
                Event { at: Some(125_000), active: 3_000, ..other.clone() },
                Event { at: Some(145_000), ..other },
                Event { at: Some(120_000), active: 3_000, ..again.clone() },
            ],
            4,
        ),
        // An export tells the time of all revisions, with the last one.
        (
            vec![Event { active: 2_000, ..again }, event(1, 5, choose("none")), event(2, 10, choose("full"))],
            2,
        ),
    ] {
        assert_eq!(fold_under(&events, coverage()).active, seconds * 1_000, "{events:?}");
    }
}

#[test]
fn undo_brings_the_answer_before_back_and_redo_the_one_after() {
    let mut events =
        vec![event(1, 10, choose("full")), event(2, 20, choose("none")), event(3, 30, retract(2))];
    assert_eq!(fold_under(&events, coverage()).answers["coverage"], Answer::Text("full".into()));
    events.push(event(4, 40, retract(3)));
    assert_eq!(fold_under(&events, coverage()).answers["coverage"], Answer::Text("none".into()));
    events.push(event(5, 50, retract(4)));
    assert_eq!(fold_under(&events, coverage()).answers["coverage"], Answer::Text("full".into()));
}

#[test]
fn answering_takes_an_item_out_of_the_skipped_ones() {
    let protocol = builtin("coverage").expect("built in");
    let event = |seq, at, happening| Event { protocol: protocol.hash, ..event(seq, at, happening) };
    let mut events = vec![event(1, 10, Happening::Skip(true))];
    assert_eq!(fold_under(&events, coverage()).state(protocol), ItemState::Skipped);
    events.push(event(2, 20, choose("full")));
    assert_eq!(fold_under(&events, coverage()).state(protocol), ItemState::Open, "the bullet is missing");
    let link = Happening::Answer { question: "bullet".into(), answer: Answer::Bullet(2) };
    events.push(event(3, 30, link));
    assert_eq!(fold_under(&events, coverage()).state(protocol), ItemState::Judged);
}

#[test]
fn an_answer_under_another_version_begins_the_judgment_anew() {
    let protocol = builtin("coverage").expect("built in");
    let link = Happening::Answer { question: "bullet".into(), answer: Answer::Bullet(2) };
    let mut events = vec![event(1, 10, choose("full")), event(2, 20, link)];
    assert_eq!(fold_under(&events, coverage()).answers.len(), 2);
    assert_eq!(
        fold_under(&events, coverage()).state(protocol),
        ItemState::Open,
        "judged under another version"
    );
    assert!(fold_under(&events, coverage()).answers_under(protocol.hash).is_empty());
    events.push(Event { protocol: protocol.hash, ..event(3, 30, choose("none")) });
    let standing = fold_under(&events, coverage());
    assert_eq!(standing.answers, [("coverage".to_owned(), Answer::Text("none".into()))].into());
    assert_eq!(standing.state(protocol), ItemState::Judged);
    events.push(event(4, 40, retract(3)));
    assert_eq!(
        fold_under(&events, coverage()).answers.len(),
        2,
        "undone, the judgment under the older version stands"
    );
}

#[test]
fn a_change_of_texts_or_protocol_is_stale() {
    let standing = fold_under(&[event(1, 10, choose("none"))], coverage());
    let (protocol, texts) = (fingerprint(&["p"]), fingerprint(&["t"]));
    assert!(!standing.is_stale(protocol, texts));
    assert!(standing.is_stale(fingerprint(&["q"]), texts));
    assert!(standing.is_stale(protocol, fingerprint(&["u"])));
    assert!(!Standing::default().is_stale(protocol, texts));
}

fn by(writer: i64, seq: i64, at: i64, happening: Happening) -> Event {
    let id = EventId { writer: Writer(writer), seq };
    Event { id, protocol: coverage().hash, ..event(seq, at, happening) }
}

fn link(bullet: u32) -> Happening {
    Happening::Answer { question: "bullet".into(), answer: Answer::Bullet(bullet) }
}

fn clear_bullet() -> Happening {
    Happening::Clear { question: "bullet".into() }
}

/// The answers that count of these events under `coverage`, as JSON.
fn counts(events: &[Event]) -> String {
    let standing = fold_under(events, coverage());
    let answers: Vec<String> =
        standing.answers.iter().map(|(key, answer)| format!("{key}={}", answer.to_json())).collect();
    answers.join(" ")
}

#[test]
fn two_files_of_one_person_give_no_judgment_that_nobody_gave() {
    let full = [by(1, 1, 10, choose("full")), by(1, 2, 11, link(1))];
    // Later `none` in another file, where there was no bullet to clear.
    let none = by(2, 1, 20, choose("none"));
    let mut both = [&full[..], &[none]].concat();
    assert_eq!(counts(&both), "coverage=\"none\"");
    // The bullet is changed in the first file, which still shows `full`: not asked under `none`.
    both.push(by(1, 3, 30, link(3)));
    assert_eq!(counts(&both), "coverage=\"none\"");
    // `full` in the second file does not take up a bullet of the first.
    both.push(by(2, 2, 40, choose("full")));
    assert_eq!(counts(&both), "coverage=\"full\"");
    assert_eq!(fold_under(&both, coverage()).state(coverage()), ItemState::Open);
    both.push(by(2, 3, 50, link(2)));
    assert_eq!(counts(&both), "bullet=2 coverage=\"full\"");
    // `none` and what hangs on it, taken back in the second file: all of the first file's counts again.
    let retracts =
        |seq, of| Happening::Retract { event: EventId { writer: Writer(2), seq: of } }.clone_at(seq);
    both.extend([retracts(4, 3), retracts(5, 2), retracts(6, 1)]);
    assert_eq!(counts(&both), "bullet=3 coverage=\"full\"");
}

impl Happening {
    /// By writer 2, later than everything else.
    fn clone_at(&self, seq: i64) -> Event {
        by(2, seq, 60 + seq, self.clone())
    }
}

#[test]
fn an_answer_that_is_not_asked_changes_nothing() {
    let mut events =
        vec![by(1, 1, 10, choose("none")), by(1, 2, 20, Happening::Skip(true)), by(2, 1, 30, link(2))];
    let standing = fold_under(&events, coverage());
    assert_eq!((standing.at, standing.skipped), (Some(10), true));
    // An answer that is cleared without being asked begins no judgment anew under another version.
    events.push(Event { protocol: fingerprint(&["p"]), ..by(2, 2, 40, clear_bullet()) });
    assert_eq!(fold_under(&events, coverage()), Standing { active: 4_000, ..standing });
}

#[test]
fn questions_of_one_step_may_come_in_any_order() {
    let step = [by(1, 1, 10, link(2)), by(1, 2, 10, choose("partial"))];
    assert_eq!(counts(&step), "bullet=2 coverage=\"partial\"");
}

#[test]
fn an_imported_judgment_counts_as_a_whole_with_its_breaches() {
    // As published: `none` with a bullet. Numbers: two questions, then comment, flag and skip.
    let published = [by(-5, 6, 10, choose("none")), by(-5, 7, 10, link(1))];
    assert_eq!(counts(&published), "bullet=1 coverage=\"none\"");
    let later = [&published[..], &[by(-7, 1, 20, choose("partial"))]].concat();
    assert_eq!(counts(&later), "coverage=\"partial\"", "no bullet of another import");
    let of_one_file = [&published[..], &[by(-5, 11, 10, choose("partial"))]].concat();
    assert_eq!(counts(&of_one_file), "coverage=\"partial\"");
    let flagged = [&published[..], &[by(1, 1, 30, Happening::Flag(true))]].concat();
    assert_eq!(counts(&flagged), "bullet=1 coverage=\"none\"", "a flag answers nothing");
    let answered = [&published[..], &[by(1, 1, 30, choose("none"))]].concat();
    assert_eq!(counts(&answered), "coverage=\"none\"", "a person's `none` has no bullet");
    let taken_up = [&later[..], &[by(1, 1, 30, link(3))]].concat();
    assert_eq!(counts(&taken_up), "bullet=3 coverage=\"partial\"", "a person goes on with an import");
}

#[test]
fn a_part_of_an_imported_judgment_leaves_the_answers_to_other_questions() {
    // Each part has numbers of its own: two questions, then comment, flag and skip.
    let comment = |text: &str| Happening::Comment(text.to_owned());
    let parts = [
        by(-5, PARTS + 1, 10, choose("full")),
        by(-5, PARTS + 3, 10, comment("one")),
        by(-7, PARTS + 2, 20, link(1)),
        by(-7, PARTS + 3, 20, comment("two")),
        by(-5, PARTS + 6, 30, choose("partial")),
    ];
    assert_eq!(counts(&parts[..4]), "bullet=1 coverage=\"full\"");
    assert_eq!(counts(&parts), "bullet=1 coverage=\"partial\"", "the latest of each question");
    let turned: Vec<Event> = parts.iter().rev().cloned().collect();
    assert_eq!(fold_under(&turned, coverage()), fold_under(&parts, coverage()), "in any order");
    assert_eq!(fold_under(&parts, coverage()).comment, "one\ntwo");
    let whole = [&parts[..], &[by(-9, 1, 25, choose("none"))]].concat();
    assert_eq!(counts(&whole), "coverage=\"partial\"", "a whole judgment takes what was before away");
}

mod histories {
    use proptest::prelude::*;

    use super::*;

    /// `a` is always asked, `b` when `a` is yes, `c` when `b` is.
    fn chain(version: u32) -> Protocol {
        let question = |key: &str, keys: [char; 2], after: &str| {
            let condition = match after {
                "" => String::new(),
                after => format!("ask_when = {{ question = \"{after}\", is = [\"yes\"] }}\n"),
            };
            format!(
                "[[question]]\nkey = \"{key}\"\nprompt = \"{key}\"\nkind = \"choice\"\n{condition}choices = [\n\
                 {{ value = \"yes\", label = \"yes\", key = \"{}\" }},\n\
                 {{ value = \"no\", label = \"no\", key = \"{}\" }},\n]\n",
                keys[0], keys[1]
            )
        };
        let text = format!(
            "name = \"chain\"\ntitle = \"Chain\"\nversion = {version}\nsource = \"a test\"\n\
             target = [\"candidate\"]\ngroup = \"query\"\n[layout]\nabove = [\"query\"]\nleft = []\n\
             right = [\"candidate\"]\n{}{}{}",
            question("a", ['y', 'n'], ""),
            question("b", ['e', 'm'], "a"),
            question("c", ['f', 'x'], "b"),
        );
        Protocol::parse(&text, "").unwrap_or_else(|error| panic!("{error}"))
    }

    /// One of a person's files, with the screen that is open on it.
    struct File {
        events: Vec<Event>,
        opening: EventId,
        done: Vec<Vec<EventId>>,
        /// Steps with their retractions.
        undone: Vec<(Vec<EventId>, Vec<EventId>)>,
        version: usize,
        has_merged: bool,
    }

    impl File {
        fn open(&mut self, writer: i64) {
            self.opening = EventId { writer: Writer(writer), seq: 0 };
            self.done.clear();
            self.undone.clear();
        }

        /// Appends a step as the screen does, later than everything in the file.
        fn append(&mut self, happenings: Vec<Happening>, now: i64, protocol: &Protocol) -> Vec<EventId> {
            let last = self.events.iter().filter_map(|event| event.at).max();
            let at = now.max(last.map_or(0, |last| last + 1));
            let mut ids = Vec::new();
            for happening in happenings {
                self.opening.seq += 1;
                ids.push(self.opening);
                let event = event(0, at, happening);
                self.events.push(Event { id: self.opening, protocol: protocol.hash, ..event });
            }
            ids
        }

        /// A key, as the screen understands it.
        fn press(&mut self, kind: u8, number: u8, now: i64, versions: &[Protocol]) {
            let protocol = &versions[self.version];
            let standing = fold(&self.events, |hash| versions.iter().find(|version| version.hash == hash));
            let mut answers = standing.answers_under(protocol.hash).clone();
            let question = &protocol.questions[usize::from(number) % 3];
            let mut step = match kind {
                0..=5 if question.is_asked(&answers) => {
                    let answer = Answer::Text(["yes", "no"][usize::from(number / 3) % 2].into());
                    answers.insert(question.key.clone(), answer.clone());
                    vec![Happening::Answer { question: question.key.clone(), answer }]
                }
                6 if answers.remove(&question.key).is_some() => {
                    vec![Happening::Clear { question: question.key.clone() }]
                }
                7 => vec![Happening::Skip(!standing.skipped)],
                8 => vec![Happening::Flag(!standing.flagged)],
                9 | 10 => {
                    let Some(step) = self.done.pop() else { return };
                    let taken_back = step.iter().map(|event| Happening::Retract { event: *event }).collect();
                    let ids = self.append(taken_back, now, protocol);
                    return self.undone.push((step, ids));
                }
                11 => {
                    let Some((step, retractions)) = self.undone.pop() else { return };
                    let again =
                        retractions.iter().map(|event| Happening::Retract { event: *event }).collect();
                    self.append(again, now, protocol);
                    return self.done.push(step);
                }
                _ => return,
            };
            for question in protocol.left_over(&answers) {
                step.push(Happening::Clear { question });
            }
            let ids = self.append(step, now, protocol);
            self.done.push(ids);
            self.undone.clear();
        }
    }

    /// The latest answer to each question, whatever is asked.
    fn latest(events: &[Event]) -> Answers {
        let (mut answers, mut under) = (Answers::new(), None);
        for event in standing_events(events) {
            match &event.happening {
                Happening::Answer { question, answer } => {
                    if under.replace(event.protocol).is_some_and(|under| under != event.protocol) {
                        answers.clear();
                    }
                    answers.insert(question.clone(), answer.clone());
                }
                Happening::Clear { question } => {
                    answers.remove(question);
                }
                _ => {}
            }
        }
        answers
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_counts_is_a_state_that_one_person_could_have_entered(
            deeds in prop::collection::vec((0..3_usize, 0..15_u8, any::<u8>(), 0..3_i64), 1..40),
            order in Just((0..200_usize).collect::<Vec<usize>>()).prop_shuffle(),
        ) {
            let versions = [chain(1), chain(2)];
            let find = |hash| versions.iter().find(|version| version.hash == hash);
            let mut files: Vec<File> = (1..=3).map(|writer| File {
                events: Vec::new(),
                opening: EventId { writer: Writer(writer), seq: 0 },
                done: Vec::new(),
                undone: Vec::new(),
                version: 0,
                has_merged: false,
            }).collect();
            let mut now = 0;
            for (place, (file, kind, number, later)) in (10..).zip(deeds) {
                now += later;
                match kind {
                    12 => {
                        let theirs = files[usize::from(number) % 3].events.clone();
                        let ours = &mut files[file];
                        let news = theirs.into_iter().filter(|event| !ours.events.iter().any(|own| own.id == event.id));
                        let news: Vec<Event> = news.collect();
                        ours.events.extend(news);
                        ours.has_merged = true;
                        ours.open(place);
                    }
                    13 if number % 4 == 0 => files[file].version = 1,
                    14 => files[file].open(place),
                    _ => files[file].press(kind, number, now, &versions),
                }
                let file = &files[file];
                if !file.has_merged {
                    prop_assert_eq!(&fold(&file.events, find).answers, &latest(&file.events), "in one file");
                }
            }
            let mut events: Vec<Event> = Vec::new();
            for file in &files {
                let news = file.events.iter().filter(|event| !events.iter().any(|own| own.id == event.id));
                let news: Vec<Event> = news.cloned().collect();
                events.extend(news);
            }
            let standing = fold(&events, find);
            let shuffled: Vec<Event> = order.iter().filter_map(|place| events.get(*place).cloned()).collect();
            if shuffled.len() == events.len() {
                prop_assert_eq!(&fold(&shuffled, find), &standing, "in any order");
            }
            let Some((under, _)) = standing.judged_under else { return Ok(()) };
            let protocol = find(under).expect("one of the two");
            prop_assert_eq!(protocol.left_over(&standing.answers), Vec::<String>::new(), "only what is asked");
            let kept = standing_events(&events);
            for (question, answer) in &standing.answers {
                let said = Happening::Answer { question: question.clone(), answer: answer.clone() };
                let given = kept.iter().rposition(|event| event.happening == said && event.protocol == under);
                let given = given.expect("somebody said so");
                // Nothing that is later, and was not taken back, took it away.
                let no = |earlier: &str| Happening::Answer { question: earlier.into(), answer: Answer::Text("no".into()) };
                let ends: &[Happening] = match question.as_str() {
                    "a" => &[],
                    _ => &[no("a")],
                };
                let ended = kept[given..].iter().any(|event| event.protocol == under && ends.contains(&event.happening));
                prop_assert!(!ended, "{question} came back");
            }
        }
    }
}

#[test]
fn an_item_that_is_given_anew_is_open_and_its_time_stays() {
    let mut events = vec![
        event(1, 10, choose("full")),
        event(2, 10, Happening::Flag(true)),
        event(3, 20, Happening::Anew),
    ];
    let open = fold_under(&events, coverage());
    assert!(open.answers.is_empty() && open.flagged);
    assert_eq!((open.at, open.judged_under, open.times_anew, open.active), (None, None, 1, 3_000));
    events.push(event(4, 30, choose("none")));
    let again = fold_under(&events, coverage());
    assert_eq!(again.answers["coverage"], Answer::Text("none".into()));
    assert_eq!(again.state(coverage()), ItemState::Open, "under another version, as before");
}

#[test]
fn a_total_has_the_time_of_what_was_done_before_it_and_no_other() {
    let of_file = |file: i64, seq: i64, at: i64, active: i64, value: &str| Event {
        active,
        ..by(-file, seq, at, choose(value))
    };
    // Two files gave an item 5 s and 10 s; what another study told of both.
    let first = of_file(1, 1, 60_000, 5_000, "full");
    let second = of_file(2, 1, 125_000, 10_000, "none");
    let total = of_file(3, TOTALS + 1, 125_000, 15_000, "none");
    let later = of_file(4, 1, 300_000, 7_000, "full");
    let of_later = of_file(5, TOTALS + 1, 300_000, 22_000, "full");
    let act = |seq, at, active, happening| Event { active, ..by(1, seq, at, happening) };
    let answered = act(1, 125_000, 10_000, choose("none"));
    let look = act(2, 200_000, 3_000, Happening::Flag(true));
    let taken_back = [act(3, 210_000, 1_000, choose("full")), act(4, 220_000, 1_000, retract(3))];
    for (events, seconds, is_total_time) in [
        (vec![&first, &second], 15, true),
        (vec![&first, &second, &total], 15, true),
        (vec![&first, &total], 15, true),
        (vec![&second, &total], 15, true),
        (vec![&total], 15, true),
        (vec![&first, &second, &total, &later], 22, true),
        (vec![&total, &later, &of_later], 22, true),
        (vec![&first, &of_later], 22, true),
        (vec![&answered, &total], 15, true),
        // What nobody answered, or took back, may have been there when the total was told.
        (vec![&answered, &look, &Event { active: 18_000, ..total.clone() }], 18, true),
        (vec![&second, &taken_back[0], &taken_back[1], &total], 15, true),
        (vec![&second], 10, false),
        (vec![&answered, &look], 13, false),
    ] {
        let events: Vec<Event> = events.into_iter().cloned().collect();
        let turned: Vec<Event> = events.iter().rev().cloned().collect();
        assert_eq!(active_time(&events), seconds * 1_000, "{events:?}");
        assert_eq!(active_time(&turned), seconds * 1_000, "in any order");
        assert_eq!(is_total(&events), is_total_time, "{events:?}");
    }
    // A table tells the minute.
    let of_minute = of_file(3, TOTALS + 1, 120_000, 15_000, "none");
    assert_eq!(active_time(&[first, second, of_minute]), 15_000);
}
