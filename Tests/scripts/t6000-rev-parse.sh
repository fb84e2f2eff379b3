t 'facts about the database' <<'EOT'
sea init -q --name=field --content-type=org.example.birds
[ "$(sea rev-parse --sea-dir)" = "$(pwd)/.sea" ]
mkdir -p deep/er
[ "$(cd deep/er && sea rev-parse --sea-dir)" = "$(pwd)/.sea" ]
[ "$(sea rev-parse --content-type)" = org.example.birds ]
sea rev-parse --database-id | grep -qx '[0-9a-f-]\{36\}'
[ "$(sea rev-parse --instance-id)" = "$(sea rev-parse field)" ]
[ "$(sea -C / --sea-dir="$(pwd)/.sea" rev-parse --content-type)" = org.example.birds ]
[ "$(sea -C / rev-parse --sea-dir="$(pwd)/.sea" --content-type)" = org.example.birds ]
sea rev-parse --json --content-type >out
same out <<'EOX'
{"content_type":"org.example.birds"}
EOX
EOT

t 'the path does not need a database that can be read' <<'EOT'
mkdir -p broken/.sea
[ "$(sea -C broken rev-parse --sea-dir)" = "$(pwd)/broken/.sea" ]
status $SYSTEM sea -C broken rev-parse --database-id
rm -r broken
mkdir /tmp/sea-none.$$
status $NO_DATABASE sea -C /tmp/sea-none.$$ rev-parse --sea-dir
rmdir /tmp/sea-none.$$
EOT

t 'records and revisions' <<'EOT'
sea put -q '{"_id":"web1","a":1}' '{"_id":"mail@example.org","a":1}'
sea set -q web1 a:=2
first=$(sea log web1 --format='%(rev)' | tail -1)
[ "$(sea rev-parse web1)" = web1 ]
[ "$(sea rev-parse mail@example.org)" = mail@example.org ]
sea rev-parse web1@winner | grep -qx '2-[0-9a-f]\{64\}'
[ "$(sea rev-parse web1@~1)" = "$first" ]
[ "$(sea rev-parse "web1@$(echo "$first" | cut -c1-8)")" = "$first" ]
[ "$(sea rev-parse --short=6 web1@~1)" = "$(echo "$first" | cut -c1-8)" ]
[ "$(sea rev-parse --short web1@~1)" = "$(echo "$first" | cut -c1-10)" ]
[ "$(sea rev-parse web1 web1@~1 -z | tr '\0' ' ')" = "web1 $first " ]
id=$(sea set --new a=1 | cut -f2)
[ "$(sea rev-parse "$(echo "$id" | cut -c1-6)")" = "$id" ]
[ "$(sea rev-parse --short=4 "$id" | wc -c)" -le 9 ]
EOT

t 'instances and blocks' <<'EOT'
id=$(sea rev-parse --instance-id)
[ "$(sea rev-parse "$(echo "$id" | cut -c1-8)")" = "$id" ]
[ "$(sea rev-parse field/1)" = "$id/1" ]
[ "$(sea rev-parse --short field/1)" = "$(echo "$id" | cut -c1-8)/1" ]
sea rev-parse --json field/1 >out
says out '"kind":"block"'
EOT

t 'a name that names nothing' <<'EOT'
status $NOT_FOUND sea rev-parse nothing
says err 'not a record, revision, block or instance'
status $NOT_FOUND sea rev-parse web1@9-0000
status $NOT_FOUND sea rev-parse web1@base
status $NOT_FOUND sea rev-parse field/99
status $NOT_FOUND sea rev-parse --verify nothing
for spec in nothing web1@9-0000 web1@theirs field/99 web1@nonsense; do
  status $NO sea rev-parse --verify -q $spec
  [ ! -s out ]
  [ ! -s err ]
done
status 0 sea rev-parse --verify -q web1
status $NOT_FOUND sea --literal-ids rev-parse web1@winner
status $USAGE sea rev-parse
status $USAGE sea rev-parse --verify a b
status $USAGE sea rev-parse --sea-dir --database-id
status $USAGE sea rev-parse --sea-dir web1
EOT

t 'an id before everything else' <<'EOT'
sea put -q '{"_id":"field","a":1}' '{"_id":"web1@winner","a":1}'
[ "$(sea rev-parse field)" = field ]
[ "$(sea rev-parse web1@winner)" = web1@winner ]
EOT
