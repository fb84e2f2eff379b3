# limit: 120
# Containers on another computer and in a bucket: attached with the form, checked before, and synced.
. "$SEA_TEST_ROOT/Tests/studio/studio.sh"
. "$SEA_TEST_ROOT/Tests/s3/servers.sh"
. "$SEA_TEST_ROOT/Tests/server/ssh.sh"
start_moto
start_ssh
cat env-moto >>env
. ./env
sea init -q --name=one one
sea -C one set -q --create -t bird b/1 name=Wren
start_studio main one
trap 'for pid in $(cat *.studio *.pid); do kill $pid && wait $pid || true; done 2>/dev/null' EXIT
enter_studio main
cat >>env <<'EOX'
. "$SEA_TEST_ROOT/Tests/studio/studio.sh"
. ./main.env
EOX

t 'a container elsewhere is checked, created and synced' <<'EOT'
IN_TEST=1 . ./env
for place_of in far="$hub/hub.sea" cloud=s3://bucket/birds.sea; do
  name=${place_of%%=*} location=${place_of#*=}
  [ "$(send /attach do=check "name=$name" "location=$location")" = 422 ]
  grep -q 'no container' body
  [ "$(send /attach do=check "name=$name" "location=$location" create=1)" = 200 ]
  grep -q 'It would be created' body
  fails sea heads --container="$location"
  [ "$(send /attach do=attach "name=$name" "location=$location" create=1 auto=1)" = 303 ]
  [ "$(send /sync do=sync "name=$name")" = 303 ]
  job=$(sed -n 's/^location: *//ip' head | tr -d '\r')
  for n in $(seq 300); do
    page "$job" >/dev/null
    grep -q data-running body || break
    sleep 0.1
  done
  sea clone -q --name="$name" "$location" "$name"
  [ "$(sea -C "$name" get b/1 name)" = Wren ]
done
EOT

t 'a server that cannot be reached is named' <<'EOT'
IN_TEST=1 . ./env
[ "$(send /attach do=attach name=gone location=ssh://nobody@127.0.0.1:1/x.sea)" = 422 ]
grep -q '127.0.0.1' body
sea -C one containers --porcelain | fails grep -q gone
EOT
