# limit: 60
# This program reads databases, containers and bundles of earlier versions, and of candidates of version 1, as they did:
# Tests/ages/README.md.

ages=$(cd "$SEA_TEST_ROOT/Tests/ages" && ls | sed -n 's/\.tar\.zst$//p')
for age in $ages; do
  export age
  mkdir "$age" && zstd -qdc --long=27 "$SEA_TEST_ROOT/Tests/ages/$age.tar.zst" | tar -x -C "$age" --no-same-owner
  (cd "$age" && find . -type f -exec sha256sum {} + | sort) >"$age.before"
  sh "$SEA_TEST_ROOT/Tests/ages/read.sh" "$(command -v sea)" "$PWD/$age" >"$age.read"

  # part KIND: the sections of this kind, as they were and as they are.
  cat >part.sh <<'EOX'
part() {
  for file in "$SEA_TEST_ROOT/Tests/ages/$age.expected" "$age.read"; do
    awk -v kind="$1:" '$1 == "==" { on = $2 == kind } on' "$file" >"part.${file##*.}"
  done
  [ -s part.expected ]
  diff -u part.expected part.read
}
EOX

  t "$age: databases open and give the same records" <<'EOT'
. ./part.sh
part database
EOT

  t "$age: a clone of each container has the same records, conflicts and status" <<'EOT'
. ./part.sh
part container
EOT

  t "$age: each bundle is verified and imported" <<'EOT'
. ./part.sh
part bundle
EOT

  t "$age: each backup is restored" <<'EOT'
. ./part.sh
part backup
EOT

  t "$age: a new change goes through the old database and container to a clone" <<'EOT'
. ./part.sh
part change
EOT

  t "$age: passphrases and the recovery key open what is encrypted" <<'EOT'
. ./part.sh
part password
EOT

  t "$age: dumps are loaded" <<'EOT'
. ./part.sh
part dump
EOT

  t "$age: there is nothing else, and reading changed nothing" <<'EOT'
diff -u "$SEA_TEST_ROOT/Tests/ages/$age.expected" "$age.read" >diff || { head -20 diff; exit 1; }
(cd "$age" && find . -type f -exec sha256sum {} + | sort) | same "$age.before"
EOT
done

t 'there is an age' <<'EOT'
[ -s "$SEA_TEST_ROOT/Tests/ages/1-candidate.tar.zst" ]
EOT
