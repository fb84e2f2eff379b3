umask 077
unset SEA_PASSWORD_FILE
echo 'the passphrase of the team' >pw

cat >world.sh <<'EOX'
. "$SEA_TEST_LIB"
p=$PWD
id() { sea -C "$1" rev-parse --instance-id; }
words() { sea -C "$1" instances --json | sed -n '/"instance":"'"$(id "$1")"'"/s/.*"fingerprint":"\([^"]*\)".*/\1/p'; }
# A sealed database of one, and its container.
found() {
  sea init -q --encrypt --password-file="$p/pw" --name="$1" "$@"
  (cd "$1" && sea add-container -q --create team "$p/$1.team" && sea set -q --create -t note n/1 text=old && sea push -q)
}
EOX

t 'clone without a passphrase requests access' <<'EOT'
. ./world.sh
found alice --require-auth
status 0 sea clone --name=bob alice.team bob
says out "Access requested for $PWD/bob/.sea"
says out "  fingerprint: $(sea -C bob instances --fingerprint | sed -n '/pending/{n;s/^ *//;p;}')"
says err "sea authorize $(id bob | cut -c1-8)"
ls alice.team/requests >out
id bob | same out
status 0 sea -C bob status
says out 'not authorized yet; an admin runs'
status 0 sea -C bob query --json
[ ! -s out ]
status $DENIED sea -C bob put '{"_id":"n/2"}'
says err 'error[no-key]'
status $PARTIAL sea -C bob sync
says err 'no-key'
status 0 sea -C bob status --json
says out '"pending":true'
[ "$(ls alice.team/transactions | wc -l)" -eq 1 ]
EOT

t 'the one who waits is told so by whatever finds nothing' <<'EOT'
. ./world.sh
short=$(id bob | cut -c1-8)
one=$(words bob | cut -d' ' -f1)
sea -C bob config set core.pager cat
# told COMMAND...: it ends with status 0, 1 or 4, and says on standard error why there is nothing.
told() {
  want=$1
  shift
  status "$want" sea -C bob "$@"
  says err "notice: this instance is not authorized yet, so no records can be read; fingerprint:"
  grep -q "^  $one " err
  says err "hint: an admin runs: sea authorize $short; afterwards run: sea sync"
}
told 0 query
told 0 query --count
told 1 query --exit-code
told 0 sql 'SELECT count(*) FROM records'
told 4 get n/1
told 1 get -e n/1
told 0 log
told 4 log n/1
told 0 conflicts
told 0 changes
told 0 stats
told 0 assets
told 0 dump
told 4 rev-parse n/1
told 8 sync
told 8 pull
told 0 push
told 0 containers
told 0 verify
told 0 heads
told 0 watch --timeout=0 --since=0
status 0 sea -C bob query -q
[ ! -s err ]
status 0 sea -C bob --json query
says err '"event":"notice"'
# What looks for nothing says nothing of it.
status 0 sea -C bob rev-parse --instance-id
[ ! -s err ]
status 0 sea -C bob version
[ ! -s err ]
status 0 sea -C alice query
[ ! -s err ]
status $NOT_FOUND sea -C alice get n/none
fails grep -q notice err
EOT

t 'members are told who asks, and what to type' <<'EOT'
. ./world.sh
short=$(id bob | cut -c1-8)
status 0 sea -C alice status
fails grep -q 'access request' out
status 0 sea -C alice sync
says out "access request from bob ($short); compare the fingerprint with its owner, then run: sea authorize $short"
says out "        $(sea -C bob instances --fingerprint | sed -n '/pending/{n;s/^ *//;p;}')"
status 0 sea -C alice status
says out "access request from bob ($short)"
status 0 sea -C alice status --porcelain
says out "# asking	1"
status 0 sea -C alice sync --json
says out "\"event\":\"asking\",\"instance\":\"$(id bob)\",\"name\":\"bob\",\"fingerprint\":\"$(words bob)\""
status 0 sea -C alice status --json
says out '"asking":1'
status $NO sea -C alice watch --sync --once --timeout=1 --since=now
says err "access request from bob ($short)"
status 0 sea -C alice sync -q
[ ! -s out ]
# Who waits is told of nobody else.
status $PARTIAL sea -C bob sync
fails grep -q 'access request' out
# Whoever can write to the container can ask as often as he likes.
found flood --require-auth
for n in 1 2 3 4 5 6 7; do sea clone -q --name="n$n" flood.team "asks$n"; done
status 0 sea -C flood sync
[ "$(grep -c '^access request from ' out)" -eq 5 ]
says out '2 more access requests; to list them, run: sea instances --pending --fingerprint'
status 0 sea -C flood sync --json
[ "$(grep -c '"event":"asking"' out)" -eq 7 ]
EOT

t 'a program gets the same message' <<'EOT'
. ./world.sh
status 0 sea clone --json --no-input --name=prog alice.team prog
says out '"event":"requested"'
says out "\"instance\":\"$(id prog)\""
says out "\"fingerprint\":\"$(words prog)\""
rm alice.team/requests/$(id prog)
EOT

t 'no answer is a request too' <<'EOT'
. ./world.sh
printf '#!/bin/sh\necho "$1" >>"%s/asked"\necho\n' "$p" >ask
chmod +x ask
SEA_ASKPASS=$p/ask status 0 sea clone --name=shy alice.team shy
says asked 'Passphrase for'
says out 'Access requested for'
rm alice.team/requests/$(id shy)
SEA_ASKPASS=$p/ask status $DENIED sea clone --no-input --password-file=ask alice.team no
says err 'to request access without a passphrase, run: sea clone --no-input alice.team'
[ ! -e no ]
EOT

t 'nor is one after a wrong passphrase' <<'EOT'
. ./world.sh
"$SEA_TEST_ROOT/Tests/faults/terminal.py" '(to request access, press Return)' 'wrong horse' 'Wrong passphrase.' '' -- \
  sea clone --name=late alice.team late >screen
says screen 'Access requested for'
rm alice.team/requests/$(id late)
EOT

t 'a restore asks nobody to be let in' <<'EOT'
. ./world.sh
sea -C alice backup -q -o "$p/alice.sea.tar"
status $DENIED sea restore alice.sea.tar lost </dev/null
says err "is encrypted, and its key is not available"
says err 'use --password-file'
says err 'to request access without a passphrase, run: sea clone --no-input alice.sea.tar'
[ ! -e lost ]
EOT

t 'an authorized instance reads everything and writes' <<'EOT'
. ./world.sh
status 0 sea -C alice sync
status 0 sea -C alice instances --pending
says out "$(id bob | cut -c1-8)"
says out 'bob '
status $DENIED sea -C alice authorize --fingerprint="$(words alice)" "$(id bob | cut -c1-8)"
status $NOT_FOUND sea -C alice authorize --fingerprint="$(words bob)" bo
status $DENIED sea -C alice authorize --fingerprint="$(words alice)" bob
status 0 sea -C alice authorize --fingerprint="$(words bob)" bob
says out 'authorized bob'
says out 'read from key epoch 1, write'
[ "$(sea -C alice instances --json | grep -c '"state":"silent"')" -eq 1 ]
sea -C alice sync -q
status 0 sea -C bob sync
[ "$(sea -C bob get n/1 text)" = old ]
[ -z "$(ls alice.team/requests)" ]
sea -C bob set -q n/1 text=new
sea -C bob sync -q
status 0 sea -C alice sync
fails grep -q quarantined out
[ "$(sea -C alice get n/1 text)" = new ]
status 0 sea -C alice instances
says out 'bob '
sea -C alice verify -q; sea -C bob verify -q
EOT

t 'a request can be handed over as a file' <<'EOT'
. ./world.sh
sea clone -q --name=carol alice.team carol
mv alice.team/requests/$(id carol) carol.request
status $DENIED sea -C alice authorize --fingerprint="$(words bob)" "$p/carol.request"
status 0 sea -C alice authorize --read-only --fingerprint="$(words carol)" "$p/carol.request"
sea -C alice sync -q; sea -C carol sync -q
[ "$(sea -C carol get n/1 text)" = new ]
status $DENIED sea -C carol put '{"_id":"n/2"}'
status 0 sea -C carol status
says out 'role read'
EOT

t 'the request for a read-only container is a file' <<'EOT'
. ./world.sh
mkdir -p ro
mount -t tmpfs tmpfs ro
trap 'umount ro' EXIT
cp -r alice.team ro/team
mount -o remount,ro ro
status 0 sea clone --name=hugo ro/team hugo
says err 'the container is not writable'
[ -f hugo/.sea/request ]
status 0 sea -C alice authorize --fingerprint="$(words hugo)" "$p/hugo/.sea/request"
sea -C alice sync -q
mount -o remount,rw ro
cp -r alice.team/. ro/team/
mount -o remount,ro ro
status 0 sea -C hugo pull
[ "$(sea -C hugo get n/1 text)" = new ]
[ ! -e hugo/.sea/request ]
EOT

t 'a request of another database is refused' <<'EOT'
. ./world.sh
found other --require-auth
sea clone -q --name=dave other.team dave
status $CORRUPT sea -C alice authorize --fingerprint="$(words dave)" "$p/other.team/requests/$(id dave)"
says err 'error[corrupt]'
sea clone -q --name=eve alice.team eve
good=alice.team/requests/$(id eve)
size=$(wc -c <"$good")
: >empty
status $CORRUPT sea -C alice authorize --fingerprint="$(words eve)" "$p/empty"
head -c $((size - 1)) "$good" >short
status $CORRUPT sea -C alice authorize --fingerprint="$(words eve)" "$p/short"
{ cat "$good"; echo; } >long
status $CORRUPT sea -C alice authorize --fingerprint="$(words eve)" "$p/long"
# The key, the exchange key, the signature, each with one bit changed.
for at in 40 75 $((size - 3)); do
  python3 -c 'import sys; b = bytearray(open(sys.argv[1], "rb").read()); b[int(sys.argv[2])] ^= 1; open("bad", "wb").write(b)' "$good" $at
  status $CORRUPT sea -C alice authorize --fingerprint="$(words eve)" "$p/bad"
done
head -c 100000 /dev/zero >huge
status $CORRUPT sea -C alice authorize --fingerprint="$(words eve)" "$p/huge"
# In the container they are not shown, under whatever name.
for name in $(id dave) $(id bob); do cp bad "alice.team/requests/$name"; done
cp "other.team/requests/$(id dave)" alice.team/requests/
cp "$good" "alice.team/requests/$(id other)"
sea -C alice sync -q
[ "$(sea -C alice instances --pending --json | wc -l)" -eq 1 ]
sea -C alice instances --pending --json | grep -q "$(id eve)"
EOT

t 'two can ask at once' <<'EOT'
. ./world.sh
sea clone -q --name=frank alice.team frank
sea -C alice sync -q
[ "$(sea -C alice instances --pending --json | wc -l)" -eq 2 ]
for who in eve frank; do sea -C alice authorize -q --fingerprint="$(words $who)" "$(id $who)"; done
sea -C alice sync -q
for who in eve frank; do
  sea -C $who sync -q
  sea -C $who set -q --create -t note n/$who text=$who
  sea -C $who sync -q
done
sea -C alice sync -q; sea -C eve sync -q; sea -C bob sync -q
for who in alice bob eve; do sea -C $who query --json >query.$who; cmp query.alice query.$who; done
[ "$(sea -C alice get n/frank text)" = frank ]
EOT

t 'without members, authorize only passes the keys on' <<'EOT'
. ./world.sh
found one
sea clone -q --name=two one.team two
sea -C one sync -q
status 0 sea -C one authorize --fingerprint="$(words two)" "$(id two)"
says out 'read from key epoch 1'
fails grep -q write out
sea -C one sync -q; sea -C two sync -q
sea -C two set -q n/1 text=two; sea -C two sync -q; sea -C one sync -q
[ "$(sea -C one get n/1 text)" = two ]
# Who is in can let others in.
sea clone -q --name=three one.team three
sea -C two sync -q
status 0 sea -C two authorize --fingerprint="$(words three)" "$(id three)"
sea -C two sync -q; sea -C three sync -q
[ "$(sea -C three get n/1 text)" = two ]
EOT

t 'a plain database needs no request' <<'EOT'
. ./world.sh
sea -c init.encrypt=false init -q --name=plain --require-auth plain
sea -C plain add-container -q --create team "$p/plain.team"
sea -C plain push -q
status 0 sea clone --name=guest plain.team guest
[ ! -e plain.team/requests ]
status $INCOMPATIBLE sea clone --password-file=pw plain.team wrong
says err 'is not encrypted'
[ ! -e wrong ]
EOT

t 'each write of an unauthorized instance prints one notice' <<'EOT'
sea init -q --name=head --require-auth open
sea -C open add-container -q --create c "$PWD/open.c"
sea -C open push -q
sea clone -q --name=guest open.c visitor
status 0 sea -C visitor put '{"_id":"a","n":1}'
[ "$(grep -c 'your changes are pending until an admin authorizes guest' err)" = 1 ]
printf '{"_id":"b"}\n{"_id":"c"}\n' | status 0 sea -C visitor put --chunk=1 -
[ "$(grep -c 'your changes are pending' err)" = 1 ]
status 0 sea -C visitor set a n:=2
says err 'your changes are pending'
status 0 sea -C visitor set a n:=2
lacks err 'your changes are pending'
status 0 sea -C open put '{"_id":"d"}'
lacks err 'your changes are pending'
EOT

t 'a clone that fails leaves no files of its own, and all that a link leads to' <<'EOX'
mkdir ended && cd ended
echo secret >pw
chmod 600 pw
sea init -q --encrypt --require-auth --name=alice --password-file="$PWD/pw" alice
head -c 3000 /dev/zero >photo.jpg
sea -C alice set -q --create r/1 photo:asset@"$PWD/photo.jpg"
sea -C alice export -q --to="$PWD/kit"
sea -C alice add-container -q --create team "$PWD/team"
sea -C alice sync -q
sea clone -q --no-input --name=bob team bob
sea -C alice sync -q
words=$(sea -C bob --json instances --fingerprint | jq -r 'select(.name == "bob").fingerprint')
sea -C alice authorize -q bob --fingerprint="$words"
sea -C alice revoke -q bob
sea -C alice export -q --to="$PWD/kit"
status $DENIED sea clone --password-file="$PWD/pw" kit dora
[ ! -e dora ]
# A clone that begins again removes what it has stored, and not what a link leads to.
sea clone -q --no-input --name=erin team erin
mkdir outside
echo mine >outside/photo
ln -s "$PWD/outside" erin/.sea/assets
sqlite3 erin/.sea/db "UPDATE meta SET value = 1 WHERE key = 'cloning'"
sea clone --password-file="$PWD/pw" team erin >out 2>err || :
[ ! -e erin/.sea/db ]
[ "$(cat outside/photo)" = mine ]
status $DENIED sea -C alice passwd --password-file="$PWD/pw" --new-password-file="$PWD/pw"
says err 'to add one, run: sea passwd --add'
EOX
