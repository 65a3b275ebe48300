//! A study with several people from its first file to its last: assigned, split, annotated by programs
//! whose error rates are known, merged, agreed on, adjudicated and exported.
//!
//! The people and the truth are drawn from a seed, so every number that is expected follows from the
//! draws or from the error rates, never from what haymark printed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use haymark::journal::{Happening, Reason, Verdict};
use haymark::protocol::{Answer, Protocol, builtin};
use haymark::store::{StepOutcome, StudyFile};
use serde_json::{Value, json};

use crate::harness::{Desk, Draw};

/// Questions, as in Long2RAG.
const QUESTIONS: usize = 560;

/// Who judges, and how often each answers anything but the truth.
const PEOPLE: [(&str, f64); 4] = [("ann", 0.05), ("ben", 0.10), ("chen", 0.15), ("dora", 0.20)];

const GROUNDED: [&str; 2] = ["yes", "no"];
const VALIDITY: [&str; 3] = ["disagree", "neutral", "agree"];

/// How often a key point is grounded, and how often one that is grounded has each validity.
const GROUNDED_SHARE: f64 = 0.7;
const VALIDITY_SHARES: [f64; 3] = [0.15, 0.15, 0.7];

/// What is true of one key point: places in [`GROUNDED`] and [`VALIDITY`].
#[derive(Clone, Copy, PartialEq)]
struct Truth {
    grounded: usize,
    validity: usize,
}

/// What someone says of a key point; no validity where it is not grounded.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Said {
    grounded: usize,
    validity: Option<usize>,
}

impl Said {
    fn is_kept(self) -> bool {
        self.grounded == 0 && self.validity == Some(2)
    }
}

impl Draw {
    /// A place, by these shares.
    fn place(&mut self, shares: &[f64]) -> usize {
        let mut left = self.share();
        for (place, share) in shares.iter().enumerate() {
            if left < *share {
                return place;
            }
            left -= share;
        }
        shares.len() - 1
    }

    /// The truth, or with this error rate one of the other places.
    fn noisy(&mut self, truth: usize, places: usize, error: f64) -> usize {
        if self.share() >= error {
            return truth;
        }
        (truth + 1 + self.below(places - 1)) % places
    }
}

/// The whole of it: who was given what, and what they said.
struct Study {
    truth: BTreeMap<String, Truth>,
    /// By key point, then by person.
    said: BTreeMap<String, BTreeMap<&'static str, Said>>,
}

impl Desk {}

/// A question with one document and the key points that a model found in it.
fn write_corpus(path: &Path, draw: &mut Draw) -> BTreeMap<String, Truth> {
    let mut lines = Vec::new();
    let mut truth = BTreeMap::new();
    for question in 0..QUESTIONS {
        let collection = format!("c{question}");
        lines.push(json!({"type": "collection", "id": collection}));
        lines.push(json!({"type": "document", "collection": collection, "id": "d", "number": 1,
            "text": format!("Text {question}.")}));
        lines.push(json!({"type": "query", "collection": collection, "id": "q",
            "text": format!("Question {question}?")}));
        for point in 0..5 + draw.below(4) {
            let key = format!("{question}-{point}");
            lines.push(
                json!({"type": "unit", "collection": collection, "query": "q", "id": key, "kind": "keypoint",
                "text": format!("Point {point} of {question}."), "documents": ["d"]}),
            );
            let grounded = draw.place(&[GROUNDED_SHARE, 1.0 - GROUNDED_SHARE]);
            truth.insert(key, Truth { grounded, validity: draw.place(&VALIDITY_SHARES) });
        }
    }
    let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(path, text).expect("written");
    truth
}

fn answers_of(said: Said) -> Vec<(Happening, i64)> {
    let answer = |question: &str, value: &str| {
        let happening =
            Happening::Answer { question: question.to_owned(), answer: Answer::Text(value.to_owned()) };
        (happening, 4_000)
    };
    let mut happenings = vec![answer("grounded", GROUNDED[said.grounded])];
    happenings.extend(said.validity.map(|validity| answer("validity", VALIDITY[validity])));
    happenings
}

/// Judges all that a person was given, as they would: item after item, each on disk before the next.
fn annotate(
    path: &Path,
    (name, error): (&'static str, f64),
    protocol: &Protocol,
    draw: &mut Draw,
    study: &mut Study,
) {
    let mut file = StudyFile::open(path).expect("opened");
    let queue = file.open_queue(name, protocol).expect("a queue");
    for position in 0..queue.progress.total {
        let item = file.load(queue.annotator, protocol, position).expect("loaded").item;
        let key = item.keys.unit.clone().expect("a key point");
        let truth = study.truth[&key];
        let grounded = draw.noisy(truth.grounded, GROUNDED.len(), error);
        let validity = (grounded == 0).then(|| draw.noisy(truth.validity, VALIDITY.len(), error));
        let said = Said { grounded, validity };
        let at = 1_767_600_000_000 + i64::try_from(position).expect("small") * 5_000;
        file.append(queue.annotator, protocol, item.id, item.texts(), &answers_of(said), at).expect("saved");
        let before = study.said.entry(key).or_default().insert(name, said);
        assert_eq!(before, None, "each item comes once");
    }
}

/// The chance that two people say the same whose errors are independent and fall evenly on the other
/// `places - 1` labels.
fn same(one: f64, other: f64, places: f64) -> f64 {
    (1.0 - one) * (1.0 - other) + one * other / (places - 1.0)
}

fn pairs<T: Copy>(all: &[T]) -> Vec<(T, T)> {
    let with_later =
        |(place, one): (usize, &T)| all[place + 1..].iter().map(|other| (*one, *other)).collect();
    all.iter().enumerate().flat_map::<Vec<(T, T)>, _>(with_later).collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// Randolph's kappa, (Po − 1/k)/(1 − 1/k), that follows from the error rates for `grounded`: everyone
/// answers, so Po is the mean over the pairs of the chance that they say the same.
fn expected_grounded() -> f64 {
    let errors: Vec<f64> = PEOPLE.iter().map(|(_, error)| *error).collect();
    let chances: Vec<f64> = pairs(&errors).into_iter().map(|(one, other)| same(one, other, 2.0)).collect();
    (mean(&chances) - 0.5) / 0.5
}

/// The same for `validity`, which those answer who said that the point is grounded: the mean over all sets
/// of two and more people who say so, each with its chance.
fn expected_validity() -> f64 {
    let (mut agreed, mut all) = (0.0, 0.0);
    for set in 0_usize..1 << PEOPLE.len() {
        let is_in = |person: usize| set >> person & 1 == 1;
        let who: Vec<f64> =
            (0..PEOPLE.len()).filter(|person| is_in(*person)).map(|person| PEOPLE[person].1).collect();
        if who.len() < 2 {
            continue;
        }
        for (share, is_grounded) in [(GROUNDED_SHARE, true), (1.0 - GROUNDED_SHARE, false)] {
            let says_yes = |error: f64| if is_grounded { 1.0 - error } else { error };
            let each = PEOPLE.iter().enumerate().map(|(person, (_, error))| {
                if is_in(person) { says_yes(*error) } else { 1.0 - says_yes(*error) }
            });
            let chance = share * each.product::<f64>();
            let chances: Vec<f64> =
                pairs(&who).into_iter().map(|(one, other)| same(one, other, 3.0)).collect();
            agreed += chance * mean(&chances);
            all += chance;
        }
    }
    (agreed / all - 1.0 / 3.0) / (1.0 - 1.0 / 3.0)
}

/// Cohen's kappa of two people on `grounded`: their chance to say the same, against that of two who say
/// `yes` as often and do not look.
fn expected_cohen(one: f64, other: f64) -> (f64, f64, f64) {
    let yes = |error: f64| GROUNDED_SHARE * (1.0 - error) + (1.0 - GROUNDED_SHARE) * error;
    let by_chance = yes(one) * yes(other) + (1.0 - yes(one)) * (1.0 - yes(other));
    let observed = same(one, other, 2.0);
    ((observed - by_chance) / (1.0 - by_chance), observed, by_chance)
}

fn check_coefficient(agree: &Value, name: &str, expected: f64, items: usize) {
    let coefficients = agree["coefficients"].as_array().expect("coefficients");
    let found = coefficients.iter().find(|found| found["name"] == name).expect(name);
    let (low, high) = (found["low"].as_f64().expect("low"), found["high"].as_f64().expect("high"));
    assert!(low <= expected && expected <= high, "{name}: {expected} is not within {found}");
    assert_eq!(found["items"], items, "{name}");
    assert!(high - low < 0.2, "an interval that says something: {found}");
}

/// Whether all who judged it said the same.
fn are_one(said: &BTreeMap<&str, Said>) -> Option<Said> {
    let mut all = said.values();
    let first = *all.next()?;
    all.all(|other| *other == first).then_some(first)
}

#[test]
fn from_the_first_file_to_the_finished_dataset() {
    let desk = Desk::new();
    let mut draw = Draw::from_seed(20_260_105);
    let protocol = builtin("keypoint").expect("built in");
    let truth = write_corpus(&desk.path("corpus.jsonl"), &mut draw);
    let mut study = Study { truth, said: BTreeMap::new() };
    desk.out(&["init", "study.db"]);
    desk.out(&["import", "study.db", "corpus.jsonl"]);

    share_out(&desk);
    for person in PEOPLE {
        let name = person.0;
        let file = desk.path(&format!("{name}.db"));
        annotate(&file, person, protocol, &mut draw, &mut study);
    }
    let shared: Vec<&BTreeMap<&str, Said>> = study.said.values().filter(|said| said.len() > 1).collect();
    assert!(shared.iter().all(|said| said.len() == PEOPLE.len()), "shared by all or by none");
    assert_eq!(study.said.len(), study.truth.len(), "nothing was left out");
    let share = shared.len() as f64 / study.truth.len() as f64;
    assert!((share - 0.1).abs() < 0.01, "{share} is shared");

    // In any order, and one of them twice.
    desk.out(&["merge", "study.db", "chen.db", "ann.db"]);
    desk.out(&["merge", "study.db", "dora.db", "chen.db", "ben.db"]);
    check_agreement(&desk, &study);
    adjudicate(&desk, protocol, &study);
    check_dataset(&desk, &study);
    desk.out(&["check", "study.db"]);
}

/// Assigns the work, and writes a file for each person to take home.
fn share_out(desk: &Desk) {
    let people = PEOPLE.map(|(name, _)| name).join(",");
    let assign =
        ["assign", "study.db", "--to", &people, "--protocol", "keypoint", "--overlap", "10%", "--seed", "7"];
    desk.out(&assign);
    for (name, _) in PEOPLE {
        desk.out(&["split", "study.db", "--for", name, "--to", &format!("{name}.db")]);
    }
}

fn check_agreement(desk: &Desk, study: &Study) {
    let grounded = desk.agreement(&["agree", "study.db", "--protocol", "keypoint", "--question", "grounded"]);
    let shared: Vec<&BTreeMap<&str, Said>> = study.said.values().filter(|said| said.len() > 1).collect();
    check_coefficient(&grounded, "randolph_kappa", expected_grounded(), shared.len());
    let is_pair = |row: &&Value| row["a"] != "mean";
    for pair in grounded["pairs"].as_array().expect("pairs").iter().filter(is_pair) {
        let error = |side: &str| PEOPLE.iter().find(|(name, _)| pair[side] == *name).expect("known").1;
        let (expected, observed, by_chance) = expected_cohen(error("a"), error("b"));
        // Of n independent items, the share of equal answers has this deviation, and kappa that over 1 − Pe.
        let deviation = (observed * (1.0 - observed) / shared.len() as f64).sqrt() / (1.0 - by_chance);
        let kappa = pair["cohen_kappa"].as_f64().expect("a kappa");
        assert!((kappa - expected).abs() < 3.0 * deviation, "{pair}: {expected} ± {deviation}");
    }
    let validity = desk.agreement(&["agree", "study.db", "--protocol", "keypoint", "--question", "validity"]);
    let says_yes =
        |said: &&&BTreeMap<&str, Said>| said.values().filter(|said| said.grounded == 0).count() > 1;
    check_coefficient(
        &validity,
        "randolph_kappa",
        expected_validity(),
        shared.iter().filter(says_yes).count(),
    );
}

/// Someone who knows the truth settles every disagreement.
fn adjudicate(desk: &Desk, protocol: &Protocol, study: &Study) {
    let mut file = StudyFile::open(&desk.path("study.db")).expect("opened");
    let judge = file.adjudicator("eva").expect("a person");
    let items = file.item_keys("keypoint").expect("read");
    for (item, keys) in items {
        let key = keys.unit.expect("a key point");
        if are_one(&study.said[&key]).is_some() {
            continue;
        }
        let truth = study.truth[&key];
        let said =
            Said { grounded: truth.grounded, validity: (truth.grounded == 0).then_some(truth.validity) };
        let answers = answers_of(said).into_iter().map(|(happening, _)| match happening {
            Happening::Answer { question, answer } => (question, answer),
            other => panic!("{other:?}"),
        });
        let verdict =
            Verdict { answers: answers.collect(), reason: Some(Reason::Slip), ..Verdict::default() };
        let texts = haymark::text::hash::fingerprint(&["texts"]);
        let at = 1_767_700_000_000;
        let what = [Happening::Adjudicate(Box::new(verdict))];
        let kept = file.adjudicate(None, judge, protocol, (item, texts), &what, at).expect("saved");
        assert!(matches!(kept, StepOutcome::Written(_)));
    }
}

/// What is kept: what all who judged a point agree on, else what was decided.
fn check_dataset(desk: &Desk, study: &Study) {
    let final_of = |(key, said): (&String, &BTreeMap<&str, Said>)| {
        let truth = study.truth[key];
        let decided =
            Said { grounded: truth.grounded, validity: (truth.grounded == 0).then_some(truth.validity) };
        let (source, is_kept) = match are_one(said) {
            Some(said) => ("unanimous", said.is_kept()),
            None => ("adjudicated", decided.is_kept()),
        };
        (key.clone(), source, said.len(), is_kept)
    };
    let finals: Vec<_> = study.said.iter().map(final_of).collect();

    let gold = desk.out(&[
        "export",
        "study.db",
        "--what",
        "gold",
        "--protocol",
        "keypoint",
        "--rule",
        "all agree or single",
    ]);
    let records: Vec<Value> = gold.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(records.len(), study.truth.len());
    let of = |source: &str| records.iter().filter(|record| record["source"] == source).count();
    assert_eq!(of("adjudicated"), finals.iter().filter(|(_, source, ..)| *source == "adjudicated").count());

    let kept = [
        "export",
        "study.db",
        "--what",
        "retained",
        "--protocol",
        "keypoint",
        "--rule",
        "all agree or single",
    ];
    let retained: BTreeSet<String> = desk
        .out(&kept)
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .map(|record| record["unit"].as_str().expect("a key").to_owned())
        .collect();
    let expected: BTreeSet<String> =
        finals.iter().filter(|(.., is_kept)| *is_kept).map(|(key, ..)| key.clone()).collect();
    assert_eq!(retained, expected);
}
