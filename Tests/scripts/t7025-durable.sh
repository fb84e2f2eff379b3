# limit: 120
# What has been written and not synced is never called durable: not by a second try, and not by whom a kill left it to.

t 'strace is here' <<'EOT'
strace -f -o trace -e trace=fdatasync -e inject=fdatasync:error=EIO:when=1 sh -c 'exec sync -d trace' && exit 1
grep -q INJECTED trace
EOT

t 'a database' <<'EOT'
sea init -q d
sea -C d put -q '{"_id":"a","n":1}'
EOT

# What a power cut may leave: the files as they are, without what was written to the log and not synced. `durable LOG` says
# how many of the calls in a trace have synced the log.
cat >durable <<'EOS'
#!/bin/sh
grep -c -E 'f(data)?sync\([0-9]+<[^>]*/db-wal>\) += 0' "$1" || :
EOS
chmod +x durable

t 'a commit whose sync has failed is not there for the next one' <<'EOT'
status $SYSTEM strace -f -o /dev/null -e trace=fdatasync -e inject=fdatasync:error=EIO:when=1 sea -C d put '{"_id":"b","n":1}'
status $NOT_FOUND sea -C d get b
strace -f -y -o trace -e trace=fsync,fdatasync sea -C d put '{"_id":"b","n":1}' >out
says out created
[ "$(./durable trace)" -ge 1 ]
sea -C d verify -q
[ "$(sea -C d get b n)" = 1 ]
EOT

t 'nor in a set, nor after several have failed' <<'EOT'
for k in 1 2 3; do
  status $SYSTEM strace -f -o /dev/null -e trace=fdatasync -e inject=fdatasync:error=EIO:when=1 sea -C d set b n:=2
done
[ "$(sea -C d get b n)" = 1 ]
sea -C d set b n:=2
[ "$(sea -C d get b n)" = 2 ]
sea -C d verify -q
EOT

t 'files that a killed process left unsynced are synced before they count as unchanged' <<'EOT'
strace -f -o /dev/null -e trace=fdatasync -e inject=fdatasync:signal=KILL:when=1 sea -C d put -q '{"_id":"c","n":1}' || :
strace -f -y -o trace -e trace=fsync,fdatasync sea -C d put '{"_id":"c","n":1}' >out
[ "$(./durable trace)" -ge 1 ]
EOT

t 'and before it leaves the machine' <<'EOT'
sea -C d add-container -q --create c "$PWD/c"
sea -C d sync -q
strace -f -o /dev/null -e trace=fdatasync -e inject=fdatasync:signal=KILL:when=1 sea -C d put -q '{"_id":"e","n":1}' || :
strace -f -y -o trace -e trace=fsync,fdatasync,renameat2 sea -C d push -q
awk '/db-wal/ && / = 0/ { synced = 1 } /renameat2.*transactions/ || /renameat2\([0-9]+<[^>]*\/transactions/ { if (!synced) exit 1 }' trace
strace -f -o /dev/null -e trace=fdatasync -e inject=fdatasync:signal=KILL:when=1 sea -C d put -q '{"_id":"f","n":1}' || :
strace -f -y -o trace -e trace=fsync,fdatasync sea -C d export -q -o b.tar
[ "$(./durable trace)" -ge 1 ]
EOT

t 'gc says when the log cannot be moved' <<'EOT'
sea init -q g
sea -C g put -q '{"_id":"c"}'
[ -s g/.sea/db-wal ]
status $SYSTEM strace -f -o /dev/null -e trace=fdatasync -e inject=fdatasync:error=EIO:when=1 sea -C g gc
sea -C g gc -q
[ ! -s g/.sea/db-wal ]
sea -C g verify -q
EOT

t 'a writer syncs its own files, and all files after a killed writer' <<'EOT'
for n in $(seq 10 69); do mkdir -p "shared/transactions/00000000-0000-4000-8000-0000000000$n/1"; done
echo '{}' >shared/info.json
at=transactions/00000000-0000-4000-8000-000000000099/1
printf 'sea-helper 1\nput %s/7 1\nxflush\nput %s/7 1\nybye\n' $at $at >lines
# How often something is brought to the disk.
serve() {
  strace -f -e trace=fsync,fdatasync -o trace sea serve --stdio shared <lines >answers
  grep -c 'sync(' trace
}
# Somebody is at work meanwhile, and has answered what is not on the disk yet.
mkfifo line
sea serve --stdio shared <line >other &
other=$!
exec 3>line
printf 'sea-helper 1\nput transactions/00000000-0000-4000-8000-000000000098/1/1 1\nz' >&3
for n in $(seq 2000); do [ "$(wc -l <other)" -lt 2 ] || break; sleep 0.05; done
count=$(serve)
[ "$count" -lt 20 ] || { echo "$count times"; false; }
printf 'sea-helper 1\nok\nok\nerror exists \nok\n' | sed 's/ $//' >want
sed 's/^sea-helper 1.*/sea-helper 1/; s/ $//' answers | same want
# That he was stopped is found.
kill -KILL $other
wait $other || true
exec 3>&-
count=$(serve)
[ "$count" -gt 60 ] || { echo "$count times"; false; }
count=$(serve)
[ "$count" -lt 20 ] || { echo "$count times"; false; }
EOT
