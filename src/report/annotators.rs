//! The annotators that a command looks at: the named ones, or all people.

use crate::error::{Error, Result};
use crate::store::StudyFile;
use crate::study::{Annotator, AnnotatorId, AnnotatorKind};
use crate::text::near::nearest;

/// The annotators that a command looks at.
pub struct AnnotatorsChosen {
    /// The annotators with their keys, sorted by key.
    pub annotators: Vec<(AnnotatorId, String)>,
    /// Models that are not among them because nobody was named.
    pub models_left_out: Vec<AnnotatorId>,
}

impl AnnotatorsChosen {
    /// A note that models are left out; `None` where none of them has judged.
    pub fn note(models: &[AnnotatorId], has_judged: impl Fn(&AnnotatorId) -> bool) -> Option<String> {
        let left_out = match models.iter().filter(|model| has_judged(model)).count() {
            0 => return None,
            1 => "one model annotator is".to_owned(),
            models => format!("{models} model annotators are"),
        };
        Some(format!("People only: {left_out} left out; --annotators names others."))
    }
}

/// Advice where none of these annotators has judged anything; without names, where nobody has.
pub fn first_step(study: &StudyFile, names: &[String]) -> &'static str {
    match study.queries() {
        Ok(queries) if queries.is_empty() => "the study is empty: `haymark import STUDY FILE...` fills it",
        _ if names.is_empty() => {
            "`haymark annotate STUDY --as NAME` begins, and `haymark import STUDY FILE` brings what was judged elsewhere"
        }
        _ => "import or annotate first, or name others with --annotators",
    }
}

/// The subject of a sentence such as "nobody among these annotators judged anything".
pub fn nobody(names: &[String]) -> &'static str {
    if names.is_empty() { "nobody" } else { "nobody among these annotators" }
}

/// The annotators with these names, or all people if there are no names.
pub fn choose(study: &StudyFile, names: &[String]) -> Result<AnnotatorsChosen> {
    let all = study.annotators_by_key()?;
    let mut known: Vec<&str> = all.iter().map(|(_, annotator)| annotator.id.as_str()).collect();
    if let Some(name) = names.iter().find(|name| !known.contains(&name.as_str())) {
        known.sort_unstable();
        let error = Error::new(format!("there is no annotator {name:?}")).in_file(study.path());
        return Err(match nearest(name, known.iter().copied()) {
            Some(near) => error.advise(format!("did you mean {near}?")),
            None if known.is_empty() => error.advise(first_step(study, &[])),
            None => error.advise(format!("there are {}", known.join(", "))),
        });
    }
    let is_judge =
        |annotator: &Annotator| annotator.kind == AnnotatorKind::Model && annotator.again_of().is_none();
    let models = all.iter().filter(|(_, annotator)| names.is_empty() && is_judge(annotator));
    let models_left_out = models.map(|(id, _)| *id).collect();
    let is_chosen = |id: &String, kind: AnnotatorKind| {
        if names.is_empty() { kind == AnnotatorKind::Human } else { names.contains(id) }
    };
    let annotators = all
        .into_iter()
        .filter(|(_, annotator)| is_chosen(&annotator.id, annotator.kind))
        .map(|(id, annotator)| (id, annotator.id))
        .collect();
    Ok(AnnotatorsChosen { annotators, models_left_out })
}
