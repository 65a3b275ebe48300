//! Batches of chat completions, through which a model judges outside of haymark: requests go out as one
//! file, answers come back as another. Nothing here speaks to a service.
//!
//! A request is a line {`custom_id`, `method`, `url`, `body` {`model`, `messages`, …}}, a response a line
//! {`custom_id`, `response` {`status_code`, `body` {`choices`, `created`, …}}, `error`}. The `custom_id`
//! carries all that leads an answer back to its item, so that nothing is written into the study when the
//! requests leave it.

mod answers;
mod name;
mod prompt;
mod questions;
mod requests;
pub(super) mod responses;
mod schema;
#[cfg(test)]
mod tests;

pub use name::MOST_TIMES;
pub use prompt::PROMPT;
pub use requests::Requests;
pub use responses::again;

use crate::protocol::{Pane, Protocol};
use crate::study::{Document, Item};

/// The documents that a judge sees: the one that is judged, else those that are known to contain the
/// unit, else those that the systems of the candidates were given. None where the protocol has no pane for them.
fn shown_documents<'i>(protocol: &Protocol, item: &'i Item) -> Vec<&'i Document> {
    if !panes(protocol).any(|pane| pane == Pane::Documents) {
        return Vec::new();
    }
    if let Some(number) = item.document {
        return item.document_numbered(number).into_iter().collect();
    }
    match &item.relevant {
        Some(numbers) if !numbers.is_empty() => {
            numbers.iter().filter_map(|number| item.document_numbered(*number)).collect()
        }
        _ => item.documents.iter().filter(|document| item.is_listed(document.number)).collect(),
    }
}

/// The panes in the order in which they are read.
fn panes(protocol: &Protocol) -> impl Iterator<Item = Pane> {
    let layout = &protocol.layout;
    layout.above.iter().chain(&layout.left).chain(&layout.right).copied()
}
