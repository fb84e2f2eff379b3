# sealed: yes
t 'clone takes everything in, as a new instance' <<'EOT'
sea init -q --name=one --content-type=org.example.test one
printf '%s\n' '{"_id":"a","n":1}' '{"_id":"b","n":2}' | sea -C one put -q -
sea -C one add-container -q --create team "$PWD/team.sea"
sea -C one push -q
status 0 sea clone --name=two team.sea
says out "Cloned into $PWD/team/.sea"
grep -q '^  database .*  org.example.test$' out
grep -q '^  instance .*  two$' out
says out '  2 blocks, 2 records, no conflicts'
[ -d team/.sea ]
[ "$(sea -C team get a n)" = 1 ]
[ "$(sea -C team heads | wc -l)" = 2 ]
EOT

t 'the source becomes the container origin' <<'EOT'
status 0 sea -C team sync
echo 'origin: pulled 0, pushed 1' | same out
sea -C one sync -q
sea -C one heads >one.heads
sea -C team heads | same one.heads
EOT

t 'clone goes nowhere where something is' <<'EOT'
status $SYSTEM sea clone team.sea
says err 'error[exists]'
status $SYSTEM sea clone team.sea team.sea
says err 'cannot create a database in container'
[ ! -e team.sea/.sea ]
# Nor behind a link into it.
ln -s team.sea/transactions within
for place in team.sea/new team.sea/transactions/x within within/new; do
  status $SYSTEM sea clone team.sea "$place"
  says err 'cannot create a database in container'
  status $SYSTEM sea init "$place"
  says err 'cannot create a database in container'
done
rm within
[ "$(find team.sea -name .sea)" = '' ]
[ ! -e team.sea/new ]
EOT

t 'clone needs a container' <<'EOT'
status $UNREACHABLE sea clone nowhere here
status $INCOMPATIBLE sea clone one here
status $USAGE sea clone http://example.org/x here
[ ! -e here ]
EOT

t 'clone -n makes nothing' <<'EOT'
status 0 sea clone -n team.sea here
says out 'would clone'
says out '3 blocks of 2 instances'
[ ! -e here ]
EOT

t 'clone --json ends with a summary' <<'EOT'
status 0 sea clone --json team.sea json
tail -1 out | grep -q '"event":"summary","ok":true,"blocks":3,"records":2,"conflicts":0,"assets":0'
EOT

t 'clone takes in what verifies and tells the rest' <<'EOT'
cp -r team.sea bad.sea
block=$(ls bad.sea/transactions/*/1/1)
chmod u+w "$block"
printf xxxx | dd of="$block" bs=1 seek=90 conv=notrunc status=none
status $CORRUPT sea clone bad.sea bad
says err 'warning[bad-data]'
says out '  2 blocks'
sea -C bad verify >/dev/null
EOT

t 'clone of nothing but damage leaves nothing' <<'EOT'
for block in bad.sea/transactions/*/1/0; do
  chmod u+w "$block"
  printf xxxx | dd of="$block" bs=1 seek=90 conv=notrunc status=none
done
status $CORRUPT sea clone bad.sea worse
says err 'error[corrupt]'
[ ! -e worse ]
EOT

t 'clones of the frozen containers have the records that were written down' <<'EOT'
for vector in "$SEA_TEST_ROOT"/Tests/vectors/container/*/; do
  name=$(basename "$vector")
  rm -rf clone
  sea clone -q "$vector/sea" clone 2>err || case $? in 5 | 8) ;; *) false ;; esac
  if [ -d clone ]; then sea -C clone query --json | diff - "$vector/records"; else [ ! -s "$vector/records" ]; fi
done
EOT

t 'a clone has both branches of a fork' <<'EOT'
fork="$SEA_TEST_ROOT/Tests/vectors/container/fork"
status 0 sea clone "$fork/sea" forked
says err 'warning[fork]'
sea -C forked query --json | diff - "$fork/records"
sea -C forked heads | grep -v "$(sea -C forked rev-parse --instance-id)" | diff - "$fork/heads"
sea -C forked verify >out
says out 'fork: '
sea -C forked cat-block 3d8ea140~9d46323d/2 | head -c 84 | sha256sum | grep ^9d46323d
sea -C forked log --instance=3d8ea140 | grep -c '~9d46323d/' >out
[ "$(cat out)" = 2 ]
sea -C forked status >out
says out 'fork block 3d8ea140~9d46323d/2'
# The container is known now, and so is the fork.
status 0 sea -C forked pull
EOT

t 'clone of an incomplete container gets what is there and ends with status 8' <<'EOT'
sea init -q late
for n in 1 2 3 4; do sea -C late put -q "{\"_id\":\"r/$n\"}"; done
sea -C late add-container -q --create team ../arriving
sea -C late push -q
folder=$(dirname "$(find arriving/transactions -name 3)")
mv "$folder/3" aside
status $PARTIAL sea clone -q arriving some
sea -C some query --ids >out
[ "$(wc -l <out)" -eq 2 ]
mv aside "$folder/3"
sea -C some sync -q
sea -C some query --ids >out
[ "$(wc -l <out)" -eq 4 ]
EOT

t 'a bundle that cannot be read is not taken for an empty one' <<'EOT'
# Of such a database nothing else says that blocks are missing; it cannot be sealed.
[ "$SEA_TEST_SEALED" ] && exit 0
sea init -q --database-id=11111111-2222-4333-8444-555555555555 src
seq 30 | sed 's/.*/{"_id":"r&"}/' | sea -C src put -q -
head -c 9000 /dev/urandom >photo
sea -C src set -q r1 photo:asset@"$PWD/photo"
sea -C src export -q -o "$PWD/all.tar"
# Copies of a database are one here.
XDG_STATE_HOME=/dev/null
export XDG_STATE_HOME
whole=0
for call in read openat; do
  n=1
  while :; do
    rm -rf got
    have=0
    strace -f -o trace -e "trace=$call" -e "inject=$call:error=EIO:when=$n" sea clone -q all.tar got 2>err || have=$?
    grep -q INJECTED trace || break
    if [ $have = 0 ]; then
      [ "$(sea -C got query --count)" = 30 ] || { echo "$call $n: status 0"; cat err; exit 1; }
      whole=$((whole + 1))
    fi
    n=$((n + 1))
  done
  [ $n -gt 5 ]
done
echo "# $whole faults did no harm"
EOT

t 'clone is status 8 while the first blocks are missing, and 5 if they are invalid' <<'EOT'
sea init -q whole
sea -C whole put -q '{"_id":"x"}'
sea -C whole add-container -q --create w "$PWD/whole.sea"
sea -C whole sync -q
T=$(sea -C whole rev-parse --instance-id)
for way in alone folder all leaf; do
  rm -rf part
  cp -r whole.sea part
  case $way in
  alone) rm -r part/transactions ;;
  folder) rm -r "part/transactions/$T" ;;
  all) rm -r part/transactions && : >part/.transactions.icloud ;;
  leaf) rm -r "part/transactions/$T/1" && : >"part/transactions/$T/.1.icloud" ;;
  esac
  status $PARTIAL sea clone part begun
  says err 'is incomplete'
  [ ! -e begun ]
done
block=part/transactions/$T/1/0
rm -rf part
cp -r whole.sea part
printf xxxx | dd of="$block" bs=1 seek=90 conv=notrunc status=none
status $CORRUPT sea clone part begun
[ ! -e begun ]
EOT

t 'a name that another instance has is told: the logs would not tell them apart' <<'EOT'
sea init -q --name=field first
sea -C first add-container -q --create hub "$PWD/names.sea"
sea -C first sync -q
status 0 sea clone --name=lab names.sea second
lacks err notice
status 0 sea clone --name=field names.sea third
says err "notice: another instance is also called field; to choose another name, delete '$PWD/third/.sea' and run: sea clone --name=LABEL names.sea third"
status 0 sea clone -q --name=field names.sea fourth
[ ! -s err ]
EOT

t 'a clone within another database says so, and none is made within a .sea' <<'EOT'
status 0 sea clone --name=inner names.sea first/inner
says err "notice: $PWD/first already contains a database; commands in this folder will use the new one"
for option in '' -n; do
  status $USAGE sea clone $option names.sea first/.sea
  says err "cannot create a database inside '.sea'"
  status $USAGE sea clone $option names.sea fresh/.sea
done
[ ! -e first/.sea/.sea ]
[ ! -e fresh ]
EOT
