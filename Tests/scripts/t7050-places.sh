t 'a .sea of another user is status 7, unless it is declared safe' <<'EOT'
sea init -q theirs
chown -R 12345 theirs/.sea
status 7 sea -C theirs query
says err 'belongs to another user'
sea config set --global --add safe.directory "$PWD/theirs"
status 0 sea -C theirs query
SEA_DIR=$PWD/theirs/.sea status 0 sea query
sea config unset --global --all safe.directory
SEA_DIR=$PWD/theirs/.sea status 7 sea query
chown -R "$(id -u)" theirs/.sea
EOT

t 'a .sea may be a link, and SEA_DIR and --sea-dir name one' <<'EOT'
sea init -q real
sea -C real put -q '{"_id":"a"}'
mkdir linked
ln -s ../real/.sea linked/.sea
[ "$(sea -C linked query --ids)" = a ]
sea -C linked put -q '{"_id":"b"}'
[ "$(SEA_DIR=real/.sea sea query --ids | wc -l)" -eq 2 ]
[ "$(SEA_DIR=/nowhere sea --sea-dir=real/.sea query --ids | wc -l)" -eq 2 ]
SEA_DIR=$PWD/nowhere status 10 sea query
SEA_DIR=$PWD/real status 5 sea query || SEA_DIR=$PWD/real status 10 sea query || SEA_DIR=$PWD/real status 12 sea query
EOT

t 'a .sea that is renamed while it is written goes on whole' <<'EOT'
sea init -q moving
seq 100000 | sed 's/.*/{"_id":"big-&"}/' >big
sea -C moving put -q --chunk=2000 - <big &
while flock -n moving/.sea/lock true; do sleep 0.005; done
mv moving moved
code=0
wait $! || code=$?
[ $code -eq 0 ] || [ $code -eq 12 ]
status 0 sea -C moved verify
status 0 sea -C moved put '{"_id":"next"}'
[ $code -ne 0 ] || [ "$(sea -C moved query --ids | wc -l)" -eq 100001 ]
EOT

t 'what a killed init has left is cleared away by the next one' <<'EOT'
mkdir half
strace -f -o trace -e trace=renameat2 -e inject=renameat2:signal=KILL:when=2 sea init half || true
[ "$(ls -A half | grep -c '^.sea-tmp-')" -eq 1 ]
status 10 sea -C half query
status 0 sea init half
[ "$(ls -A half)" = .sea ]
EOT

t 'an init beside another one waits for it' <<'EOT'
for n in 1 2 3 4 5 6; do sea init beside >out$n 2>&1 & done
wait
[ "$(cat out? | grep -c Initialized)" -eq 1 ]
[ "$(cat out? | grep -c 'There is a')" -eq 5 ]
[ "$(ls -A beside)" = .sea ]
EOT

t 'settings that are written at once are all kept' <<'EOT'
sea init -q settings
for n in $(seq 20); do sea -C settings config set "a.k$n" $n & done
wait
[ "$(sea -C settings config list | grep -c '^a.k')" -eq 20 ]
EOT

t 'a clone that was killed goes on with sync' <<'EOT'
sea init -q source
seq 50 | sed 's/.*/{"_id":"r&"}/' | sea -C source put -q -
sea -C source add-container -q --create c "$PWD/c"
sea -C source sync -q
strace -f -o trace -y -e trace=fdatasync -e inject=fdatasync:signal=KILL:when=17 sea clone c copy || true
status 0 sea -C copy sync
[ "$(sea -C copy query --ids | wc -l)" -eq 50 ]
EOT
