//! The work to be done: queues, assignments, the order of items, and the item on the screen.

pub(super) mod asked;
pub(super) mod assignable;
pub(super) mod assigned_queue;
pub(super) mod assignments;
pub(super) mod day;
pub(super) mod load;
pub(super) mod navigate;
pub(super) mod order;
pub(super) mod places;
pub(super) mod queue;

pub(super) use assignments::{Gate, MASKED, StandingAssignment};
pub(super) use load::DocumentCache;
pub(super) use queue::{QueueOwner, QueueTaken};
