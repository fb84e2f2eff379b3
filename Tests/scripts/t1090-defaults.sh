sea init -q
sea config set --shared type.bird/status.default seen
sea config set --shared type.bird/count.default ':={"$counter":0}'
sea config set --shared 'type.bird/place\.name.default' ':="nowhere"'
sea config set --shared type.bird/place.code.default ':=7'
sea config set type.bird/wingSpan.default ':={"$decimal":"1.50"}'

t 'values of the command override defaults of the type' <<'EOT'
sea put -q '{"_id":"b/1","_type":"bird","name":"hoopoe"}' '{"_id":"b/2","_type":"bird","status":"heard","place":{"code":1}}' '{"_id":"x","name":"none"}'
[ "$(sea get b/1 --json | jq -c 'del(._rev)')" = '{"_id":"b/1","_type":"bird","name":"hoopoe","count":{"$counter":0},"place":{"code":7},"status":"seen","wingSpan":{"$decimal":"1.50"},"place.name":"nowhere"}' ] ||
  { sea get b/1 --json; false; }
[ "$(sea get b/2 --json | jq -c '[.status,.place]')" = '["heard",{"code":1}]' ]
[ "$(sea get x --json | jq -c 'keys')" = '["_id","_rev","name"]' ]
sea set -q b/1 count+=2
[ "$(sea get b/1 count)" = 2 ]
status 0 sea set --create -t bird b/3 --initial=status=new wingSpan:decimal=2
[ "$(sea get b/3 --json | jq -c '[.status,.wingSpan]')" = '["new",{"$decimal":"2"}]' ]
status 0 sea set --create -t bird b/4 count+=3 status:=5
[ "$(sea get b/4 --json | jq -c '[.status,.count,.place]')" = '[5,{"$counter":3},{"code":7}]' ]
sea set -q --new -t bird name=wren
[ "$(sea query -t bird --count "name = 'wren' AND status = 'seen'")" = 1 ]
printf '%s\n' start 'put {"_id":"b/5","_type":"bird"}' 'get b/5' commit | sea batch >out
grep -q '"status":"seen"' out
printf '_id,name\nb/6,owl\n' | sea load -q --format=csv -t bird -
[ "$(sea get b/6 status)" = seen ]
sea verify -q
EOT

t 'a record that is there stays as it is' <<'EOT'
sea set -q b/6 --unset=/status
sea set -q b/6 name=eagle
sea put -q '{"_id":"b/6","_type":"bird","name":"kite"}'
[ "$(sea get b/6 --json | jq -c 'has("status")')" = false ]
sea config set --shared type.bird/status.default flown
[ "$(sea get b/1 status)" = seen ]
rev=$(sea get b/6 --json | jq -r ._rev)
sea delete -q b/6
status 0 sea revert "b/6@$rev"
[ "$(sea get b/6 --json | jq -c 'has("status")')" = false ]
sea delete -q b/6
sea put -q '{"_id":"b/6","_type":"bird"}'
[ "$(sea get b/6 status)" = flown ]
EOT

t 'all instances have them, and one may have none' <<'EOT'
sea add-container -q --create c "$PWD/c"
sea sync -q
sea clone -q c two 2>/dev/null || sea clone -q "$PWD/c" two
sea -C two put -q '{"_id":"b/9","_type":"bird"}'
[ "$(sea -C two get b/9 --json | jq -c '[.status,.wingSpan]')" = '["flown",null]' ]
sea -C two config set type.bird/status.default ''
sea -C two put -q '{"_id":"b/10","_type":"bird"}'
[ "$(sea -C two get b/10 --json | jq -c 'has("status")')" = false ]
EOT

t 'invalid defaults are refused' <<'EOT'
status $BAD_DATA sea config set --shared type.bird/n.default ':=nix'
status $DENIED sea config set --shared type.bird.default x
status $DENIED sea config set --shared type.bird/_id.default x
for scope in --local --global --shared; do
  status $BAD_DATA sea config set $scope type.bird.default.status seen
  says err 'type.bird.default.status has no effect'
  says err 'type.bird/status.default'
done
for words in 'set --shared type.bird.default.status=seen' '--shared type.bird.default.status=seen'; do
  status $USAGE sea config $words
  says err 'sea config set --shared type.bird/status.default seen'
done
status $BAD_DATA sea config set type.bird.wingSpan.default 1
says err 'type.bird/wingSpan.default'
status $BAD_DATA sea config set type.bird/_id.default x
status $BAD_DATA sea config set type.status seen
says err 'type.TYPE/PROPERTY.default'
status $BAD_DATA sea config set type.bird/n.default ':=nix'
printf '[type "bird/n"]\ndefault = :=nix\n' >>.sea/config
status $BAD_DATA sea put '{"_id":"b/20","_type":"bird"}'
says err 'type.bird/n.default'
status $NOT_FOUND sea get b/20
sea put -q '{"_id":"f","_type":"fish"}' 2>/dev/null || :
sea config unset type.bird/n.default
status 0 sea put -q '{"_id":"b/20","_type":"bird"}'
EOT
