# limit: 240
# Every state of the disk that a loss of power may leave. SEA_TEST_CRASH_STATES: how many for each command, 0 for all.
faults=$SEA_TEST_ROOT/Tests/faults
cat >run <<EOR
#!/bin/sh
# run NAME COMMAND...
name=\$1
shift
export SEA=\$(command -v sea)
/usr/bin/python3 "$faults/crashsim.py" record -w state -o trace -- "\$@" >log 2>&1 || { cat log; exit 1; }
/usr/bin/python3 "$faults/crashsim.py" explore -t trace -j "\${JOBS:-4}" --seed "$SEA_TEST_SEED" --max "\${SEA_TEST_CRASH_STATES:-40}" --keep kept \\
  -c "$faults/check.py" >log 2>&1 || { cat log; exit 1; }
grep 'crashsim:.* 0 violations' log || { cat log; exit 1; }
sed -n "s/^crashsim:/\$name:/p" log >>counts
EOR
chmod +x run

t 'init' <<'EOT'
mkdir state
CHECK_NEW=1 ./run init sea init state/new
EOT

t 'put' <<'EOT'
rm -rf state; mkdir state
sea init -q state/db
sea -C state/db put -q '{"_id":"a","n":1}'
sea -C state/db add-container -q --create c "$PWD/state/c"
sea -C state/db sync -q
./run put sea -C state/db put '{"_id":"b"}'
EOT

t 'put with the journal of media that cannot share memory' <<'EOT'
mv state other-journal; mkdir state
strace -f -o log.strace -e trace=ftruncate -e inject=ftruncate:error=EPERM sea init -q state/db
[ "$(od -An -tu1 -j18 -N1 state/db/.sea/db | tr -d ' ')" = 1 ]
sea -C state/db put -q '{"_id":"a"}'
./run 'put, rollback journal' sea -C state/db put '{"_id":"b"}'
rm -rf state; mv other-journal state
EOT

t 'several puts' <<'EOT'
./run 'puts, set and delete' sh -c 'cd state/db; for n in 1 2 3; do sea put "{\"_id\":\"p$n\"}"; done
sea set p1 n:=1; printf "try\tp2\n"; sea delete p2; seq 40 | sed "s/.*/{\"_id\":\"m&\"}/" | sea put - --chunk=20'
EOT

t 'push' <<'EOT'
./run push sea -C state/db push
EOT

t 'pull' <<'EOT'
sea clone -q state/c other
seq 3 | sed 's/.*/{"_id":"theirs&"}/' | sea -C other put -q --chunk=1 -
sea -C other sync -q
./run pull sea -C state/db pull
EOT

t 'clone' <<'EOT'
rm -rf state/db
CHECK_NEW=1 ./run clone sea clone "$PWD/state/c" state/new
EOT
sed 's/^/# /' counts
