# Disks, streams, locks and locales as they are, not as they should be.
sea init -q
sea put -q '{"_id":"h/1","_type":"host","n":1}'

t 'a full disk: status 12, one line, nothing half done, and the next command works' <<'EOT'
mkdir -p small
mount -t tmpfs -o size=1m tmpfs small || { echo 'this test mounts a file system: run it as root'; exit 1; }
trap 'umount "$PWD/small"' EXIT
# What is freed in the end: the log takes all that it finds.
head -c 65536 /dev/zero >small/spare
sea -C small init -q
sea -C small put -q '{"_id":"first","n":1}'
sea -C small query --json >before
# What does not compress.
/usr/bin/python3 -c 'import os
for k in range(20000): print("{\"_id\":\"fill/%d\",\"text\":\"%s\"}" % (k, os.urandom(24).hex()))' >many
status $SYSTEM sea -C small put - <many
says err 'error[no-space]: no space left'
says err 'hint: free some space and run the command again; to remove unneeded data from this database, run: sea gc'
[ "$(grep -c 'error\[' err)" -eq 1 ]
[ ! -s out ]
sea -C small query --json | same before
status $SYSTEM sea -C small --json put - <many
jq -e '.code == "no-space" and .exit == 12' err
dd if=/dev/zero of=small/rest bs=4k 2>/dev/null || :
sea -C small query --json | same before
: >acknowledged
for k in $(seq 60); do
  code=0
  sea -C small put "{\"_id\":\"last/$k\",\"text\":\"$(head -c 45000 /dev/urandom | base64 -w0)\"}" >line 2>err || code=$?
  [ "$code" -eq 0 ] || break
  cut -f2 line >>acknowledged
done
[ "$code" -eq 12 ]
while read -r id; do sea -C small get -e "$id"; done <acknowledged
rm small/rest small/spare
status 0 sea -C small put '{"_id":"after","n":1}'
while read -r id; do sea -C small get -e "$id"; done <acknowledged
EOT

t 'on a disk that is full gc and drop-assets free space, and then records are deleted and purged' <<'EOT'
mkdir -p full
mount -t tmpfs -o size=2m tmpfs full || { echo 'this test mounts a file system: run it as root'; exit 1; }
trap 'umount "$PWD/full"' EXIT
head -c 200000 /dev/urandom >photo
sea init -q --name=full full
sea -C full add-container -q --create backup "$PWD/backup"
sea -C full set -q --create photo/1 file:asset@../photo
sea -C full sync -q
for k in $(seq 100); do
  text=$(head -c 30000 /dev/urandom | base64 -w0)
  sea -C full put -q "{\"_id\":\"r/$k\",\"text\":\"$text\"}" 2>err || break
done
says err 'error[no-space]: no space left for the database'
hint=$(sed -n 's/^hint: .* from this database, run: //p' err)
[ "$hint" = 'sea gc' ]
fill() { dd if=/dev/zero of="full/rest$1" bs=4k 2>/dev/null || :; }
fill 1
status 0 sea -C full ${hint#sea }
says out 'freed store'
status 0 sea -C full delete r/1
# To write the whole file anew there is no room.
status $PARTIAL sea -C full purge --confirm=full r/2
says out 'purged 1 revision of r/2'
# Nothing is free, not even for a note that files are gone: they go first.
fill 2
status 0 sea -C full drop-assets photo/1
[ -z "$(find full/.sea/assets -type f)" ]
status 0 sea -C full verify
[ "$(sea -C full query --count "_id IN ('r/1', 'r/2')")" = 0 ]
EOT

t 'no space has a code of its own where a bundle is written, compressed or not' <<'EOT'
mkdir -p stick
mount -t tmpfs -o size=1m tmpfs stick || { echo 'this test mounts a file system: run it as root'; exit 1; }
trap 'umount "$PWD/stick"' EXIT
head -c 3000000 /dev/urandom >photo
sea init -q photos
sea -C photos set -q --create photo/1 file:asset@../photo
for kind in zstd none; do
  for to in "-o $PWD/stick/bundle" "--to=$PWD/stick"; do
    status $SYSTEM sea -C photos export --compress=$kind $to
    says err 'error[no-space]'
    says err 'hint: '
    rm -rf stick/*
  done
done
[ -z "$(find stick -type f)" ]
EOT

t 'a read-only medium: reading works, writing is status 12' <<'EOT'
mkdir -p medium
mount -t tmpfs -o size=8m tmpfs medium || { echo 'this test mounts a file system: run it as root'; exit 1; }
trap 'umount "$PWD/medium"' EXIT
sea -C medium init -q
sea -C medium put -q '{"_id":"h/1","_type":"host","n":1}' '{"_id":"h/2","to":{"$ref":"h/1"}}'
sea -C medium put -q '{"_id":"h/1","n":2}'
mount -o remount,ro medium
[ "$(sea -C medium get h/1 n)" = 2 ]
[ "$(sea -C medium query --count)" = 2 ]
[ "$(sea -C medium query --refs-to=h/1 --ids)" = h/2 ]
sea -C medium query --types >types
sea -C medium put -n '{"_id":"h/1","n":3}' >dry
for words in 'put {"_id":"x"}' 'set h/1 n:=3' 'delete h/1'; do
  status $SYSTEM sea -C medium $words
  says err 'error[system]'
  says err 'ead-only file system'
  [ "$(grep -c 'error\[' err)" -eq 1 ]
done
[ "$(sea -C medium get h/1 n)" = 2 ]
EOT

t 'a database with a write-ahead log can be read on a read-only medium' <<'EOT'
mkdir -p medium
mount -t tmpfs -o size=8m tmpfs medium || { echo 'this test mounts a file system: run it as root'; exit 1; }
trap 'umount "$PWD/medium"' EXIT
sea -C medium init -q
sea -C medium put -q '{"_id":"h/1","n":1}'
cp -a medium/.sea copy
rm -f copy/db-shm
rm -rf medium/.sea
cp -a copy medium/.sea
mount -o remount,ro medium
[ "$(sea -C medium get h/1 n)" = 1 ]
EOT

t 'standard output that is closed or full: status 12, and what was committed is there' <<'EOT'
code=0
sea put '{"_id":"full/1"}' >/dev/full 2>err || code=$?
[ "$code" -eq 12 ]
says err 'error[no-space]: cannot write standard output: No space left on device'
sea get -e full/1
code=0
sea put '{"_id":"closed/1"}' >&- 2>err || code=$?
[ "$code" -eq 12 ]
sea get -e closed/1
code=0
sea put -q '{"_id":"closed/2"}' >&- 2>err || code=$?
[ "$code" -eq 0 ]
[ ! -s err ]
sea get -e closed/2
for words in 'get h/1' 'query' 'query --json' 'query --count'; do
  code=0
  sea $words >/dev/full 2>err || code=$?
  [ "$code" -eq 12 ]
  [ "$(wc -l <err)" -eq 1 ]
done
code=0
sea --json get h/1 >/dev/full 2>err || code=$?
[ "$code" -eq 12 ]
jq -e '.code == "no-space" and .exit == 12' err
EOT

t 'a standard input that is closed is status 12' <<'EOT'
code=0
sea put - <&- >out 2>err || code=$?
[ "$code" -eq 12 ]
code=0
sea delete --stdin <&- >out 2>err || code=$?
[ "$code" -eq 12 ]
EOT

t 'a reader that goes away ends the command silently' <<'EOT'
seq 20000 | jq -c '{_id:"pipe/\(.)"}' | sea put -q -
{ code=0; sea query --ids 2>err || code=$?; echo $code >code; } | head -1 >first
[ "$(cat code)" -eq 141 ]
[ ! -s err ]
EOT

t 'without HOME, USER and nearly everything else' <<'EOT'
status 0 env -i "$(command -v sea)" put '{"_id":"bare","n":1}'
status 0 env -i "$(command -v sea)" get bare n
echo 1 | same out
status 0 env -i "$(command -v sea)" set bare n:=2
status 0 env -i "$(command -v sea)" query --ids -t host
status 0 env -i "$(command -v sea)" delete bare
EOT

t 'the locale changes nothing' <<'EOT'
sea put -q '{"_id":"ıİ/é","_type":"TITLE","i":"I","ü":1.5,"when":{"$date":"2026-03-01"}}'
for locale in C POSIX tr_TR.UTF-8 de_DE.UTF-8; do
  LC_ALL=$locale status 0 sea get ıİ/é --json
  cp out "get.$locale"
  LC_ALL=$locale sea query -t TITLE --csv >"csv.$locale"
  LC_ALL=$locale sea query --types >"types.$locale"
  LC_ALL=$locale status 0 sea set ıİ/é 'ü:=1.5' i=I
  grep -q '^unchanged' out
  LC_ALL=$locale status $BAD_DATA sea put '{"ü":1,5}'
  [ -e err.first ] || cp err err.first
  cmp err err.first
done
for locale in POSIX tr_TR.UTF-8 de_DE.UTF-8; do
  cmp get.C "get.$locale"
  cmp csv.C "csv.$locale"
  cmp types.C "types.$locale"
done
EOT

t 'a folder that may not be written, a database that may not be read' <<'EOT'
mkdir -p kept
sea -C kept init -q
sea -C kept put -q '{"_id":"h/1","n":1}'
chown -R nobody kept || { echo 'this test changes owners: run it as root'; exit 1; }
status $DENIED sea -C kept get h/1
says err 'error[unsafe-directory]'
says err 'hint: if you trust it, run: sea config set --global --add safe.directory'
sea config set --global --add safe.directory "$PWD/kept"
status 0 sea -C kept get h/1 n
EOT

# A writer that reads from `feed`, which stays open behind its first chunk; and one that stands still with the lock.
cat >holder.sh <<'EOX'
hold() {
  rm -f feed held
  mkfifo feed
  sea put --chunk=1 - <feed >held 2>held.err &
  holder=$!
  exec 3>feed
  echo "{\"_id\":\"held\",\"n\":$1}" >&3
  for try in $(seq 500); do
    [ -s held ] && break
    sleep 0.2
  done
  [ -s held ]
}
release() {
  exec 3>&-
  wait "$holder"
}
hold_lock() {
  lock=$(sea rev-parse --sea-dir)/lock
  seq 200000 | sed 's/.*/{"_id":"many-&"}/' >many
  sea put - <many >held 2>held.err &
  holder=$!
  while flock -n "$lock" true; do sleep 0.01; done
  sleep 0.02
  kill -STOP "$holder"
}
EOX

t 'documents that come one by one are stored one by one' <<'EOT'
. ./holder.sh
hold 1
grep -Eqx 'created	held	1-[0-9a-f]{64}' held
[ "$(sea get held n)" = 1 ]
printf '{"_id":"held",\n' >&3
sleep 0.3
echo '"n":2}' >&3
for try in $(seq 500); do
  [ "$(wc -l <held)" -eq 2 ] && break
  sleep 0.2
done
[ "$(sea get held n)" = 2 ]
release
EOT

t 'readers neither wait for a writer nor take its lock' <<'EOT'
. ./holder.sh
hold 3
status 0 sea get held n
echo 3 | same out
status 0 sea query --count
status 0 sea put -n '{"_id":"x"}'
release
EOT

t 'a second writer waits as long as configured and reports the holder' <<'EOT'
. ./holder.sh
hold_lock
start=$(date +%s%N)
status $LOCKED timeout 300 sea -c core.lockWait=3600 put --lock-wait=1 '{"_id":"second"}'
took=$((($(date +%s%N) - start) / 1000000))
[ "$took" -ge 950 ]
says err 'error[locked]: another sea process holds the write lock'
says err "  pid $holder "
says err ': sea put'
says err 'hint: to wait longer, use --lock-wait='
for words in 'set h/1 n:=9' 'delete h/1'; do
  status $LOCKED sea --lock-wait=0 $words
done
SEA_LOCK_WAIT=0 status $LOCKED sea --json put '{"_id":"second"}'
jq -e '.code == "locked" and .exit == 6' err
[ "$(wc -l <err)" -eq 1 ]
sea put --lock-wait=30 '{"_id":"third"}' >third &
waiting=$!
kill -CONT "$holder"
wait "$holder"
wait "$waiting"
grep -q '^created	third' third
status $NO sea get -e second
EOT

t 'the lock of a process that was killed is free' <<'EOT'
. ./holder.sh
hold_lock
kill -9 "$holder"
wait "$holder" || :
status 0 sea put --lock-wait=0 '{"_id":"held","n":6}'
EOT
