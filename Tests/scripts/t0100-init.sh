t 'init makes a database, and says which' <<'EOT'
status 0 sea init --name=field --content-type=org.example.birds birds
says out "Initialized empty sea database in $PWD/birds/.sea"
says out '  org.example.birds'
says out '  field'
[ -f birds/.sea/db ]
[ "$(stat -c %a birds/.sea/keys/instance)" = 600 ]
EOT

t 'init again changes nothing' <<'EOT'
sea -C birds heads >before
status 0 sea init birds
says out 'Database already exists in'
status 0 sea init --json --content-type=org.example.birds birds
says out '"created":false'
sea -C birds heads | same before
EOT

t 'init does not make another database in the place of one' <<'EOT'
status $INCOMPATIBLE sea init --database-id=00000000-0000-4000-8000-000000000000 birds
says err 'error[incompatible]'
status $INCOMPATIBLE sea init --content-type=org.example.plants birds
status $USAGE sea init --database-id=00000000 birds
status $USAGE sea init --name=a/b new
status $USAGE sea init --content-type='two words' new
[ ! -e new ]
EOT

t 'init does not say that there is what was asked for where there is not' <<'EOT'
umask 077
sea -c init.encrypt=false init -q plain
sea -C plain heads >before
echo 'correct horse' >phrase
status $INCOMPATIBLE sea init --encrypt --password-file=phrase plain
says err "plain/.sea' is not encrypted; nothing was changed"
says err 'sea dump | sea -C NEW load'
status $INCOMPATIBLE sea init --require-auth plain
says err 'has no members; nothing was changed'
status $INCOMPATIBLE sea init --require-auth --recovery=words plain
[ ! -e words ]
status $INCOMPATIBLE sea init -n --require-auth plain
sea init -q --encrypt --password-file=phrase sealed
status $INCOMPATIBLE sea init --encrypt --no-store-key --password-file=phrase sealed
says err "sealed/.sea' stores its keys; nothing was changed"
sea init -q --encrypt --no-store-key --password-file=phrase asking
status 0 sea init --encrypt --no-store-key --password-file=phrase asking
sea -C plain heads | same before
# What is so already is as it was asked for, but words are not shown twice.
sea init -q --require-auth --encrypt --password-file=phrase closedteam
status 0 sea init --require-auth --encrypt --password-file=phrase closedteam
says out 'Database already exists in'
status $INCOMPATIBLE sea init --require-auth --recovery --password-file=phrase closedteam
says err 'has no recovery key, which cannot be added later'
# A wish of the settings is for new ones.
status 0 sea -c init.encrypt=true init --password-file=phrase plain
EOT

t 'init -n makes nothing' <<'EOT'
status 0 sea init -n nothing
says out 'would initialize'
[ ! -e nothing ]
EOT

t 'init -q says nothing, and --json says it all' <<'EOT'
status 0 sea init -q quiet
[ ! -s out ]
status 0 sea init --json --name=x json
python3 - <<'EOP'
import json
event, summary = map(json.loads, open("out"))
assert event["event"] == "initialized" and event["created"] is True and event["name"] == "x", event
assert summary == {"event": "summary", "ok": True, "exit": 0}, summary
EOP
EOT

t 'init warns of a folder that a cloud client copies about' <<'EOT'
status 0 sea init Dropbox/db
says err 'warning[location]'
mkdir -p synced/.stfolder
status 0 sea init synced/db
says err 'Syncthing'
EOT

t 'init tells of a place where a database meets something else' <<'EOT'
mkdir user
status 0 env HOME="$PWD/user" sea init user
says err "notice: all folders below $PWD/user use this database"
status 0 sea init user/inner
says err "notice: $PWD/user already contains a database"
mkdir -p code/.git code/data
status 0 sea init code/data
says err 'echo .sea >>'
status 0 sea init -q user/quiet
[ ! -s err ]
status 0 sea init user/inner
lacks err notice
EOT

t 'at a terminal it says what comes next' <<'EOT'
TERM=xterm /usr/bin/python3 "$SEA_TEST_ROOT/Tests/faults/terminal.py" -- sea init next >shown
says shown 'hint: to continue, run: cd next; for a tour, run: sea help tutorial'
SEA_ADVICE=0 /usr/bin/python3 "$SEA_TEST_ROOT/Tests/faults/terminal.py" -- sea init none >shown
lacks shown hint
EOT

t 'the same database can be made in several places' <<'EOT'
id=11111111-1111-4111-8111-111111111111
sea init -q --database-id=$id one
sea init -q --database-id=$id two
sea -C one add-container -q --create team "$PWD/team"
status 0 sea -C two add-container team "$PWD/team"
EOT

t 'a failed init leaves nothing' <<'EOT'
echo file >file
status $SYSTEM sea init file
[ "$(cat file)" = file ]
EOT

t 'a sealed database has a passphrase, and its keys are kept if wanted' <<'EOT'
umask 077
unset SEA_PASSWORD_FILE
status $USAGE sea init --encrypt --no-input nowhere
[ ! -e nowhere ]
echo 'correct horse' >phrase
status $USAGE sea init --encrypt --kdf-iterations=1000 --password-file=phrase nowhere
status $DENIED sea init --encrypt --password-file=/dev/null nowhere
[ ! -e nowhere ]
status 0 sea init --json --encrypt --password-file=phrase closed
says out '"sealed":true,"members":false'
says err 'the data cannot be recovered'
[ "$(stat -c %a closed/.sea/keys/epochs)" = 600 ]
status 0 sea -c init.encrypt=true init --json --password-file=phrase configured
says out '"sealed":true'
sea init -q --encrypt --no-store-key --password-file=phrase shared
[ ! -e shared/.sea/keys/epochs ]
status $DENIED sea -C shared set --no-input --create n/1 x=1
says err 'error[no-key]'
status 0 sea -C shared set -q --create n/1 x=1 --password-file="$PWD/phrase"
[ ! -e shared/.sea/keys/epochs ]
[ "$(sea -C shared get n/1 x)" = 1 ]
fails grep -rqa 'correct horse' closed shared configured
EOT

t 'the founder of a database with members is in its id' <<'EOT'
status 0 sea init --json --require-auth members
says out '"members":true'
sea -C members rev-parse --database-id | grep -q '^........-....-8'
sea -C members instances | grep -q 'self *admin'
status $USAGE sea init --require-auth --database-id=11111111-1111-4111-8111-111111111111 other
[ ! -e other ]
EOT

t 'init where --sea-dir and SEA_DIR say' <<'EOT'
status 0 sea --sea-dir=named/.sea init -q
[ -d named/.sea ]
SEA_DIR=$PWD/variable/.sea sea init -q
[ -d variable/.sea ]
status $USAGE sea --sea-dir=other init
[ ! -e other ]
EOT

t 'none is made within a .sea' <<'EOT'
sea init -q around
ln -s around/.sea linked
for option in '' -n; do
  for place in nest/.sea around/.sea around/.sea/below linked; do
    status $USAGE sea init $option $place
    says err "cannot create a database inside '.sea'"
  done
done
status $USAGE sea init nest/.sea
says err "give the parent folder: $PWD/nest"
[ ! -e nest ]
[ ! -e around/.sea/.sea ]
[ ! -e around/.sea/below ]
EOT

t 'a name that comes too late is reported' <<'EOT'
sea init -q --name=vm named-before
status 0 sea init --name=anna named-before
says err "notice: the database already exists; its instance keeps the name 'vm'"
status 0 sea init --name=vm named-before
lacks err notice
EOT
