# sealed: yes
. "$SEA_TEST_ROOT/Tests/server/ssh.sh"
start_ssh
trap 'kill "$(cat sshd.pid)" 2>/dev/null' EXIT

t 'a container of another machine' <<'EOT'
. ./env
sea init -q --name=one one
sea -C one set -q --create a n:=1
status 0 sea -C one add-container --create hub "$hub/hub.sea"
status 0 sea -C one sync
says out 'hub: pulled 0, pushed 2'
[ -f hub.sea/info.json ]
status 0 sea clone --name=two "$hub/hub.sea" two
sea -C two set -q a n:=2
status 0 sea -C two sync
sea -C one sync -q
[ "$(sea -C one get a n)" = 2 ]
status 0 sea -C one sync
says out 'pulled 0, pushed 0'
status 0 sea -C one containers --probe
says out 'ok'
status 0 sea verify "$hub/hub.sea"
status 0 sea heads --container="$hub/hub.sea"
sea heads --container=hub.sea | same out
status 0 sea mirror "$hub/hub.sea" copy.sea
status 0 sea mirror copy.sea "$hub/third.sea"
(cd hub.sea && find transactions -type f | sort | xargs sha256sum) >want
(cd third.sea && find transactions -type f | sort | xargs sha256sum) | same want
EOT

t 'assets go along' <<'EOT'
. ./env
head -c 5000000 /dev/urandom >file
sea -C one set -q --create pic photo:asset@"$PWD/file"
sea -C one sync -q
sea -C two sync -q --assets=all
sea -C two get --raw pic photo | cmp - file
EOT

t 'one connection for a sync' <<'EOT'
. ./env
before=$(grep -c 'Accepted publickey' sshd.log)
sea -C one set -q --create b n:=1
sea -C one sync -q
[ $(($(grep -c 'Accepted publickey' sshd.log) - before)) = 1 ]
EOT

t 'missing containers and refused logins' <<'EOT'
. ./env
status $UNREACHABLE sea clone "$hub/nothing.sea" three
status $UNREACHABLE sea clone "ssh://127.0.0.1:1/x.sea" three
says err unreachable
SEA_SSH="$SEA_SSH -i host -o IdentityFile=none"
status $UNREACHABLE sea clone "${hub%%@*}-nobody@${hub#*@}/hub.sea" three
says err 'sea: warning[helper]'
for bad in ssh://-oProxyCommand=touch%20owned/x ssh://-x@host/x 'ssh://ho;st/x' ssh://host; do
  status $USAGE sea clone "$bad" three
done
[ ! -e owned ]
[ ! -e three ]
status $USAGE sea clone "ssh://ada:secret@host/x" three
fails grep -q secret err
EOT

t 'a password that somebody has written into the settings is told nowhere' <<'EOT'
. ./env
status $USAGE sea -C one config set container.far.location ssh://ada:secret@host/x
status $USAGE sea -C one config set --force container.far.location ssh://ada:secret@host/x
fails grep -q secret err
fails grep -q secret one/.sea/config
cp one/.sea/config kept
printf '[container "far"]\nlocation = ssh://ada:secret@host/x\n' >>one/.sea/config
for words in containers 'containers --json' status 'status --json' 'sync far' 'sync --json far' 'remove-container --force far'; do
  sea -C one $words >>told 2>&1 || true
done
fails grep -q secret told
grep -q 'ssh://ada:\*\*\*@host/x' told
cp kept one/.sea/config
EOT

t 'an ssh that ends before it says anything is tried again, and one that is denied is not' <<'EOT'
. ./env
real=$SEA_SSH
cat >flaky <<'EOX'
#!/bin/sh
echo >>tries
[ "$(wc -l <tries)" -gt "$FAILS" ] || { echo "${SAYS:-connection refused}" >&2; exit 255; }
exec ssh "$@"
EOX
chmod +x flaky
export SEA_SSH="$PWD/flaky ${real#ssh}"
FAILS=3 status 0 sea heads --container="$hub/hub.sea"
[ "$(wc -l <tries)" = 4 ]
# What each try says is shown once.
[ "$(grep -c 'connection refused' err)" = 1 ]
rm tries
FAILS=99 status $UNREACHABLE sea heads --container="$hub/hub.sea"
[ "$(wc -l <tries)" = 6 ]
rm tries
FAILS=99 SAYS='ada@host: Permission denied (publickey).' status 9 sea heads --container="$hub/hub.sea"
[ "$(wc -l <tries)" = 1 ]
EOT

t 'a key that is for one container' <<'EOT'
. ./env
ssh-keygen -q -t ed25519 -N '' -f small
echo "restrict,command=\"sea serve --stdio --append-only $PWD/hub.sea\" $(cat small.pub)" >>authorized
SEA_SSH="$(echo "$SEA_SSH" | sed 's/key/small/')"
sea -C one set -q --create c n:=1
status 0 sea -C one sync
says out 'pushed 1'
status $UNREACHABLE sea clone "$hub/third.sea" three
says err 'this key does not give access'
status $UNREACHABLE sea clone "$hub/hub.sea/../third.sea" three
(cd hub.sea && find transactions -type f | sort | xargs sha256sum) >want
echo "restrict,command=\"sea serve --stdio --read-only $PWD/hub.sea\" $(cat small.pub)" >authorized
sea -C one set -q --create d n:=1
status $DENIED sea -C one sync
says err denied
(cd hub.sea && find transactions -type f | sort | xargs sha256sum) | same want
status 0 sea -C one pull
EOT

t 'over ssh, something else at the path of the next block is found' <<'EOT'
. ./env
cp key.pub authorized
sea init -q --name=near near
sea -C near set -q --create a n:=1
sea -C near add-container -q --create c "$PWD/odd.sea"
sea -C near sync -q
sea clone -q --name=far "$hub/odd.sea" far
chain=odd.sea/transactions/$(sea -C near rev-parse --instance-id)/1
next=$(ls "$chain" | wc -l)
for kind in link fifo folder; do
  case $kind in
  link) ln -s /nowhere "$chain/$next" ;;
  fifo) mkfifo "$chain/$next" ;;
  folder) mkdir "$chain/$next" ;;
  esac
  status $PARTIAL sea -C far sync --full
  says err "block $(sea -C near rev-parse --instance-id | cut -c1-8)/$next is incomplete"
  rm -r "${chain:?}/$next"
  status 0 sea -C far sync --full
done
EOT

t 'garbage at the next place of an append-only container keeps no block back' <<'EOT'
. ./env
cp key.pub authorized
sea init -q --name=writer writer
sea -C writer set -q --create a n:=1
sea -C writer add-container -q --create hub "$hub/garbage.sea"
status 0 sea -C writer sync
echo "restrict,command=\"sea serve --stdio --append-only $PWD/garbage.sea\" $(cat small.pub)" >>authorized
SEA_SSH="$(echo "$SEA_SSH" | sed 's/key/small/')"
chain=garbage.sea/transactions/$(ls garbage.sea/transactions)
next=$chain/1/$(ls "$chain/1" | wc -l)
printf abcde >"$next"
touch -d '3 hours ago' "$next"
for key in b c; do
  sea -C writer set -q --create $key n:=1
  status $PARTIAL sea -C writer sync
  says out 'pushed 1'
  says err "cannot be moved"
  says err "/1/$(basename "$next")"
  sea -C writer status | (! grep 'not in any container')
done
status $PARTIAL sea clone garbage.sea reader
[ "$(sea -C reader query --count)" = 3 ]
# The owner of the place removes what is in the way, and nothing is missing.
rm "$next"
status 0 sea -C writer sync
status 0 sea -C reader sync
[ "$(cat "$next" 2>&1)" != abcde ]
EOT

t 'nor does garbage at every place that can be foreseen' <<'EOT'
. ./env
SEA_SSH="$(echo "$SEA_SSH" | sed 's/key/small/')"
sea -C writer set -q --create d n:=1
chain=garbage.sea/transactions/$(sea -C writer rev-parse --instance-id)
sea -C writer heads --json | grep "$(sea -C writer rev-parse --instance-id)" >head
# So does the folder of that block, and all that follow from its hash.
/usr/bin/python3 - "$chain" "$(jq -r .index head)" "$(jq -r .hash head)" <<'P'
import glob, hashlib, os, sys
chain, index, digest = sys.argv[1], sys.argv[2], bytes.fromhex(sys.argv[3])
for folder in glob.glob(chain + "*") + [None] * 100:
    if folder is None:
        folder, digest = f"{chain}~{digest[:16].hex()}", hashlib.sha256(digest).digest()
    os.makedirs(folder + "/1", exist_ok=True)
    open(f"{folder}/1/{index}", "w").write("abcde")
    os.utime(f"{folder}/1/{index}", (0, 0))
P
status $PARTIAL sea -C writer sync
says out 'pushed 1'
sea -C writer status | (! grep 'not in any container')
rm -rf reader
status $PARTIAL sea clone garbage.sea reader
[ "$(sea -C reader get d n)" = 1 ]
EOT

t 'the line breaks off: nothing is lost, and the same command goes on' <<'EOT'
. ./env
cp key.pub authorized
cat >cut <<'EOX'
#!/bin/sh
n=$1; shift
exec 3<&0
ssh "$@" <&3 | head -c "$n" &
# Nobody else is to hold the line.
exec >&- 3<&-
wait
EOX
chmod +x cut
export SEA_HELPER_TIMEOUT=2s
for n in 0 13 40 500 3000; do
  sea -C one set -q --create "cut/$n" n:=$n
  SEA_SSH="$PWD/cut $n ${SEA_SSH#ssh}" sea -C one sync -q >out 2>&1 || true
  fails grep -q 'internal\|error\[bug' out
done
unset SEA_HELPER_TIMEOUT
status 0 sea -C one sync
status 0 sea verify hub.sea
sea -C two sync -q
[ "$(sea -C two query --count "_id LIKE 'cut/%'")" = 5 ]
EOT
