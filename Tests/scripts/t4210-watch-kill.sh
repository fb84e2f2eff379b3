# limit: 120

t 'a follower misses nothing, although watchers are killed and the container comes and goes' <<'EOT'
/usr/bin/python3 "$SEA_TEST_ROOT/Tests/faults/watch.py" 200
EOT
