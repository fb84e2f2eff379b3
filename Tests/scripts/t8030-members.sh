umask 077
unset SEA_PASSWORD_FILE
echo 'the passphrase of the team' >pw
echo 'another passphrase' >pw2

# What the tests share. The founder is alice; each database is made twice, plain and sealed.
cat >world.sh <<'EOX'
. "$SEA_TEST_LIB"
mkdir -p "$kind"
cd "$kind"
p=$PWD
case $kind in
  plain | duel | cut) encrypt=false given= ;;
  sealed) encrypt=true given=--password-file=$p/../pw ;;
esac
found() { sea -c init.encrypt=$encrypt init -q --require-auth $given --name="$1" "$1"; }
join() { sea clone -q $given --name="$1" "${2-team}" "$1"; }
# The words, as the owner of an instance reads them out.
words() { sea -C "$1" instances --json | sed -n '/"name":"'"$1"'"/s/.*"fingerprint":"\([^"]*\)".*/\1/p'; }
state() { sea -C "$1" instances --json | sed -n '/"name":"'"$2"'"/s/.*"state":"\([^"]*\)".*/\1/p'; }
id() { sea -C "$1" rev-parse --instance-id; }
# Nobody knows what the revoked knows: a passphrase has to be set anew.
reopen() { [ $kind = plain ] || sea -C "$1" passwd -q --add --new-password-file="$p/../${2-pw}"; }
let_in() { by=$1 who=$2; shift 2; sea -C "$by" authorize -q "$@" --fingerprint="$(words "$who")" "$who"; }
EOX

for kind in plain sealed; do
  export kind

  t "$kind: blocks of an unauthorized instance are kept but not applied" <<'EOT'
. ./world.sh
found alice
sea -C alice add-container -q --create team "$p/team"
sea -C alice set -q --create -t note n/1 text=a
sea -C alice push -q
status 0 sea clone $given --name=bob team bob
says err 'your changes are pending until an admin authorizes bob; fingerprint:'
says err "$(sea -C bob instances --fingerprint | sed -n '/^bob/{n;s/^ *//;p;}')"
sea -C bob set -q n/1 text=b
[ "$(sea -C bob get n/1 text)" = b ]
status 0 sea -C bob sync
status 0 sea -C bob status
says out 'not authorized yet; an admin runs'
status 0 sea -C bob instances
says out 'pending, self'
status 0 sea -C bob instances --json
says out '"state":"pending","self":true'
status 0 sea -C alice sync
says out 'quarantined: 2 blocks of bob'
[ "$(sea -C alice get n/1 text)" = a ]
status 0 sea -C alice status --json
says out '"quarantined":1'
says out '"name":"bob","blocks":2,"index":0,"reason":"unauthorized"'
status 0 sea -C alice instances --pending
says out 'pending, 2 not applied'
sea -C alice verify -q
EOT

  t "$kind: the words are compared before somebody is let in" <<'EOT'
. ./world.sh
status $USAGE sea -C alice authorize --no-input bob
says err "--fingerprint='WORDS'"
wrong='abandon ability able about above absent absorb abstract'
status $DENIED sea -C alice authorize --fingerprint="$wrong" bob
says err 'error[denied]'
status $DENIED sea -C alice authorize -n --fingerprint="$wrong" bob
status $USAGE sea -C alice authorize --fingerprint='abandon ability' bob
status $USAGE sea -C alice authorize --fingerprint='abandon ability able about above absent absorb saltmarsh' bob
status $NOT_FOUND sea -C alice authorize --fingerprint="$wrong" nobody
status $USAGE sea -C alice authorize --fingerprint="$(words alice)" alice
status $USAGE sea -C alice authorize --admin --read-only bob
[ "$(state alice bob)" = pending ]
status 0 sea -C alice authorize -n bob
says out 'would authorize bob: write'
[ "$(state alice bob)" = pending ]
EOT

  t "$kind: pending blocks are applied after their author is authorized" <<'EOT'
. ./world.sh
# As a person types them: in capitals, in two groups.
typed=$(words bob | tr a-z A-Z | sed 's/ /  /4')
status 0 sea -C alice authorize --fingerprint="$typed" bob
says out 'Applied 2 pending blocks, 1 record changed'
[ "$(sea -C alice get n/1 text)" = b ]
[ "$(state alice bob)" = authorized ]
sea -C alice sync -q
status 0 sea -C bob sync
status 0 sea -C bob status
says out 'role write'
fails grep -q quarantined out
sea -C bob set -q n/1 text=bb; sea -C bob sync -q
status 0 sea -C alice sync
fails grep -q quarantined out
[ "$(sea -C alice get n/1 text)" = bb ]
EOT

  t "$kind: only admins are heard" <<'EOT'
. ./world.sh
join carol
sea -C carol push -q
sea -C bob pull -q
for who in bob carol; do
  for n in '' -n; do
    status $DENIED sea -C $who authorize $n --fingerprint="$(words carol)" carol
    says err 'error[unauthorized]'
    status $DENIED sea -C $who revoke $n alice
    says err 'error[unauthorized]'
  done
done
if [ $kind = sealed ]; then
  for who in bob carol; do
    status $DENIED sea -C $who passwd $given --new-password-file="$p/../pw2"
    says err 'error[unauthorized]'
    status $DENIED sea -C $who passwd --add --new-password-file="$p/../pw2"
    status $DENIED sea -C $who passwd --rotate $given
    status $DENIED sea -C $who passwd -n --rotate
  done
fi
[ "$(state bob carol)" = pending ]
EOT

  t "$kind: a reader reads, and what it wrote waits" <<'EOT'
. ./world.sh
sea -C carol set -q --create -t note n/carol text=early
sea -C carol push -q
sea -C alice pull -q
let_in alice carol --read-only
sea -C alice push -q
status $NOT_FOUND sea -C alice get n/carol
# Carol does not know yet.
sea -C carol set -q n/carol text=later
sea -C carol sync -q
status $DENIED sea -C carol set --create n/carol text=latest
says err 'this instance has read-only access'
status 0 sea -C alice sync
says out 'not applied: 3 blocks of carol'
says out 'which is read-only; to let it write, run: sea authorize '
# It is told once, and whenever somebody asks.
sea -C alice sync >out
fails grep -q 'not applied\|quarantined' out
sea -C alice status >out
says out 'not applied: 3 blocks of carol'
sea -C carol status >out
says out 'not applied: 3 blocks of this instance, which is read-only'
sea -C carol sync >/dev/null; sea -C carol sync >out
fails grep -q 'not applied\|quarantined' out
[ "$(sea -C carol get n/1 text)" = bb ]
status 0 sea -C carol status
says out 'role read'
let_in alice carol
[ "$(sea -C alice get n/carol text)" = later ]
sea -C alice sync -q; sea -C carol sync -q
cp -r carol carol.kept
sea -C carol set -q n/carol text=latest; sea -C carol push -q
sea -C alice pull -q
[ "$(sea -C alice get n/carol text)" = latest ]
# Whose role is taken back keeps what it wrote.
let_in alice carol --read-only
[ "$(sea -C alice get n/carol text)" = latest ]
let_in alice carol
EOT

  t "$kind: an admin lets others in, and all hear of it" <<'EOT'
. ./world.sh
let_in alice bob --admin
sea -C alice sync -q
join dave
sea -C dave set -q --create -t note n/dave text=d; sea -C dave push -q
sea -C bob sync -q
let_in bob dave
sea -C bob sync -q; sea -C alice sync -q; sea -C carol sync -q
for who in alice bob carol; do
  [ "$(sea -C $who get n/dave text)" = d ]
  [ "$(state alice dave)" = authorized ]
done
sea -C alice instances --json | grep '"name":"dave"' | grep -q "\"authorized_by\":\"$(id bob)\""
EOT

  t "$kind: changes of a revoked instance are not applied" <<'EOT'
. ./world.sh
status 0 sea -C alice revoke -n carol
[ "$(state alice carol)" = authorized ]
status 0 sea -C alice revoke carol
says out 'revoked carol'
says err 'can still read what it has already copied'
[ "$(state alice carol)" = revoked ]
[ "$(sea -C alice get n/carol text)" = latest ]
reopen alice
sea -C alice push -q
sea -C carol set -q n/1 text=evil
# What is sealed under the new key she cannot read.
status $([ $kind = plain ] && echo 0 || echo 8) sea -C carol sync
says out 'revoked: after its revocation point'
says err "hint: to regain access, ask an admin to run: sea authorize $(id carol | cut -c1-8); if alice was stolen, see: sea help encryption"
status $DENIED sea -C carol set n/1 text=evil
says err 'was revoked'
[ "$(sea -C carol get n/1 text)" = bb ]
status 0 sea -C alice sync
says out 'quarantined: 1 block of carol'
sea -C bob sync -q
for who in alice bob; do [ "$(sea -C $who get n/1 text)" = bb ]; done
status $NOT_FOUND sea -C alice revoke carol
EOT

  t "$kind: a cut can lie further back, and what was applied is taken out again" <<'EOT'
. ./world.sh
sea -C alice sync -q; sea -C dave sync -q
last=$(sea -C dave heads --json 2>/dev/null | sed -n 's/.*"instance":"'"$(id dave)"'","index":\([0-9]*\).*/\1/p')
sea -C dave set -q n/dave text=spoilt; sea -C dave sync -q
sea -C alice sync -q; sea -C bob sync -q
[ "$(sea -C bob get n/dave text)" = spoilt ]
status $NOT_FOUND sea -C alice revoke --after=99 dave
status $USAGE sea -C alice revoke --after=-1 dave
status 0 sea -C alice revoke --after="$last" dave
says out "after its block $last"
[ "$(sea -C alice get n/dave text)" = d ]
reopen alice
sea -C alice sync -q
status 0 sea -C bob sync
says out 'quarantined: 1 block of dave'
[ "$(sea -C bob get n/dave text)" = d ]
sea -C alice verify -q; sea -C bob verify -q
EOT

  t "$kind: all changes of an instance that is authorized again are applied" <<'EOT'
. ./world.sh
let_in alice dave
[ "$(sea -C alice get n/dave text)" = spoilt ]
[ "$(state alice dave)" = authorized ]
sea -C alice sync -q; sea -C dave sync -q; sea -C bob sync -q
sea -C dave set -q n/dave text=mended; sea -C dave sync -q
sea -C bob sync -q
[ "$(sea -C bob get n/dave text)" = mended ]
EOT

  t "$kind: the order in which blocks arrive decides nothing" <<'EOT'
. ./world.sh
sea -C alice sync -q
a=$(id alice)
# In one container alice's chain alone, in another all but what she said last.
cp -r team first; cp -r team last
for chain in first/transactions/*; do case $chain in *$a) ;; *) rm -rf "$chain" ;; esac; done
for block in last/transactions/$a/*/*; do [ "$(basename "$block")" -lt 2 ] || rm -f "$block"; done
# What others say they have seen is not there yet.
status $PARTIAL join x first
join y last 2>/dev/null || join y team
join z team
for who in x y z; do
  grep -qF "$p/team" $who/.sea/config || (cd $who && sea add-container -q team "$p/team")
  sea -C $who pull >out.$who 2>&1
  sea -C $who query --json >query.$who
  sea -C $who instances --json | grep -v '"name":"[xyz]"' | sed 's/"epoch":[0-9]*,//' >instances.$who
  sea -C $who verify -q
done
sea -C alice query --json >query.alice
grep -q mended query.alice
for who in x y z; do cmp query.alice query.$who; cmp instances.z instances.$who; done
EOT

  t "$kind: the founder can leave" <<'EOT'
. ./world.sh
status 0 sea -C alice revoke alice
says out 'revoked alice'
sea -C alice sync -q
status $DENIED sea -C alice set n/1 text=again
status $DENIED sea -C alice authorize --fingerprint="$(words alice)" alice
sea -C bob sync -q
[ "$(state bob alice)" = revoked ]
[ "$(sea -C bob get n/1 text)" = bb ]
sea -C bob set -q n/1 text=bob; sea -C bob sync -q
join eve; sea -C eve set -q n/1 text=eve; sea -C eve push -q
sea -C bob sync -q
let_in bob eve
[ "$(sea -C bob get n/1 text)" = eve ]
EOT
done

t 'the names of instances are offered' <<'EOT'
cd plain/alice
status 0 sea --complete 'sea authorize ev' 16
status 0 sea --complete 'sea revoke b' 12
says out 'bob	authorized, admin'
EOT

t 'a revoked passphrase opens nothing until a new one is set' <<'EOT'
kind=sealed
. ./world.sh
sea -C bob revoke -q eve
sea -C bob sync -q
status $DENIED sea clone $given --name=mallory team mallory
says err 'bad-password'
[ ! -e mallory ]
status 0 sea -C bob passwd --add --new-password-file="$p/../pw2"
sea -C bob sync -q
status 0 sea clone -q --password-file="$p/../pw2" --name=frank team frank
[ "$(sea -C frank get n/1 text)" = eve ]
EOT

t 'a cut before an order to purge takes away what is behind what was purged, and only if that is confirmed' <<'EOT'
export kind=cut
. ./world.sh
found alice
sea -C alice add-container -q --create team "$p/team"
sea -C alice push -q
for who in bob carol; do join $who; sea -C $who push -q; done
sea -C alice pull -q
let_in alice bob --admin; let_in alice carol
sea -C alice push -q
for who in bob carol; do sea -C $who pull -q; done
for n in 1 2 3; do sea -C carol set -q --create -t note m/$n text=$n; done
sea -C carol push -q; sea -C bob sync -q
last=$(sea -C bob heads --json | sed -n 's/.*"instance":"'"$(id bob)"'","index":\([0-9]*\).*/\1/p')
sea -C bob purge -q --confirm=bob m/1 || [ $? = 8 ]
for who in bob carol alice; do sea -C $who sync -q; done
status 0 sea -C alice revoke -n bob
fails grep -q 'ignored:' err
status 0 sea -C alice revoke -n --after="$last" bob
says out 'would revoke bob'
says err '1 block purged by bob will be reported as damaged'
status 0 sea -C alice revoke -n --json --after="$last" bob
says out '"removed":1'
status $CONFLICT sea -C alice revoke --after="$last" bob
says err 'error[not-confirmed]: its purge order for 1 block would become invalid'
status $CONFLICT sea -C alice revoke --confirm=bob --after="$last" bob
[ "$(state alice bob)" = authorized ]
[ "$(sea -C alice get m/3 text)" = 3 ]
status 0 sea -C alice revoke --confirm=alice --after="$last" bob
says err '1 block purged by bob will be reported as damaged'
[ "$(sea -C alice get m/3 text)" = 3 ]
status $CORRUPT sea -C alice verify
says out 'bad-removal'
EOT

t 'when two admins revoke each other, the senior stays everywhere' <<'EOT'
kind=duel
. ./world.sh
found alice
sea -C alice add-container -q --create team "$p/team"
sea -C alice push -q
for who in bob carol; do join $who; sea -C $who push -q; sea -C alice pull -q; let_in alice $who --admin; done
sea -C alice push -q
for who in bob carol; do sea -C $who sync -q; sea -C alice sync -q; done
# Neither knows of the other's.
sea -C bob pull -q; sea -C carol pull -q
status 0 sea -C carol revoke bob
status 0 sea -C bob revoke carol
sea -C carol set -q --create -t note n/carol text=c; sea -C bob set -q --create -t note n/bob text=b
sea -C carol sync -q; sea -C bob sync -q; sea -C carol sync -q
join late
for who in alice bob carol late; do
  sea -C $who sync -q
  [ "$(state $who bob)$(state $who carol)" = "$(state alice bob)$(state alice carol)" ] || [ $who = bob ]
  sea -C $who get n/bob text >out; [ "$(cat out)" = b ]
  status $NOT_FOUND sea -C $who get n/carol
done
status $DENIED sea -C carol set --create n/2 x=1
status 0 sea -C bob set --create n/2 x=1
EOT

for kind in plain sealed; do
  export kind

  t "$kind: nothing is gained by an old date, or by another branch" <<'EOT'
. ./world.sh
# The folder that was put aside knows nothing of the revocation, and nothing on its computer of the other one. It goes on
# in front of the cut, in the place of blocks that count.
(cd carol.kept && sea add-container -q --create other "$p/other")
[ "$(id carol.kept)" = "$(id carol)" ]
export SEA_AUTHOR_DATE=2001-01-01T00:00:00Z XDG_STATE_HOME=$p/elsewhere
sea -C carol.kept set -q n/1 text=back
sea -C carol.kept delete -q n/carol
sea -C carol.kept push -q other
[ "$(id carol.kept)" = "$(id carol)" ]
unset SEA_AUTHOR_DATE XDG_STATE_HOME
(cd bob && sea add-container -q other "$p/other")
sea -C bob query --json >before
status 0 sea -C bob sync
says err 'warning[fork]'
says out 'of carol'
sea -C dave pull -q 2>err || true
for who in bob dave; do sea -C $who query --json | cmp before -; done
sea -C bob verify -q
EOT
done

t 'a database without members' <<'EOT'
p=$PWD
sea -c init.encrypt=false init -q --name=one open
status $DENIED sea -C open authorize --fingerprint='abandon ability able about above absent absorb abstract' one
status $DENIED sea -C open revoke one
says err 'this database has no access control'
status 0 sea -C open instances
says out 'self'
sea init -q --encrypt --password-file=$p/pw --name=one closed
status $DENIED sea -C closed revoke one
says err 'sea passwd --rotate'
status $USAGE sea init --require-auth --database-id=9f2b2a3e-6f0c-4c6d-8a51-0f8b7a3f0c11 other
EOT

t 'a stranger of the same name, or called like the id of a member, changes nothing of whom revoke and authorize mean' <<'EOT'
p=$PWD
export SEA_CONFIG_GLOBAL=/dev/null
sea init -q --require-auth --name=ann named
sea -C named add-container -q --create box "$p/named-box"
sea -C named set -q --create -t note n/1 text=hello
sea -C named sync -q
sea clone -q --name=bob named-box named-bob
sea -C named-bob set -q n/1 text=bob
sea -C named-bob sync -q
sea -C named sync -q
sea -C named authorize -q --fingerprint="$(sea -C named-bob instances --json | sed -n '/"name":"bob"/s/.*"fingerprint":"\([^"]*\)".*/\1/p')" bob
bob=$(sea -C named instances --json | sed -n 's/.*"instance":"\([0-9a-f-]*\)","name":"bob".*/\1/p')
[ -n "$bob" ]
sea -C named sync -q
for name in bob "$(echo "$bob" | cut -c1-8)" "$bob"; do
  sea clone -q --name="$name" named-box "eve$name"
  sea -C "eve$name" set -q --create -t note "n/$name" text=eve
  sea -C "eve$name" sync -q
done
sea -C named sync -q 2>/dev/null || :
[ "$(sea -C named instances --json | grep -c '"pending"')" -eq 3 ]
status 0 sea -C named revoke -n bob
says out "$(echo "$bob" | cut -c1-8)"
status 0 sea -C named revoke -q "$(echo "$bob" | cut -c1-8)"
sea -C named instances --json | grep "$bob" | grep -q '"revoked"'
EOT

for kind in plain sealed; do
  export kind

  t "$kind: whom a junior has revoked hears of it, and takes it back" <<'EOT'
. ./world.sh
found fay
sea -C fay set -q --create r a=1
sea -C fay add-container -q --create desk "$p/desk"
sea -C fay sync -q
join jon desk
sea -C jon sync -q
sea -C fay sync -q
let_in fay jon --admin
sea -C fay sync -q
sea -C jon sync -q
sea -C jon set -q r b=1
sea -C jon sync -q
last=$(sea -C jon heads --json | sed -n '/"instance":"'"$(id jon)"'"/s/.*"index":\([0-9]*\).*/\1/p')
sea -C fay sync -q
sea -C jon revoke -q fay
sea -C jon sync -q
sea -C fay sync 2>err
says err 'jon has revoked this instance'
status $DENIED sea -C fay set r a=2
status $DENIED sea -C fay revoke jon
status 0 sea -C fay revoke --after="$last" jon
[ "$(sea -C fay instances --json | sed -n '/"name":"jon"/s/.*"state":"\([^"]*\)".*/\1/p')" = revoked ]
sea -C fay set -q r a=3
sea -C fay sync 2>err
fails grep revoked err
sea -C jon sync -q || :
[ "$(state jon fay)" = authorized ]
[ "$(state jon jon)" = revoked ]
[ "$(sea -C fay get r b)" = 1 ]
sea -C fay verify -q
EOT
done

t 'an authorized instance that has written nothing is listed by name, and so is the recovery key' <<'EOT'
p=$PWD
mkdir -p quiet
cd quiet
umask 077
sea init -q --encrypt --require-auth --recovery="$p/quiet/words" --password-file="$p/pw" --name=ann ann
says /dev/stdin recovery <<EOX
$(sea -C ann instances)
EOX
sea -C ann add-container -q --create box "$p/quiet/box"
sea -C ann sync -q
sea clone -q --no-input --name=bob box bob || :
sea -C ann sync -q
sea -C ann authorize -q --fingerprint="$(sea -C bob instances --json | sed -n '/"name":"bob"/s/.*"fingerprint":"\([^"]*\)".*/\1/p')" bob
# The request is answered, and is still all that says how bob is called.
sea -C ann sync -q
sea -C ann sync -q
sea -C ann instances | grep -q 'bob.*silent'
sea -C ann authorize -q --admin --fingerprint="$(sea -C bob instances --json | sed -n '/"name":"bob"/s/.*"fingerprint":"\([^"]*\)".*/\1/p')" bob
sea -C ann sync -q
sea -C ann instances | grep -q 'bob.*silent.*admin'
status 0 sea -C ann revoke bob
EOT

t 'until the last valid block has arrived, no block of the revoked instance is applied' <<'EOT'
export kind=plain
. ./world.sh
found pam
sea -C pam add-container -q --create hall "$p/hall"
sea -C pam sync -q
for one in pit pia; do
  join $one hall
  sea -C $one sync -q
  sea -C pam sync -q
  let_in pam $one
  sea -C pam sync -q
done
sea -C pit sync -q
sea -C pit set -q --create n/1 a=1
sea -C pit sync -q
sea -C pia sync -q
[ "$(sea -C pia get n/1 a)" = 1 ]
sea -C pit set -q --create n/2 a=2
sea -C pit sync -q
sea -C pam sync -q
sea -C pam revoke -q pit
sea -C pam sync -q
last=$(find "hall/transactions/$(id pit)" -type f | sort | tail -1)
mv "$last" kept
sea -C pia sync -q || :
status $NOT_FOUND sea -C pia get n/1 a
sea -C pia verify -q
mv kept "$last"
sea -C pia sync -q
[ "$(sea -C pia get n/1 a) $(sea -C pia get n/2 a)" = '1 2' ]
EOT

t 'members carry what strangers write, and nothing of it counts' <<'EOT'
mkdir litter
cd litter
words() { sea -C "$1" instances --json | sed -n '/"name":"'"$2"'"/s/.*"fingerprint":"\([^"]*\)".*/\1/p'; }
let_in() { sea -C "$1" authorize -q --fingerprint="$(words "$2" "$2")" "$2"; }
sea init -q --name=ann --require-auth ann
sea -C ann put -q '{"_id":"r","n":1}'
sea -C ann add-container -q --create c "$PWD/c"
sea -C ann sync -q
sea clone -q --name=bob c bob
sea -C bob sync -q
sea -C ann sync -q
let_in ann bob
sea -C ann sync -q
sea -C bob sync -q
sea clone -q --name=eve c eve
sea -C eve put -q '{"_id":"litter","n":1}'
sea -C eve sync -q
sea -C bob sync -q || :
eve=$(sea -C eve rev-parse --instance-id)
[ -d "c/transactions/$eve" ]
# Another folder of the members has it, too, and so has a bundle: clocks come out alike everywhere.
sea -C bob add-container -q --create other "$PWD/other"
sea -C bob sync -q || :
[ -d "other/transactions/$eve" ]
sea -C bob containers --porcelain | awk -F'\t' '$4 != 0 { exit 1 }'
sea -C bob export -q --full -o ../b.sea.tar
tar tf b.sea.tar | grep -q "$eve"
status $NOT_FOUND sea -C bob get litter
# What nobody can take in is taken out: a chain that does not verify.
ghost=00000000-0000-8000-8000-000000000000
mkdir -p "c/transactions/$ghost/1"
head -c 300 /dev/urandom >"c/transactions/$ghost/1/0"
cp -a c c0
status 0 sea -C bob containers -n --drop-held=origin --json
says out '"event":"would-drop"'
diff -r c c0
status 0 sea -C bob containers --drop-held=origin
[ ! -e "c/transactions/$ghost" ]
[ -d "c/transactions/$eve" ]
status $NOT_FOUND sea -C bob containers --drop-held=none
# She can still be let in.
sea -C ann sync -q || :
let_in ann eve
sea -C ann sync -q
status 0 sea -C bob sync
[ "$(sea -C bob get litter n)" = 1 ]
# What she writes after she was revoked does not count.
sea -C eve sync -q
sea -C ann revoke -q eve
sea -C ann sync -q
cp -a eve eve2
for n in 2 3; do sea -C eve2 put -q "{\"_id\":\"late$n\",\"n\":1}" 2>/dev/null || :; done
sea -C eve2 sync -q || :
sea -C bob sync -q || :
[ "$(sea -C bob get litter n)" = 1 ]
status $NOT_FOUND sea -C bob get late2
sea verify -q c
EOT

t 'a plain database has no strangers' <<'EOT'
sea init -q plain
sea -C plain add-container -q --create c "$PWD/plain-c"
sea -C plain sync -q
status 0 sea -C plain containers --drop-held=c
status $USAGE sea -C plain containers --drop-held=c --probe
EOT

t 'slots that nobody has listed are taken out, also without members' <<'EOT'
printf 'correct horse\n' >word
chmod 600 word
export SEA_PASSWORD_FILE="$PWD/word"
sea init -q --encrypt shut
sea -C shut add-container -q --create c "$PWD/shut-c"
sea -C shut sync -q
ls shut-c/keys >before
for n in 1 2 3; do echo $n >"shut-c/keys/$(echo $n | sha256sum | cut -c1-64)"; done
status 0 sea -C shut containers -n --drop-held=c
says out 'would remove 3 unlisted key slots'
status 0 sea -C shut containers --drop-held=c --json
says out '"slots":3'
ls shut-c/keys | diff before -
status 0 sea clone -q shut-c shut2
EOT

t 'nothing is taken out while what lets somebody in is on its way' <<'EOT'
mkdir arriving
cd arriving
join() { sea clone -q --name="$1" team "$1"; }
words() { sea -C "$1" instances --json | sed -n '/"name":"'"$1"'"/s/.*"fingerprint":"\([^"]*\)".*/\1/p'; }
let_in() { by=$1 who=$2; shift 2; sea -C "$by" authorize -q "$@" --fingerprint="$(words "$who")" "$who"; }
sea init -q --require-auth --name=ann ann
sea -C ann add-container -q --create team "$PWD/team"
sea -C ann sync -q
join bob
sea -C bob sync -q || :
sea -C ann sync -q || :
let_in ann bob --admin
sea -C ann sync -q
sea -C bob sync -q
join carol
printf 'of carol\n' >file
sea -C carol set -q --create n/carol f:asset@../file
sea -C carol sync -q || :
sea -C bob sync -q || :
let_in bob carol
sea -C bob set -q --create n/bob x=1
sea -C bob sync -q
bob=$(sea -C bob rev-parse --instance-id)
last=$(ls "team/transactions/$bob/1" | sort -n | tail -1)
mv "team/transactions/$bob/1/$((last - 1))" late
cp -a team team0
status $PARTIAL sea -C ann containers --drop-held=team
says err 'membership changes may be missing'
diff -r team team0
mv late "team/transactions/$bob/1/$((last - 1))"
status 0 sea -C ann sync
sea -C ann fetch-assets -q
[ "$(sea -C ann get n/carol f --raw)" = 'of carol' ]
EOT

t 'the last admin does not shut herself out by accident' <<'EOT'
sea init -q --require-auth --name=alice lonely
status $CONFLICT sea -C lonely revoke alice
says err 'error[not-confirmed]: refusing to revoke the last admin'
status 0 sea -C lonely set -q --create r n:=1
status $CONFLICT sea -C lonely revoke --confirm=bob alice
status 0 sea -C lonely revoke --confirm=alice alice
status $DENIED sea -C lonely set -q r n:=2
EOT
