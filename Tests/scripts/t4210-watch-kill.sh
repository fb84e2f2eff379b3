# limit: 120

t 'who follows misses nothing, though the watchers are killed and their container goes and comes' <<'EOT'
/usr/bin/python3 "$SEA_TEST_ROOT/Tests/faults/watch.py" 200
EOT
