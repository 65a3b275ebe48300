#!/bin/sh
# Writes the Homebrew formula and the conda recipe of a release into a folder: packaging/fill.sh URL ARCHIVE FOLDER, with the archive of
# the sources and where people fetch it.
set -eu
if [ $# != 3 ]; then
  echo "packaging/fill.sh URL ARCHIVE FOLDER" >&2
  exit 2
fi
url=$1 archive=$2 folder=$3
if [ ! -f "$archive" ]; then
  echo "$archive: there is no such file" >&2
  exit 1
fi
here=$(dirname "$0")
sum=$(if command -v sha256sum >/dev/null; then sha256sum "$archive"; else shasum -a 256 "$archive"; fi | cut -d ' ' -f 1)
mkdir -p "$folder"
for file in homebrew/haymark.rb conda/meta.yaml; do
  # The first line is about this script.
  sed -e 1d -e "s|@SOURCE@|$url|" -e "s|@SHA256@|$sum|" "$here/$file" >"$folder/$(basename "$file")"
done
