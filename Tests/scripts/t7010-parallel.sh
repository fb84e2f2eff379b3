export SEA=$(command -v sea)

t 'eight writers, two syncs and two readers at once' <<'EOT'
/usr/bin/python3 "$SEA_TEST_ROOT/Tests/faults/parallel.py" -w 8 -n $((20 * SEA_TEST_MORE)) >counts 2>&1 || { cat counts; exit 1; }
EOT
sed 's/^/# /' counts

t 'the same with the journal of media that cannot share memory' <<'EOT'
/usr/bin/python3 "$SEA_TEST_ROOT/Tests/faults/parallel.py" --rollback -w 4 -n 10 >counts 2>&1 || { cat counts; exit 1; }
EOT
sed 's/^/# /' counts

t 'a writer that stands still is named to who waits for it, and gone when it is killed' <<'EOT'
sea init -q
seq 200000 | sed 's/.*/{"_id":"big-&"}/' >big
sea put - <big >/dev/null 2>&1 &
while flock -n .sea/lock true; do sleep 0.01; done
sleep 0.05
kill -STOP $!
status $LOCKED sea put --lock-wait=1 '{"_id":"b"}'
says err "pid $!"
says err 'sea put'
status 0 sea query --ids
[ ! -s out ]
kill -KILL $!
status 0 sea put --lock-wait=1 '{"_id":"b"}'
[ "$(sea query --ids)" = b ]
EOT

t 'a writer that waits for its input keeps nobody waiting' <<'EOT'
mkfifo pipe
sea put - --chunk=1 <pipe >/dev/null &
exec 3>pipe
yes '{"_id":"slow"}' | head -20000 >&3
until sea query --ids | grep -q slow; do sleep 0.05; done
status 0 sea put --lock-wait=5 '{"_id":"quick"}'
exec 3>&-
wait $!
EOT
