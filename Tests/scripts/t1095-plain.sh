# sealed: yes

t 'jq computes with plain values' <<'EOT'
sea init -q
sea put -q '{"_id":"a","_type":"item","price":{"$decimal":"19.90"},"made":{"$day":"2026-03-01"},"by":{"$ref":"p"}}' \
  '{"_id":"b","_type":"item","price":{"$decimal":"0.10"},"tags":{"$set":["x"]},"sold":{"$counter":3},"big":{"$int":"12345678901234567890"}}'
[ "$(sea query --json --plain -t item | jq -s '[.[].price] | add')" = 20 ]
sea query --json --plain -t item | sed 's/"_rev":"[^"]*",//' >out
same out <<'EOD'
{"_id":"a","_type":"item","by":"p","made":"2026-03-01","price":19.90}
{"_id":"b","_type":"item","big":12345678901234567890,"sold":3,"tags":["x"],"price":0.10}
EOD
sea dump --plain -t item | sed 's/"_rev":"[^"]*",//' | same out
sea dump --plain --format=json | jq -c '.[] | del(._rev)' >array
[ "$(wc -l <array)" = 2 ]
sea query --json --plain -t item --select=id,price >out
same out <<'EOD'
{"id":"a","price":19.90}
{"id":"b","price":0.10}
EOD
EOT

t 'get prints a record, a property and the kinds inside it' <<'EOT'
sea get --plain a >out
says out '  "price": 19.90'
[ "$(sea get --json --plain a price)" = 19.90 ]
[ "$(sea get --json --plain a made)" = '"2026-03-01"' ]
[ "$(sea get --plain b tags)" = '["x"]' ]
[ "$(sea get b tags)" = '{"$set":["x"]}' ]
printf 'a\nb\n' | sea get --stdin --plain | jq -r .price >out
[ "$(wc -l <out)" = 2 ]
EOT

t 'log, diff, show, changes and sql print plain values too' <<'EOT'
sea set -q a price:decimal=20.00
sea diff --json --plain a@~1 a >out
says out '{"old":19.90,"new":20.00}'
sea log --json --plain a price | head -1 >out
says out '"value":20.00'
sea changes --json --plain | grep '"a"' >out
says out '20.00'
sea sql --json --plain "SELECT x'0001' AS d, 9007199254740993 AS n" >out
same out <<'EOD'
{"d":"AAE=","n":9007199254740993}
EOD
echo 'get a' | sea batch --plain >out
says out '"price":20.00'
EOT

t 'an asset is the path of its file, or null' <<'EOT'
printf 'hello' >hello.txt
sea set -q a photo:asset@hello.txt
path=$(sea get --json --plain a photo)
if [ -n "$SEA_TEST_SEALED" ]; then
  [ "$path" = null ]
else
  [ "$(cat "$(printf %s "$path" | tr -d '"')")" = hello ]
fi
EOT

t 'it goes with JSON only' <<'EOT'
status $USAGE sea query --plain
says err -- '--json'
status $USAGE sea dump --plain --format=csv
status $USAGE sea dump --plain --history
status $USAGE sea query --json --plain --csv
[ -z "$(sea get a --json | grep -v '{"\$day"')" ]
EOT
