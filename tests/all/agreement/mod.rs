//! Coefficients of agreement.

mod oracle;
mod properties;
