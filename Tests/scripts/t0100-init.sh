t 'init makes a database, and says which' <<'EOT'
status 0 sea init --name=field --content-type=org.example.birds birds
says out "Initialized empty sea database in $PWD/birds/.sea"
says out '  org.example.birds'
says out '  field'
[ -f birds/.sea/db ] && [ "$(stat -c %a birds/.sea/keys/instance)" = 600 ]
EOT

t 'init again changes nothing' <<'EOT'
sea -C birds heads >before
status 0 sea init birds
says out 'There is a sea database'
status 0 sea init --json --content-type=org.example.birds birds
says out '"created":false'
sea -C birds heads | same before
EOT

t 'init does not make another database in the place of one' <<'EOT'
status 11 sea init --database-id=00000000-0000-4000-8000-000000000000 birds
says err 'error[incompatible]'
status 11 sea init --content-type=org.example.plants birds
status 2 sea init --database-id=00000000 birds
status 2 sea init --name=a/b new
status 2 sea init --content-type='two words' new
[ ! -e new ]
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
event = json.loads(open("out").read())
assert event["event"] == "initialized" and event["created"] is True and event["name"] == "x", event
EOP
EOT

t 'init warns of a folder that a cloud client copies about' <<'EOT'
status 0 sea init Dropbox/db
says err 'warning[location]'
mkdir -p synced/.stfolder
status 0 sea init synced/db
says err 'Syncthing'
EOT

t 'the same database can be made in several places' <<'EOT'
id=11111111-1111-4111-8111-111111111111
sea init -q --database-id=$id one
sea init -q --database-id=$id two
sea -C one add-container -q --create team "$PWD/team"
status 0 sea -C two add-container team "$PWD/team"
EOT

t 'what cannot be made leaves nothing' <<'EOT'
echo file >file
status 12 sea init file
[ "$(cat file)" = file ]
EOT

t 'init where --sea-dir and SEA_DIR say' <<'EOT'
status 0 sea --sea-dir=named/.sea init -q
[ -d named/.sea ]
SEA_DIR=$PWD/variable/.sea sea init -q
[ -d variable/.sea ]
status 2 sea --sea-dir=other init
[ ! -e other ]
EOT
