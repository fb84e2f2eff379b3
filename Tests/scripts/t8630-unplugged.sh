# limit: 180
# A stick that is pulled out, or fails, at every write of an export: it holds the old bundle or the new one, never a wrong
# one, and the next export cleans up. The same for an import. SEA_TEST_FAULTS=all as in t7020.
faults=$SEA_TEST_ROOT/Tests/faults
cat >run <<EOR
#!/bin/sh
# run NAME CALLS COMMAND
name=\$1 calls=\$2
shift 2
export SEA=\$(command -v sea)
export XDG_STATE_HOME=/dev/null
if [ "\${SEA_TEST_FAULTS-}" = all ]; then set -- -m once,from,kill "\$@"
elif [ -n "\${SEA_TEST_FAULTS-}" ]; then set -- -m once,from,kill --calls "\$SEA_TEST_FAULTS" "\$@"
else set -- -m from,kill --calls "\$calls" --errors 1 "\$@"; fi
/usr/bin/python3 "$faults/injectloop.py" -s "\$PWD/state" -c "$faults/stick.py" \\
  -j "\${JOBS:-4}" --keep "\$PWD/kept" "\$@" >log 2>&1 || { cat log; exit 1; }
grep -q '^[1-9][0-9]* injected faults, 0 violations' log || { cat log; exit 1; }
tail -1 log | sed "s/^/\$name: /" >>counts
EOR
chmod +x run

t 'a database with assets, and a stick with its first bundle' <<'EOT'
mkdir state
head -c 300000 /dev/urandom >photo
head -c 70000 /dev/urandom >sound
sea init -q state/db
sea -C state/db set -q --create a photo:asset@"$PWD/photo"
seq 50 | sed 's/.*/{"_id":"r&","n":&}/' | sea -C state/db put -q -
sea -C state/db export -q --to="$PWD/state/stick"
sea -C state/db export -q -o "$PWD/one.sea.tar.zst"
sea clone -q state/stick state/other
sea -C state/db set -q --create b sound:asset@"$PWD/sound"
sea -C state/db put -q '{"_id":"c"}'
cp -a state/stick state/before
EOT

t 'export to an exchange directory' <<'EOT'
./run export fsync,write,renameat2,renameat -r 'sea -C {dir}/db export --to={dir}/stick --verify'
EOT

t 'import' <<'EOT'
sea -C state/db export -q --to="$PWD/state/stick"
CHECK_IMPORT=51 ./run import fdatasync,fsync,renameat2,pwrite64 -r 'sea -C {dir}/other import {dir}/stick'
EOT

t 'export over a file that is there' <<'EOT'
rm -r state/stick state/before
mkdir state/stick state/before
cp one.sea.tar.zst state/stick/
cp one.sea.tar.zst state/before/
CHECK_FILE=one.sea.tar.zst ./run file fsync,write,renameat2,renameat -r 'sea -C {dir}/db export -o {dir}/stick/one.sea.tar.zst --verify'
EOT

t 'export as volumes' <<'EOT'
rm state/stick/* state/before/*
./run volumes fsync,write,renameat2,renameat -r 'sea -C {dir}/db export --to={dir}/stick --split=100k'
EOT
sed 's/^/# /' counts
