//! Texts that must go are gone from the file, and nothing brings them back; what is withdrawn goes and comes with exports.

use serde_json::json;

use super::amend::{amendment, joined};
use super::check::study_with_session;
use super::revise::{revision, undone};
use super::{Study, choose, corpus, coverage, judgment};
use crate::store::{Amended, MergeMode, Severity, check};
use crate::study::{
    Act, AmendedKind, Amendment, Annotator, AnnotatorKind, Document, Meta, Record, RevisedFields,
};

/// A text that stands in one document, in a quote of it, and in what both were revised from.
const NAME: &str = "Cecilia Payne";

fn with_a_name() -> Study {
    let mut records = corpus();
    records[1]["text"] = json!(format!("{NAME} slept badly."));
    records[6]["evidence"] = json!([
        {"document":"d2","quote":"5-minute break"}, {"document":"d1","quote":NAME}
    ]);
    let mut study = Study::with(&records);
    study.judge("alice", 0, &[choose("none")], 1_000);
    study.judge("bora", 1, &[choose("none")], 2_000);
    study
}

impl Study {
    fn says(&self, text: &str) -> bool {
        self.bytes().windows(text.len()).any(|bytes| bytes == text.as_bytes())
    }

    fn erase(&mut self, of: AmendedKind, id: &str) -> Amended {
        self.amend(amendment(Act::Erase, of, id))
    }

    fn is_without_the_name(&mut self) {
        assert!(!self.says(NAME), "the text is still in the file");
        let units = self.file.units().expect("read");
        let quotes: Vec<&str> =
            units.iter().flat_map(|(_, unit)| &unit.evidence).map(|one| &*one.quote).collect();
        assert_eq!(quotes, ["5-minute break"]);
        self.is_derived();
        let report = check(self.file.path()).expect("checked");
        let wrong: Vec<_> = report.findings.iter().filter(|finding| finding.advice.is_some()).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}

#[test]
fn an_erased_text_is_gone_from_the_file_and_what_was_judged_stays() {
    let mut study = with_a_name();
    study.amend(revision(AmendedKind::Document, "d1", &json!({ "text": format!("{NAME} slept well.") })));
    let counted = study.judgments();
    assert!(study.says(NAME));
    study.erase(AmendedKind::Document, "d1");
    study.is_without_the_name();
    assert_eq!(study.judgments(), counted, "coverage was judged of other texts");
    let refused = study.file.amend(&[amendment(Act::Restore, AmendedKind::Document, "d1")], None, false);
    assert!(refused.expect_err("refused").to_string().contains("erased, for good"));
    let refused = study.file.amend(&[undone(AmendedKind::Document, "d1")], None, false);
    assert!(refused.expect_err("refused").to_string().contains("erased, for good"));
}

/// Nothing brings an erased text back, so no advice says so.
#[test]
fn a_file_that_brings_an_erased_text_is_told_that_it_stays_out() {
    let records = corpus();
    for (of, id) in [
        (AmendedKind::Document, "d1"),
        (AmendedKind::Query, "stress"),
        (AmendedKind::Unit, "tea"),
        (AmendedKind::Candidate, "c1"),
    ] {
        let mut study = Study::with(&records);
        study.erase(of, id);
        let report = study.import(&records).expect("imported");
        assert_eq!(report.erased, [format!("{} {id}", of.name())]);
        assert!(!report.withdrawn.contains(&report.erased[0]), "{:?}", report.withdrawn);
    }
}

/// Texts that a page held before it was split, and those of earlier revisions, are gone as well.
#[test]
fn a_session_is_sound_of_which_a_summary_is_erased() {
    let mut study = study_with_session();
    let candidates = study.file.candidates().expect("read");
    let written = candidates.iter().find(|(_, one)| one.summarizer.as_deref() == Some("human:alice"));
    study.erase(AmendedKind::Candidate, &written.expect("there").1.id);
    let found = check(study.file.path()).expect("checked").findings;
    let sessions = found.iter().find(|finding| finding.area == "sessions").expect("there");
    assert_eq!(sessions.severity, Severity::Right, "{sessions:?}");
}

#[test]
fn no_page_keeps_an_erased_text_that_lay_there_before() {
    let document = |number: usize, round: usize| {
        let text = format!("{NAME} {number} {}", "and so on ".repeat((number * 37 + round) % 500));
        let (id, number) = (format!("d{number}"), number as u32);
        let (collection, title, meta) = ("many".to_owned(), None, Meta::new());
        Record::Document(Document { collection, id, number, title, text, meta })
    };
    let mut records = vec![json!({"type":"collection","id":"many"})];
    records.extend((1..=60).map(|number| serde_json::to_value(document(number, 0)).expect("JSON")));
    let mut study = Study::with(&records);
    let of = |number: usize, act: Act| Amendment {
        collection: "many".to_owned(),
        ..amendment(act, AmendedKind::Document, &format!("d{number}"))
    };
    for (number, round) in (1..=60).step_by(7).flat_map(|number| (1..=4).map(move |round| (number, round))) {
        let to = RevisedFields::of(&document(number, round));
        study.amend(Amendment { to, ..of(number, Act::Revise) });
    }
    assert!(study.says(NAME));
    for number in 1..=60 {
        study.amend(of(number, Act::Erase));
    }
    assert!(!study.says(NAME), "the text is still in the file");
}

/// Whether a file revised a record before or not, the fingerprint of its text is the same.
#[test]
fn an_erased_text_has_one_fingerprint_in_all_files() {
    let (mut one, mut two) = (with_a_name(), with_a_name());
    one.amend(revision(AmendedKind::Document, "d1", &json!({ "text": format!("{NAME} slept well.") })));
    two.erase(AmendedKind::Document, "d1");
    one.merge(&[&two]).expect("merged");
    two.merge(&[&one]).expect("merged");
    let documents = |study: &Study| {
        let mut documents = Vec::new();
        let read = study.file.for_each_document(|_, document| {
            documents.push(document);
            Ok(())
        });
        read.map(|()| documents).expect("read")
    };
    assert_eq!(documents(&one), documents(&two));
}

#[test]
fn whoever_is_erased_takes_along_what_was_judged_of_it() {
    let mut study = with_a_name();
    let amended = study.erase(AmendedKind::Candidate, "c1");
    assert_eq!(amended, Amended { before: 2, after: 0 });
    assert!(!study.says("Breaks [2]"));
    study.is_derived();
}

#[test]
fn no_file_brings_an_erased_text_back() {
    let whole = with_a_name();
    let mut study = with_a_name();
    study.erase(AmendedKind::Document, "d1");
    let exported = study.exported();
    study.merge(&[&whole]).expect("merged");
    study.is_without_the_name();
    study.import(&whole.exported()).expect("imported");
    study.is_without_the_name();

    // Files that have the text lose it, by whichever way the decision comes.
    let mut other = with_a_name();
    other.merge(&[&study]).expect("merged");
    other.is_without_the_name();
    let mut other = with_a_name();
    other.import(&exported).expect("imported");
    other.is_without_the_name();
    let mut copy = Study::with(&exported);
    copy.is_without_the_name();
    copy.file.merge(&[whole.file.path().to_owned()], MergeMode::Write).expect("merged");
    copy.is_without_the_name();
    assert_eq!(copy.judgments(), study.judgments());
}

#[test]
fn an_export_after_a_withdrawal_fits_the_study_that_it_came_from() {
    let whole = with_a_name();
    let mut study = with_a_name();
    study.amend(amendment(Act::Withdraw, AmendedKind::Document, "d1"));
    let exported = study.exported();
    let is_d1 = |record: &&serde_json::Value| record["type"] == "document" && record["id"] == "d1";
    assert_eq!(exported.iter().find(is_d1).expect("its name")["text"], "");
    study.import(&exported).expect("imported");
    let mut copy = Study::with(&exported);
    copy.merge(&[&whole]).expect("merged");
    copy.import(&exported).expect("imported");
    // The text came with the whole file, and counts again when it is restored.
    copy.file.merge(&[study.file.path().to_owned()], MergeMode::Write).expect("merged");
    copy.amend(amendment(Act::Restore, AmendedKind::Document, "d1"));
    assert_eq!(copy.file.document_heads().expect("read").len(), 3);
    assert!(copy.says(NAME));
    copy.is_derived();
}

#[test]
fn what_is_not_so_cannot_be_said_of_people() {
    let mut study = with_a_name();
    study.amend(amendment(Act::Withdraw, AmendedKind::Annotator, "bora"));
    let new = Annotator { id: "boris".into(), kind: AnnotatorKind::Human, meta: Meta::new() };
    for (wrong, newcomer, what) in [
        (joined("bora", "boris"), Some(&new), "\"bora\" was left out of the study"),
        (joined("alice", "bora"), None, "\"bora\" was left out of the study"),
        (joined("alice", "judge"), None, "one is a person, the other a model"),
        (joined("judge", "alice"), None, "one is a person, the other a model"),
    ] {
        let refused = study.file.amend(&[wrong], newcomer, false).expect_err("refused").to_string();
        assert!(refused.contains(what), "{refused}");
    }
    assert_eq!(study.file.annotators().expect("read").len(), 2, "alice and the judge");
}

#[test]
fn a_file_that_was_taken_back_keeps_its_name_in_a_copy() {
    let mut study = with_a_name();
    study.import(&[judgment(json!({"annotator":"judge"}))]).expect("imported");
    let file = study.file.imported_files().expect("read").pop().expect("one");
    study.amend(amendment(Act::Withdraw, AmendedKind::Import, &file.content));
    let copy = Study::with(&study.exported());
    assert!(copy.file.imported_files().expect("read").contains(&file));
}

#[test]
fn a_citation_of_a_withdrawn_document_is_not_asked() {
    let attribution = crate::protocol::builtin("attribution").expect("built in");
    let left =
        |study: &mut Study| study.file.open_queue("alice", attribution).expect("opened").progress.total;
    let all = left(&mut Study::with(&corpus()));
    let mut study = Study::with(&corpus());
    study.amend(amendment(Act::Withdraw, AmendedKind::Document, "d1"));
    assert_eq!(left(&mut study), all - 1, "\"Tea [1]\"");
    let assignable = study.file.assignable(attribution).expect("read");
    let items: usize = assignable.groups.iter().map(|group| group.items.len()).sum();
    assert_eq!(items, all - 1);
}

#[test]
fn a_revision_keeps_the_kind_and_has_a_text() {
    let study = with_a_name();
    let unit = |more| {
        let mut record = corpus().swap_remove(7);
        let (Some(fields), serde_json::Value::Object(more)) = (record.as_object_mut(), more) else {
            panic!("objects");
        };
        fields.extend(more);
        super::record(&record).expect("a record")
    };
    for (wrong, what) in [
        (
            unit(json!({"kind":"keypoint"})),
            "unit \"tea\" is of the kind \"insight\" in the study, not \"keypoint\"",
        ),
        (unit(json!({"text":" "})), "\"text\" is empty"),
    ] {
        let refused = study.file.revisable(&wrong).expect_err("refused").to_string();
        assert!(refused.contains(what), "{refused}");
    }
    assert!(study.file.items(coverage().name.as_str()).is_ok());
}
