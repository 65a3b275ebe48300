#!/bin/sh
# Builds a program that needs nothing on the machine that it runs on (Linux, x86-64): scripts/static.sh [PROFILE [CARGO OPTION…]]
set -eu
cd "$(dirname "$0")/.."
target=x86_64-unknown-linux-musl
profile=${1:-dist}
[ $# = 0 ] || shift
if ! command -v musl-gcc >/dev/null; then
  echo "musl-gcc is not here; on Debian or Ubuntu: apt-get install musl-tools" >&2
  exit 1
fi
if command -v rustup >/dev/null && ! rustup target list --installed | grep -qx "$target"; then
  rustup target add "$target"
fi
CC_x86_64_unknown_linux_musl=musl-gcc cargo build --locked --bin haymark --profile "$profile" --target "$target" "$@"
[ "$profile" = dev ] && profile=debug
echo "${CARGO_TARGET_DIR:-target}/$target/$profile/haymark"
