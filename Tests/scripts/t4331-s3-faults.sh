# limit: 300
# Two instances over a store behind a line that fails: nothing is lost, nothing is there twice, and statuses are those that
# are meant for this. FAULTS of each server's run are counted at its end.
. "$SEA_TEST_ROOT/Tests/s3/servers.sh"
start_moto
start_rclone
seed=$SEA_TEST_SEED
for server in moto rclone; do
  eval "upstream=\$$server"
  start_proxy "bad-$server" "$upstream" "--faults all --one-in 6 --seed $seed"
done

cat >story.sh <<'EOX'
# $1: the server; $2: how many rounds
set -eu
server=$1
: >"$server.statuses"
# 4: something is left to be done; 7: a false 403; 8, 9, 14: to be tried again. Nothing else.
try() {
  have=0
  (. "./env-bad-$server" && "$@") >"$server.said" 2>"$server.told" || have=$?
  echo "$have" >>"$server.statuses"
  case $have in 0 | 3 | 4 | 5 | 7 | 8 | 9 | 14) ;; *) echo "status $have: $*"; cat "$server.told"; exit 1 ;; esac
  if grep -q -e KEYID -e secret+/key "$server.said" "$server.told"; then echo 'a secret is told'; exit 1; fi
  return "$have"
}
hub=s3://bucket/faulty.sea
sea init -q --name=one "$1-one"
(. "./env-$1" && sea -C "$1-one" add-container -q --create hub $hub && sea -C "$1-one" sync -q)
(. "./env-$1" && sea clone -q --name=two $hub "$1-two")
head -c 9000000 /dev/urandom >"$1.large"
for round in $(seq "$2"); do
  for who in one two; do
    for n in 1 2 3; do echo "{\"_id\":\"$who/$round/$n\"}"; done | sea -C "$1-$who" put -q --chunk=1 -
    sea -C "$1-$who" set -q --create both "$who:=$round"
    if [ "$round" = 2 ]; then sea -C "$1-$who" set -q --create "$who/file" file:asset@"$PWD/$1.large"; fi
    try sea -C "$1-$who" sync -q || true
  done
done
# The line is good again.
for n in 1 2 3; do for who in one two; do (. "./env-$1" && sea -C "$1-$who" sync -q --full 2>/dev/null) || true; done; done
. "./env-$1"
sea -C "$1-one" sync >"$1.synced"
cat "$1.synced"
grep -q 'pulled 0, pushed 0' "$1.synced"
sea -C "$1-one" query --ids | sort >"$1.ids-one"
sea -C "$1-two" query --ids | sort | diff "$1.ids-one" - || exit 1
[ "$(wc -l <"$1.ids-one")" = $(($2 * 6 + 3)) ] || { wc -l "$1.ids-one"; exit 1; }
for who in one two; do sea -C "$1-$who" get --json both; done | sort -u | wc -l | grep -qx 1 || exit 1
sea verify $hub
sea -C "$1-two" fetch-assets -q
sea -C "$1-two" get --raw one/file file | cmp - "$1.large"
sea -C "$1-one" fetch-assets -q
sea -C "$1-one" get --raw two/file file | cmp - "$1.large"
EOX

rounds=$((24 * SEA_TEST_MORE))
sh story.sh moto $rounds >moto.out 2>&1 &
first=$!
sh story.sh rclone $rounds >rclone.out 2>&1 || echo failed >rclone.failed
wait $first || echo failed >moto.failed
for server in moto rclone; do
  echo "# $server: $(wc -l <bad-$server/faults) faults in $(wc -l <bad-$server/requests) requests:" \
    $(cut -d' ' -f1 bad-$server/faults | sort | uniq -c | sed 's/ *\([0-9]*\) \(.*\)/\2 \1/')
  echo "# $server: statuses" $(sort $server.statuses | uniq -c | sed 's/ *\([0-9]*\) \(.*\)/\2 \1 times/')
done

t 'nothing is lost or doubled where If-None-Match is honored' <<'EOT'
cat moto.out
[ ! -e moto.failed ]
# What is tried again does not fail in the end.
[ "$(grep -cx 0 moto.statuses)" -gt "$(grep -cvx 0 moto.statuses)" ]
[ "$(wc -l <bad-moto/faults)" -ge $((150 * SEA_TEST_MORE)) ]
EOT

t 'nothing is lost or doubled where it is not' <<'EOT'
cat rclone.out
[ ! -e rclone.failed ]
[ "$(grep -cx 0 rclone.statuses)" -gt "$(grep -cvx 0 rclone.statuses)" ]
[ "$(wc -l <bad-rclone/faults)" -ge $((150 * SEA_TEST_MORE)) ]
EOT

for n in 3 30 76; do start_proxy "gone-$n" "$moto" "--gone-after $n"; done
t 'a server that is gone in the middle: what is here stays, and the next sync goes on' <<'EOT'
head -c 30000000 /dev/zero >zeros
sea init -q --name=one gone
for n in $(seq 60); do printf '{"_id":"r%s","n":%s}\n' "$n" "$n"; done | sea -C gone put -q --chunk=1 -
sea -C gone set -q --create file file:asset@"$PWD/zeros"
for n in 3 30 76; do
  hub=s3://bucket/gone-$n.sea
  (. ./env-moto && sea -C gone add-container -q --create hub$n $hub)
  (. "./env-gone-$n" && status $UNREACHABLE sea -C gone sync hub$n && says err 'unavailable')
  (. "./env-gone-$n" && status $UNREACHABLE sea -C gone sync hub$n)
  (. ./env-moto && status 0 sea -C gone sync hub$n && status 0 sea verify $hub)
  (. ./env-moto && status 0 sea clone -q --name=two $hub "gone-$n-two" && sea -C "gone-$n-two" fetch-assets -q)
  [ "$(sea -C "gone-$n-two" query --count)" = 61 ]
  sea -C "gone-$n-two" get --raw file file | cmp - zeros
done
EOT

t 'two who push at once, and a helper that is ended in the middle' <<'EOT'
. ./env-moto
hub=s3://bucket/both.sea
sea init -q --name=one both-one
sea -C both-one add-container -q --create hub $hub
sea -C both-one sync -q
sea clone -q --name=two $hub both-two
for round in 1 2 3; do
  for who in one two; do
    for n in $(seq 20); do printf '{"_id":"%s/%s/%s"}\n' $who $round "$n"; done | sea -C both-$who put -q --chunk=1 -
  done
  sea -C both-one sync -q 2>/dev/null & first=$!
  sea -C both-two sync -q 2>/dev/null & second=$!
  sleep 0.$round
  [ $round = 3 ] || kill -9 $first
  wait $first || true
  wait $second || true
done
for n in 1 2; do for who in one two; do status 0 sea -C both-$who sync -q; done; done
[ "$(sea -C both-one query --count)" = 120 ]
[ "$(sea -C both-two query --count)" = 120 ]
status 0 sea verify $hub
EOT
