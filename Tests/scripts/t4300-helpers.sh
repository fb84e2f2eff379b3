cp "$SEA_TEST_ROOT/Helpers/samples/sea-remote-folder" .
PATH=$PWD:$PATH

t 'the sample keeps to the protocol, and has no more than 50 lines' <<'EOT'
[ "$(wc -l <sea-remote-folder)" -le 50 ]
status 0 sea test-helper folder:"$PWD/trial"
[ "$(grep -c '^ok ' out)" = 16 ]
[ ! -e trial ] || [ -z "$(find trial -type f)" ]
mkdir used && echo >used/file
status $SYSTEM sea test-helper folder:"$PWD/used"
status $USAGE sea test-helper nowhere:x
EOT

t 'so does sea serve' <<'EOT'
printf '#!/bin/sh\nexec sea serve --stdio "${1#*:}"\n' >sea-remote-served && chmod +x sea-remote-served
status 0 sea test-helper served:"$PWD/trial2"
[ "$(grep -c '^ok ' out)" = 17 ]
EOT

t 'clone and sync through a helper' <<'EOT'
sea init -q --name=one one
sea -C one put -q '{"_id":"a","n":1}'
status 0 sea -C one add-container --create team folder:"$PWD/team"
status 0 sea -C one sync
says out 'team: pulled 0, pushed 2'
status 0 sea clone --name=two folder:"$PWD/team" two
sea -C two set -q a n:=2
sea -C two sync -q
sea -C one sync -q
[ "$(sea -C one get a n)" = 2 ]
status 0 sea verify folder:"$PWD/team"
status 0 sea -C one containers --probe --porcelain
says out "folder:$PWD/team"
status 0 sea mirror folder:"$PWD/team" plain
sea heads --container=plain >want
status 0 sea heads --container=folder:"$PWD/team"
same out <want
status $UNREACHABLE sea clone folder:"$PWD/nothing" three
EOT

t 'a damaged file is set aside and written again' <<'EOT'
block=$(find team -path "*$(sea -C one rev-parse --instance-id)*/1/1")
printf xxxx | dd of="$block" bs=1 seek=90 conv=notrunc status=none
sea -C one sync -q --full >out 2>err || true
status 0 sea verify team
ls "${block%/*}" | grep -q damaged
EOT

t 'a helper that fails is named, and what it says is made harmless' <<'EOT'
printf '#!/bin/sh\nprintf "\\033]0;owned\\007 no key\\n" >&2\nexit 7\n' >sea-remote-fails && chmod +x sea-remote-fails
status $UNREACHABLE sea clone fails:x three
says err 'sea: warning[helper]: fails:x: \x1b]0;owned\x07 no key'
says err "failed with status 7 before the first answer"
status $UNREACHABLE sea clone --json fails:x three
grep -qF '"code":"helper"' err
printf '#!/bin/sh\nread -r line; echo "\033[2Jwelcome"\n' >sea-remote-fails
status $REFUSED sea clone fails:x three
says err 'violates the protocol'
fails grep -q "$(printf '\033')" err
printf '#!/bin/sh\nexec sleep 100\n' >sea-remote-fails
SEA_HELPER_TIMEOUT=1s status $UNREACHABLE sea clone fails:x three
says err 'no answer in 1 s'
EOT

t 'nothing of what a helper makes up gets through' <<'EOT'
# $1: what it says behind the greeting.
helper() { printf '#!/bin/sh\nread -r line; echo sea-helper 1\n%s\n' "$1" >sea-remote-fails; }
helper 'printf "error failed \033[2J\007gone wild\\n"; cat >/dev/null'
status $REFUSED sea clone fails:x three
says err 'gone wild'
fails grep -q "$(printf '[\033\007]')" err
helper 'echo "file 5 0 ../../outside"; echo ok; cat >/dev/null'
status $REFUSED sea clone fails:x three
says err 'is not a valid answer'
helper 'while :; do printf xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done'
status $REFUSED sea clone fails:x three
says err 'a line of more than 1024 bytes'
helper 'echo ok; echo ok 99999999999; yes'
status $REFUSED sea clone fails:x three
printf '#!/bin/sh\nread -r line; echo sea-helper 7\ncat >/dev/null\n' >sea-remote-fails
status $INCOMPATIBLE sea clone fails:x three
says err 'uses unsupported protocol version 7'
[ "$(grep -c '^sea: error' err)" = 1 ]
[ ! -e three ]
[ ! -e ../outside ]
[ ! -e ../../outside ]
EOT

t 'half a million names take less than 200 MB' <<'EOT'
# $1: how many names; prints the most memory that sea had, in KiB.
peak() {
  cat >sea-remote-many <<EOX
#!/bin/sh
read -r line; echo sea-helper 1
awk 'BEGIN { for (n = 0; n < $1; n++) printf "file 9 9 assets/6e1f0c5e-3a51-4a53-9d0c-2f1d5b7f3c11/3/0/%d/%d\\n", n / 1000, n % 1000 }'
printf 'ok\\nerror not-found\\n'
exec cat >/dev/null
EOX
  chmod +x sea-remote-many
  /usr/bin/python3 -c 'import resource, subprocess
subprocess.run(["sea", "clone", "many:x", "three"], stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)'
}
none=$(peak 0)
some=$(peak 50000)
echo "$none KiB without names, $some KiB with 50,000"
[ "$some" -gt "$none" ]
[ $((none + (some - none) * 10)) -lt 200000 ]
EOT

t 'endless complaints are cut, and what is left behind is not waited for' <<'EOT'
printf '#!/bin/sh\nyes complaint >&2\n' >sea-remote-fails
SEA_HELPER_TIMEOUT=1s status $UNREACHABLE sea clone fails:x three
[ "$(grep -c complaint err)" -le 40 ]
says err '(further lines omitted)'
printf '#!/bin/sh\n(timeout 3000 yes complaint >&2) &\nexit 3\n' >sea-remote-fails
SEA_HELPER_TIMEOUT=2s status $UNREACHABLE timeout 300 sea clone fails:x three
says err 'failed with status 3'
EOT

t 'secrets stay here' <<'EOT'
printf '#!/bin/sh\nenv >%s/helper.env\necho "$@" >%s/helper.args\nexit 1\n' "$PWD" "$PWD" >sea-remote-fails
SEA_PASSWORD_FILE=/secret/file SEA_ASKPASS=/secret/program OTHER=told status $UNREACHABLE sea clone fails:x three
fails grep -q secret helper.env
grep -q OTHER=told helper.env
echo 'fails:x' | same helper.args
status $USAGE sea clone s3://ada:hunter2@host/x three
fails grep -q hunter2 err
EOT

t 'make install brings helper, sample, pages and schemas, and uninstall takes them away' <<'EOT'
made() {
  make -s -C "$SEA_TEST_ROOT" "$1" SEA="$(realpath "$(command -v sea)")" S3="$(realpath "$(command -v sea-remote-s3)")" \
    XLSX="$(realpath "$(command -v sea-read-xlsx)")" \
    DESTDIR="$PWD/root" PREFIX=/opt/sea
}
made install
for file in bin/sea bin/sea-read-xlsx bin/sea-remote-s3 bin/sea-remote-rclone bin/sea-remote-sea+https bin/sea-remote-sea+http share/sea/samples/sea-remote-folder share/man/man1/sea-remote-s3.1 \
  share/man/man5/sea-helpers.5 share/bash-completion/completions/sea; do
  [ -s root/opt/sea/$file ] || { echo "there is no $file"; exit 1; }
done
ls root/opt/sea/share/sea/schemas | grep -q json
[ -x root/opt/sea/bin/sea-remote-s3 ]
[ -x root/opt/sea/share/sea/samples/sea-remote-folder ]
grep -q /opt/sea/bin/sea root/opt/sea/lib/systemd/user/sea-watch@.service
# What is installed beside sea is found there by it.
PATH=/usr/bin:/bin status $UNREACHABLE env AWS_ENDPOINT_URL=http://127.0.0.1:1 AWS_ACCESS_KEY_ID=a AWS_SECRET_ACCESS_KEY=b \
  root/opt/sea/bin/sea clone s3://bucket/x x
says err 'unavailable'
# The server and its unit come along where it was built.
printf '#!/bin/sh\n' >built && chmod +x built
make -s -C "$SEA_TEST_ROOT" install SEA="$(realpath "$(command -v sea)")" S3="$(realpath "$(command -v sea-remote-s3)")" \
  XLSX="$(realpath "$(command -v sea-read-xlsx)")" \
  SERVER="$PWD/built" DESTDIR="$PWD/root" PREFIX=/opt/sea
[ -x root/opt/sea/bin/sea-server ]
grep -q /opt/sea/bin/sea-server root/opt/sea/lib/systemd/system/sea-server.service
made uninstall
[ -z "$(find root -type f -o -type l)" ]
EOT

t 'sea serve tells at once what appears, to who asks' <<'EOT'
sea init -q --name=n n
sea -C n put -q '{"_id":"a"}'
sea -C n add-container -q --create told "$PWD/told"
sea -C n sync -q
mkfifo line
sea serve --stdio --read-only told <line >said &
server=$!
exec 3>line
printf 'sea-helper 1\nawait 60\n' >&3
for n in $(seq 1000); do ! grep -q wait said || break; sleep 0.1; done
sea -C n set -q a n:=1
sea -C n sync -q
for n in $(seq 1000); do ! grep -q news said || break; sleep 0.1; done
printf 'get info.json 0 7\nawait 0\nbye\n' >&3
wait $server
exec 3>&-
cat said
same said <<EOX
sea-helper 1 read-only await
wait
news transactions/$(sea -C n rev-parse --instance-id)/1
ok
ok 7
{"sea":wait
ok
ok
EOX
EOT
