# limit: 120
# Clouds that bring files late, rename one of two, and lose some, over several machines and their copies: all come to rest with the same records.
unshare -m true 2>/dev/null || { echo "SKIPPED: no mount namespaces here" >&2; exit 0; }

for kind in "" copies losses "copies losses"; do
  export kind
  t "a cloud drive${kind:+ with $kind} comes to rest, and everybody has everything" <<'EOT'
/usr/bin/python3 "$SEA_TEST_ROOT/Tests/faults/cloudsim.py" "$SEA_TEST_SEED" $((2 * SEA_TEST_MORE)) $kind >counts 2>&1 || { cat counts; exit 1; }
EOT
  sed 's/^/# /' counts
done
