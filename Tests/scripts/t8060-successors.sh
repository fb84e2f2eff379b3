# Who goes on under another key, and the key of recovery.

t 'a lone founder whose backup is restored goes on as admin' <<'EOT'
export XDG_STATE_HOME="$PWD/state"
sea init -q --require-auth --name=alice alice 2>/dev/null
sea -C alice set -q --create a n:=1
cp -a alice/.sea backup
sea -C alice set -q --create b n:=2
old=$(sea -C alice rev-parse --instance-id)
rm -r alice/.sea
mv backup alice/.sea
status 0 sea -C alice set --create c n:=3
says err 'warning[renewed]'
fails grep -q 'sea authorize' err
[ "$(sea -C alice rev-parse --instance-id)" != "$old" ]
[ "$(sea -C alice get c n)" = 3 ]
sea -C alice instances | grep -q 'self *admin'
[ ! -e alice/.sea/keys/old-$old ]
# It still lets others in.
sea -C alice add-container -q --create team "$PWD/team"
sea -C alice sync -q
sea clone -q --name=bob team bob 2>/dev/null
sea -C bob set -q --create d n:=4
sea -C bob sync -q
sea -C alice sync -q
words=$(sea -C bob instances --json | sed -n '/"name":"bob"/s/.*"fingerprint":"\([^"]*\)".*/\1/p')
status 0 sea -C alice authorize --fingerprint="$words" bob
[ "$(sea -C alice get d n)" = 4 ]
sea -C alice sync -q; sea -C bob sync -q
[ "$(sea -C bob get c n)" = 3 ]
sea -C alice verify -q; sea -C bob verify -q
EOT

t 'and one whose machine has another id' <<'EOT'
sea init -q --require-auth --name=carol carol 2>/dev/null
python3 - carol/.sea/db <<'EOP'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("UPDATE meta SET value = 'another' WHERE key = 'machine'")
db.commit()
EOP
status 0 sea -C carol set --create a n:=1
[ ! -e /etc/machine-id ] || says err 'warning[renewed]'
sea -C carol instances | grep -q 'self *admin'
[ "$(sea -C carol get a n)" = 1 ]
EOT

t 'a revocation takes the whole line, or one key of it' <<'EOT'
old=$(sea -C bob rev-parse --instance-id)
sea init -q --renew-instance bob
sea -C bob set -q --create e n:=5
sea -C bob sync -q; sea -C alice sync -q
[ "$(sea -C alice get e n)" = 5 ]
# Below the one that goes on stands the old one, and the name means the one that goes on.
new=$(sea -C bob rev-parse --instance-id)
sea -C alice instances >out
grep -A1 "^bob .*$(printf %.8s "$new")" out | grep -q "^  bob .*$(printf %.8s "$old")"
sea -C alice instances --json | grep -q "\"instance\":\"$new\".*\"follows\":\"$old\""
sea -C alice revoke -n bob >out
says out "$(printf %.8s "$new")"
status 0 sea -C alice revoke --only "$old"
sea -C alice sync -q; sea -C bob sync -q
sea -C bob set -q --create f n:=6
sea -C bob sync -q; sea -C alice sync -q
[ "$(sea -C alice get f n)" = 6 ]
status 0 sea -C alice revoke "$(sea -C bob rev-parse --instance-id)"
[ "$(sea -C alice get f n)" = 6 ]
sea -C alice sync -q; sea -C bob sync -q
status $DENIED sea -C bob set g n:=7 --create
EOT

t 'the words of recovery let somebody in when all admins are lost' <<'EOT'
sea init --require-auth --recovery --name=dora dora >out 2>err
[ "$(grep -c '^  [a-z]* [a-z]* [a-z]* [a-z]*$' out)" -eq 6 ]
grep '^  [a-z]* [a-z]* [a-z]* [a-z]*$' out >words
sea -C dora add-container -q --create shelf "$PWD/shelf"
sea -C dora set -q --create a n:=1
sea -C dora sync -q
rm -r dora
sea clone -q --name=emil shelf emil 2>/dev/null
sea -C emil set -q --create b n:=2
[ "$(sea -C emil get b n)" = 2 ]
me=$(sea -C emil rev-parse --instance-id)
status $BAD_DATA sea -C emil authorize --admin --recovery=/dev/null "$me"
sed 's/^  [a-z]*/  zoo/' words >wrong
status $BAD_DATA sea -C emil authorize --admin --recovery="$PWD/wrong" "$me"
says err '24 words'
status 0 sea -C emil authorize --admin --recovery="$PWD/words" "$me"
sea -C emil instances | grep -q 'self *admin'
status 0 sh -c 'sea -C emil revoke --recovery=- dora <words'
sea -C emil sync -q
sea -C emil instances | grep -q 'dora.*revoked'
[ "$(sea -C emil get a n)" = 1 ]
sea verify shelf >out
EOT

t 'they open a sealed database that no passphrase opens any more' <<'EOT'
rm -rf vault
echo 'one that is lost' >lost
chmod 600 lost
status 0 sea init --encrypt --require-auth --recovery=key --name=jo --password-file=lost jo
says err 'if you lose the passphrase, the recovery key and every authorized device, the data cannot be recovered'
sea -C jo add-container -q --create vault "$PWD/vault"
sea -C jo set -q --create a n:=1
# Whoever begins an epoch later wraps its key for recovery, too; an old passphrase opens nothing of it.
sea -C jo --password-file="$PWD/lost" passwd -q --rotate
sea -C jo set -q --create b n:=2
sea -C jo sync -q
rm -r jo lost
unset SEA_PASSWORD_FILE
status $BAD_DATA sea clone --recovery=/dev/null --name=kim vault kim
status $DENIED sea clone --recovery=words --name=kim vault kim
says err 'wrong recovery key'
[ ! -e kim ]
status 0 sh -c 'sea clone --recovery=- --name=kim vault kim <key'
says err 'authorize --admin --recovery=FILE'
[ "$(sea -C kim get a n) $(sea -C kim get b n)" = '1 2' ]
me=$(sea -C kim rev-parse --instance-id)
sea -C kim set -q --create c n:=3
status 0 sea -C kim authorize --admin --recovery="$PWD/key" "$me"
status 0 sea -C kim revoke --recovery="$PWD/key" jo
echo another >new
chmod 600 new
status 0 sea -C kim passwd -q --add --new-password-file="$PWD/new"
sea -C kim sync -q
status 0 sea clone -q --password-file=new --name=lee vault lee
[ "$(sea -C lee get b n) $(sea -C lee get c n)" = '2 3' ]
# Without kept keys and without a passphrase the words do, here as well.
status 0 sea clone -q --no-store-key --recovery=key --name=mo vault mo
status 0 sea -C mo authorize -q --recovery="$PWD/key" "$(sea -C mo rev-parse --instance-id)"
[ "$(sea -C mo get c n)" = 3 ]
# A container whose slots were taken away opens for nobody.
cp -r vault bare
rm bare/keys/*
status $DENIED sea clone --recovery=key --name=no bare no
says err 'the recovery key does not open'
[ ! -e no ]
EOT

t 'they can be written to a file, and belong to databases with members' <<'EOT'
status $USAGE sea init --recovery plain
[ ! -e plain ]
status 0 sea init --require-auth --name=fred --recovery=safe fred
[ "$(wc -w <safe)" -eq 24 ]
[ "$(stat -c %a safe)" = 600 ]
fails says out "$(head -1 safe)"
cp safe before
status $SYSTEM sea init --require-auth --recovery=safe gerd
[ ! -e gerd ]
cmp safe before
status $DENIED sea -C fred revoke --recovery="$PWD/words" fred
says err 'wrong recovery key'
status 0 sea init --json --require-auth --recovery hans
says out '"event":"recovery","words":"'
status 0 sea init --require-auth ida
says err 'no recovery key: if all admin devices are lost'
EOT
