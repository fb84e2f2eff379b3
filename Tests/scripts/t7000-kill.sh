# limit: 120
# SEA_TEST_KILL_SECONDS: how long to go on.
export SEA=$(command -v sea)

t 'kill -9 at any moment loses nothing that was acknowledged' <<'EOT'
/usr/bin/python3 "$SEA_TEST_ROOT/Tests/faults/killloop.py" -s "${SEA_TEST_KILL_SECONDS:-20}" >counts 2>&1 || { cat counts; exit 1; }
EOT
sed 's/^/# /' counts
