# limit: 120
export SEA=$(command -v sea)

t 'kill -9 at any moment loses nothing that was acknowledged' <<'EOT'
/usr/bin/python3 "$SEA_TEST_ROOT/Tests/faults/killloop.py" -r $((40 * SEA_TEST_MORE)) --seed "$SEA_TEST_SEED" >counts 2>&1 || { cat counts; exit 1; }
EOT
sed 's/^/# /' counts
