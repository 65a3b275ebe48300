#!/bin/sh
# Builds the wheel and the sdist that `pip install` takes: scripts/wheel.sh [PROFILE [CARGO OPTION…]]. On Linux the wheel holds a
# program that needs nothing else on the machine, where musl-gcc is there; elsewhere it is for machines like this one.
set -eu
cd "$(dirname "$0")/.."
profile=${1:-dist}
[ $# = 0 ] || shift
built=${CARGO_TARGET_DIR:-$PWD/target}
if command -v maturin >/dev/null; then
  maturin=maturin
else
  python3 -m venv "$built/maturin"
  "$built/maturin/bin/pip" install --quiet --disable-pip-version-check 'maturin>=1.7,<2'
  maturin=$built/maturin/bin/maturin
fi
made=$built/wheels/$profile
rm -rf "$made"
machine=$(uname -m)
target=$machine-unknown-linux-musl
if [ "$(uname -s)" = Linux ] && command -v musl-gcc >/dev/null && command -v rustup >/dev/null; then
  rustup target list --installed | grep -qx "$target" || rustup target add "$target"
  export "CC_${machine}_unknown_linux_musl=musl-gcc"
  # A program without a C library of its own runs beside either.
  set -- --target "$target" --compatibility manylinux2014 musllinux_1_1 "$@"
else
  echo "musl-gcc and rustup are not here: the wheel is for machines like this one" >&2
fi
"$maturin" build --profile "$profile" --out "$made" "$@" >&2
"$maturin" sdist --out "$made" >&2
ls "$made"/*
