# limit: 180
# --jobs: a store never has more requests under way than that, whichever command it is; and helpers are told.
. "$SEA_TEST_ROOT/Tests/s3/servers.sh"
start_moto
mkdir bin
cat >bin/sea-remote-told <<'EOX'
#!/bin/sh
echo "${SEA_HELPER_JOBS:-none}" >>"$TOLD"
exit 1
EOX
chmod +x bin/sea-remote-told
sea init -q --name=one one
for n in $(seq 12); do echo "{\"_id\":\"r$n\"}"; done | sea -C one put -q --chunk=1 -
for n in 1 2 3 4 5 6; do
  head -c 20000 /dev/urandom >asset
  sea -C one set -q --create "a$n" f:asset@"$PWD/asset"
done

t 'no more requests at once than that' <<'EOT'
# at N COMMAND: each of the requests takes a while, so that as many are under way as may be.
at() {
  rm -rf slow slow.pid && start_proxy slow "$moto" '--faults slow --one-in 2 --seed 1'
  . ./env-slow
  n=$1
  shift
  status 0 "$@"
  kill "$(cat slow.pid)"
  [ "$(cat slow/most)" -le "$n" ] || { echo "$n: $(cat slow/most)"; false; }
}
# several N COMMAND: and there are more than one.
several() {
  at "$@"
  [ "$(cat slow/most)" -gt 1 ] || { echo "$*: one after another"; false; }
}
moto=$(sed -n 's/.*AWS_ENDPOINT_URL=.*:\([0-9]*\)$/\1/p' env-moto)
. "$SEA_TEST_ROOT/Tests/s3/servers.sh"
hub=s3://bucket/jobs.sea
at 3 sea -C one add-container -q --create hub $hub
several 3 sea -C one sync -q --jobs=3
at 1 sea clone -q --jobs=1 --assets=all --name=two $hub two
several 4 sea clone -q --jobs=4 --assets=all --name=three $hub three
several 2 sea -c sync.jobs=2 verify --assets $hub
several 5 sea -c sync.jobs=2 mirror -q --jobs=5 $hub "$PWD/copy.sea"
at 2 sea -C one export -q --jobs=2 --full --to=s3://bucket/kit
at 2 sea -C two import -q --jobs=2 s3://bucket/kit
at 2 sea -C two drop-assets -q
several 2 sea -C two fetch-assets -q --jobs=2
EOT

t 'helpers are told, and what is no number of jobs is refused' <<'EOT'
export PATH=$PWD/bin:$PATH TOLD=$PWD/told
for words in '' --jobs=7 '-c sync.jobs=5'; do
  case $words in -c*) sea $words verify told://x ;; *) sea verify $words told://x ;; esac || [ $? = 9 ]
done 2>err
same told <<EOX
none
7
5
EOX
for n in 0 65 -1 x 1.5; do
  status $USAGE sea sync --jobs=$n
  says err "'$n' is not a number from 1 to 64"
done
status $BAD_DATA sea -C one -c sync.jobs=65 sync
says err sync.jobs
# The settings beside what was handed over are none of ours.
sea init -q --name=giver giver
sea -C giver add-container -q --create c "$PWD/giver/c"
sea -C giver put -q '{"_id":"x"}'
sea -C giver push -q
printf '[sync]\njobs = 65\n' >>giver/.sea/config
cd giver
status 0 sea verify c
status $BAD_DATA sea verify
EOT
