//! A record gets other contents: judgments on the old ones are open again, and every file ends alike.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::amend::amendment;
use super::journal::all_caches;
use super::{Study, choose, corpus, coverage, judgment, link, record};
use crate::journal::{Happening, ItemState, Verdict};
use crate::protocol::Answer;
use crate::store::corpus::texts::Texts;
use crate::store::file::sql::one;
use crate::store::{Amended, MergeMode, VersionsRead, check};
use crate::study::{Act, AmendedKind, Amendment, RevisedFields};

/// A record of the corpus as it came in.
fn original(of: AmendedKind, id: &str) -> Value {
    let name = of.name();
    let is_it = |record: &&Value| {
        record["type"] == name && record["id"] == id && record.get("query").is_none_or(|of| of == "stress")
    };
    corpus().iter().find(is_it).expect("there").clone()
}

/// A revision to a record with these other fields.
pub(super) fn revision(of: AmendedKind, id: &str, more: &Value) -> Amendment {
    let mut new = original(of, id);
    let fields = new.as_object_mut().expect("an object");
    more.as_object().expect("an object").iter().for_each(|(key, value)| {
        fields.insert(key.clone(), value.clone());
    });
    let to = RevisedFields::of(&record(&new).expect("a record"));
    Amendment { to, ..amendment(Act::Revise, of, id) }
}

pub(super) fn undone(of: AmendedKind, id: &str) -> Amendment {
    amendment(Act::Revise, of, id)
}

fn candidate(text: &str) -> Amendment {
    revision(AmendedKind::Candidate, "c1", &json!({ "text": text }))
}

impl Study {
    /// Answers on the texts that the screen shows.
    pub(super) fn judge(&mut self, who: &str, item: usize, what: &[Happening], now: i64) {
        let annotator = self.file.open_queue(who, coverage()).expect("opened").annotator;
        let item = self.file.items("coverage").expect("read")[item];
        let texts = Texts::new(&self.file.connection).of_target(&item.target).expect("read");
        let what: Vec<_> = what.iter().map(|happening| (happening.clone(), 500)).collect();
        self.file.append(annotator, coverage(), item.id, texts, &what, now).expect("appended");
    }

    /// How many judgments count, now and with all that were given on other texts.
    fn counting(&self) -> [usize; 2] {
        [VersionsRead::Only(coverage().version), VersionsRead::All].map(|versions| {
            let material = self.file.material(coverage(), versions).expect("read");
            material.rows().iter().filter(|row| row.counts()).count()
        })
    }

    fn is_sound(&mut self) {
        self.is_derived();
        let report = check(self.file.path()).expect("checked");
        let wrong: Vec<_> = report.findings.iter().filter(|finding| finding.advice.is_some()).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    fn text_of(&self, id: &str) -> String {
        let all = self.file.candidates().expect("read");
        let one = all.into_iter().find(|(_, one)| one.id == id && one.query == "stress");
        one.expect("there").1.text
    }
}

#[test]
fn judgments_on_what_was_revised_are_open_until_they_are_given_again() {
    let mut study = Study::with(&corpus());
    study.judge("alice", 0, &[choose("full"), link(1)], 1_000);
    study.judge("alice", 4, &[choose("none")], 2_000);
    study.import(&[judgment(json!({"annotator":"judge"}))]).expect("imported");
    let before = all_caches(&study.file);
    assert_eq!(study.counting(), [3, 3]);

    let new = candidate("- Breaks [2]\n- No tea [1]\n- Sleep");
    let trial = study.file.amend(std::slice::from_ref(&new), None, true).expect("tried");
    assert_eq!(trial, Amended { before: 3, after: 1 });
    assert_eq!(all_caches(&study.file), before, "a trial writes nothing");
    study.amend(new);
    assert_eq!(study.text_of("c1"), "- Breaks [2]\n- No tea [1]\n- Sleep");
    assert_eq!(study.counting(), [1, 3]);
    assert_eq!(study.judgments().len(), 1, "what is stale is not exported");
    let judged = study.file.whole_study().expect("read").1;
    let mut why: Vec<Option<String>> =
        judged.iter().flat_map(|table| table.rows().iter().map(|row| table.why_uncounted(row))).collect();
    why.sort();
    let stale = Some("stale, its text was revised".to_owned());
    assert_eq!(why, [None, stale.clone(), stale], "alice and the judge on c1");
    study.is_sound();

    // The item stands in alice's queue as open, with her answers.
    let queue = study.file.open_queue("alice", coverage()).expect("opened");
    assert_eq!(queue.progress.judged, 1);
    let first = study.file.items("coverage").expect("read")[0].id;
    let mut places = (0..queue.progress.total)
        .map(|position| study.file.load(queue.annotator, coverage(), position).expect("loaded"));
    let loaded = places.find(|loaded| loaded.item.id == first).expect("in the queue");
    assert_eq!(loaded.standing.state(coverage()), ItemState::Open);
    assert!(loaded.standing.is_stale(coverage().hash, loaded.item.texts()));
    assert_eq!(loaded.standing.answers.len(), 2);
    let [was] = &loaded.was[..] else { panic!("{:?}", loaded.was) };
    assert_eq!((was.of, was.before.as_str()), ("candidate", "- Breaks [2]\n- Tea [1]\n- Sleep"));

    // Half of an answer is no answer to the new text.
    study.judge("alice", 0, &[choose("full")], 9_000);
    assert_eq!(study.counting()[0], 1);
    study.judge("alice", 0, &[link(1)], 9_500);
    assert_eq!(study.counting(), [2, 3]);
    study.is_sound();
    // An import is judged on what stands here.
    study.import(&[judgment(json!({"annotator":"judge","at":"2026-01-05T09:30:00Z"}))]).expect("imported");
    study.is_sound();

    // The revision is taken back: what was judged on the first text counts again, and the other judgments are open.
    study.amend(Amendment { at: 20_000, ..undone(AmendedKind::Candidate, "c1") });
    assert_eq!(study.text_of("c1"), "- Breaks [2]\n- Tea [1]\n- Sleep");
    let alice = study.file.open_queue("alice", coverage()).expect("opened");
    assert_eq!(alice.progress.judged, 1);
    study.is_sound();
}

#[test]
fn a_verdict_on_what_was_revised_settles_nothing() {
    let mut study = Study::with(&corpus());
    study.judge("alice", 0, &[choose("full"), link(1)], 1_000);
    study.judge("bora", 0, &[choose("none")], 2_000);
    let item = study.file.items("coverage").expect("read")[0];
    let texts = Texts::new(&study.file.connection).of_target(&item.target).expect("read");
    let lena = study.file.adjudicator("lena").expect("a person");
    let answers = [("coverage".to_owned(), Answer::Text("none".into()))].into();
    let verdict = Happening::Adjudicate(Box::new(Verdict { answers, ..Verdict::default() }));
    study.file.adjudicate(None, lena, coverage(), (item.id, texts), &[verdict], 3_000).expect("written");
    let is_settled = |study: &Study| {
        let one = study.file.decision(item.id).expect("read").is_some();
        assert_eq!(study.file.decisions("coverage").expect("read").contains_key(&item.id), one);
        one
    };
    assert!(is_settled(&study));
    study.amend(candidate("- Nothing at all"));
    assert!(!is_settled(&study));
    study.is_sound();
    study.amend(undone(AmendedKind::Candidate, "c1"));
    assert!(is_settled(&study));
}

/// A judgment and a decision from files are about the texts of their time, whether the file or the revision comes in first.
#[test]
fn what_a_file_says_is_about_the_texts_of_its_time() {
    for (second, counting, is_settled) in [(5, [0, 1], false), (15, [1, 1], true)] {
        let at = format!("1970-01-01T00:00:{second:02}Z");
        let given = [
            judgment(json!({"annotator":"judge","at":at,"answers":{"coverage":"none"}})),
            judgment(json!({"type":"adjudication","at":at,"answers":{"coverage":"none"}})),
        ];
        let revision = Amendment { at: 10_000, ..candidate("- Breaks") };
        let [mut before, mut after, mut apart] = [(); 3].map(|()| Study::with(&corpus()));
        before.import(&given).expect("imported");
        apart.amend(revision.clone());
        let path = before.file.path().to_owned();
        apart.file.merge(&[path], MergeMode::Write).expect("merged");
        before.amend(revision.clone());
        after.amend(revision);
        after.import(&given).expect("imported");
        for (study, order) in [(&mut before, "before"), (&mut after, "after"), (&mut apart, "apart")] {
            assert_eq!(study.counting(), counting, "{order} {second}");
            let settled = study.file.decisions("coverage").expect("read").len() == 1;
            assert_eq!(settled, is_settled, "{order} {second}");
            study.is_sound();
            assert!(study.import(&given).expect("imported").added.is_empty(), "{order} {second}");
        }
    }
}

/// A clock that is ahead makes no judgment one of a text that came later, and a file that comes in again confirms nothing.
#[test]
fn a_file_knows_no_text_that_came_after_it() {
    let mut study = Study::with(&corpus());
    let ahead =
        judgment(json!({"annotator":"judge","at":"2126-01-01T00:00:00Z","answers":{"coverage":"none"}}));
    let given = [ahead];
    study.import(&given).expect("imported");
    study.amend(Amendment { at: 4_000_000_000_000, ..candidate("- Breaks") });
    assert_eq!(study.counting(), [0, 1]);
    study.is_sound();

    let mut study = Study::with(&corpus());
    let given = [judgment(json!({"annotator":"judge","answers":{"coverage":"none"}}))];
    study.amend(Amendment { at: 10_000, ..candidate("- Breaks") });
    study.import(&given).expect("imported");
    assert_eq!(study.counting(), [1, 1]);
    study.amend(Amendment { at: 20_000, ..candidate("- No breaks") });
    for _ in 0..2 {
        assert_eq!(study.counting(), [0, 1]);
        study.is_sound();
        assert!(study.import(&given).expect("imported").added.is_empty());
    }
}

/// A table of judgments tells no times. What stood when it was written is no judgment of the texts that came later.
#[test]
fn a_file_without_times_confirms_nothing_that_the_journal_has() {
    let mut study = Study::with(&corpus());
    study.judge("alice", 0, &[choose("none")], 1_000);
    let gave = |who: &str, value: Value| judgment(json!({"annotator":who,"answers":value}));
    let full = json!({"coverage":"full","bullet":2});
    let mut by_judge = gave("judge", full.clone());
    by_judge["at"] = json!("1970-01-01T00:00:01Z");
    study.import(&[by_judge]).expect("imported");
    // Alice said `none` when the first table was written, and `full` in the second.
    let tables = [json!({"coverage":"none"}), full.clone()]
        .map(|answers| [gave("alice", answers), gave("judge", full.clone())]);
    study.judge("alice", 0, &[choose("full"), link(2)], 2_000);
    study.amend(Amendment { at: 10_000, ..candidate("- Breaks [2]\n- No tea [1]") });
    for table in tables.iter().chain(&tables) {
        let report = study.import(table).expect("imported");
        assert!(
            report.added.is_empty() && report.replaced.is_empty() && report.remarks.is_empty(),
            "{report:?}"
        );
        assert_eq!(study.counting(), [0, 2]);
        study.is_sound();
    }
    // What she did not say before is a new judgment.
    study.import(&[gave("alice", json!({"coverage":"partial","bullet":1}))]).expect("imported");
    assert_eq!(study.counting(), [1, 2]);
    study.is_sound();
}

/// Of a decision from a file it is told where it settles nothing, and no other one is made up.
#[test]
fn a_decision_on_earlier_texts_is_told() {
    let notes = |more: Value| {
        let mut study = Study::with(&corpus());
        study.amend(Amendment { at: 10_000, ..candidate("- Breaks") });
        let mut decided = judgment(json!({"type":"adjudication","answers":{"coverage":"none"},"seconds":5}));
        more.as_object().expect("fields").iter().for_each(|(key, value)| decided[key] = value.clone());
        let remarks = study.import(&[decided]).expect("imported").remarks;
        remarks.into_iter().map(|remark| remark.what).collect::<Vec<_>>()
    };
    assert_eq!(notes(json!({})), [""; 0]);
    let told = notes(json!({"at":"1970-01-01T00:00:05Z"})).join(" ");
    assert!(told.contains("before its text was revised, which settles nothing"), "{told}");
}

#[test]
fn a_collection_gets_another_domain_and_no_judgment_is_opened() {
    let (mut study, mut other) = (Study::with(&corpus()), Study::with(&corpus()));
    study.judge("alice", 0, &[choose("none")], 1_000);
    let mut new = corpus().swap_remove(0);
    new["domain"] = json!("medicine");
    let there = study.file.revisable(&record(&new).expect("a record")).expect("there");
    assert_eq!((there.of, there.id.as_str()), (AmendedKind::Collection, "exam"));
    let to = RevisedFields::of(&record(&new).expect("a record"));
    let revision = Amendment { collection: String::new(), to, ..amendment(Act::Revise, there.of, "exam") };
    study.amend(revision);
    let domain = |study: &Study| study.file.collections().expect("read").remove(0).1.domain;
    assert_eq!(domain(&study).as_deref(), Some("medicine"));
    assert_eq!(study.counting(), [1, 1]);
    study.is_sound();
    study.merge(&[&other]).expect("merged");
    other.import(&study.exported()).expect("imported");
    assert_eq!(domain(&other).as_deref(), Some("medicine"));
    other.is_sound();
}

#[test]
fn a_unit_gets_other_documents_and_quotes_are_looked_for_anew() {
    let mut study = Study::with(&corpus());
    let spans = |study: &Study| -> Vec<Option<i64>> {
        let select = "SELECT span_start FROM evidence ORDER BY unit, ordinal";
        let connection = &study.file.connection;
        let mut statement = connection.prepare(select).expect("prepared");
        let rows = statement.query_map([], |row| row.get(0)).expect("read");
        rows.collect::<rusqlite::Result<_>>().expect("read")
    };
    assert_eq!(spans(&study), [Some(2), Some(17)]);
    let text = json!({"text": "A break of 5 minutes, or a 5-minute break."});
    study.amend(revision(AmendedKind::Document, "d2", &text));
    // "A break of 5 minutes, or a " has 27 bytes.
    assert_eq!(spans(&study), [Some(27), Some(17)]);
    study.amend(revision(AmendedKind::Document, "d1", &json!({"text": "Tea."})));
    assert_eq!(spans(&study), [Some(27), None], "the quote stays, and is nowhere");
    let fewer = json!({"documents": ["d3"], "evidence": [{"document":"d2","quote":"A break"}]});
    study.amend(revision(AmendedKind::Unit, "pomodoro", &fewer));
    assert_eq!(spans(&study), [Some(0)]);
    let units = study.file.units().expect("read");
    assert_eq!(units[0].1.documents, Some(vec!["d3".to_owned()]));
    study.is_sound();
    for (of, id) in
        [(AmendedKind::Unit, "pomodoro"), (AmendedKind::Document, "d1"), (AmendedKind::Document, "d2")]
    {
        study.amend(Amendment { at: 30_000, ..undone(of, id) });
    }
    assert_eq!(spans(&study), [Some(2), Some(17)]);
    study.is_sound();
}

#[test]
fn files_that_hold_the_old_text_go_on_merging() {
    let (mut old, mut new) = (Study::with(&corpus()), Study::with(&corpus()));
    old.judge("alice", 0, &[choose("none")], 1_000);
    new.amend(candidate("- Breaks"));
    new.judge("bora", 0, &[choose("none")], 9_000);
    // What is revised is known by both of its contents, and by no third.
    let import = |study: &mut Study, text: &str| {
        let mut one = original(AmendedKind::Candidate, "c1");
        one["text"] = text.into();
        study.import(&[one])
    };
    for text in ["- Breaks", "- Breaks [2]\n- Tea [1]\n- Sleep"] {
        assert!(import(&mut new, text).expect("imported").added.is_empty());
    }
    let refused = import(&mut new, "- Other").expect_err("refused").to_string();
    assert!(refused.contains("already there with another text"), "{refused}");

    let (old_path, new_path) = (old.file.path().to_owned(), new.file.path().to_owned());
    old.file.merge(std::slice::from_ref(&new_path), MergeMode::Write).expect("merged");
    new.file.merge(&[old_path], MergeMode::Write).expect("merged");
    let mut late = Study::empty();
    late.file.merge(&[new_path], MergeMode::Write).expect("merged");
    for study in [&mut old, &mut new, &mut late] {
        assert_eq!(study.text_of("c1"), "- Breaks");
        assert_eq!(study.counting(), [1, 2]);
        study.is_sound();
    }
}

#[test]
fn what_is_saved_out_of_a_damaged_file_is_revised_too() {
    let mut study = Study::with(&corpus());
    study.judge("alice", 0, &[choose("none")], 1_000);
    study.amend(candidate("- Breaks"));
    let folder = tempfile::tempdir().expect("a folder");
    let saved = folder.path().join("saved.db");
    let path = study.file.path().to_owned();
    let report = crate::store::recover(&path, &saved).expect("recovered");
    assert!(report.losses.is_empty(), "{:?}", report.losses);
    let mut saved = Study { file: crate::store::StudyFile::open(&saved).expect("opened"), _folder: folder };
    assert_eq!(saved.text_of("c1"), "- Breaks");
    assert_eq!(saved.counting(), study.counting());
    saved.amend(Amendment { at: 30_000, ..undone(AmendedKind::Candidate, "c1") });
    assert_eq!(saved.text_of("c1"), "- Breaks [2]\n- Tea [1]\n- Sleep");
    saved.is_sound();
}

/// A copy of a study that is to be damaged, and the file, in a folder of its own, to which it is saved.
fn damaged_copy(good: &Study) -> (Study, (tempfile::TempDir, std::path::PathBuf)) {
    let folder = tempfile::tempdir().expect("a folder");
    let bad = folder.path().join("bad.db");
    std::fs::copy(good.file.path(), &bad).expect("copied");
    let other = tempfile::tempdir().expect("a folder");
    let saved = other.path().join("saved.db");
    (Study { file: crate::store::StudyFile::open(&bad).expect("opened"), _folder: folder }, (other, saved))
}

/// In a merge, a revision with a flipped byte does not beat the right one, and a damaged original keeps no copy out.
#[test]
fn a_damaged_revision_beats_no_copy() {
    for (table, was, is, told) in [
        ("amendment", "- Breaks", "- Brakes", "amendment \"revise candidate exam stress c1\""),
        ("original", "Sleep", "Sheep", "original \"exam stress c1\""),
    ] {
        let mut good = Study::with(&corpus());
        good.amend(candidate("- Breaks"));
        let (damaged, (other, saved)) = damaged_copy(&good);
        damaged.force(&format!("UPDATE {table} SET record = replace(record, '{was}', '{is}')"));
        let losses = crate::store::recover(damaged.file.path(), &saved).expect("recovered").losses;
        assert!(losses.iter().any(|loss| loss.contains(told)), "{losses:?}");
        let path = good.file.path().to_owned();
        good.file.merge(std::slice::from_ref(&saved), MergeMode::Write).expect("merged");
        let mut saved =
            Study { file: crate::store::StudyFile::open(&saved).expect("opened"), _folder: other };
        saved.file.merge(&[path], MergeMode::Write).expect("merged");
        for mut study in [good, saved] {
            assert_eq!(study.text_of("c1"), "- Breaks", "{table}");
            study.is_sound();
            study.amend(Amendment { at: 30_000, ..undone(AmendedKind::Candidate, "c1") });
            assert_eq!(study.text_of("c1"), "- Breaks [2]\n- Tea [1]\n- Sleep", "{table}");
        }
    }
}

/// Where it is lost what a record was revised from, judgments of it stay open, and a copy puts the record right.
#[test]
fn a_record_of_which_the_first_contents_are_lost_is_lost() {
    for statements in ["DELETE FROM original", "DELETE FROM original; DELETE FROM amendment"] {
        let mut good = Study::with(&corpus());
        good.judge("alice", 0, &[choose("none")], 1_000);
        good.amend(candidate("- Breaks"));
        let (damaged, (other, saved)) = damaged_copy(&good);
        damaged.force(statements);
        let losses = crate::store::recover(damaged.file.path(), &saved).expect("recovered").losses;
        let of = if statements.contains("amendment") { "" } else { " of candidate \"c1\"" };
        let told = format!("not as it was written: original{of}");
        assert!(losses.iter().any(|loss| loss.contains(&told)), "{losses:?}");
        let found = check(&saved).expect("checked").findings;
        let is_told = |what: &str| what.contains("did not find whole") && what.contains("candidate \"c1\"");
        assert!(found.iter().any(|finding| is_told(&finding.what)), "{found:?}");
        let mut saved =
            Study { file: crate::store::StudyFile::open(&saved).expect("opened"), _folder: other };
        if !statements.contains("amendment") {
            assert_eq!(saved.counting(), [0, 1], "as it was");
        }
        let [ours, theirs] = [&good, &saved].map(|study| study.file.path().to_owned());
        good.file.merge(&[theirs], MergeMode::Write).expect("merged");
        saved.file.merge(&[ours], MergeMode::Write).expect("merged");
        for mut study in [good, saved] {
            assert_eq!(
                (study.text_of("c1").as_str(), study.counting()),
                ("- Breaks", [0, 1]),
                "{statements}"
            );
            study.is_sound();
            study.amend(Amendment { at: 30_000, ..undone(AmendedKind::Candidate, "c1") });
            assert_eq!(study.counting(), [1, 1], "{statements}");
        }
    }
}

/// One of a few revisions, and undoing them.
pub(super) fn some_revision(which: usize) -> Amendment {
    match which {
        0 => candidate("- Breaks\n- Tea\n- Sleep"),
        1 => candidate("- Tea [1]\n- Breaks [2]\n- Sleep"),
        2 => undone(AmendedKind::Candidate, "c1"),
        3 => revision(AmendedKind::Document, "d1", &json!({"text": "No, we slept well."})),
        4 => undone(AmendedKind::Document, "d1"),
        5 => revision(AmendedKind::Unit, "pomodoro", &json!({"text": "They help.", "documents": ["d3"]})),
        _ => revision(AmendedKind::Query, "stress", &json!({"category": "how", "text": "Stress?"})),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]
    #[test]
    fn files_that_are_revised_and_merged_in_any_order_end_alike(
        deeds in prop::collection::vec((0..3_usize, 0..12_usize), 1..14),
    ) {
        let mut files: Vec<Study> = (0..3).map(|_| Study::with(&corpus())).collect();
        for (at, (file, deed)) in (1_i64..).zip(deeds) {
            let now = at * 1_000;
            match deed {
                0..7 => {
                    files[file].amend(Amendment { at: now, ..some_revision(deed) });
                }
                7..9 => files[file].judge("alice", deed - 7, &[choose("none")], now),
                9 => files[file].judge("bora", 0, &[choose("full"), link(1)], now),
                _ => {
                    let path = files[(file + deed - 9) % 3].file.path().to_owned();
                    files[file].file.merge(&[path], MergeMode::Write).expect("merged");
                }
            }
            files[file].is_derived();
        }
        let paths: Vec<_> = files.iter().map(|study| study.file.path().to_owned()).collect();
        let mut ends = Vec::new();
        for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
            let mut end = Study::empty();
            for at in order {
                end.file.merge(&[paths[at].clone()], MergeMode::Write).expect("merged");
            }
            end.is_sound();
            let corpus = end.file.corpus().expect("read");
            ends.push((end.judgments(), end.counting(), corpus.units, corpus.candidates, corpus.queries));
        }
        prop_assert_eq!(&ends[0], &ends[1]);
        prop_assert_eq!(&ends[0], &ends[2]);
    }
}

/// An import judged the item before its candidate was revised; then the row of the item is lost.
#[test]
fn a_lost_item_of_a_revised_record_has_the_texts_that_were_judged() {
    let mut good = Study::with(&corpus());
    good.import(&[judgment(json!({"annotator":"judge","at":"1970-01-01T00:00:01Z"}))]).expect("imported");
    good.amend(candidate("- Breaks"));
    let (damaged, (other, saved)) = damaged_copy(&good);
    let root = "SELECT rootpage FROM sqlite_schema WHERE name = 'item'";
    let page: u32 = one(&damaged.file.connection, root, []).expect("read");
    let bad = damaged.file.path();
    let mut bytes = std::fs::read(bad).expect("read");
    let page = page as usize;
    bytes[(page - 1) * 4_096..page * 4_096].fill(0);
    std::fs::write(bad, bytes).expect("written");
    crate::store::recover(bad, &saved).expect("recovered");
    let saved = Study { file: crate::store::StudyFile::open(&saved).expect("opened"), _folder: other };
    assert_eq!(saved.counting(), good.counting());
    good.merge(&[&saved]).expect("merged");
}
