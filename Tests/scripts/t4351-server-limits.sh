# limit: 240
# A sea-server that has limits, behind proxies that fail, ended and started anew.
. "$SEA_TEST_ROOT/Tests/server/server.sh"
make_certificate
make_settings main plain "requests-per-minute = 100000"
mkdir containers
make_token birds "" birds
make_token other "" birds
make_token late "" late
start_server main
cat >env <<EOX
IN_TEST=1
. "$SEA_TEST_ROOT/Tests/server/server.sh"
export SEA_CA_FILE=$PWD/ca.pem SEA_TOKEN_COMMAND="cat $PWD/birds.token"
server=sea+http://127.0.0.1:$(cat main.port)
url=http://127.0.0.1:$(cat main.port)
ask() { curl -s -o body -w '%{http_code}' "\$@"; }
as() { printf 'authorization: Bearer %s' "\$(cat \$1.token)"; }
lines='content-type: application/vnd.sea.lines'
EOX

t 'invalid options and settings of the server' <<'EOT'
. ./env
status $USAGE "$SERVER"
status $USAGE "$SERVER" --port=7
status $USAGE "$SERVER" add-token --config=main.conf
status $USAGE "$SERVER" add-token --config=main.conf x
status $USAGE "$SERVER" add-token --config=main.conf --read-only --append-only x birds
status $USAGE "$SERVER" add-token --config=main.conf ../x birds
status $USAGE "$SERVER" add-token --config=main.conf x ../birds
status $BAD_DATA "$SERVER" add-token --config=main.conf birds birds
status $SYSTEM "$SERVER" --config=none
for line in 'listen = 127.0.0.1' 'listen = 127.0.0.1:70000' 'listen = 0.0.0.0:0' 'color = red' 'rubbish' 'key = key.pem' \
  'grace = soon' 'containers = .' 'sea = /none'; do
  { grep -v '^listen\|^sea' main.conf; echo "$line"; } >bad.conf
  status $BAD_DATA timeout 300 "$SERVER" --config=bad.conf || { echo "$line"; exit 1; }
done
printf 'containers = containers\ntokens = none\n' >bad.conf
status $SYSTEM timeout 300 "$SERVER" --config=bad.conf
make_settings taken plain "listen = 127.0.0.1:$(cat main.port)"
sed -i '0,/^listen/{//d}' bad.conf
status $UNREACHABLE timeout 300 "$SERVER" --config=taken.conf
"$SERVER" --help | grep -q add-token
"$SERVER" --version | grep -q sea-server
# The tokens are nobody else's to read.
[ "$(stat -c %a tokens)" = 600 ]
EOT

t 'a token is added behind a line without its end, and to a file that the server can read' <<'EOT'
. ./env
for end in '' '\n' '\n\n'; do
  mkdir -p owner/containers
  printf 'containers = containers\ntokens = tokens\n' >owner/conf
  [ "$(id -u)" -ne 0 ] || chown 65534:65534 owner/containers
  "$SERVER" add-token --config=owner/conf one birds >owner/one
  [ "$(stat -c %u:%g owner/tokens)" = "$(stat -c %u:%g owner/containers)" ]
  [ "$(stat -c %a owner/tokens)" = 600 ]
  printf "$(cat owner/tokens)$end" >owner/tokens
  "$SERVER" add-token --config=owner/conf two birds >owner/two
  [ "$(grep -c '^[a-z]* sha256:[0-9a-f]* everything birds$' owner/tokens)" = 2 ]
  rm -r owner
done
# What is wrong for good is not tried again for ever.
grep -qx 'RestartPreventExitStatus=2 12 13' "$SEA_TEST_ROOT/systemd/sea-server.service"
EOT

t 'without TLS it takes an address of the loopback, and no name that looks like one' <<'EOT'
. ./env
for listen in 127.0.0.1.example.org:0 127.evil:0 localhost:0 '[::]:0' '[::ffff:127.0.0.1]:0' 128.0.0.1:0; do
  make_settings far plain "listen = $listen"
  status $BAD_DATA timeout 10 "$SERVER" --config=far.conf
  says err 'only a loopback address is allowed'
done
for listen in 127.1.2.3:0 '[::1]:0'; do
  make_settings close plain "listen = $listen"
  start_server close
  stop_server close
done
EOT

t 'a server whose folder is gone says so, begins nothing there, and outlives SIGHUP' <<'EOT'
. ./env
make_settings health plain "containers = shelf"
sed -i '0,/^containers/{//d}' health.conf
mkdir shelf
start_server health
health=http://127.0.0.1:$(cat health.port)
kill -HUP "$(cat health.pid)"
[ "$(ask $health/-health)" = 200 ]
rmdir shelf
[ "$(ask $health/-health)" = 503 ]
printf 'sea-helper 1\nput heads/00000000-0000-4000-8000-000000000001 1\na' >body.in
[ "$(ask -H "$lines" -H "$(as birds)" --data-binary @body.in $health/birds)" = 503 ]
[ ! -e shelf ]
mkdir shelf
[ "$(ask $health/-health)" = 200 ]
stop_server health
EOT

t 'the address of a proxy, and the one that it names' <<'EOT'
. ./env
[ "$(ask -H 'x-forwarded-for: 203.0.113.9' $url/birds/news)" = 401 ]
sleep 0.2
says main.log '127.0.0.1 - GET /birds/news 401'
fails grep -q 203.0.113.9 main.log
make_settings behind plain "proxies = 127.0.0.1 ::1"
start_server behind
[ "$(ask -H 'x-forwarded-for: 10.0.0.1, 203.0.113.9' http://127.0.0.1:$(cat behind.port)/birds/news)" = 401 ]
[ "$(ask -H "x-forwarded-for: $(printf 'x\033[2J')" http://127.0.0.1:$(cat behind.port)/birds/news)" = 400 ]
[ "$(ask -H "x-forwarded-for: <script>" http://127.0.0.1:$(cat behind.port)/birds/news)" = 401 ]
sleep 0.2
says behind.log '203.0.113.9 - GET /birds/news 401'
fails grep -q -e "$(printf '\033')" -e script behind.log
stop_server behind
EOT

t 'a token for this machine goes through no proxy' <<'EOT'
. ./env
/usr/bin/python3 -c 'import http.server
class Proxy(http.server.BaseHTTPRequestHandler):
  def do_POST(self):
    open("heard", "a").write(str(self.headers))
    self.send_error(403)
server = http.server.HTTPServer(("127.0.0.1", 0), Proxy)
open("proxy.port", "w").write(str(server.server_port))
server.serve_forever()' 2>proxy.log &
proxy=$!
for n in $(seq 100); do [ ! -s proxy.port ] || break; sleep 0.1; done
for host in 127.0.0.1 localhost; do
  http_proxy=http://127.0.0.1:$(cat proxy.port) status 0 sea test-helper "sea+http://$host:$(cat main.port)/birds"
done
kill $proxy
[ ! -e heard ]
EOT

t 'a socket in the file system' <<'EOT'
. ./env
make_settings socket plain "listen = unix:there"
"$SERVER" --config=socket.conf 2>socket.log &
echo $! >socket.pid
for n in $(seq 1000); do ! grep -q listening socket.log || break; sleep 0.1; done
[ "$(ask --unix-socket there http://x/-health)" = 200 ]
stop_server socket
EOT

t 'requests over the limit wait and then succeed' <<'EOT'
. ./env
sea init -q --name=one one
sea -C one put -q '{"_id":"a","n":1}'
sea -C one add-container -q --create team "$server/birds"
sea -C one sync -q
make_settings slow plain "requests-per-minute = 60" "refusals-per-minute = 5"
start_server slow
slow=http://127.0.0.1:$(cat slow.port)
printf 'sea-helper 1\n' >body.in
codes=$(yes $slow/birds | head -90 | xargs curl -s -w '\n%{http_code}\n' -H "$lines" -H "$(as birds)" --data-binary @body.in \
  | grep -x '[0-9][0-9][0-9]' | sort | uniq -c | tr -s ' ')
echo "$codes"
echo "$codes" | grep -q ' 429$'
[ "$(curl -s -D - -o /dev/null -H "$lines" -H "$(as birds)" --data-binary @body.in $slow/birds | grep -ci '^retry-after: [0-9]')" = 1 ]
# Somebody else is not kept from it.
[ "$(ask -H "$lines" -H "$(as other)" --data-binary @body.in $slow/birds)" = 200 ]
sea -C one remove-container -q --only-copy-is-fine team
sea -C one add-container -q team "sea+http://127.0.0.1:$(cat slow.port)/birds"
sea -C one set -q a n:=2
status 0 sea -C one sync
# Those that have no token are told so some times, and then not listened to.
codes=$(for n in $(seq 10); do ask $slow/birds/news; echo; done | sort | uniq -c | tr -s ' ')
echo "$codes" | grep -q ' 5 401'
echo "$codes" | grep -q ' 429'
stop_server slow
EOT

t 'a server that is busy is asked again for a minute, after pauses that double' <<'EOT'
. ./env
cat >busy.py <<'EOX'
import http.server, sys, time
status = sys.argv[1]
class Busy(http.server.BaseHTTPRequestHandler):
  def do_POST(self):
    self.rfile.read(int(self.headers["content-length"] or 0))
    open("asked." + status, "a").write(f"{time.monotonic()}\n")
    self.send_response(int(status))
    self.send_header("sea-server", "1")
    self.send_header("content-length", "0")
    self.end_headers()
server = http.server.HTTPServer(("127.0.0.1", 0), Busy)
open("busy." + status, "w").write(str(server.server_port))
server.serve_forever()
EOX
for status in 429 503; do
  /usr/bin/python3 busy.py $status 2>busy.log &
  echo $! >busy-$status.pid
  for n in $(seq 100); do [ ! -s busy.$status ] || break; sleep 0.1; done
  (have=0; sea clone "sea+http://127.0.0.1:$(cat busy.$status)/birds" never-$status 2>err.$status || have=$?
    echo $have >ended.$status) &
done
for status in 429 503; do
  for n in $(seq 900); do [ ! -s ended.$status ] || break; sleep 0.1; done
  kill "$(cat busy-$status.pid)"
  rm busy-$status.pid
  [ "$(cat ended.$status)" = 9 ]
  says err.$status "HTTP $status"
  /usr/bin/python3 -c 'import sys
times = [float(line) for line in open(sys.argv[1])]
pauses = [b - a for a, b in zip(times, times[1:])]
print(pauses)
assert 8 <= len(pauses) <= 11
# Each is the double of the one before, less up to a half.
assert all(0.049 * 2 ** n <= pause for n, pause in enumerate(pauses))
assert 20 < times[-1] - times[0] < 75' asked.$status
done
EOT

t 'an upload that is too large is refused, and nothing is kept' <<'EOT'
. ./env
make_settings small plain "largest-request = 200K" "requests-per-minute = 100000"
start_server small
sea -C one remove-container -q --only-copy-is-fine team
sea -C one add-container -q team "sea+http://127.0.0.1:$(cat small.port)/birds"
# Many small ones are sent in parts.
for n in $(seq 30); do sea -C one put -q "{\"_id\":\"r$n\",\"text\":\"$(head -c 15000 /dev/urandom | base64 -w0)\"}"; done
status 0 sea -C one sync
grep -q ' 413 ' small.log
status 0 sea verify containers/birds
head -c 500000 /dev/urandom >file
sea -C one set -q --create pic photo:asset@"$PWD/file"
status $REFUSED sea -C one sync
says err 'too large'
[ -z "$(find containers/birds/assets -type f 2>/dev/null)" ]
# One that does not say how large it is.
{ printf 'sea-helper 1\nput %s 900000\n' assets/00000000-0000-4000-8000-000000000001/1/7 && head -c 900000 /dev/zero; } | ask -X POST -H "$lines" -H "$(as birds)" -H 'transfer-encoding: chunked' --data-binary @- \
  http://127.0.0.1:$(cat small.port)/birds || true
for _ in $(seq 100); do ! grep -q ' 599 ' small.log || break; sleep 0.1; done
grep -q ' 599 ' small.log
[ "$(ask http://127.0.0.1:$(cat small.port)/-health)" = 200 ]
stop_server small
sea -C one remove-container -q --only-copy-is-fine team
sea -C one add-container -q team "$server/birds"
status 0 sea -C one sync
EOT

t 'many at once' <<'EOT'
. ./env
make_settings busy plain "requests-at-once = 2" "processes = 3" "requests-per-minute = 100000"
start_server busy
for n in 1 2 3 4 5 6; do
  sea clone -q --name=n$n "sea+http://127.0.0.1:$(cat busy.port)/birds" n$n 2>n$n.err &
  clones="${clones:-} $!"
done
for clone in $clones; do wait $clone || { cat n*.err; exit 1; }; done
stop_server busy
EOT

t 'behind a proxy that fails in every way, all comes through, once' <<'EOT'
. ./env
mkdir bad
/usr/bin/python3 "$SEA_TEST_ROOT/Tests/s3/proxy.py" "$(cat main.port)" bad \
  --faults 403,404,429,500,503,late,garbage,cut,lost,half,part,slow,twice --one-in 4 --seed "$SEA_TEST_SEED" &
echo $! >bad.pid
for n in $(seq 1000); do [ ! -f bad/port ] || break; sleep 0.1; done
sea init -q --name=far far
export SEA_TOKEN_COMMAND="cat $PWD/late.token"
sea -C far add-container -q --create team "sea+http://127.0.0.1:$(cat bad/port)/late"
head -c 9000000 /dev/urandom >file
for round in 1 2 3 4 5 6 7 8; do
  for n in 1 2 3; do sea -C far put -q "{\"_id\":\"x$round-$n\",\"n\":$n}"; done
  [ $round != 4 ] || sea -C far set -q --create pic photo:asset@"$PWD/file"
  for try in 1 2 3 4 5 6; do ! sea -C far sync -q >out 2>err || break; done
done
status 0 sea -C far sync
status 0 sea verify containers/late
status 0 sea clone --name=copy "sea+http://127.0.0.1:$(cat main.port)/late" copy
sea -C far list >want
sea -C copy list | same want
sea -C copy fetch-assets -q
sea -C copy get --raw pic photo | cmp - file
[ -z "$(find containers/late -name '*damaged*')" ]
echo "$(wc -l <bad/faults) faults"
[ "$(wc -l <bad/faults)" -ge 10 ]
kill "$(cat bad.pid)"
EOT

stop_server main
