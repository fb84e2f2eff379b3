# limit: 120
# Servers on the local network: what they announce, and who hears of it.
. "$SEA_TEST_ROOT/Tests/server/server.sh"
make_settings main plain
mkdir containers bin
make_token birds "" birds
# A browser that says what stands in ./told, and ends as ./ends says.
cat >bin/avahi-browse <<EOX
#!/bin/sh
[ "\$*" = "-rpt _sea._tcp" ] || exit 77
cat "$PWD/told"
exit "\$(cat "$PWD/ends")"
EOX
# One that publishes until it is ended.
cat >bin/avahi-publish <<EOX
#!/bin/sh
printf '%s\n' "\$@" >"$PWD/published"
echo \$\$ >"$PWD/publisher"
exec sleep 100
EOX
chmod +x bin/*
cat >env <<EOX
IN_TEST=1
. "$SEA_TEST_ROOT/Tests/server/server.sh"
PATH=$PWD/bin:\$PATH
told() { printf '%s\n' "\$@" >$PWD/told; echo 0 >$PWD/ends; }
EOX

t 'a table, lines and events' <<'EOT'
. ./env
told '+;eth0;IPv4;field;_sea._tcp;local' '=;eth0;IPv4;field;_sea._tcp;local;Box.local;10.0.0.1;7325;"scheme=sea+https"' \
  '=;eth0;IPv6;field;_sea._tcp;local;Box.local;fe80::1;7325;"scheme=sea+https"' \
  '=;eth0;IPv4;Anna\039s;_sea._tcp;local;anna.local;10.0.0.2;80;'
status 0 sea containers --discover
same out <<'EOX'
NAME    ADDRESS   LOCATION
Anna's  10.0.0.2  sea+https://anna.local:80
field   10.0.0.1  sea+https://box.local:7325
to add one (with its token), run: sea add-container NAME LOCATION/CONTAINER
EOX
status 0 sea containers --discover --porcelain
[ "$(sed -n 2p out)" = "$(printf 'field\t10.0.0.1\tsea+https://box.local:7325')" ]
status 0 sea containers --discover --json
[ "$(jq -c 'select(.name == "field") | [.event, .host, .port, .addresses]' out)" = '["server","box.local",7325,["10.0.0.1","fe80::1"]]' ]
told
status 0 sea containers --discover
[ ! -s out ]
says err 'no servers found on the local network'
status $USAGE sea containers --discover --probe
EOT

t 'forged announcements' <<'EOT'
. ./env
told '=;eth0;IPv4;red\027[31m\010sea: ok;_sea._tcp;local;box.local;10.0.0.1;7325;' '=;e;IPv4;x;_sea._tcp;local;-oX;10.0.0.1;7325;' \
  '=;e;IPv4;y;_sea._tcp;local;h@ost/..;10.0.0.1;7325;' '=;e;IPv4;z;_sea._tcp;local;box.local;10.0.0.1;99999;' '=;;;;;;;;;'
printf '=;e;IPv4;\377\376;_sea._tcp;local;box.local;10.0.0.1;1;\n=;e;IPv4;raw \033[2J;_sea._tcp;local;box.local;10.0.0.1;2;' >>told
status 0 sea containers --discover
fails grep -q "$(printf '\033')" out err
[ "$(wc -l <out)" = 5 ]
status 0 sea containers --discover --json
jq -c . out >/dev/null
[ "$(jq -r 'select(.event == "server") | .port' out | sort -n | tr '\n' ' ')" = '1 2 7325 ' ]
# So many, and more than anybody would read.
for n in $(seq 1100); do echo "=;e;IPv4;n$n;_sea._tcp;local;box.local;10.0.0.1;7325;"; done >told
status $PARTIAL sea containers --discover --porcelain
[ "$(wc -l <out)" = 1000 ]
{ head -1 told; head -c 20000000 /dev/zero | tr '\0' =; } >flood && mv flood told
status $PARTIAL sea containers --discover
says out n1
EOT

t 'a browser that cannot' <<'EOT'
. ./env
printf 'Failed to create client object: \033[31mDaemon not running\n' >told && echo 1 >ends
status $UNREACHABLE sea containers --discover
says err "'avahi-browse' failed with status 1: Failed to create client object"
says err 'check that the avahi daemon is running'
fails grep -q "$(printf '\033')" err
mkdir none && ln -s "$(command -v sea)" none/
status $UNREACHABLE env PATH=$PWD/none sea containers --discover
says err "program 'avahi-browse' not found in PATH"
EOT

t 'a server is announced as long as it lives' <<'EOT'
. ./env
for signal in TERM KILL; do
  make_settings told$signal plain "announce = Tom's box"
  start_server told$signal
  for n in $(seq 2000); do [ ! -s publisher ] || break; sleep 0.05; done
  [ "$(cat published)" = "$(printf '%s\n' -f -s "Tom's box" _sea._tcp "$(cat told$signal.port)" scheme=sea+http)" ]
  says told$signal.log "announced as 'Tom's box'"
  kill -0 "$(cat publisher)"
  stop_server told$signal $signal
  for n in $(seq 2000); do kill -0 "$(cat publisher)" 2>/dev/null || break; sleep 0.05; done
  fails kill -0 "$(cat publisher)" 2>/dev/null
  rm publisher
done
# Nobody publishes: it is said, and the server runs.
mv bin/avahi-publish .
make_settings alone plain "announce = alone"
(PATH=/nowhere "$SERVER" --config=alone.conf 2>alone.log & echo $! >alone.pid)
for n in $(seq 2000); do ! grep -q 'listening on' alone.log || break; sleep 0.05; done
for n in $(seq 2000); do ! grep -q 'not announced' alone.log || break; sleep 0.05; done
says alone.log "not announced: 'avahi-publish' not found on PATH"
stop_server alone
mv avahi-publish bin
# What is no name.
for name in -x "$(printf 'a%.0s' $(seq 64))" "$(printf 'a\033b')"; do
  make_settings bad plain "announce = $name"
  status $BAD_DATA timeout 300 "$SERVER" --config=bad.conf
done
make_settings bad plain "listen = unix:there" "announce = there"
status $BAD_DATA timeout 300 "$SERVER" --config=bad.conf
EOT

t 'between two machines: two namespaces with a bus and an avahi each' <<'EOT'
. ./env
PATH=${PATH#*:}
make_certificate
make_settings far "listen = 10.9.0.1:7325" "announce = Tom's box"
# NAME: a /run of its own, and what a machine runs.
cat >machine <<'EOX'
mount -t tmpfs none /run
mkdir -p /run/dbus
printf '[server]\nhost-name=%s\nuse-ipv6=no\nallow-interfaces=veth\n[wide-area]\nenable-wide-area=no\n[publish]\npublish-workstation=no\n' \
  "$1" >"$1.avahi"
dbus-daemon --system --nofork --nopidfile >"$1.bus" 2>&1 &
echo $! >"$1-bus.pid"
for n in $(seq 200); do [ ! -S /run/dbus/system_bus_socket ] || break; sleep 0.02; done
avahi-daemon --no-drop-root --no-chroot --no-rlimits -f "$PWD/$1.avahi" >"$1.log" 2>&1 &
echo $! >"$1-avahi.pid"
exec sleep 100
EOX
for name in there here; do
  unshare -m -n sh -eu machine $name &
  echo $! >$name.pid
  for n in $(seq 200); do ! grep -qs 'startup complete' $name.log || break; sleep 0.02; done
done
there="nsenter -t $(cat there.pid) -m -n" here="nsenter -t $(cat here.pid) -m -n"
$there ip link add veth type veth peer name veth netns "$(cat here.pid)"
$there sh -c 'ip addr add 10.9.0.1/24 dev veth && ip link set veth up && ip link set lo up'
$here sh -c 'ip addr add 10.9.0.2/24 dev veth && ip link set veth up'
$there "$SERVER" --config="$PWD/far.conf" 2>far.log &
echo $! >far.pid
for n in $(seq 30); do
  $here sea containers --discover --porcelain >found 2>err || true
  [ ! -s found ] || break
done
[ "$(cat found)" = "$(printf "Tom's box\t10.9.0.1\tsea+https://there.local:7325")" ] || { cat found err far.log; false; }
# It leaves when the server does.
kill "$(cat far.pid)" && wait "$(cat far.pid)"
for n in $(seq 30); do
  $here sea containers --discover --porcelain >found 2>err
  [ -s found ] || break
done
[ ! -s found ]
for one in here-avahi here-bus there-avahi there-bus here there; do kill -KILL "$(cat $one.pid)"; done
EOT
