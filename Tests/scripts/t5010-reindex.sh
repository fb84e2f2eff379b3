# sealed: yes
t 'reindex builds the same again' <<'EOT'
sea init -q --name=one one
printf '%s\n' '{"_id":"a","n":1}' '{"_id":"b","n":2,"r":{"$ref":"a"}}' | sea -C one put -q -
sea -C one set -q --create a n:=2
sea -C one query --json >before
status 0 sea -C one reindex --projection
echo 'local index: 3 blocks read, the content was correct' | same out
sea -C one query --json | same before
EOT

t 'a wrong local index is found and rebuilt' <<'EOT'
python3 - <<'EOP'
import sqlite3
with sqlite3.connect("one/.sea/db") as db:
    db.execute("DELETE FROM record WHERE id = 'a'")
EOP
status $CORRUPT sea -C one verify
says out 'projection'
status 0 sea -C one reindex --projection -n
says out 'the content would change'
status $CORRUPT sea -C one verify -q
status 0 sea -C one reindex --projection --json
says out '"changed":true'
sea -C one query --json | same before
status 0 sea -C one verify -q
EOT

t 'nothing is built on what does not verify' <<'EOT'
python3 - <<'EOP'
import sqlite3
with sqlite3.connect("one/.sea/db") as db:
    key, data = db.execute("SELECT key, bytes FROM piece ORDER BY key DESC LIMIT 1").fetchone()
    db.execute("UPDATE piece SET bytes = ? WHERE key = ?", (data[:90] + bytes([data[90] ^ 1]) + data[91:], key))
EOP
status $CORRUPT sea -C one verify
says out 'chain one 2 blocks ok, then bad-data'
status $CORRUPT sea -C one reindex --projection
says err 'error[corrupt]'
[ "$(sea -C one query --count)" = 2 ]
EOT

t 'reindex without an index does nothing' <<'EOT'
status 0 sea -C one reindex
EOT
