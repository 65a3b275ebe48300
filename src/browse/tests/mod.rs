//! Tables over the small study.

mod columns;
mod looking;
pub(super) mod small;
