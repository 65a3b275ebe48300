//! Tables over the small study.

mod columns;
mod looking;
pub(crate) mod small;
