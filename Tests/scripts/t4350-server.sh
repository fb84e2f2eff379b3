# limit: 240
# A sea-server and its client, over TLS on the loopback.
. "$SEA_TEST_ROOT/Tests/server/server.sh"
make_certificate
make_settings main "requests-per-minute = 100000"
mkdir containers
for name in birds trial large; do make_token "$name" "" "$name"; done
make_token field --append-only birds
make_token reader --read-only birds
make_token late --days=1 birds
make_token prometheus --metrics ""
make_token all "" '*'
start_server main
cat >env <<EOX
export SEA_CA_FILE=$PWD/ca.pem SEA_TOKEN_COMMAND="cat $PWD/birds.token"
server=sea+https://127.0.0.1:$(cat main.port)
url=https://127.0.0.1:$(cat main.port)
SERVER=$SERVER
ask() { curl -s -o body -w '%{http_code}' --path-as-is --cacert ca.pem "\$@"; }
as() { printf 'authorization: Bearer %s' "\$(cat \$1.token)"; }
lines='content-type: application/vnd.sea.lines'
EOX

t 'the helper keeps to the protocol' <<'EOT'
. ./env
SEA_TOKEN_COMMAND="cat $PWD/trial.token" status 0 sea test-helper "$server/trial"
[ "$(grep -c '^ok ' out)" = 17 ]
[ -z "$(find containers/trial -type f)" ]
EOT

t 'clone, sync, push, pull, verify, heads, mirror' <<'EOT'
. ./env
sea init -q --name=one one
sea -C one put -q '{"_id":"a","n":1}'
status 0 sea -C one add-container --create team "$server/birds"
status 0 sea -C one sync
says out 'team: pulled 0, pushed 2'
status 0 sea clone --name=two "$server/birds" two
sea -C two set -q a n:=2
status 0 sea -C two push
status 0 sea -C one pull
[ "$(sea -C one get a n)" = 2 ]
status 0 sea -C one containers --probe
status 0 sea verify "$server/birds"
sea heads --container=containers/birds >want
status 0 sea heads --container="$server/birds"
same out <want
status 0 sea mirror "$server/birds" near
status 0 sea verify near
status $UNREACHABLE sea clone "$server/nothing" three || status $DENIED sea clone "$server/nothing" three
[ ! -e three ]
EOT

t 'a large asset, both ways' <<'EOT'
. ./env
head -c 30000000 /dev/urandom >file
sea -C one set -q --create pic photo:asset@"$PWD/file"
status 0 sea -C one sync
sea -C two sync -q
sea -C two fetch-assets -q
sea -C two get --raw pic photo | cmp - file
EOT

t 'a sync with nothing new is three requests at most' <<'EOT'
. ./env
for n in 1 2 3; do sea -C one sync -q; sea -C two sync -q; done
before=$(grep -c POST main.log)
sea -C one sync -q
sleep 0.2
[ $(($(grep -c POST main.log) - before)) -le 3 ]
EOT

t 'which token is for what' <<'EOT'
. ./env
sea -C one remove-container -q --only-copy-is-fine team
for name in birds field reader late all trial prometheus; do
  sea -C one add-container -q $name "$server/birds"
  sea -C one set -q a by=$name
  case $name in birds | field | late | all) want=0 ;; *) want=7 ;; esac
  SEA_TOKEN_COMMAND="cat $PWD/$name.token" status $want sea -C one push $name
  case $name in trial | prometheus) want=7 ;; *) want=0 ;; esac
  SEA_TOKEN_COMMAND="cat $PWD/$name.token" status $want sea -C one pull $name
  sea -C one remove-container -q --only-copy-is-fine $name
done
sea -C one add-container -q team "$server/birds"
# The codes of HTTP.
[ "$(ask -X POST -H "$lines" -d x $url/birds)" = 401 ]
[ "$(ask -X POST -H "$lines" -d x -H 'authorization: Bearer sea_0000000000000000000000000000' $url/birds)" = 401 ]
[ "$(ask -X POST -H "$lines" -d x -H 'authorization: Basic sea_0000000000000000000000000000' $url/birds)" = 401 ]
[ "$(ask -X POST -H "$lines" -d x -H "$(as trial)" $url/birds)" = 403 ]
[ "$(ask -X POST -H "$lines" -d x -H "$(as trial)" $url/none)" = 403 ]
[ "$(ask -H "$(as prometheus)" $url/birds/news)" = 403 ]
[ "$(ask -H "$(as birds)" $url/-metrics)" = 403 ]
# What an append-only token may not.
printf 'sea-helper 1\ndelete info.json\nbye\n' >body.in
[ "$(ask -H "$lines" -H "$(as field)" --data-binary @body.in $url/birds)" = 200 ]
says body 'error denied moving and deleting files is not allowed'
[ -s containers/birds/info.json ]
EOT

t 'the sources of a token' <<'EOT'
. ./env
unset SEA_TOKEN_COMMAND
status $DENIED sea -C one pull
says err 'no token found'
SEA_TOKEN="$server $(cat birds.token)" status 0 sea -C one pull
(umask 077 && echo "$server/birds $(cat birds.token)" >bound)
SEA_TOKEN_FILE=$PWD/bound status 0 sea -C one pull
# A token goes to no other server than the one it was configured for.
SEA_TOKEN="sea+https://localhost $(cat birds.token)" status 7 sea -C one pull
says err "SEA_TOKEN has no line LOCATION TOKEN for $server/birds"
SEA_TOKEN_FILE=$PWD/birds.token status $DENIED sea -C one pull
says err "has no line LOCATION TOKEN for $server/birds"
lacks err "$(cat birds.token)"
SEA_TOKEN_COMMAND="echo \"\$SEA_LOCATION\" >asked; cat $PWD/birds.token" status 0 sea -C one pull
SEA_TOKEN_COMMAND="false" status $DENIED sea -C one pull
mkdir -p config/sea
(umask 077 && echo "$server $(cat birds.token)" >config/sea/tokens)
XDG_CONFIG_HOME=$PWD/config status 0 sea -C one pull
chmod 644 config/sea/tokens
XDG_CONFIG_HOME=$PWD/config status $DENIED sea -C one pull
says err 'other users can read'
grep -qx "$server/birds" one/asked || grep -qx "$server/birds" asked
EOT

t 'a hook does not get the token, and the helper does' <<'EOT'
. ./env
mkdir -p one/.sea/hooks
printf '#!/bin/sh\nenv >%s/hook.env\n' "$PWD" >one/.sea/hooks/pre-sync && chmod +x one/.sea/hooks/pre-sync
unset SEA_TOKEN_COMMAND
SEA_TOKEN="$server $(cat birds.token)" status 0 sea -C one pull
rm one/.sea/hooks/pre-sync
says hook.env SEA_EVENT
lacks hook.env SEA_TOKEN
EOT

t 'a token is nowhere but where it was put' <<'EOT'
. ./env
for name in birds field; do
  fails grep -q "$(cat $name.token)" tokens main.log main.conf
  fails grep -rq "$(cat $name.token)" one two containers
done
printf 'sea-helper 1\nlist .\n' >lines
(cat lines; sleep 1.5) | sea-remote-sea+https "$server/birds" >answer &
for n in $(seq 100); do [ ! -s answer ] || break; sleep 0.02; done
for process in /proc/[0-9]*; do
  ! tr '\0' ' ' <$process/cmdline 2>/dev/null | grep -q "$(cat birds.token)" || { echo "$process"; exit 1; }
done
wait
grep -q '^sea-helper 1' answer
status $USAGE sea clone "sea+https://ada:$(cat birds.token)@127.0.0.1/birds" three
fails grep -q "$(cat birds.token)" err
EOT

t 'a token that is taken out is refused at once, and so is one whose time is over' <<'EOT'
. ./env
SEA_TOKEN_COMMAND="cat $PWD/late.token" status 0 sea -C one pull
sed -i 's/^\(late .* until=\).*/\11000000000/' tokens
SEA_TOKEN_COMMAND="cat $PWD/late.token" status 7 sea -C one pull
SEA_TOKEN_COMMAND="cat $PWD/reader.token" status 0 sea -C one pull
sed -i '/^reader /d' tokens
SEA_TOKEN_COMMAND="cat $PWD/reader.token" status 7 sea -C one pull
status 0 sea -C one pull
# While the file cannot be understood, all requests are refused.
cp tokens kept && echo rubbish >>tokens
status $DENIED sea -C one pull
cp kept tokens
status 0 sea -C one pull
says main.log 'all requests are refused'
EOT

t 'a token that is taken out ends what is open with it, and nothing more is stored' <<'EOT'
. ./env
(IN_TEST=1; . "$SEA_TEST_ROOT/Tests/server/server.sh"; make_token gone "" trial)
heads=heads/00000000-0000-4000-8000-00000000000
# A request that stays open, and one that waits for news.
{ printf 'sea-helper 1\nput %s 1\na' ${heads}1; for n in $(seq 600); do [ ! -e more ] || break; sleep 0.05; done
  printf 'put %s 1\nb' ${heads}2 || true; for n in $(seq 300); do [ ! -e over ] || break; sleep 0.1; done; } | timeout 30 curl -s -o open.body --cacert ca.pem -X POST -T . -H "$lines" \
  -H "$(as gone)" $url/trial &
open=$!
timeout 30 curl -s -o news.body --cacert ca.pem -H "$(as gone)" $url/trial/news &
news=$!
for n in $(seq 100); do [ ! -s containers/trial/${heads}1 ] || break; sleep 0.1; done
[ -s containers/trial/${heads}1 ]
for n in $(seq 100); do ! grep -q ready news.body || break; sleep 0.1; done
sed -i '/^gone /d' tokens
touch more
for n in $(seq 100); do kill -0 $news 2>/dev/null || ! grep -q 'gone POST /trial 599' main.log || break; sleep 0.1; done
grep -q 'gone POST /trial 599' main.log
touch over
if kill -0 $news 2>/dev/null || wait $open; then exit 1; fi
[ ! -e containers/trial/${heads}2 ]
rm -r containers/trial
EOT

t 'a server is who it should be' <<'EOT'
. ./env
unset SEA_CA_FILE
status $UNREACHABLE sea -C one pull
says err 'SEA_CA_FILE'
cp ca.pem other.pem && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout /dev/null -out other.pem \
  -days 10 -subj /CN=other 2>/dev/null
SEA_CA_FILE=$PWD/other.pem status $UNREACHABLE sea -C one pull
status $REFUSED sea clone sea+http://example.org/birds three
says err 'for this machine'
EOT

t 'names and bodies that lead nowhere' <<'EOT'
. ./env
mkdir -p outside && echo secret >outside/info.json
for path in /../outside /birds/../../outside /..%2foutside /birds%2f..%2foutside //birds /birds/ /.birds /-birds \
  /birds/x/news /birds/news/ "/$(printf 'a%.0s' $(seq 70))" / /birds%00 /birds%0a; do
  [ "$(ask -X POST -H "$lines" -d x -H "$(as all)" "$url$path")" = 404 ] || { echo "$path"; cat body; exit 1; }
done
[ "$(ask -X POST -H "$lines" -d x -H "$(as all)" "$url/birds?x=y")" = 400 ]
[ "$(ask -X PUT -H "$lines" -d x -H "$(as all)" $url/birds)" = 405 ]
[ "$(ask -X POST -d x -H "$(as all)" $url/birds)" = 415 ]
[ "$(ask -H "$(as all)" $url/birds)" = 405 ]
say() {
  printf 'sea-helper 1\n%b' "$1" >body.in
  [ "$(ask -H "$lines" -H "$(as all)" --data-binary @body.in $url/birds)" = 200 ]
}
find outside containers/birds -type f | sort >before
say 'put ../../outside/x 1\nxget ../../outside/info.json 0 9\nput notes.txt 1\nyput transactions/../x 1\nz'
[ "$(grep -c '^error bad-request' body)" = 3 ]
[ "$(grep -c '^error denied' body)" = 1 ]
ln -s "$PWD/outside" containers/birds/requests
say "get requests/info.json 0 9\nput requests/$(sea -C one rev-parse --instance-id) 1\nx"
grep -q '^error not-found' body
# What stood in the way was set aside, and is followed by nobody.
[ "$(ls outside)" = info.json ]
[ -d containers/birds/requests ]
[ -L containers/birds/requests.damaged-* ]
rm -r containers/birds/requests*
# A body that is none, one that breaks off, and one that never ends.
printf 'GET / HTTP/1.1\r\n\r\n' >body.in
[ "$(ask -H "$lines" -H "$(as all)" --data-binary @body.in $url/birds)" = 200 ]
head -c 300000 /dev/urandom >body.in
[ "$(ask -H "$lines" -H "$(as all)" --data-binary @body.in $url/birds)" = 200 ]
say "put transactions/$(sea -C one rev-parse --instance-id)/9/9 1000\nxx" || true
find outside containers/birds -type f | sort >after
same after <before
[ "$(ask $url/-health)" = 200 ]
EOT

t 'a head that is too large, and what is no HTTP' <<'EOT'
. ./env
head -c 200000 /dev/zero | tr '\0' a >long
[ "$(ask -H "x: $(head -c 100000 long)" $url/-health)" != 200 ] || exit 1
printf 'x\r\n\r\n' | timeout 5 openssl s_client -quiet -CAfile ca.pem -connect "${url#https://}" >out 2>err || true
/usr/bin/python3 -c 'import socket, sys
line = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 2)
line.sendall(b"rubbish" * 1000)' "$(cat main.port)"
[ "$(ask $url/-health)" = 200 ]
EOT

t 'metrics' <<'EOT'
. ./env
[ "$(ask -H "$(as prometheus)" $url/-metrics)" = 200 ]
for name in 'answers_total{status="200"}' 'answers_total{status="401"}' received_bytes_total sent_bytes_total news_total running \
  watching 'request_seconds_bucket{le="+Inf"}' request_seconds_count; do
  grep -qF "sea_server_$name " body || { echo "no $name"; exit 1; }
done
fails grep -v -e '^# HELP sea_server_[a-z_]* [A-Z]' -e '^# TYPE sea_server_[a-z_]* [a-z]*$' \
  -e '^sea_server_[a-z_]*\({[a-z]*="[^"]*"}\)\{0,1\} [0-9.e+-]*$' body
EOT

t 'sea watch hears of a block at once, also of a server that was started anew' <<'EOT'
. ./env
sea -C two sync -q; sea -C one sync -q
sea -C two watch --sync --timeout=100s >seen 2>err &
watch=$!
for n in $(seq 1000); do [ "$(ask -H "$(as prometheus)" $url/-metrics)" != 200 ] || ! grep -q '^sea_server_watching 1' body || break; sleep 0.1; done
grep -q '^sea_server_watching 1' body
# Who is started has no connection of the server, nor where they are taken: none stays open for that.
children=$(cat /proc/$(cat main.pid)/task/*/children)
[ -n "$children" ]
for child in $children; do ! ls -l /proc/$child/fd | grep socket; done
# It looks again by itself after 1, 2, 4, 8 and 16 seconds: the last time is too late.
sleep 16
sea -C one set -q --create told n:=1
sea -C one push -q
for n in $(seq 200); do ! grep -q told seen || break; sleep 0.05; done
grep -q told seen
# It finds the server again that was ended and started anew.
IN_TEST=1
. "$SEA_TEST_ROOT/Tests/server/server.sh"
. ./env
sed -i '/^listen/d' main.conf
echo "listen = 127.0.0.1:$(cat main.port)" >>main.conf
stop_server main
start_server main
sleep 16
sea -C one set -q --create again n:=1
sea -C one push -q
for n in $(seq 200); do ! grep -q again seen || break; sleep 0.05; done
grep -q again seen
kill $watch
wait $watch || true
EOT

t 'SIGTERM brings what is under way to its end, and SIGKILL loses nothing' <<'EOT'
. ./env
IN_TEST=1
. "$SEA_TEST_ROOT/Tests/server/server.sh"
. ./env
for round in TERM KILL TERM; do
  for n in $(seq 40); do echo "{\"_id\":\"$round$n\",\"text\":\"$(head -c 5000 long)\"}" | sea -C one put -q -; done
  sea -C one push -q >push.out 2>&1 &
  push=$!
  sleep 0.15
  stop_server main $round
  start_server main
  wait $push || cat push.out
done
status 0 sea -C one push
status 0 sea verify containers/birds
sea -C two sync -q
sea -C one list >want
sea -C two list | same want
grep -q 'sea-server: ended' main.log
EOT

stop_server main
