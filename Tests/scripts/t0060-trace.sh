# limit: 120
# What SEA_TRACE and SEA_TRACE_JSON tell, and what they never do.
cat >lib <<'EOX'
# json FILE: every line of it is an object with what all have; prints them as EVENT KEY...
json() {
  python3 - "$1" <<'EOP'
import json, re, sys
for line in open(sys.argv[1], encoding="ascii"):
    assert line.endswith("\n")
    one = json.loads(line)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", one.pop("time")), line
    assert one.pop("pid") > 0 and one.pop("program") in ("sea", "sea-remote")
    seconds = one.pop("seconds", None)
    assert seconds is None or 0 <= seconds < 600, line
    print(one.pop("event"), "-" if seconds is None else "s", *sorted(one))
EOP
}
EOX
mkdir bin && cp "$SEA_TEST_ROOT/Helpers/samples/sea-remote-folder" bin/
echo "export PATH=$PWD/bin:\$PATH" >>lib

t 'locks, transactions, exchanges and requests, each with its time' <<'EOT'
. ./lib
sea init -q --name=one one
SEA_TRACE=$PWD/text SEA_TRACE_JSON=$PWD/lines sea -C one put -q '{"_id":"a"}'
json lines >events
for want in 'command - name' 'lock s outcome path' 'transaction s outcome path' 'unlock s path' 'end s status'; do
  grep -qxF "$want" events || { echo "no '$want'"; cat events; false; }
done
[ "$(wc -l <text)" = "$(wc -l <lines)" ]
grep -qE '^[0-9T:.Z-]+ sea\[[0-9]+\] lock 0\.[0-9]{6} path=/.*/one/\.sea/lock outcome=locked$' text
grep -qE ' sea\[[0-9]+\] command - name=put$' text
grep -qE ' sea\[[0-9]+\] end [0-9.]+ status=0$' text
# A helper: each line that it is asked.
sea -C one add-container -q --create hub "folder://$PWD/hub.sea"
rm text lines
SEA_TRACE=$PWD/text SEA_TRACE_JSON=$PWD/lines sea -C one sync -q
json lines >events
for want in 'request s answer place received request sent' 'exchange s assets container location outcome part pulled pushed' \
  'program - name' 'program s name status'; do
  grep -qxF "$want" events || { echo "no '$want'"; cat events; false; }
done
grep -qE ' request [0-9.]+ place=folder://.*/hub\.sea request="put transactions/.*" answer=ok sent=[1-9][0-9]* received=0$' text
grep -qE ' exchange [0-9.]+ container=hub location=folder://.* part=push outcome=ok pulled=0 pushed=2 assets=0$' text
grep -qE ' program [0-9.]+ name=sea-remote-folder status=0$' text
# A lock that another one has.
flock -F one/.sea/lock sleep 3000 &
while flock -n one/.sea/lock true; do sleep 0.01; done
SEA_TRACE=$PWD/held status $LOCKED sea -C one --lock-wait=1 put '{"_id":"b"}'
grep -qE ' lock [1-9][0-9]*\.[0-9]* path=.* outcome=held$' held
grep -qE ' end [1-9][0-9]*\.[0-9]* status=6$' held
kill $!
wait $! || true
EOT

t 'where it goes: standard error, an open file, a path that is appended to' <<'EOT'
. ./lib
SEA_TRACE=1 status 0 sea -C one get a
grep -q ' command - name=get' err
fails grep -q command out
SEA_TRACE=true status 0 sea -C one get a
grep -q ' command - name=get' err
SEA_TRACE=5 status 0 sea -C one get a 5>five
grep -q ' command - name=get' five
[ ! -s err ]
rm -f appended
for n in 1 2; do SEA_TRACE=$PWD/appended sea -C one get a >/dev/null; done
[ "$(grep -c ' command ' appended)" = 2 ]
[ "$(stat -c %a appended)" = 600 ]
for off in '' 0 false; do
  SEA_TRACE=$off SEA_TRACE_JSON=$off status 0 sea -C one get a
  [ ! -s err ]
done
# Both, and a helper's standard error that is not ours.
SEA_TRACE=1 SEA_TRACE_JSON=$PWD/both status 0 sea -C one sync
grep -q ' request ' err && json both >/dev/null
EOT

t 'a trace that cannot be written prints one line and stops nothing' <<'EOT'
. ./lib
mkfifo pipe
for bad in relative 77 "$PWD" "$PWD/no/such" "$PWD/pipe" -1 1x; do
  SEA_TRACE=$bad status 0 timeout 300 sea -C one put -q '{"_id":"z"}'
  [ "$(grep -c 'warning\[trace\]' err)" = 1 ] && says err 'SEA_TRACE: ' || { echo "of '$bad'"; false; }
done
SEA_TRACE_JSON=/dev/full status 0 sea -C one get a
[ "$(grep -c 'warning\[trace\]' err)" = 1 ]
says err 'SEA_TRACE_JSON: cannot write: No space left on device'
# With --json it is an event, as any warning.
SEA_TRACE=relative status 0 sea --json -C one get a
python3 -c 'import json; [json.loads(line) for line in open("err")]'
# Nobody reads it any more.
SEA_TRACE=7 status 0 sea -C one put -q '{"_id":"y"}' 7>&1 >/dev/null 2>&1 | true
EOT

t 'nothing steers a terminal, and lines stay lines' <<'EOT'
. ./lib
odd=$(printf 'b\033[31m\342\200\256 "x\\\nsea: y\303\251')
mkdir "$odd" && sea init -q --name=odd "$odd"
SEA_TRACE=$PWD/odd.text SEA_TRACE_JSON=$PWD/odd.lines sea -C "$odd" put -q '{"_id":"a"}'
json odd.lines >/dev/null
if LC_ALL=C grep -n '[^ -~]' odd.text odd.lines; then false; fi
grep -qF 'b\u001b[31m\u202e \"x\\\u000asea: y\u00e9/.sea/lock' odd.text
EOT

t 'secrets are never told: passwords, keys, contents, the environment' <<'EOT'
. ./lib
umask 077
echo planted-passphrase >phrase
export SEA_TRACE=$PWD/secret.text SEA_TRACE_JSON=$PWD/secret.lines
export AWS_ACCESS_KEY_ID=planted-access AWS_SECRET_ACCESS_KEY=planted-key AWS_SESSION_TOKEN=planted-token
export SEA_PASSWORD_COMMAND="sh -c 'echo planted-passphrase'" PLANTED=planted-variable
sea init -q --encrypt --name=sealed sealed
sea -C sealed put -q '{"_id":"planted-id","_type":"planted-type","p":"planted-value"}'
head -c 300000 /dev/urandom | base64 | sed '1s/^/planted-content/' >asset
sea -C sealed set -q planted-id photo:asset@$PWD/asset
sea -C sealed add-container -q --create hub "folder://$PWD/sealed.sea"
sea -C sealed sync -q
sea clone -q --name=second "folder://$PWD/sealed.sea" second
sea -C second get planted-id >/dev/null
sea -C second query -t planted-type "p = 'planted-value'" >/dev/null
mkdir -p second/.sea/hooks
printf '#!/bin/sh\ncat >/dev/null\n' >second/.sea/hooks/post-commit && chmod +x second/.sea/hooks/post-commit
sea -C second -c planted.setting=planted-setting set -q planted-id p=planted-other
SEA_PASSWORD_COMMAND="sh -c 'echo mistaken'" status 7 sea -C second passwd --list || :
status $USAGE sea -C sealed add-container bad folder://me:planted-word@host/x
unset SEA_TRACE SEA_TRACE_JSON
json secret.lines >/dev/null
grep -q ' transaction ' secret.text
grep -q ' program .*name=sh ' secret.text
if grep -n planted secret.text secret.lines; then false; fi
# Nor a private key of .sea in any form.
python3 - <<'EOP'
import base64, os
told = open("secret.text", "rb").read() + open("secret.lines", "rb").read()
for folder, _, names in os.walk("sealed/.sea/keys"):
    for name in names:
        data = open(os.path.join(folder, name), "rb").read()
        for at in range(0, len(data) - 16, 8):
            piece = data[at : at + 16]
            assert piece not in told and piece.hex().encode() not in told, name
EOP
EOT
