//! Arguments in, exit status out; everything else is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    haymark::cli::main()
}
