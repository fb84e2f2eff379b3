# sealed: yes
# Every command that takes a container takes one elsewhere: over `sea serve`, as ssh would start it.
cat >line <<'EOX'
#!/bin/sh
shift
[ -z "$REQUESTS" ] || exec tee -a "$REQUESTS" | sh -c "$1"
exec sh -c "$1"
EOX
chmod +x line
printf 'export SEA_SSH=%s/line REQUESTS=\nhub=ssh://host%s/hub.sea\n' "$PWD" "$PWD" >env

t 'add-container, sync, pull, push, containers' <<'EOT'
. ./env
head -c 3000000 /dev/urandom >file
sea init -q --name=one one
sea -C one set -q --create pic photo:asset@"$PWD/file"
status 0 sea -C one add-container --create hub "$hub"
status 0 sea -C one push
says out 'pushed'
status 0 sea -C one pull hub
status 0 sea -C one sync hub
says out 'pulled 0, pushed 0'
status 0 sea -C one sync -n
status 0 sea -C one containers --probe
says out ok
status 0 sea -C one status
[ -f hub.sea/info.json ]
EOT

t 'clone' <<'EOT'
. ./env
status 0 sea clone --name=two "$hub" two
sea -C two set -q --create b n:=1
status 0 sea -C two sync
status 0 sea -C one pull
[ "$(sea -C one get b n)" = 1 ]
status $UNREACHABLE sea clone "$hub/nothing" three
[ ! -e three ]
EOT

t 'a clone asks once what there is, and once more when it has a place for it' <<'EOT'
. ./env
REQUESTS=$PWD/asked status 0 sea clone -q "$hub" again
[ "$(grep -ac '^list \.$' asked)" -le 2 ]
[ "$(grep -ac '^get info.json ' asked)" -le 2 ]
[ "$(grep -ac '^flush' asked)" -eq 0 ]
[ "$(sea -C again query --ids)" = "$(sea -C two query --ids)" ]
EOT

t 'verify, heads' <<'EOT'
. ./env
status 0 sea verify "$hub"
status 0 sea -C one verify hub
sea heads --container=hub.sea >want
status 0 sea heads --container="$hub"
same out <want
status 0 sea -C one heads --container=hub
same out <want
EOT

t 'fetch-assets, from a container that is attached and from one that is not' <<'EOT'
. ./env
status 0 sea -C two fetch-assets
sea -C two get --raw pic photo | cmp - file
sea clone -q --name=three hub.sea three
sea -C three remove-container -q --only-copy-is-fine origin
status $NOT_FOUND sea -C three fetch-assets --from=hub
status $UNREACHABLE sea -C three fetch-assets --from="$hub/nothing"
status 0 sea -C three fetch-assets --from="$hub"
says out 'fetched 1 asset'
sea -C three get --raw pic photo | cmp - file
sea clone -q --name=four hub.sea four
status 0 sea -C four fetch-assets --from="$PWD/hub.sea"
EOT

t 'mirror, both ways' <<'EOT'
. ./env
status 0 sea mirror -n "$hub" near.sea
[ ! -e near.sea ]
status 0 sea mirror "$hub" near.sea
status 0 sea mirror near.sea "ssh://host$PWD/far.sea"
status 0 sea mirror "ssh://host$PWD/far.sea" "ssh://host$PWD/further.sea"
for copy in near far further; do
  (cd hub.sea && find transactions assets keys -type f 2>/dev/null | sort | xargs sha256sum) >want
  (cd $copy.sea && find transactions assets keys -type f 2>/dev/null | sort | xargs sha256sum) | same want
  status 0 sea verify $copy.sea
done
EOT

t 'verify mends what is damaged' <<'EOT'
. ./env
block=$(find far.sea/transactions -path '*/1/1' | head -1)
printf xxxx | dd of="$block" bs=1 seek=90 conv=notrunc status=none
status $CORRUPT sea verify "ssh://host$PWD/far.sea"
sea verify --repair=near.sea "ssh://host$PWD/far.sea" >out 2>err || true
status 0 sea verify "ssh://host$PWD/far.sea"
EOT

t 'a copy that a cloud client has renamed is taken in' <<'EOT'
. ./env
sea -C two set -q b n:=2
sea -C two sync -q
chain=hub.sea/transactions/$(sea -C two rev-parse --instance-id)
last=$(ls "$chain/1" | sort -n | tail -1)
mv "$chain/1/$last" "$chain/1/$last (Ada's conflicted copy)"
sea -C one sync -q >out 2>err || true
[ "$(sea -C one get b n)" = 2 ]
EOT

t 'a container is no folder of bundles, and one bundle alone is a file of this machine' <<'EOT'
. ./env
status $SYSTEM sea -C one export --to="$hub"
says err "is a container (hub), not a folder for bundles; nothing was written"
status $USAGE sea -C one export -o "$hub/x.sea.tar.zst"
status $USAGE sea -C one import "$hub"
[ ! -e one/ssh: ]
EOT

t 'a sync with nothing new asks three things, once the last hint is some seconds old' <<'EOT'
. ./env
for n in 1 2 3; do sea -C one sync -q; sea -C two sync -q; done
sleep 3.5
sea -C one sync -q
REQUESTS=$PWD/requests sea -C one sync -q
cat requests
[ "$(wc -l <requests)" = 3 ]
[ "$(grep -c '^list heads' requests)" = 1 ]
EOT

t 'sea watch learns of remote changes at once' <<'EOT'
. ./env
sea -C one sync -q
sea -C two sync -q
REQUESTS=$PWD/watched sea -C two watch --sync --timeout=60s >seen 2>err &
watch=$!
for n in $(seq 1000); do ! grep -qs await watched || break; sleep 0.1; done
grep -q await watched
# It looks again by itself after 1, 2, 4, 8 and 16 seconds: the last time is too late.
sleep 16
sea -C one set -q --create told n:=1
sea -C one sync -q
for n in $(seq 100); do ! grep -q told seen || break; sleep 0.1; done
cat seen err watched
grep -q told seen
kill $watch
wait $watch || true
EOT

t 'blocks that arrived before a container failed are reported and applied' <<'EOT'
. ./env
cat >reader <<'EOX'
#!/bin/sh
shift
exec sh -c "$(printf %s "$1" | sed 's/serve --stdio/serve --stdio --read-only/')"
EOX
chmod +x reader
sea -C one set -q told n:=1
sea -C one sync -q hub
sea -C two sync -q
sea -C one set -q told n:=2
sea -C one sync -q hub
sea -C two set -q told n:=3
status $DENIED env SEA_SSH="$PWD/reader" sea -C two sync --json origin
jq -es '.[] | select(.event == "container") | .pulled == 1 and .pushed == 0 and .conflicts == 1 and .error == "denied"' out >/dev/null
jq -es '.[] | select(.event == "summary") | .pulled == 1 and .new_conflicts == 1' err out >/dev/null
jq -es '[.[] | select(.event == "conflict")] | length == 1' err out >/dev/null
status $DENIED env SEA_SSH="$PWD/reader" sea -C two sync origin
EOT
