# sealed: yes
t 'load creates each record that a column of references names, once' <<'EOT'
sea init -q
sea put -q -t person '{"_id":"p/1","name":"Ada"}'
printf 'species,observer\nowl,person:name=Ada\ntern,person:name=Eva\ngull,person:name=Eva\nwren,p/1\n' >seen.csv
sea load -n -q -t sighting --types=observer:ref --create seen.csv
[ "$(sea query -t person --count)" = 1 ]
status 0 sea load -t sighting --types=observer:ref --create seen.csv
says out '5 created'
[ "$(sea query -t person --select=name --sort=name --format='%(name) ')" = 'Ada Eva ' ] || sea query -t person
[ "$(sea query -t sighting --sort=species --format='%(species) %(observer->name) ')" = 'gull Eva owl Ada tern Eva wren Ada ' ] ||
  sea query -t sighting --select='species,observer,observer->name'
[ "$(sea ops --json | jq -s 'length')" = 2 ] || sea ops
# The same file again finds them, also with chunks.
status 0 sea load -t sighting --key=species --types=observer:ref --create --chunk=1 seen.csv
says out '0 created, 0 updated, 4 unchanged'
sea undo -q
[ "$(sea query -t person --count)" = 1 ]
EOT

t 'cells name records by a part of the id or by a name with blanks' <<'EOT'
sea init -q cells && cd cells
sea put -q -t person '{"_id":"person/17","name":"Anna Berg"}'
printf '_id,person_id,who\nc/1,17,Anna Berg\nc/2,18,"Lea, from: a=b"\nc/3,,Lea Kurz\nc/4,17,"Lea, from: a=b"\n' >cells.csv
status 0 sea load -t case --types='person_id:ref[person/],who:ref[person:name=]' --create cells.csv
says out '6 created'
sea query -t case --csv --select='_id,person_id,who->name' --sort=_id >out
same out <<'EOX'
_id,person_id,who->name
c/1,person/17,Anna Berg
c/2,person/18,"Lea, from: a=b"
c/3,,Lea Kurz
c/4,person/17,"Lea, from: a=b"
EOX
printf '_id,who\nc/5,person:name=Anna Berg\n' | status 0 sea load -t case --format=csv --types=who:ref --create
[ "$(sea get c/5 --json | jq -r '.who."$ref"')" = person/17 ]
status 0 sea put -t case --create '{"_id":"c/6","who":{"as":"main","$ref":"person:name=Max Frei"}}'
[ "$(sea get c/6 --json | jq -r '.who."$ref"')" = "$(sea query -t person --ids "name = 'Max Frei'")" ]
echo '{"_id":"c/7","who":[{"$ref":"person:name=Anna Berg"}]}' | status 0 sea load -t case --create
[ "$(sea get c/7 --json | jq -r '.who[0]."$ref"')" = person/17 ]
# A table of SQLite has numbers.
sqlite3 cases.sqlite "CREATE TABLE c (_id TEXT PRIMARY KEY, p INTEGER); INSERT INTO c VALUES ('c/8', 17);"
status 0 sea load --types='p:ref[person/]' cases.sqlite
[ "$(sea get c/8 --json | jq -r '.p."$ref"')" = person/17 ]
# An id and a type have no blanks, and a name may fit two records.
printf '_id,who\nc/9,1 7\n' >bad.csv
status $BAD_DATA sea load --types='who:ref[person/]' --create bad.csv
says err 'who: not a value of type ref[person/]: 1 7'
status $BAD_DATA sea load --types='who:ref[a person:name=]' --create bad.csv
sea put -q -t person '{"name":"Anna Berg"}'
printf '_id,who\nc/9,Anna Berg\n' >bad.csv
status $NOT_FOUND sea load --types='who:ref[person:name=]' --create bad.csv
says err 'bad.csv:2:1: '
echo '{"who":{"$ref":"person:name=Anna Berg"}}' | status $NOT_FOUND sea load --create
[ "$(sea query -t case --count)" = 7 ]
cd ..
EOT

t 'put and set create what they refer to, in the same transaction' <<'EOT'
status 0 sea put -t sighting --create '{"_id":"s/1","observer":{"as":"main","$ref":"person:name=Max"},"others":[{"$ref":"person:name=Max"},{"$ref":"person:name=Ada"}]}'
id=$(sea query -t person --ids "name = 'Max'")
[ "$(sea get s/1 --json | jq -c '[.observer,.others[0],.others[1]."$ref"]')" = "[{\"as\":\"main\",\"\$ref\":\"$id\"},{\"\$ref\":\"$id\"},\"p/1\"]" ]
status 0 sea set --create -t sighting s/2 observer:ref=person:name=Kim place:ref=place:code=7
[ "$(sea get s/2 --json | jq -r '.observer."$ref"')" = "$(sea query -t person --ids "name = 'Kim'")" ]
[ "$(sea query -t place --count)" = 1 ]
sea undo -q
[ "$(sea query -t place --count)" = 0 ]
status $NOT_FOUND sea get s/2
# Without the option, put keeps the text as an id, and set refuses an unknown name.
sea put -q -t sighting '{"_id":"s/3","observer":{"$ref":"person:name=Nobody"}}'
[ "$(sea get s/3 --json | jq -r '.observer."$ref"')" = person:name=Nobody ]
status $NOT_FOUND sea set s/3 observer:ref=person:name=Nobody
EOT

t 'a name that fits several records is refused, and nothing is created' <<'EOT'
sea put -q -t person '{"_id":"p/2","name":"Ada"}'
printf 'species,observer,n\nowl,person:name=Zoe,x\ntern,person:name=Ada,1\nwren,person:name=Yan,2\n' >bad.csv
status $NOT_FOUND sea load -t sighting --types=observer:ref --create bad.csv
says err "bad.csv:3"
status $PARTIAL sea load -t sighting --types=observer:ref,n:int --create --rejects=no.csv bad.csv
says out '2 created, 0 updated, 0 unchanged, 2 rejected'
[ "$(sea query -t person --count "name = 'Zoe'")" = 0 ]
[ "$(sea query -t person --count "name = 'Yan'")" = 1 ]
status $USAGE sea load -t sighting --insert-only --types=observer:ref --create bad.csv
EOT

t 'a created record follows the rules of its type' <<'EOT'
sea config set --shared type.person/born.required true
printf 'species,observer\nowl,person:name=Lea\n' >lea.csv
for rejects in '' --rejects=no.csv; do
  status $BAD_DATA sea load -t sighting --types=observer:ref --create $rejects lea.csv
  says err "lea.csv:2:1: "
  says err "'born' breaks the rule 'required=true'"
done
EOT
