#!/bin/sh
# Builds the wheel that `pip install` takes: scripts/wheel.sh [PROFILE [CARGO OPTION…]]. On Linux it holds a program that needs
# nothing else on the machine, where musl-gcc is there; elsewhere it is for machines like this one.
set -eu
cd "$(dirname "$0")/.."
profile=${1:-dist}
[ $# = 0 ] || shift
if command -v maturin >/dev/null; then
  maturin=maturin
else
  python3 -m venv target/maturin
  target/maturin/bin/pip install --quiet --disable-pip-version-check 'maturin>=1.7,<2'
  maturin=target/maturin/bin/maturin
fi
made=target/wheels/$profile
rm -rf "$made"
target=x86_64-unknown-linux-musl
if [ "$(uname -sm)" = "Linux x86_64" ] && command -v musl-gcc >/dev/null; then
  sh scripts/static.sh "$profile" "$@" >/dev/null
  export CC_x86_64_unknown_linux_musl=musl-gcc
  # A program without a library of C runs with either.
  set -- --target "$target" --compatibility manylinux2014 musllinux_1_1 -- "$@"
else
  echo "musl-gcc is not here: the wheel is for machines like this one" >&2
  set -- -- "$@"
fi
"$maturin" build --quiet --profile "$profile" --out "$made" "$@" >&2
"$maturin" sdist --quiet --out "$made" >&2
ls "$made"/*
