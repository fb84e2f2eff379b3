#!/bin/sh
# The library's documentation, from its comments and articles: into the folder that is named, without a warning.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
out=$1
graphs=$(mktemp -d)
trap 'rm -rf "$graphs"' EXIT
/usr/bin/python3 "$root/Tests/surface.py" --graphs "$graphs"
docc convert "$root/Sources/SeaKit/SeaKit.docc" --fallback-display-name SeaKit --fallback-bundle-identifier org.sea.SeaKit \
  --additional-symbol-graph-dir "$graphs" --output-path "$out" --warnings-as-errors
