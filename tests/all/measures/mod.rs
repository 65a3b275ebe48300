//! Scores, against published and hand-made cases.

mod citations;
mod published;
mod scoring;
