# sealed: yes
t 'a damaged database file is told, never a crash, and does not spread' <<'EOT'
mkdir state
sea init -q state/db
sea -C state/db put -q '{"_id":"a","n":1}'
seq 300 | sed 's/.*/{"_id":"r&","n":&}/' | sea -C state/db put -q --chunk=20 -
sea -C state/db add-container -q --create c "$PWD/state/c"
sea -C state/db sync -q
# Two more blocks to push; then a load that moves the log into the file.
sea -C state/db put -q '{"_id":"b","refers":{"$ref":"a"}}'
seq 900 | sed 's/.*/{"_id":"s&","text":"0123456789012345678901234567890123456789"}/' | sea -C state/db put -q -
/usr/bin/python3 - <<'EOP'
import sqlite3
sqlite3.connect("state/db/.sea/db").execute("PRAGMA wal_checkpoint(TRUNCATE)")
EOP
SEA=$(command -v sea) /usr/bin/python3 "$SEA_TEST_ROOT/Tests/faults/flip.py" state $((24 * SEA_TEST_MORE)) "$SEA_TEST_SEED" >counts 2>&1 || { cat counts; exit 1; }
EOT
sed 's/^/# /' counts
