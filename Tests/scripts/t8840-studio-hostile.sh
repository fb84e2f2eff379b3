# limit: 180
# Those who mean harm: other users of the computer, and what others have written, in a real browser.
. "$SEA_TEST_ROOT/Tests/studio/studio.sh"
sea init -q --name=office museum
sea -C museum put -q '{"_id":"o/1","name":"Bead"}'
start_studio main museum

t 'another user of the computer gets nothing, whatever socket is used, and the address stays valid' <<'EOT'
IN_TEST=1 . "$SEA_TEST_ROOT/Tests/studio/studio.sh"
cat >ask <<'EOX'
import os, socket, sys
address, cookie, user = sys.argv[1:]
host, _, target = address.removeprefix("http://").partition("/")
name, port = host.split(":")
os.setgroups([]), os.setgid(int(user)), os.setuid(int(user))
for family, place in (socket.AF_INET, name), (socket.AF_INET6, f"::ffff:{name}"):
    with socket.socket(family) as one:
        one.connect((place, int(port)))
        one.sendall(f"GET /{target} HTTP/1.1\r\nhost: {host}\r\ncookie: sea-studio={cookie}\r\nconnection: close\r\n\r\n".encode())
        print(one.recv(12).decode())
EOX
for n in 1 2; do echo 'HTTP/1.1 403'; done >refused
/usr/bin/python3 ask "$(cat main.address)" x 4001 | diff - refused
enter_studio main
[ "$(page /)" = 200 ]
/usr/bin/python3 ask "$place/" "$(awk '$6 == "sea-studio" { print $7 }' "$jar")" 4001 | diff - refused
EOT

/usr/bin/python3 "$SEA_TEST_ROOT/Tests/studio/hostile.py"
