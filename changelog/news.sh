#!/bin/sh
# Prints the entries of changelog/unreleased by kind, the breaking ones first.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/unreleased"
echo '# Changes that are not released yet'
for kind in Breaking New Fixed; do
  files=$(grep -l "^$kind: " ./*.md) || continue
  printf '\n## %s\n' "$kind"
  for file in $files; do
    sed -e "1s/^$kind: \(.*\)/\n- **\1.**/" -e '2d' -e '1!s/^/  /' "$file"
  done
done
