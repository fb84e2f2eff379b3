# sealed: yes
t 'a team agrees on rules for its records' <<'EOT'
sea init -q --name=one one
sea -C one config set --shared type.bird/species.required true
sea -C one config set --shared type.bird/count.type int
sea -C one config set --shared type.bird/count.minimum 0
sea -C one config set --shared type.bird/sex.enum '["m","f"]'
sea -C one config set --shared type.bird/ring.pattern '^[A-Z][A-Z]-[0-9]'
sea -C one config set --shared type.bird/ring.unique true
sea -C one add-container -q --create team "$PWD/team"
sea -C one sync -q
sea clone -q --name=two team two
for i in one two; do
  status $BAD_DATA sea -C $i put '{"_id":"b/1","_type":"bird"}'
  says err "b/1: 'species' breaks the rule 'required=true': no value"
  says err 'use -c type.bird/species.required='
  status $NOT_FOUND sea -C $i get b/1
done
EOT

t 'every command that writes follows the rules, and a dry run says the same' <<'EOT'
cd one
sea put -q '{"_id":"b/1","_type":"bird","species":"owl","count":2,"ring":"AB-1","sex":"m"}'
for n in '' -n; do
  status $BAD_DATA sea put $n '{"_id":"b/2","_type":"bird","species":"owl"}' '{"_id":"b/3","_type":"bird"}'
  status $BAD_DATA sea put $n --merge-patch '{"_id":"b/1","sex":"x"}'
  says err "b/1: 'sex' breaks the rule 'enum=[\"m\",\"f\"]': \"x\""
  status $BAD_DATA sea set $n b/1 count:=-1
  says err "b/1: 'count' breaks the rule 'minimum=0': -1"
  status $BAD_DATA sea set $n b/1 --unset=species
  status $BAD_DATA sea set $n --replace-type b/1 count=many
  status $BAD_DATA sea set $n --create -t bird b/2 species=owl ring=AB-1
  says err "b/2: 'ring' breaks the rule 'unique=true': \"AB-1\", as in b/1"
  status $BAD_DATA sea set $n --where="species = 'owl'" -t bird ring=12
done
status $NOT_FOUND sea get b/2
[ "$(sea get b/1 --json | jq -c '[.count,.ring,.sex,.species]')" = '[2,"AB-1","m","owl"]' ]
sea put -q '{"_id":"b/1","species":"owl","count":3,"ring":"AB-1"}'
sea -c type.bird/count.minimum= set -q b/1 count:=-5
status $BAD_DATA sea check
sea set -q b/1 count:=4
status $BAD_DATA sea undo
says err "b/1: 'count' breaks the rule"
status 0 sea check
says out 'no record breaks a rule'
printf '%s\n' start 'put {"_id":"b/4","_type":"bird"}' 'set b/4 species=wren' commit start 'put {"_id":"b/5","_type":"bird"}' commit 'get b/4' |
  sea batch >out 2>err || :
says out '"species":"wren"'
says out "b/5: 'species' breaks the rule"
[ "$(sea get b/4 species)" = wren ]
status $NOT_FOUND sea get b/5
sea delete -q b/1 b/4
EOT

t 'the path of a rule is written as in other commands' <<'EOT'
sea init -q forms && cd forms
sea config set --shared type.form/meta/uuid.unique true
sea config set --shared type.form/group_obs/count.minimum 0
sea config set --shared type.form/place.name.required true
sea config set --shared type.form/meta/source.default kobo
sea put -q -t form '{"_id":"f/1","meta/uuid":"u1","group_obs/count":1,"place":{"name":"pond"}}'
[ "$(sea get f/1 --json | jq -r '."meta/source"')" = kobo ]
status $BAD_DATA sea set --create -t form f/2 place.name=lake meta/uuid=u1
says err "f/2: 'meta/uuid' breaks the rule 'unique=true'"
says err 'use -c type.form/meta/uuid.unique='
status $BAD_DATA sea set f/1 group_obs/count:=-1
status $BAD_DATA sea set f/1 --unset=place.name
says err 'use -c type.form/place.name.required='
sea -c type.form/place.name.required= set -q f/1 --unset=place.name
EOT

t 'load names the line, and keeps what breaks a rule in the file of rejects' <<'EOT'
cd one
printf 'species,ring\nowl,AB-1\nowl,AB-1\n,AB-2\nwren,AB-3\n' >birds.csv
status $BAD_DATA sea load -t bird birds.csv
says err "birds.csv:3:1: "
says err "'ring' breaks the rule 'unique=true': \"AB-1\", as in another new record"
[ "$(sea query -t bird --count)" = 0 ]
status $PARTIAL sea load -n -t bird --rejects=bad.csv birds.csv
[ ! -e bad.csv ]
status $PARTIAL sea load -t bird --rejects=bad.csv birds.csv
says out '2 created, 0 updated, 0 unchanged, 2 rejected (bad.csv)'
same bad.csv <<'EOX'
species,ring
owl,AB-1
,AB-2
EOX
status $PARTIAL sea load -t bird --key=ring --rejects=bad.csv birds.csv
says out '3 unchanged, 1 rejected'
sea sync -q
EOT

t 'what other instances wrote is never refused, and check and status list it' <<'EOT'
sea -C two sync -q
sea -C one put -q '{"_id":"c/1","_type":"bird","species":"tern","ring":"CD-1"}'
sea -C two put -q '{"_id":"c/2","_type":"bird","species":"tern","ring":"CD-1"}'
sea -C one sync -q
status 0 sea -C two sync
status $BAD_DATA sea -C two check
same out <<'EOX'
RECORD  PROPERTY  RULE         FOUND
c/2     ring      unique=true  "CD-1", as in c/1
EOX
status $BAD_DATA sea -C two check -t bird --json
[ "$(jq -c 'del(.event)' out)" = '{"id":"c/2","type":"bird","property":"/ring","rule":"unique","wanted":"true","value":"\"CD-1\"","twin":"c/1"}' ]
status 0 sea -C two status
says out '1 broken rule: sea check'
status 0 sea -C two status --porcelain
says out '# broken	1'
[ "$(sea -C two status --json | jq 'select(.event == "status").broken')" = 1 ]
status $BAD_DATA sea -C two check -t brid
says err "did you mean 'bird'"
status $BAD_DATA sea -C two set c/2 species=gull
status 0 sea -C two set c/2 ring=CD-2
status 0 sea -C two check
status 0 sea -C two status
lacks out broken
EOT

t 'one instance can go without a rule, and another version with more of them' <<'EOT'
sea -C two config set type.bird/species.required ''
status 0 sea -C two put '{"_id":"d","_type":"bird"}'
sea -C two config unset type.bird/species.required
status $BAD_DATA sea -C two check
sea -C two delete -q d
printf '[type "bird/count"]\nmaximum = lots\n' >>two/.sea/config
status $BAD_DATA sea -C two put '{"_id":"d","_type":"bird","species":"owl"}'
says err "type.bird/count.maximum: 'lots' is not a number"
EOT

t 'rules that make no sense are refused when they are set' <<'EOT'
cd one
for words in 'count.minimum few' 'count.type integer' 'sex.enum m,f' 'ring.pattern [A' 'ring.unique perhaps'; do
  status $BAD_DATA sea config set --shared type.bird/$words
  status $BAD_DATA sea config set type.bird/$words
done
status $BAD_DATA sea config set type.bird/ring.format x
says err 'for rules, see sea-config(5)'
EOT
