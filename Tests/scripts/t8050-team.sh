# A team shares a sealed folder: one founds it, one joins with the passphrase, one without; the passphrase leaks, and one
# leaves.
umask 077
unset SEA_PASSWORD_FILE
echo 'first passphrase' >pw
echo 'second passphrase' >pw2
echo 'third passphrase' >pw3

cat >world.sh <<'EOX'
. "$SEA_TEST_LIB"
p=$PWD
id() { sea -C "$1" rev-parse --instance-id; }
words() { sea -C "$1" instances --json | sed -n '/"instance":"'"$(id "$1")"'"/s/.*"fingerprint":"\([^"]*\)".*/\1/p'; }
# Nothing that only members may know lies in the folder.
sealed() { for text in customer phone '+41 44' alice bob carol; do ! grep -rqaF -e "$text" dropbox || return; done; }
EOX

t 'alice founds the database' <<'EOT'
. ./world.sh
mkdir dropbox
status 0 sea init --name=alice --content-type=org.acme.crm --encrypt --require-auth --password-file=pw crm.alice
mv crm.alice alice
says out 'encrypted  writing requires authorization'
says err 'the data cannot be recovered'
[ "$(stat -c %a alice/.sea/keys/epochs)" = 600 ]
status 0 sea -C alice add-container team "$p/dropbox/acme.sea" --create
printf '{"_id":"customer/%s","_type":"customer","name":"customer %s","phone":"+41 44 100 00 00"}\n' 1 1 2 2 4711 4711 >customers
status 0 sea -C alice put - <customers
status 0 sea -C alice push
sealed
EOT

t 'bob has the passphrase, and hands it over in no variable' <<'EOT'
. ./world.sh
SEA_PASSWORD=hunter2 status $USAGE sea clone dropbox/acme.sea bob
says err 'error[usage]: SEA_PASSWORD is ignored, because other programs can read it'
says err 'hint: use --password-file'
[ ! -e bob ]
status $DENIED sea clone --password-file=pw2 --name=bob dropbox/acme.sea bob
[ ! -e bob ]
status 0 sea clone --password-file=pw --name=bob dropbox/acme.sea bob
says out '3 records, no conflicts'
says err 'your changes are pending until an admin authorizes bob'
status 0 sea -C bob set customer/4711 phone='+41 44 000 00 00'
status 0 sea -C bob sync
says out 'pulled 0, pushed 2'
sealed
EOT

t 'alice compares the words and lets him in' <<'EOT'
. ./world.sh
status 0 sea -C alice sync
says out 'quarantined: 2 blocks of bob'
[ "$(sea -C alice get customer/4711 phone)" = '+41 44 100 00 00' ]
status 0 sea -C alice authorize bob --fingerprint="$(words bob)"
says out 'authorized bob: read from key epoch 1, write. Applied 2 pending blocks, 1 record changed'
[ "$(sea -C alice get customer/4711 phone)" = '+41 44 000 00 00' ]
status 0 sea -C alice sync
says out 'pulled 0, pushed 1'
EOT

t 'carol asks to be let in' <<'EOT'
. ./world.sh
status 0 sea clone --name=carol dropbox/acme.sea carol
status 0 sea -C alice sync
status 0 sea -C alice authorize "$(id carol)" --fingerprint="$(words carol)"
sea -C alice sync -q
status 0 sea -C carol sync
sea -C bob sync -q
sea -C carol set -q customer/4711 credit_limit:=500; sea -C bob set -q customer/4711 phone='+41 44 222 22 22'
sea -C carol sync -q; sea -C bob sync -q; sea -C carol sync -q; sea -C alice sync -q
for who in alice bob carol; do
  status 0 sea -C $who conflicts --exit-code
  sea -C $who query --json >query.$who
  cmp query.alice query.$who
done
# What they have changed does not clash.
[ "$(sea -C alice get customer/4711 phone credit_limit | tr '\n' ' ')" = '+41 44 222 22 22 500 ' ]
sea -C bob sync -q; sea -C alice sync -q; sea -C carol sync -q
status 0 sea -C carol status --exit-code
sealed
EOT

t 'the passphrase has leaked' <<'EOT'
. ./world.sh
status 0 sea -C alice passwd --password-file="$p/pw" --new-password-file="$p/pw2"
says out '0 of '
says err 'instances that have keys can still read everything'
sea -C alice sync -q
status $DENIED sea clone --password-file=pw --name=mallory dropbox/acme.sea mallory
[ ! -e mallory ]
EOT

t 'carol leaves' <<'EOT'
. ./world.sh
status 0 sea -C alice revoke carol
says out 'New data (key epoch 2) can be read by: alice, bob'
says err 'because carol may know it'
sea -C alice passwd -q --add --new-password-file="$p/pw3"
sea -C alice set -q customer/1 phone='+41 44 333 33 33'
status 0 sea -C alice sync
sea -C bob sync -q
status 0 sea -C alice instances
grep -q '^alice .* self  *admin .* 1-2 ' out
grep -q '^bob .* authorized  *write .* 1-2 ' out
grep -q '^carol .* revoked  *- .* 1 ' out
[ "$(sea -C bob get customer/1 phone)" = '+41 44 333 33 33' ]
EOT

t 'carol keeps what she has copied, and gets and gives nothing new' <<'EOT'
. ./world.sh
sea -C carol set -q customer/2 name=spoilt
for n in 1 2; do
  status $PARTIAL sea -C carol sync
  says err 'no-key'
done
[ "$(sea -C carol get customer/1 phone)" = '+41 44 100 00 00' ]
[ "$(sea -C carol get customer/2 name)" = 'customer 2' ]
status $DENIED sea -C carol set customer/2 name=spoilt
for password in pw pw2; do
  status $DENIED sea clone --password-file=$password --name=carol2 dropbox/acme.sea carol2
  [ ! -e carol2 ]
done
for who in alice bob; do
  status 0 sea -C $who sync
  says out 'quarantined: 1 block of carol'
  [ "$(sea -C $who get customer/2 name)" = 'customer 2' ]
done
EOT

t 'the new passphrase opens all of it, and every chain verifies' <<'EOT'
. ./world.sh
status 0 sea clone --password-file=pw3 --name=dan dropbox/acme.sea dan
sea -C alice query --json >query.alice; sea -C bob query --json >query.bob; sea -C dan query --json >query.dan
cmp query.alice query.bob; cmp query.alice query.dan
for who in alice bob dan; do status 0 sea -C $who verify; done
status 0 sea -C alice verify --keys team
says out 'chain alice'
says out 'unauthorized'
status 0 sea -C alice verify --keys
says out 'is ignored: its author is not authorized to write it (1 in total)'
# Whoever has the passphrase and no database comes to the same.
status 0 sea verify --keys --json --password-file=pw3 dropbox/acme.sea
[ "$(grep -c '"code":"unauthorized"' out)" -eq 1 ]
status 0 sea verify dropbox/acme.sea
sealed
EOT

t 'keys that are stripped after a revocation: nobody says ok, and nothing is written for eyes that are shut out' <<'EOT'
. ./world.sh
mkdir strip; cd strip; p=$PWD
sea init -q --name=alice --encrypt --require-auth --password-file=../pw alice
sea -C alice add-container -q team "$p/team" --create
sea -C alice push -q
for who in bob carol; do
  sea clone -q --password-file=../pw --name=$who team $who; sea -C $who sync -q; sea -C alice sync -q
  sea -C alice authorize -q $who --fingerprint="$(words $who)"; sea -C alice sync -q; sea -C $who sync -q
done
sea -C bob put -q '{"_id":"r","a":1}'; sea -C bob sync -q
status 0 sea -C alice revoke carol
sea -C alice put -q '{"_id":"s","a":1}'
status 0 sea -C alice sync
mkdir kept; mv team/keys/* kept/
for n in 1 2; do
  status $PARTIAL sea -C bob sync
  says err 'no-key'
done
status $PARTIAL sea -C bob status --exit-code
says out 'no-key'
status $PARTIAL sea -C bob verify
says out 'no-key'
status $DENIED sea -C bob set r a:=2
says err 'error[no-key]: cannot write: the key of epoch 2'
sea -C bob config set core.oldKey true
status 0 sea -C bob set r b:=2
sea -C bob config unset core.oldKey
# A member that has the key heals it.
status 0 sea -C alice sync
status 0 sea -C bob sync
status 0 sea -C bob set r a:=2
status 0 sea -C bob verify
sea -C bob status --exit-code >out || [ $? = 1 ]
[ "$(sea -C bob get s a)" = 1 ]
EOT
