# sealed: yes
t 'add-container needs a container, or makes one' <<'EOT'
sea init -q --name=one --content-type=org.example.test one
status $UNREACHABLE sea -C one add-container team "$PWD/team"
says err 'hint: to create one, use --create'
[ ! -e team ]
status 0 sea -C one add-container -n --create team "$PWD/team"
[ ! -e team ]
status 0 sea -C one add-container --create team "$PWD/team"
says out 'Container team created: '
grep -q '"sea":4' team/info.json
EOT

t 'a relative place is kept from the root' <<'EOT'
status 0 sea -C one add-container --create --json here ../relative
says out "\"location\":\"$PWD/relative\""
[ "$(sea -C one config get container.here.location)" = "$PWD/relative" ]
sea -C one remove-container -q here && rm -r relative
EOT

t 'names are checked' <<'EOT'
status $USAGE sea -C one add-container team "$PWD/team"
says err 'already'
status $USAGE sea -C one add-container .hidden "$PWD/team"
status $USAGE sea -C one add-container 'two words' "$PWD/team"
status $USAGE sea -C one add-container web http://example.org/team
status $USAGE sea -C one add-container --create --read-only x "$PWD/x"
EOT

t 'another database does not fit' <<'EOT'
sea init -q --content-type=org.example.test other
status $INCOMPATIBLE sea -C other add-container team "$PWD/team"
says err 'its database is'
echo '{' >bad.json && mkdir bad && mv bad.json bad/info.json
touch -d '3 hours ago' bad/info.json
status $CORRUPT sea -C other add-container bad "$PWD/bad"
for format in 1 3 5; do
  echo "{\"sea\":$format}" >bad/info.json
  status $INCOMPATIBLE sea -C other add-container bad "$PWD/bad"
done
status 0 sea -C other containers
[ ! -s out ]
EOT

t 'remove-container keeps the files in the folder' <<'EOT'
mkdir full && echo mine >full/.letter
status 0 sea -C one add-container --create full "$PWD/full"
[ "$(cat full/.letter)" = mine ]
sea -C one remove-container -q full
EOT

t 'containers lists them' <<'EOT'
status 0 sea -C one containers
says out 'team  new'
sea -C one sync -q
status 0 sea -C one containers --porcelain --probe
sed -E 's/[0-9-]{10}T[0-9:.]+Z/TIME/' out >lines
if [ "$SEA_TEST_SEALED" ]; then kind=sealed; else kind=none; fi
printf 'team\tok\t%s\t0\t0\t%s\tTIME\n' "$PWD/team" $kind | same lines
EOT

t '--probe looks' <<'EOT'
sea clone -q --name=two team two
sea -C two sync -q
sea -C one set -q --create a n=1
status 0 sea -C one containers --porcelain --probe
cut -f1,2,4,5 out >lines
echo 'team	ok	1	1' | same lines
mv team elsewhere
status 0 sea -C one containers
status $UNREACHABLE sea -C one containers --probe
says out 'unavailable'
mv elsewhere team
EOT

t '--probe says with its status that a container is another one, or cannot be read' <<'EOT'
mkdir probed && cd probed
sea init -q d
sea -C d add-container -q --create c "$PWD/c"
sea -C d sync -q
sea init -q f
sea -C f add-container -q --create g "$PWD/g"
sea -C f sync -q
mv c kept && cp -R g c
status $INCOMPATIBLE sea -C d containers --probe
says out mismatch
status $INCOMPATIBLE sea -C d status --exit-code --probe
rm -r c && mv kept c
mv c/transactions c/away && touch c/transactions
status $CORRUPT sea -C d containers --probe
says out damaged
rm c/transactions && mv c/away c/transactions
status 0 sea -C d containers --probe
EOT

t 'two media at one path in turn: each has its name, and the missing one is unavailable' <<'EOT'
mkdir turn && cd turn
sea init -q d
sea -C d put -q '{"_id":"a"}'
mkdir medium
sea -C d add-container -q --create red "$PWD/medium/c"
status 0 sea -C d sync
mv medium red && mkdir medium
status 0 sea -C d add-container --create blue "$PWD/medium/c"
status $PARTIAL sea -C d sync
says out 'blue: pulled 0, pushed 2'
says out 'red: unavailable'
says err "container red is unavailable: '$PWD/medium/c' is another container"
status $UNREACHABLE sea -C d sync red
status $UNREACHABLE sea -C d containers --probe
# The same container has one name.
status $SYSTEM sea -C d add-container green "$PWD/medium/c"
says err 'is already attached as container blue'
sea -C d put -q '{"_id":"b"}'
mv medium blue && mv red medium
status $PARTIAL sea -C d sync
says out 'red: pulled 0, pushed 1'
says out 'blue: unavailable'
status 0 sea verify medium/c
mv medium red && mv blue medium
status $PARTIAL sea -C d sync
says out 'blue: pulled 0, pushed 1'
sea heads --container=red/c >want
sea heads --container=medium/c | same want
# A clone that was made from one of them, with the other one mounted.
sea clone -q red/c e
status $SYSTEM sea -C e add-container again "$PWD/red/c"
EOT

t 'remove-container refuses what may be the only copy' <<'EOT'
status $PARTIAL sea -C one remove-container team
says err 'has 1 block not stored in this instance'
mv team elsewhere
status $PARTIAL sea -C one remove-container team
says err 'cannot read container team'
says err 'hint: to remove it anyway, run: sea remove-container --only-copy-is-fine team'
lacks err 'sea pull'
mv elsewhere team
sea -C one pull -q
status 0 sea -C one remove-container -n team
status 0 sea -C one remove-container team
says out "its files remain at $PWD/team"
lacks one/.sea/config '"team"'
[ -f team/info.json ]
status $NOT_FOUND sea -C one remove-container team
EOT

t 'unless it is told that this is fine' <<'EOT'
sea -C two set -q --create b n=1
sea -C two push -q
sea -C one add-container -q team "$PWD/team"
status 0 sea -C one remove-container --json --only-copy-is-fine team
says out '"event":"container-removed","name":"team"'
EOT

t 'an incomplete container is no damage' <<'EOT'
mkdir arriving
cd arriving
sea init -q d
sea -C d put -q '{"_id":"a","n":1}'
sea -C d add-container -q --create c "$PWD/c"
sea -C d sync -q
sea clone -q c e
sea -C e remove-container -q origin
cp c/info.json whole
waits() {
  status $PARTIAL sea clone c new
  says err 'is incomplete'
  [ ! -e new ]
  status $PARTIAL sea -C e add-container x "$PWD/c"
  status $PARTIAL sea -C e add-container --create x "$PWD/c"
}
head -c 20 whole >c/info.json
waits
: >c/info.json
waits
head -c "$(wc -c <whole)" /dev/zero >c/info.json
waits
rm c/info.json
waits
: >c/.info.json.icloud
touch -d '3 hours ago' c
waits
rm c/.info.json.icloud
touch -d '3 hours ago' c
status $INCOMPATIBLE sea clone c new
head -c 20 whole >c/info.json
touch -d '3 hours ago' c/info.json
status $CORRUPT sea clone c new
touch c/info.json
status $CORRUPT sea -c sync.patience=0 clone c new
waits
cp whole c/info.json
status 0 sea clone -q c new
status 0 sea -C e add-container -q x "$PWD/c"
EOT

t 'slots that are not there yet are no wrong passphrase' <<'EOT'
mkdir slots
cd slots
umask 077
echo 'a passphrase of words' >pw
echo 'quite another one' >wrong
unset SEA_PASSWORD_FILE
sea -c init.encrypt=true init -q --password-file="$PWD/pw" d
sea -C d add-container -q --create c "$PWD/c"
sea -C d sync -q
status $DENIED sea clone --password-file="$PWD/wrong" c new
mv c/keys kept
mkdir c/keys
status $PARTIAL sea clone --password-file="$PWD/pw" c new
says err 'its key slot has not been copied yet'
for slot in kept/*; do head -c 30 "$slot" >"c/keys/$(basename "$slot")"; done
status $PARTIAL sea clone --password-file="$PWD/pw" c new
rm c/keys/*
for slot in kept/*; do : >"c/keys/.$(basename "$slot").icloud"; done
status $PARTIAL sea clone --password-file="$PWD/pw" c new
[ ! -e new ]
rm -r c/keys
mv kept c/keys
status 0 sea clone -q --password-file="$PWD/pw" c new
EOT

t 'two containers created in one folder: both instances get a hint' <<'EOT'
mkdir both
cd both
sea init -q d
sea -C d put -q '{"_id":"a","n":1}'
sea -C d add-container -q --create c "$PWD/c"
sea -C d sync -q
sea clone -q c e
sea -C e add-container -q --create m "$PWD/m"
sea -C e sync -q
cp m/info.json c/info.json
status $UNREACHABLE sea -C d sync
says err "is another container"
says err 'remove-container c; then run: sea add-container'
sea -C d remove-container -q --only-copy-is-fine c
sea -C d add-container -q c "$PWD/c"
status 0 sea -C d sync
EOT

t 'a huge sparse file in place of info.json does not keep a sync busy' <<'EOT'
sea init -q sparse
sea -C sparse put -q '{"_id":"a","n":1}'
sea -C sparse add-container -q --create s "$PWD/s"
sea -C sparse sync -q
truncate -s 2T s/info.json
touch -d '3 hours ago' s/info.json
timeout 20 sea -C sparse sync -q || [ $? != 124 ]
sea -C sparse sync -q
sea clone -q s sparse2
EOT
