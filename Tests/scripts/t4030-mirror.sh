# sealed: yes
t 'mirror makes a container that holds the same' <<'EOT'
sea init -q --name=one one
for n in 1 2 3; do sea -C one set -q --create a n:=$n; done
sea -C one add-container -q --create from "$PWD/from"
sea -C one push -q
status 0 sea mirror -n from to
says out 'would get 4 blocks of 1 chain'
[ ! -e to ]
status 0 sea mirror from to
echo "$PWD/to: got 4 blocks of 1 chain" | same out
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
printf '%s\n' "$PWD/to: got 1 block of 1 chain" "$PWD/from: got 1 block of 1 chain" | same out
sea heads --container=from >heads
sea heads --container=to | same heads
EOT

t 'what does not verify is not copied' <<'EOT'
sea -C one set -q --create b n:=2
sea -C one push -q
block=$(find from -path "*$(sea -C one rev-parse --instance-id)*" -name 5)
cp "$block" good
chmod u+w "$block"
printf xxxx | dd of="$block" bs=1 seek=90 conv=notrunc status=none
status 5 sea mirror from to
says err 'warning[bad-data]'
cp good "$block"
status 0 sea mirror from to
says out 'got 1 block'
EOT

t 'it needs no database, but two containers of one' <<'EOT'
mkdir plain
status 9 sea mirror nowhere to
status 11 sea mirror plain to
sea init -q other
sea -C other add-container -q --create theirs "$PWD/theirs"
status 11 sea mirror from theirs
status 2 sea mirror from
EOT

t 'verify --repair mends a container with the good blocks of another' <<'EOT'
sea mirror from spare >/dev/null
block=$(find spare/transactions -name 1 -type f | head -1)
cp "$block" good
chmod u+w "$block"; printf x >>"$block"
status 5 sea verify spare
status 0 sea verify spare --repair=from
says out 'got 1 block from'
cmp good "$block"
[ "$(find spare -name '1.damaged-*' | wc -l)" = 1 ]
status 0 sea verify spare
rm "$block"
status 0 sea verify spare --repair=from --json
says out '"event":"repaired"'
cmp good "$block"
status 2 sea verify --repair=from
EOT
