//! The common parts of the files of *Summary of a Haystack* (Laban et al. 2024): the names of summaries, the lines that
//! judgments point at, and the form of a judge's labels.

use std::collections::HashSet;

use serde::Deserialize;
use serde_json::Value;

use super::json::{Fits, JsonText, Piece};
use super::sentence;
use crate::number::short;
use crate::protocol::Answer;
use crate::study::{Annotator, AnnotatorKind, Candidate, Judgment, Meta, Unit};
use crate::text::bullets::bullets;

/// The protocol whose questions the files answer.
const PROTOCOL: &str = "coverage";

/// The word for the content units of these files.
const UNIT_KIND: &str = "insight";

/// A system, as the key of a summary names it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SystemKey {
    pub(super) summarizer: Option<String>,
    pub(super) retriever: Option<String>,
    pub(super) order: Option<String>,
}

impl SystemKey {
    /// Reads `summary_subtopic_[RETRIEVER_]SUMMARIZER`. The summarizer is what follows the last `_`.
    /// `fl-ctxt-…` in the retriever's place is the whole collection in another order: relevant
    /// documents first, last, or in the middle.
    pub(super) fn named(key: &str) -> SystemKey {
        let name = key.strip_prefix("summary_subtopic_");
        let (before, summarizer) = match name.and_then(|name| name.rsplit_once('_')) {
            Some((before, summarizer)) => (before, summarizer),
            None => ("", name.unwrap_or(key)),
        };
        let (retriever, order) = match before {
            "" => (None, None),
            "fl-ctxt-sort" => (None, Some("top")),
            "fl-ctxt-rev-sort" => (None, Some("bottom")),
            "fl-ctxt-middle" => (None, Some("middle")),
            retriever => (Some(retriever), None),
        };
        SystemKey {
            summarizer: (!summarizer.is_empty()).then(|| summarizer.to_owned()),
            retriever: retriever.map(str::to_owned),
            order: order.map(str::to_owned),
        }
    }
}

/// The keys of a subtopic's records.
#[derive(Debug, Clone)]
pub(super) struct Subtopic {
    pub(super) collection: String,
    pub(super) query: String,
}

impl Subtopic {
    /// The candidate whose key in the file is `key`.
    pub(super) fn candidate(&self, key: &str, lines: &SummaryLines) -> Candidate {
        let system = SystemKey::named(key);
        Candidate {
            collection: self.collection.clone(),
            query: self.query.clone(),
            id: key.to_owned(),
            summarizer: system.summarizer,
            retriever: system.retriever,
            order: system.order,
            text: lines.text.clone(),
            ..Candidate::default()
        }
    }

    /// The insight at `piece`; which documents contain it is not known.
    pub(super) fn unit(&self, piece: &Piece<'_>) -> Fits<Unit> {
        let fields = piece.fields()?;
        let question: Option<String> = fields.optional("query")?;
        Ok(Unit {
            collection: self.collection.clone(),
            query: self.query.clone(),
            id: fields.required("insight_id")?,
            kind: UNIT_KIND.into(),
            title: fields.optional("insight_name")?,
            text: fields.required("insight")?,
            // A yes/no question about this insight alone.
            meta: question.map(|question| ("query".to_owned(), question.into())).into_iter().collect(),
            ..Unit::default()
        })
    }

    /// The judgment that `annotator` gave of an insight in the candidate of this key.
    pub(super) fn judgment(&self, annotator: &str, candidate: &str, label: Label) -> Judgment {
        let mut answers = Meta::new();
        answers.insert("coverage".into(), Value::from(label.coverage));
        if let Some(link) = label.link {
            answers.insert("bullet".into(), link.to_json());
        }
        Judgment {
            protocol: PROTOCOL.into(),
            annotator: annotator.into(),
            collection: Some(self.collection.clone()),
            query: Some(self.query.clone()),
            unit: Some(label.insight),
            candidate: Some(candidate.into()),
            answers,
            ..Judgment::default()
        }
    }
}

/// A model annotator of this name.
pub(super) fn model(name: &str) -> Annotator {
    Annotator { id: name.to_owned(), kind: AnnotatorKind::Model, meta: Meta::new() }
}

/// A label with its link, in haymark's words.
#[derive(Debug)]
pub(super) struct Label {
    pub(super) insight: String,
    pub(super) coverage: &'static str,
    pub(super) link: Option<Answer>,
}

impl Label {
    /// The label, if its insight is one of the known ones and none of those judged before.
    pub(super) fn expected_among(
        self,
        known: &HashSet<String>,
        judged: &mut HashSet<String>,
        row: &Piece<'_>,
    ) -> Fits<Label> {
        let name = || sentence::quoted(&self.insight);
        if !known.contains(&self.insight) {
            let what = format!("judges {}, which is none of the insights given here", name());
            return Err(row.misfit(what));
        }
        if !judged.insert(self.insight.clone()) {
            let misfit = row.misfit(format!("judges the insight {} a second time", name()));
            return Err(misfit.advise("keep one of the two"));
        }
        Ok(self)
    }
}

/// The lines of a summary as published, and which bullet of the text each of them is.
#[derive(Debug)]
pub(super) struct SummaryLines {
    /// The lines joined by line feeds.
    pub(super) text: String,
    /// The number of a line's first bullet; `None` for a blank line, which is no bullet.
    numbers: Vec<Option<u32>>,
}

impl SummaryLines {
    /// Reads a list of lines.
    pub(super) fn read(piece: &Piece<'_>) -> Fits<SummaryLines> {
        Ok(SummaryLines::new(&piece.read::<Vec<String>>()?))
    }

    fn new(lines: &[String]) -> SummaryLines {
        let mut next: u32 = 1;
        let mut numbers = Vec::with_capacity(lines.len());
        for line in lines {
            // A line of the file may itself break, and each of its parts is a bullet.
            let count = short(bullets(line).len());
            numbers.push((count > 0).then_some(next));
            next = next.saturating_add(count);
        }
        SummaryLines { text: lines.join("\n"), numbers }
    }

    /// The bullet that is the line of this 0-based number. `piece` is where the number stands.
    pub(super) fn bullet<'a>(&self, line: u64, piece: impl FnOnce() -> Piece<'a>) -> Fits<u32> {
        let found = usize::try_from(line).ok().and_then(|line| self.numbers.get(line));
        let number = line.saturating_add(1);
        let what = match found {
            Some(Some(bullet)) => return Ok(*bullet),
            Some(None) => format!("line {number} of the summary is blank"),
            None => format!("points at line {number} of a summary that has {}", self.numbers.len()),
        };
        let misfit = piece().misfit(what);
        Err(misfit.advise("correct the link, or leave the row out with --skip-bad"))
    }
}

/// A judge's row: `insight_id`, `coverage` (`FULL_COVERAGE`, …), `bullet_id` (1-based number of a
/// line, a list of such numbers, or `"NA"`).
pub(super) fn judge_label(row: &Piece<'_>, lines: &SummaryLines) -> Fits<Label> {
    #[derive(Deserialize)]
    struct JudgeRow<'a> {
        insight_id: String,
        #[serde(borrow)]
        coverage: JsonText<'a>,
        bullet_id: Value,
    }
    const LABELS: [(&str, &str); 3] =
        [("NO_COVERAGE", "none"), ("PARTIAL_COVERAGE", "partial"), ("FULL_COVERAGE", "full")];
    let read: JudgeRow<'_> = row.read()?;
    Ok(Label {
        insight: read.insight_id,
        coverage: coverage(&read.coverage, LABELS, row)?,
        link: judge_link(&read.bullet_id, lines, row)?,
    })
}

/// The coverage that a label of this row means.
pub(super) fn coverage(
    JsonText(label): &JsonText<'_>,
    labels: [(&str, &'static str); 3],
    row: &Piece<'_>,
) -> Fits<&'static str> {
    let found = labels.iter().find(|(name, _)| name == label);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names = sentence::quoted_list(labels.map(|(name, _)| name));
        let what = format!("{} is none of {names}", sentence::quoted(label));
        row.entry("coverage").misfit(what)
    })
}

fn judge_link(found: &Value, lines: &SummaryLines, row: &Piece<'_>) -> Fits<Option<Answer>> {
    let strange = || {
        row.entry("bullet_id").misfit(format!(
            "expected the number of a line from 1, a list of such numbers, or \"NA\", found {}",
            sentence::one_line(&found.to_string())
        ))
    };
    let bullet = |number: &Value| {
        let line = number.as_u64().and_then(|number| number.checked_sub(1));
        lines.bullet(line.ok_or_else(strange)?, || row.entry("bullet_id"))
    };
    match found {
        Value::String(text) if text == "NA" => Ok(None),
        Value::Number(_) => bullet(found).map(Answer::Bullet).map(Some),
        Value::Array(numbers) if !numbers.is_empty() => {
            let linked: Fits<Vec<u32>> = numbers.iter().map(bullet).collect();
            linked.map(Answer::Bullets).map(Some)
        }
        _ => Err(strange()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::json::root;

    #[test]
    fn keys_name_systems() {
        let check = |key: &str, summarizer: &str, retriever: Option<&str>, order: Option<&str>| {
            let expected = SystemKey {
                summarizer: Some(summarizer.into()),
                retriever: retriever.map(str::to_owned),
                order: order.map(str::to_owned),
            };
            assert_eq!(SystemKey::named(key), expected, "{key}");
        };
        check("summary_subtopic_gpt-4o", "gpt-4o", None, None);
        check("summary_subtopic_dwzhu/e5-base-4k_gpt3.5", "gpt3.5", Some("dwzhu/e5-base-4k"), None);
        check("summary_subtopic_two_words_x", "x", Some("two_words"), None);
        check("summary_subtopic_fl-ctxt-sort_x", "x", None, Some("top"));
        check("summary_subtopic_fl-ctxt-rev-sort_x", "x", None, Some("bottom"));
        check("summary_subtopic_fl-ctxt-middle_x", "x", None, Some("middle"));
        check("my_system", "my_system", None, None);
        assert_eq!(SystemKey::named("summary_subtopic_").summarizer, None);
    }

    #[test]
    fn blank_lines_are_no_bullets_and_shift_the_links() {
        let json = r#"{"lines": ["Here:", "", "- a", "- b\n- c", " ", "- d"], "link": 0}"#;
        let fields = root(json).expect("JSON").fields().expect("an object");
        let lines = SummaryLines::read(&fields.piece("lines").expect("there")).expect("lines");
        let place = fields.piece("link").expect("there");
        let linked: Vec<Option<u32>> = (0..7).map(|line| lines.bullet(line, || place.clone()).ok()).collect();
        assert_eq!(linked, [Some(1), None, Some(2), Some(3), None, Some(5), None]);
        let found = bullets(&lines.text);
        assert_eq!(found.get(4).map(|span| span.slice(&lines.text)), Some("- d"));
        let error = lines.bullet(u64::MAX, || place.clone()).expect_err("no such line").into_error();
        assert!(
            error
                .to_string()
                .starts_with("line 1, link: points at line 18446744073709551615 of a summary that has 6;")
        );
    }

    #[test]
    fn links_of_judges() {
        let lines = SummaryLines::new(&["a".into(), "b".into(), "c".into()]);
        let link = |json: &str| {
            let found = serde_json::from_str(json).expect("JSON");
            judge_link(&found, &lines, &root(json).expect("JSON"))
        };
        assert_eq!(link("3").expect("a line"), Some(Answer::Bullet(3)));
        assert_eq!(link("[2]").expect("a list"), Some(Answer::Bullets(vec![2])));
        assert_eq!(link("[1, 3]").expect("a list"), Some(Answer::Bullets(vec![1, 3])));
        assert_eq!(link("\"NA\"").expect("no line"), None);
        for strange in ["0", "4", "-1", "1.5", "\"1\"", "[]", "[0]", "[1, \"2\"]", "true", "{}"] {
            assert!(link(strange).is_err(), "{strange}");
        }
    }
}
