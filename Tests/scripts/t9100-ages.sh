# Databases, containers and bundles that earlier versions have written are read as they were.

for age in "$SEA_TEST_ROOT"/Tests/ages/[0-9]*/; do
  export age
  t "what version $(basename "$age") has written" <<'EOT'
mkdir place
(cd place && sh "$age/read.sh" "$age") >found
diff -u "$age/expect" found
rm -rf place
EOT
done

t 'there is at least one age' <<'EOT'
[ -s "$SEA_TEST_ROOT/Tests/ages/1/expect" ]
EOT
