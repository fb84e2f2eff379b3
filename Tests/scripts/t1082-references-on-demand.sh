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
# Without the option, an unknown name is refused.
status $BAD_DATA sea put -t sighting '{"_id":"s/3","observer":{"$ref":"person:nme=Nobody"}}'
says err "the reference 'person:nme=Nobody' names no record"
says err "did you mean 'person:name=Nobody'? to create the record, use --create"
sea put -q -t sighting '{"_id":"s/3","observer":{"$ref":"urn:x"},"site":{"$ref":"x=1"}}'
status $NOT_FOUND sea set s/3 observer:ref=person:name=Nobody
EOT

t 'without --create, a reference names the same record, and never turns into text' <<'EOT'
printf '{"_id":"k1","who":{"$ref":"person:name=Ida"}}\n' >k1.json
sea load -q -t sighting --create k1.json
who=$(sea get k1 who)
[ "$(sea query -t person --ids "name = 'Ida'")" = "$who" ]
status 0 sea load -t sighting k1.json
says out '0 updated, 1 unchanged'
status 0 sea put -t sighting "$(cat k1.json)"
[ "$(sea get k1 who)" = "$who" ]
printf 'species,observer\nowl,person:name=Ida\ntern,person:name=Noone\ngull,person:name=Noone\n' >more.csv
for n in '' -n; do
  status $BAD_DATA sea load $n -t sighting --types=observer:ref more.csv
  says err 'more.csv:3:1: '
  says err 'use --create'
done
status $PARTIAL sea load -t sighting --types=observer:ref --rejects=no.csv more.csv
says out '1 created, 0 updated, 0 unchanged, 2 rejected'
same no.csv <<'EOX'
species,observer
tern,person:name=Noone
gull,person:name=Noone
EOX
sea undo -q
EOT

t 'a dump with ids of this form can be loaded' <<'EOT'
sea init -q from && cd from
sea --literal-ids put -q '{"_id":"a","to":{"$ref":"p:n=1"}}' '{"_id":"p:n=1","_type":"p","n":1}' '{"_id":"z","to":{"$ref":"p:n=1"}}'
sea dump >../all.jsonl
sea --literal-ids put -q '{"_id":"a","to":{"$ref":"p:n=2"}}'
sea dump >../open.jsonl
cd .. && sea init -q to && cd to
status 0 sea load ../all.jsonl
sea dump | cmp - ../all.jsonl
status 0 sea load ../all.jsonl
says out '3 unchanged'
status $BAD_DATA sea load ../open.jsonl
says err "open.jsonl:1:1: the reference 'p:n=2' names no record"
status 0 sea --literal-ids load ../open.jsonl
sea dump | cmp - ../open.jsonl
# With --create, the record must come first.
cd .. && sea init -q last && cd last
printf '{"_id":"a","to":{"$ref":"p:n=1"}}\n{"_id":"p:n=1","n":1}\n' >late.jsonl
status $BAD_DATA sea load --create late.jsonl
says err "late.jsonl:2:1: the record 'p:n=1' comes after a reference"
[ "$(sea query --count)" = 0 ]
EOT

t 'a mistyped name of a type or a property is noticed' <<'EOT'
sea init -q names && cd names
sea put -q -t person '{"name":"Eva"}'
status 0 sea put --create -t sighting '{"who":{"$ref":"person:nme=Eva"}}'
says err "new record for the reference 'person:nme=Eva'; did you mean 'person:name=Eva'?"
sea undo -q
printf 'who\nPerson:name=Eva\nPerson:name=Max\n' >p.csv
status 0 sea load --create -n -t sighting --types=who:ref p.csv
[ "$(grep -c "did you mean 'person:name=Eva'" err)" = 1 ] || cat err
status 0 sea set --create -t sighting s1 who:ref=Person:name=Eva
says err "did you mean 'person:name=Eva'"
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
