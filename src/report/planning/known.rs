//! Known answers: the judgments of an annotator who is named.

use std::collections::{BTreeMap, BTreeSet};

use super::Controls;
use crate::error::{Error, Result};
use crate::protocol::{Protocol, Question};
use crate::report::{annotators, counted};
use crate::store::{Assignable, StudyFile};
use crate::study::{Meta, Role, Terms};

/// The known answers, by place of the item.
pub struct KnownAnswers {
    /// The annotator whose answers they are.
    pub from: String,
    answers: BTreeMap<usize, (Meta, Option<String>)>,
}

impl KnownAnswers {
    /// Reads the judgments of the annotator named by `controls`, where one is.
    pub fn read(
        study: &StudyFile,
        protocol: &Protocol,
        assignable: &Assignable,
        controls: &Controls,
    ) -> Result<Option<KnownAnswers>> {
        let Some(from) = &controls.known_from else { return Ok(None) };
        let from = study.person_behind(from)?;
        if controls.calibration.is_none() && controls.control.is_none() {
            return Err(Error::usage("--known-from says whose answers are known, and nothing uses them")
                .advise("add --calibration 20 or --control 5%"));
        }
        if !protocol.questions.iter().any(Question::has_labels) {
            let what = format!("{:?} asks for texts only, which nobody words the same", protocol.name);
            return Err(Error::usage(what).advise("leave out --calibration and --control"));
        }
        let places: BTreeMap<_, usize> =
            assignable.items.iter().enumerate().map(|(place, target)| (*target, place)).collect();
        let ids = annotators::choose(study, std::slice::from_ref(&from))?.annotators;
        let material = study.material(protocol, counted(protocol, false))?;
        let mut answers = BTreeMap::new();
        for row in material.rows().iter().filter(|row| ids.iter().any(|(id, _)| *id == row.annotator())) {
            let given = material.answers(row);
            let place = places.get(&material.item(row).target);
            if let (Some(place), true) = (place, row.counts() && protocol.is_complete(given)) {
                let known = given.iter().map(|(question, answer)| (question.clone(), answer.to_json()));
                answers.insert(*place, (known.collect(), material.comment(row).map(str::to_owned)));
            }
        }
        if answers.is_empty() {
            return Err(Error::new(format!(
                "{from:?} has judged nothing to the end under {:?}",
                protocol.name
            ))
            .in_file(study.path())
            .advise("let them judge what is to be known, or name another with --known-from"));
        }
        Ok(Some(KnownAnswers { from, answers }))
    }

    /// The places of the items whose answers are known.
    pub fn places(&self) -> BTreeSet<usize> {
        self.answers.keys().copied().collect()
    }

    /// The terms of a calibration item, with its known answer and the share of right answers to reach.
    pub fn calibration(&self, item: usize, controls: &Controls) -> Option<Terms> {
        let (known, explanation) = self.answers.get(&item)?;
        Some(Terms {
            known_from: Some(self.from.clone()),
            known: known.clone(),
            explanation: explanation.clone(),
            pass: Some(100.0 * controls.pass),
            must_pass: controls.must_pass,
            ..Terms::of(Role::Calibration)
        })
    }

    /// The terms of a control item, without its answer, which is never told.
    pub fn control(&self) -> Terms {
        Terms { known_from: Some(self.from.clone()), ..Terms::of(Role::Control) }
    }
}
