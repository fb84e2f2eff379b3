# sealed: yes
t 'mirror makes a container that holds the same' <<'EOT'
sea init -q --name=one one
for n in 1 2 3; do sea -C one set -q --create a n:=$n; done
sea -C one add-container -q --create from "$PWD/from"
sea -C one push -q
status 0 sea mirror -n from to
says out 'would receive 4 blocks of 1 chain'
[ ! -e to ]
status 0 sea mirror from to
echo "$PWD/to: received 4 blocks of 1 chain" | same out
(cd from && find transactions -type f | sort | xargs sha256sum) >want
(cd to && find transactions -type f | sort | xargs sha256sum) | same want
EOT

t 'then there is nothing to do' <<'EOT'
status 0 sea mirror --json from to
head -1 out | grep -q '"blocks":0'
tail -1 out | grep -q '"event":"summary","ok":true,"blocks":0,"assets":0,"problems":0,"exit":0'
EOT

t '--both goes both ways' <<'EOT'
sea clone -q --name=two to two
sea -C two sync -q
sea -C one set -q --create b n:=1
sea -C one push -q
status 0 sea mirror --both from to
printf '%s\n' "$PWD/to: received 1 block of 1 chain" "$PWD/from: received 1 block of 1 chain" | same out
sea heads --container=from >heads
sea heads --container=to | same heads
EOT

t 'mirror does not copy invalid blocks' <<'EOT'
sea -C one set -q --create b n:=2
sea -C one push -q
block=$(find from -path "*$(sea -C one rev-parse --instance-id)*" -name 5)
cp "$block" good
chmod u+w "$block"
printf xxxx | dd of="$block" bs=1 seek=90 conv=notrunc status=none
status $CORRUPT sea mirror from to
says err 'warning[bad-data]'
cp good "$block"
status 0 sea mirror from to
says out 'received 1 block'
EOT

t 'mirror waits for incomplete blocks and does not report them as copied' <<'EOT'
sea init -q --name=cut cut
sea -C cut add-container -q --create c "$PWD/cut-c"
for n in 1 2; do sea -C cut put -q "{\"_id\":\"r$n\",\"n\":$n}"; done
sea -C cut sync -q
block=cut-c/transactions/$(sea -C cut rev-parse --instance-id)/1/2
cp "$block" whole
head -c 90 whole >"$block"
status $PARTIAL sea mirror cut-c cut-d
says err 'incomplete'
cp whole "$block"
status 0 sea mirror cut-c cut-d
sea verify -q cut-d
EOT

t 'it needs no database, but two containers of one' <<'EOT'
mkdir plain
status $UNREACHABLE sea mirror nowhere to
status $INCOMPATIBLE sea mirror plain to
sea init -q other
sea -C other add-container -q --create theirs "$PWD/theirs"
status $INCOMPATIBLE sea mirror from theirs
status $USAGE sea mirror from
EOT

t 'verify --repair mends a container with the good blocks of another' <<'EOT'
sea mirror from spare >/dev/null
block=$(find spare/transactions -name 1 -type f | head -1)
cp "$block" good
chmod u+w "$block"; printf x >>"$block"
status $CORRUPT sea verify spare
status 0 sea verify spare --repair=from
says out 'repaired 1 block from'
cmp good "$block"
[ "$(find spare -name '1.damaged-*' | wc -l)" = 1 ]
status 0 sea verify spare
rm "$block"
status 0 sea verify spare --repair=from --json
says out '"event":"repaired"'
cmp good "$block"
status $USAGE sea verify --repair=from
EOT

t 'a file of assets of another size, or of other content, is written again from a whole one' <<'EOT'
head -c 3000 /dev/urandom >photo
sea -C one set -q --create p photo:asset@"$PWD/photo"
sea -C one push -q
sea mirror from pair >/dev/null
file=$(cd pair && find assets -type f)
# What is in sealed blocks is read with the keys of the database.
printf x >>"pair/$file"
status 0 sea -C one mirror -n "$PWD/from" "$PWD/pair"
says out '1 asset file'
cmp -s "from/$file" "pair/$file" && exit 1
status 0 sea -C one mirror "$PWD/from" "$PWD/pair"
says out '1 asset file'
says err "warning[mended]"
cmp "from/$file" "pair/$file"
[ "$(find pair/assets -name '*.damaged-*' | wc -l)" = 1 ]
spoil "pair/$file" 70
status 0 sea -C one mirror "$PWD/from" "$PWD/pair"
cmp -s "from/$file" "pair/$file" && exit 1
status 0 sea -C one verify --assets --repair="$PWD/from" "$PWD/pair"
cmp "from/$file" "pair/$file"
# What is damaged where it comes from takes nobody's place.
cp "from/$file" good
for harm in longer other; do
  if [ $harm = longer ]; then printf x >>"from/$file"; else spoil "from/$file" 70; fi
  sea -C one verify --assets --repair="$PWD/from" "$PWD/pair" >out 2>&1 || [ $? = 5 ]
  cmp good "pair/$file"
  cp good "from/$file"
done
printf x >>"from/$file"
status $CORRUPT sea -C one mirror "$PWD/from" "$PWD/pair"
cmp good "pair/$file"
cp good "from/$file"
# Nothing stands in for a file.
rm "pair/$file"
mkdir "pair/$file"
status 0 sea -C one mirror "$PWD/from" "$PWD/pair"
cmp good "pair/$file"
EOT

t 'a slot that is not what its name says is written again' <<'EOT'
slot=keys/$(if [ "$SEA_TEST_SEALED" ]; then ls from/keys | head -1; else printf slot | sha256sum | cut -c1-64; fi)
mkdir -p from/keys
[ -e "from/$slot" ] || printf slot >"from/$slot"
for way in empty other large gone; do
  rm -rf slots
  sea mirror from slots >/dev/null
  case $way in
  empty) : >"slots/$slot" ;;
  other) printf x >"slots/$slot" ;;
  large) head -c 70000 /dev/zero >"slots/$slot" ;;
  gone) rm "slots/$slot" ;;
  esac
  status 0 sea verify slots --repair=from
  [ $way = gone ] || says err "$slot was lost or damaged"
  cmp "from/$slot" "slots/$slot"
done
: >"slots/$slot"
status 0 sea mirror from slots
cmp "from/$slot" "slots/$slot"
[ "$SEA_TEST_SEALED" ] || rm -r from/keys
EOT

t 'a container that has lost its info.json is not made another one' <<'EOT'
sea mirror from lost >/dev/null
sea -C one add-container -q lost "$PWD/lost"
sea -C one sync -q lost
mv lost/info.json info
status $INCOMPATIBLE sea mirror from lost
says err 'sea sync'
status $INCOMPATIBLE sea mirror -n from lost
status $INCOMPATIBLE sea verify lost --repair=from
says err 'so the container cannot be identified'
[ ! -e lost/info.json ]
status 0 sea -C one sync lost
cmp info lost/info.json
status 0 sea mirror from lost
# Where it is on its way nothing is made in its place.
mkdir coming
: >coming/.info.json.icloud
status $PARTIAL sea mirror from coming
[ ! -e coming/info.json ]
EOT

t 'the folder that a container is made in has to be there' <<'EOT'
sea init -q parent
sea -C parent add-container -q --create c "$PWD/parent.sea"
sea -C parent sync -q
for option in '' -n; do
  status $UNREACHABLE sea mirror $option parent.sea nowhere/deep
  says err "cannot create a container: folder '$PWD/nowhere' does not exist"
done
[ ! -e nowhere ]
EOT
