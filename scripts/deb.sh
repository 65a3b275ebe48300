#!/bin/sh
# Builds a package for Debian and Ubuntu, with manual pages and completions: scripts/deb.sh [PROFILE [CARGO OPTION…]]. The program in it
# needs nothing else. It takes cargo-deb (`cargo install cargo-deb`) and what scripts/static.sh takes.
set -eu
cd "$(dirname "$0")/.."
profile=${1:-dist}
[ $# = 0 ] || shift
if ! command -v cargo-deb >/dev/null; then
  echo "cargo-deb is not here: cargo install cargo-deb" >&2
  exit 1
fi
program=$(sh scripts/static.sh "$profile" "$@")
# Where [package.metadata.deb] takes the rest from.
made=target/deb
rm -rf "$made"
mkdir -p "$made/bin"
cp "$program" "$made/bin/haymark"
"$program" man -o "$made/man"
for shell in bash zsh fish; do
  "$program" completions "$shell" >"$made/$shell"
done
cargo deb --no-build --no-strip --output "$made/"
