# sealed: yes
t 'a damaged database file is reported, never crashes sea, and does not spread' <<'EOT'
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

t 'a damaged file is reported as damage, never as a defect of sea' <<'EOT'
k=0
for harm in "UPDATE chain SET instance = zeroblob(16)" "UPDATE branch SET instance = zeroblob(16)" "DELETE FROM branch" \
  "UPDATE branch SET fork = zeroblob(length(fork) + 1)" "DELETE FROM block"; do
  k=$((k + 1))
  sea init -q "harmed$k"
  sea -C "harmed$k" put -q '{"_id":"a","n":1}' '{"_id":"b","n":1}'
  /usr/bin/python3 -c 'import sqlite3, sys
with sqlite3.connect(sys.argv[1] + "/.sea/db") as db: db.execute(sys.argv[2])' "harmed$k" "$harm"
  for command in 'put {"_id":"c"}' 'set a n:=2' 'delete b'; do
    status $CORRUPT sea -C "harmed$k" $command
    says err 'error[corrupt]: the database file is damaged: '
  done
done
EOT
