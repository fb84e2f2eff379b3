# Full disks, read-only media, FAT and exFAT. Mounting needs root; where it is not allowed the tests fail.
fat=$SEA_TEST_ROOT/Tests/faults/fatmount.sh
trap 'for m in small ro fat exfat; do umount "$m" 2>/dev/null || umount -l "$m" 2>/dev/null || true; done
[ ! -f exfat.loop ] || losetup -d "$(cat exfat.loop)" 2>/dev/null || true' EXIT
mkdir small ro

t 'a full disk: put is status 12, does nothing, and works once there is room' <<'EOT'
mount -t tmpfs -o size=2m tmpfs small
sea init -q small
sea -C small put -q '{"_id":"a"}'
cat /dev/zero >small/filler 2>/dev/null || true
seq 5000 | sed 's/.*/{"_id":"&"}/' >many
status $SYSTEM sea -C small put - <many
says err 'space'
[ "$(grep -c '^sea: ' err)" -eq 1 ]
[ "$(sea -C small query --ids)" = a ]
status 0 sea -C small verify
rm small/filler
status 0 sea -C small put '{"_id":"b"}'
status 0 sea -C small verify
[ "$(sea -C small query --ids | wc -l)" -eq 2 ]
[ -z "$(find small -name '.sea-tmp*')" ]
umount small
EOT

t 'a disk that is full from the start: init leaves nothing' <<'EOT'
mount -t tmpfs -o size=64k tmpfs small
status $SYSTEM sea init small
[ -z "$(ls -A small)" ]
umount small
mount -t tmpfs -o size=2m,nr_inodes=5 tmpfs small
status $SYSTEM sea init small
[ -z "$(ls -A small)" ]
umount small
EOT

t 'a container without room, or without inodes: push is status 12, and goes on later' <<'EOT'
for options in size=256k size=4m,nr_inodes=24; do
  rm -rf db
  mount -t tmpfs -o $options tmpfs small
  sea init -q db
  sea -C db add-container -q --create c "$PWD/small/c"
  sea -C db sync -q
  if [ $options = size=256k ]; then cat /dev/zero >small/filler 2>/dev/null || true
  else for n in $(seq 30); do touch small/filler$n 2>/dev/null || true; done; fi
  sea -C db put -q '{"_id":"a"}' '{"_id":"b"}'
  sea -C db put -q '{"_id":"c"}'
  status $SYSTEM sea -C db push
  says err 'No space left on device'
  [ -z "$(find small -name '.sea-tmp*')" ]
  status 0 sea -C db verify c
  status 0 sea -C db get a
  rm small/filler*
  status 0 sea -C db push
  status 0 sea -C db verify c
  sea clone -q small/c copy
  [ "$(sea -C copy query --ids | wc -l)" -eq 3 ]
  rm -rf copy
  umount small
done
EOT

t 'a read-only medium is read' <<'EOT'
mount -t tmpfs tmpfs ro
sea init -q ro/db
sea -C ro/db put -q '{"_id":"a"}'
sea -C ro/db add-container -q --create c "$PWD/ro/c"
sea -C ro/db sync -q
mount -o remount,ro ro
status 0 sea -C ro/db get a
status 0 sea -C ro/db query --ids
echo a | same out
status 0 sea -C ro/db verify
status $SYSTEM sea -C ro/db put '{"_id":"b"}'
[ "$(grep -c '^sea: ' err)" -eq 1 ]
status $SYSTEM sea -C ro/db sync
status $SYSTEM sea init ro/new
sea clone -q ro/c copy
sea -C copy put -q '{"_id":"b"}'
status 0 sea -C copy pull
status $SYSTEM sea -C copy push
[ "$(sea -C copy query --ids | wc -l)" -eq 2 ]
umount ro
rm -rf copy
EOT

# A database lies on exFAT only: fusefat 0.1 loses what is in a folder that is renamed and damages a file that is written
# in its middle, with the sqlite3 shell too. What FAT lacks, shared memory, t7010 and t7030 do without.
for kind in fat exfat; do
echo $kind >kind

t "$kind: a container" <<'EOT'
kind=$(cat kind)
rm -rf db copy
bash "$SEA_TEST_ROOT/Tests/faults/fatmount.sh" $kind "$PWD/$kind" 64
sea init -q db
sea -C db add-container -q --create c "$PWD/$kind/c"
seq 30 | sed 's/.*/{"_id":"r&"}/' | sea -C db put -q --chunk=1 -
status 0 sea -C db push
status 0 sea -C db verify c
sea clone -q $kind/c copy
sea -C copy put -q '{"_id":"back"}'
sea -C copy sync -q
status 0 sea -C db pull
status 0 sea -C db get back
[ -z "$(find $kind -name '.sea-tmp*')" ]
bash "$SEA_TEST_ROOT/Tests/faults/fatmount.sh" umount "$PWD/$kind"
EOT
done

t 'exfat: a database, which says that its key is not private' <<'EOT'
bash "$SEA_TEST_ROOT/Tests/faults/fatmount.sh" exfat "$PWD/exfat" 64
status 0 sea init exfat/db
[ "$(grep -c '^sea: warning\[key-not-private\]' err)" -eq 1 ]
status 0 sea -C exfat/db put '{"_id":"a"}'
[ ! -s err ]
seq 300 | sed 's/.*/{"_id":"r&"}/' | sea -C exfat/db put -q --chunk=20 -
for n in 1 2 3 4; do (for k in 1 2 3; do sea -C exfat/db put -q "{\"_id\":\"p$n-$k\"}" || echo failed >>failed; done) & done
wait
[ ! -e failed ]
status 0 sea -C exfat/db verify
[ "$(sea -C exfat/db query --ids | wc -l)" -eq 313 ]
status 0 sea -C exfat/db add-container --create c "$PWD/exfat/c2"
status 0 sea -C exfat/db sync
status 0 sea -C exfat/db verify c
[ -z "$(find exfat -name '.sea-tmp*')" ]
bash "$SEA_TEST_ROOT/Tests/faults/fatmount.sh" umount "$PWD/exfat"
EOT

t 'a database whose key is private says nothing' <<'EOT'
rm -rf db
status 0 sea init db
# Of a sealed one it is told that nothing replaces a lost passphrase.
[ -z "$(grep -v '^notice: without the passphrase' err)" ]
[ "$(stat -c %a db/.sea/keys/instance)" = 600 ]
EOT
