//! Which annotators agree best.

use clap::Args;

/// Subsets of annotators, ranked.
#[derive(Debug, Args)]
pub struct BestArguments {
    /// Rank all subsets of so many annotators by how far they agree, to choose whose judgments to keep
    #[arg(long, value_name = "N", value_parser = number)]
    pub best: Option<usize>,
    /// What --best ranks by: a coefficient by its name in JSON, such as randolph_kappa; when left out, Krippendorff's alpha
    /// on the scale of the labels
    #[arg(long, value_name = "NAME", requires = "best")]
    pub best_by: Option<String>,
}

/// Reads how many annotators are to agree.
fn number(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if number >= 2 => Ok(number),
        _ => Err("agreement needs two annotators or more".to_owned()),
    }
}
