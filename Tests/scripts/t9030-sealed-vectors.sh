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
