# limit: 120
# A sea-server that many come to who have no token, and some who have none any more.
. "$SEA_TEST_ROOT/Tests/server/server.sh"
make_settings main plain "connections = 200" "patience = 2" "requests-per-minute = 100000"
mkdir containers
for name in birds other; do make_token "$name" "" birds; done
make_token all "" '*'
start_server main
cat >env <<EOX
IN_TEST=1
. "$SEA_TEST_ROOT/Tests/server/server.sh"
export SEA_TOKEN_COMMAND="cat $PWD/birds.token"
port=$(cat main.port)
url=http://127.0.0.1:$(cat main.port)
ask() { curl -s -m 20 -o body -w '%{http_code}' "\$@"; }
as() { printf 'authorization: Bearer %s' "\$(cat \$1.token)"; }
lines='content-type: application/vnd.sea.lines'
EOX
printf 'sea-helper 1\n' >body.in
# crowd.py PORT ADDRESSES EACH WHAT: comes from so many addresses, so often from each, and stays; how many are left, when asked and at the end.
cat >crowd.py <<'EOX'
import select, socket, sys, time
port, addresses, each, what = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
lines = []
for number in range(each):
    for address in range(addresses):
        line = socket.socket()
        line.bind(("127.0.1.%d" % (address + 1), 0))
        line.connect(("127.0.0.1", port))
        try:
            if what == "head":
                line.sendall(b"GET /birds/news HTTP/1.1\r\nx: " + b"a" * 15000)
        except OSError:
            pass
        lines.append(line)
def left():
    count = 0
    for line in lines:
        line.setblocking(False)
        try:
            count += line.recv(100) != b""
        except BlockingIOError:
            count += 1
        except OSError:
            pass
    return count
most = int(sys.argv[5]) if len(sys.argv) > 5 else 0
for _ in range(200):
    if left() <= most:
        break
    time.sleep(0.05)
print(left(), flush=True)
sys.stdin.read()
for _ in range(200):
    if not left():
        break
    time.sleep(0.05)
print(left())
EOX

t 'clients without a token block nobody and are disconnected' <<'EOT'
. ./env
# A member is there, and stays.
curl -s -N -H "$(as birds)" $url/birds/news >news &
listener=$!
for n in $(seq 2000); do ! grep -q ready news || break; sleep 0.05; done
for crowd in "1 300 nothing 64" "9 60 head 100"; do
  mkfifo go
  timeout 300 /usr/bin/python3 crowd.py $port $crowd <go >left &
  crowd=$!
  exec 3>go
  for n in $(seq 2000); do [ ! -s left ] || break; sleep 0.05; done
  # No more of them than have their place.
  [ "$(head -1 left)" -le 100 ] || { cat left; false; }
  [ "$(ask -H "$lines" -H "$(as birds)" --data-binary @body.in $url/birds)" = 200 ]
  [ "$(ask -H "$lines" -H "$(as other)" --data-binary @body.in --interface 127.0.1.1 $url/birds)" = 200 ]
  exec 3>&-
  wait $crowd
  [ "$(tail -1 left)" = 0 ]
  rm go
done
kill -0 $listener
kill $listener
wait $listener || true
EOT

t 'a crowd takes no more memory than it may' <<'EOT'
. ./env
make_settings wide plain "connections = 4096" "patience = 60"
start_server wide
/usr/bin/python3 crowd.py "$(cat wide.port)" 100 20 head 4096 </dev/null >left &
crowd=$!
for n in $(seq 2000); do [ ! -s left ] || break; sleep 0.05; done
rss=$(sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' /proc/$(cat wide.pid)/status)
echo "$(head -1 left) connections, $rss kB"
[ "$rss" -lt 300000 ]
[ "$(ask -H "$lines" -H "$(as birds)" --data-binary @body.in http://127.0.0.1:$(cat wide.port)/birds)" = 200 ]
kill $crowd
stop_server wide
EOT

t 'news end with the token' <<'EOT'
. ./env
(umask 077 && "$SERVER" add-token --config=main.conf --days=1 late birds >late.token)
"$SERVER" add-token --config=main.conf gone birds >gone.token
for name in late gone birds; do
  curl -s -N -m 60 -H "$(as $name)" $url/birds/news >news.$name &
  echo $! >$name.curl
done
for name in late gone birds; do for n in $(seq 2000); do ! grep -q ready news.$name || break; sleep 0.05; done; done
sed -i "s/^\(late .* until=\).*/\1$(($(date +%s) + 1))/; /^gone /d" tokens
for name in late gone; do
  for n in $(seq 2000); do kill -0 "$(cat $name.curl)" 2>/dev/null || break; sleep 0.05; done
  fails kill -0 "$(cat $name.curl)"
  # It ended as it should, and was not cut off.
  wait "$(cat $name.curl)"
done
kill -0 "$(cat birds.curl)"
kill "$(cat birds.curl)"
EOT

t 'a link that leads out of the folder is no container' <<'EOT'
. ./env
mkdir outside && echo secret >outside/info.json && mkdir containers/inside
ln -s "$PWD/outside" containers/away
ln -s ../outside containers/up
ln -s nowhere containers/none
ln -s inside containers/near
printf 'sea-helper 1\nlist .\nget info.json 0 9\n' >look
for name in away up none; do
  for body in look body.in; do
    [ "$(ask -H "$lines" -H "$(as all)" --data-binary @$body $url/$name)" = 404 ]
    fails grep -q secret body
  done
done
[ "$(ask -H "$lines" -H "$(as all)" --data-binary @look $url/near)" = 200 ]
[ "$(ls outside)" = info.json ]
EOT

t 'a server that says to come again later does not hold a run beyond its time' <<'EOT'
. ./env
cat >later.py <<'EOX'
import http.server
class Later(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_POST(self):
        self.rfile.read(int(self.headers.get("content-length", 0)))
        open("asked", "a").write("once\n")
        self.send_response(503)
        for name, value in (("sea-server", "1"), ("retry-after", "25"), ("content-length", "0")):
            self.send_header(name, value)
        self.end_headers()
    def log_message(self, *words):
        pass
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Later)
open("later.port", "w").write(str(server.server_port))
server.serve_forever()
EOX
/usr/bin/python3 later.py &
echo $! >later.pid
for n in $(seq 2000); do [ ! -s later.port ] || break; sleep 0.05; done
status $UNREACHABLE timeout 300 sea clone --time-limit=1 "sea+http://127.0.0.1:$(cat later.port)/birds" copy
says err 'no answer within --time-limit'
# It did not wait to ask again.
[ "$(wc -l <asked)" = 1 ]
kill "$(cat later.pid)"
EOT

stop_server main
