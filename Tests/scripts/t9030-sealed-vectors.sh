# Containers that another program has sealed: what a password opens of them, and who is a member there.
unset SEA_PASSWORD_FILE

t 'clones of the frozen sealed containers have the records that were written down' <<'EOT'
for vector in "$SEA_TEST_ROOT"/Tests/vectors/unlock/*/; do
  name=$(basename "$vector")
  # A clone without a key leaves a join request behind.
  rm -rf clone pass box
  cp -R "$vector/sea" box
  set -- sea clone -q
  if [ -f "$vector/password" ]; then
    cp "$vector/password" pass
    chmod 600 pass
    set -- "$@" --password-file=pass
  fi
  [ ! -f "$vector/recovery" ] || set -- "$@" --recovery="$vector/recovery"
  want=$(cat "$vector/status")
  # Without the key of epoch 1 others are read, and no chain of one's own can begin.
  [ "$name" = rotated-epoch-1-missing ] && want=7
  # Slots may be on their way.
  [ "$name" = no-slots ] && want=8
  status "$want" "$@" box clone || { echo "$name"; exit 1; }
  if [ "$want" -eq 7 ]; then continue; fi
  if [ ! -d clone ]; then
    [ ! -s "$vector/records" ]
    continue
  fi
  sea -C clone query --json | diff - "$vector/records" || { echo "$name"; exit 1; }
done
EOT

t 'and their heads' <<'EOT'
for name in password rotated members members-plain no-password; do
  vector=$SEA_TEST_ROOT/Tests/vectors/unlock/$name
  sea heads --container="$vector/sea" | sort | diff - "$vector/heads"
done
EOT

t 'and what opens under no key, or under one that nothing vouches for, verify --keys names too' <<'EOT'
for vector in "$SEA_TEST_ROOT"/Tests/vectors/unlock/*/; do
  name=$(basename "$vector")
  [ -f "$vector/password" ] && [ "$(cat "$vector/status")" = 0 ] || continue
  cp "$vector/password" pass
  chmod 600 pass
  sea verify --keys --porcelain --password-file=pass "$vector/sea" >out 2>err || true
  # Of each chain the first.
  sed -n 's,^no-key \(.*\)/\(.*\)$,\1 \2,p' "$vector/problems" | sort -k1,1 -k2,2n | awk '!seen[$1]++' >want
  awk '$1 == "no-key" { print $(NF - 4), $(NF - 3) }' out | sort -k1,1 -k2,2n | awk '!seen[$1]++' >have
  diff want have || { echo "$name"; cat out; exit 1; }
done
vector=$SEA_TEST_ROOT/Tests/vectors/unlock/slot-not-valid-leads-on
cp "$vector/password" pass
chmod 600 pass
status $PARTIAL sea verify --keys --password-file=pass "$vector/sea"
says out 'is encrypted with an unverified key'
EOT

t 'bundles too: import ends with the status of a sync' <<'EOT'
mkdir bundles && cd bundles
vector=$SEA_TEST_ROOT/Tests/vectors/unlock/slot-not-valid-leads-on
cp "$vector/password" pass
chmod 600 pass
export SEA_PASSWORD_FILE="$PWD/pass"
cp -R "$vector/sea" box
sea clone -q box one
sea -C one export -q --full -o "$PWD/all.sea.tar"
status $PARTIAL sea -C one verify --keys "$PWD/all.sea.tar"
says out 'is encrypted with an unverified key'
# Who has not had that block.
cp -R "$vector/sea" less
rm -r less/transactions/11c54ef3-ad5c-8f31-9581-ea4aa1a79806
rm -f less/heads/*
sea clone -q less two
status $PARTIAL sea -C two import "$PWD/all.sea.tar"
says err 'warning[no-key]'
EOT
