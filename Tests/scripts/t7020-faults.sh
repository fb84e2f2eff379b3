# limit: 240
# Fails the Nth system call of a command for every N. SEA_TEST_FAULTS=all: all calls, errors and kinds of failure,
# which takes an hour; or the calls, by commas, with all errors and kinds; else a selection.
faults=$SEA_TEST_ROOT/Tests/faults
cat >run <<EOR
#!/bin/sh
# run NAME CALLS COMMAND
name=\$1 calls=\$2
shift 2
export SEA=\$(command -v sea)
# Every run works on a copy, which would take a name of its own.
export XDG_STATE_HOME=/dev/null
if [ "\${SEA_TEST_FAULTS-}" = all ]; then set -- -m once,from,kill "\$@"
elif [ -n "\${SEA_TEST_FAULTS-}" ]; then set -- -m once,from,kill --calls "\$SEA_TEST_FAULTS" "\$@"
else set -- -m once,kill --calls "\$calls" --errors 1 "\$@"; fi
/usr/bin/python3 "$faults/injectloop.py" -s "\$PWD/state" -c "$faults/check.py" \\
  -j "\${JOBS:-4}" --keep "\$PWD/kept" "\$@" >log 2>&1 || { cat log; exit 1; }
grep -q '^[1-9][0-9]* injected faults, 0 violations' log || { cat log; exit 1; }
tail -1 log | sed "s/^/\$name: /" >>counts
EOR
chmod +x run

t 'strace is here' <<'EOT'
strace -f -o trace -e trace=fdatasync -e inject=fdatasync:error=EIO:when=1 sh -c 'exec sync -d trace' && exit 1
grep -q INJECTED trace
EOT

t 'a database, a container and somebody else are made' <<'EOT'
mkdir state
sea init -q state/db
seq 40 | sed 's/.*/{"_id":"r&","n":&}/' | sea -C state/db put -q -
sea -C state/db add-container -q --create c "$PWD/state/c"
sea -C state/db sync -q
sea clone -q state/c other
sea -C other put -q '{"_id":"theirs"}'
sea -C other sync -q
sea -C state/db put -q '{"_id":"a","n":1}'
# A log that is long is moved when the writer ends; start with a short one.
text=$(seq -s ' ' 3000)
seq 12 | sed "s/.*/{\"_id\":\"s&\",\"text\":\"$text\"}/" | sea -C state/db put -q -
rm -rf other
mkdir empty only
cp -a state/c only/
EOT

t 'put' <<'EOT'
CHECK_WORK=q ./run put fdatasync,flock -r 'sea -C {dir}/db put "{\"_id\":\"q\"}"'
EOT

t 'set' <<'EOT'
CHECK_VALUE=2 ./run set fdatasync,write -r 'sea -C {dir}/db set a n:=2'
EOT

t 'push' <<'EOT'
CHECK_PUSHED=1 ./run push fsync,fdatasync,write,renameat2,mkdirat -r 'sea -C {dir}/db push'
EOT

t 'pull' <<'EOT'
CHECK_WORK=theirs ./run pull fdatasync -r 'sea -C {dir}/db pull'
EOT

t 'config set' <<'EOT'
CHECK_CONFIG=9 ./run config fsync,write,renameat2,renameat -r 'sea -C {dir}/db config set core.abbrev 9'
EOT

t 'init' <<'EOT'
mv state with-database; mv empty state
CHECK_NEW=1 ./run init fsync,fdatasync,renameat2,mkdirat -r 'sea init {dir}/new'
rmdir state; mv with-database state
EOT

t 'clone' <<'EOT'
mv state with-database; mv only state
CHECK_NEW=1 ./run clone fsync,fdatasync,renameat2,mkdirat -r 'sea clone {dir}/c {dir}/new'
EOT
sed 's/^/# /' counts
