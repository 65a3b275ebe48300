# A release fills in where its archive is and what that sums to: packaging/fill.sh.
class Haymark < Formula
  desc "Judge retrieval-augmented summaries, and measure how far annotators agree"
  url "@SOURCE@"
  version "0.1.0"
  sha256 "@SHA256@"
  license any_of: ["Apache-2.0", "MIT"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", "--profile", "dist", *std_cargo_args
    system bin/"haymark", "man", "-o", buildpath/"man"
    man1.install Dir["man/*.1"]
    generate_completions_from_executable bin/"haymark", "completions"
  end

  test do
    (testpath/"ratings.csv").write "item,annotator,value\na,x,1\na,y,1\nb,x,2\nb,y,2\nc,x,2\nc,y,1\n"
    assert_match "cohen_kappa", shell_output("#{bin}/haymark agree ratings.csv --format csv")
  end
end
