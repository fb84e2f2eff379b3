# sealed: yes
# Settings that all instances of a database share.
t 'a shared setting arrives with the next sync' <<'EOT'
sea init -q --name=one one
sea -C one add-container -q --create team "$PWD/team"
status 0 sea -C one config set --shared merge.host.policy /ram_gb=max
[ ! -s out ]
status 0 sea -C one config set --shared core.abbrev 12
status 0 sea -C one config get --shared core.abbrev
echo 12 | same out
[ ! -e one/.sea/config ] || ! grep -q abbrev one/.sea/config
sea -C one push -q
sea clone -q --name=two team two
status 0 sea -C two config list --shared
same out <<'EOX'
core.abbrev=12
merge.host.policy=/ram_gb=max
EOX
sea -C two config list | grep -qx core.abbrev=12
[ "$(sea -C two config get --show-origin core.abbrev)" = "$(printf 'shared:\t12')" ]
status 0 sea -C two config get --json core.abbrev
echo '{"name":"core.abbrev","value":"12","scope":"shared"}' | same out
EOT

t 'it is used' <<'EOT'
sea -C two set -q --create n/1 text=a
[ "$(sea -C two rev-parse --short n/1@winner | sed 's/.*-//' | tr -d '\n' | wc -c)" = 12 ]
[ "$(sea -C two -c core.abbrev=6 rev-parse --short n/1@winner | sed 's/.*-//' | tr -d '\n' | wc -c)" = 6 ]
EOT

t 'it is stronger than the global file and weaker than the local one' <<'EOT'
sea config set --global core.abbrev 9
[ "$(sea config get core.abbrev)" = 9 ]
[ "$(sea -C two config get core.abbrev)" = 12 ]
sea -C two config set core.abbrev 10
[ "$(sea -C two config get core.abbrev)" = 10 ]
printf '8\n9\n12\n10\n' >want
sea -C two config get --all core.abbrev | same want
sea -C two config unset core.abbrev
sea config unset --global core.abbrev
EOT

t 'the later of two shared settings wins, and concurrent ones are decided alike everywhere' <<'EOT'
sea -C two config set --shared merge.host.policy /ram_gb=min
for who in two one; do sea -C $who sync -q; done
[ "$(sea -C one config get merge.host.policy)" = /ram_gb=min ]
sea -C one config set --force --shared index.by-name /a
sea -C two config set --force --shared index.by-name /b
for who in one two one two; do sea -C $who sync -q; done
sea -C one config list --shared >want
sea -C two config list --shared | same want
grep -qx 'index.by-name=/[ab]' want
EOT

t 'it is taken back for all' <<'EOT'
status 0 sea -C two config unset --force --shared index.by-name
[ ! -s out ]
status $NO sea -C two config unset --force --shared index.by-name
for who in two one; do sea -C $who sync -q; done
status $NO sea -C one config get index.by-name
[ "$(sea -C one heads)" = "$(sea -C two heads)" ]
EOT

t 'an unchanged setting and a dry run write no block' <<'EOT'
sea -C one heads >want
status 0 sea -C one config set --shared core.abbrev 12
status 0 sea -C one config set --shared -n core.abbrev 13
echo 'would set core.abbrev in the shared settings' | same out
status 0 sea -C one config set --shared -n --json core.abbrev 13
same out <<'EOX'
{"event":"would-configure","name":"core.abbrev","value":"13","scope":"shared","dry_run":true}
{"event":"summary","ok":true,"dry_run":true,"exit":0}
EOX
sea -C one heads | same want
status 0 sea -C one config get core.abbrev
echo 12 | same out
EOT

t 'only settings that cannot run a program are shared' <<'EOT'
sea -C one heads >want
for name in driver.x.command password.command core.editor core.pager hook.put.command merge.driver alias.x safe.directory; do
  status $DENIED sea -C one config set --shared $name 'touch pwned'
  says err "$name cannot be shared"
  status $DENIED sea -C one config unset --shared $name
done
status $BAD_DATA sea -C one config set --force --shared index.x "$(printf 'a\nsafe.directory=*')"
status $BAD_DATA sea -C one config set --force --shared index.x "$(printf '%065537d' 0)"
says err 'at most 65536 bytes'
status 0 sea -C one config set --force -n --shared index.x "$(printf '%065536d' 0)"
status $USAGE sea -C one config set --force --shared --add index.x y
status $USAGE sea -C one config path --shared
says err 'shared settings are not stored in a file'
status $USAGE sea -C one config edit --shared
status $NO_DATABASE sea config get --shared core.abbrev
status $NO_DATABASE sea config set --shared core.abbrev 9
sea -C one heads | same want
EOT

t 'it outlives reindex, and a value that makes no sense harms nobody' <<'EOT'
sea -C two config list --shared >want
sea -C two reindex -q --projection
sea -C two config list --shared | same want
for value in -5 0 99999999999999999999 many ''; do
  status $BAD_DATA sea -C one config set --shared -- core.abbrev "$value"
  status 0 sea -c core.abbrev="$value" -C one status
  status 0 sea -c core.abbrev="$value" -C one log
done
status 0 sea -C one verify -q
EOT

cat >members.sh <<'EOX'
. "$SEA_TEST_LIB"
mkdir -p "$kind"
cd "$kind"
given=
[ $kind = plain ] || given=--password-file=$PWD/../pw
words() { sea -C "$1" instances --json | sed -n '/"name":"'"$1"'"/s/.*"fingerprint":"\([^"]*\)".*/\1/p'; }
EOX
unset SEA_PASSWORD_FILE
(umask 077 && echo 'the passphrase of the team' >pw)

for kind in plain sealed; do
  export kind
  encrypt=false
  [ $kind = plain ] || encrypt=true
  export encrypt

  t "$kind: only settings of members count" <<'EOT'
. ./members.sh
sea -c init.encrypt=$encrypt init -q --require-auth $given --name=alice alice
sea -C alice add-container -q --create team "$PWD/team"
sea -C alice config set --shared core.abbrev 12
sea -C alice push -q
! grep -rqaF abbrev team || [ $kind = plain ]
sea clone -q $given --name=bob team bob
[ "$(sea -C bob config get core.abbrev)" = 12 ]
sea -C bob config set --shared core.abbrev 16
[ "$(sea -C bob config get core.abbrev)" = 16 ]
sea -C bob sync -q
status $LOCKED sea -C alice sync || [ $? = 1 ]
[ "$(sea -C alice config get core.abbrev)" = 12 ]
sea -C alice authorize -q --fingerprint="$(words bob)" bob
[ "$(sea -C alice config get core.abbrev)" = 16 ]
EOT

  t "$kind: a revocation takes out what was written behind it" <<'EOT'
. ./members.sh
sea -C alice sync -q
sea -C bob sync -q
last=$(sea -C bob heads --json | grep "$(sea -C bob rev-parse --instance-id)" | sed 's/.*"index":\([0-9]*\).*/\1/')
sea -C bob config set --shared core.abbrev 20
sea -C bob sync -q
sea -C alice sync -q
[ "$(sea -C alice config get core.abbrev)" = 20 ]
sea -C alice revoke -q --after="$last" bob
[ "$(sea -C alice config get core.abbrev)" = 16 ]
sea -C alice sync -q
sea -C bob sync || true
[ "$(sea -C bob config get core.abbrev)" = 16 ]
status $DENIED sea -C bob config set --shared core.abbrev 20
says err 'this instance was revoked'
EOT
done

t 'no key is needed to read what has arrived' <<'EOT'
kind=sealed
. ./members.sh
mv alice/.sea/keys keys
[ "$(sea -C alice --no-input config get core.abbrev)" = 16 ]
mv keys alice/.sea/keys
EOT

t 'too many shared settings slow nothing down, and status reports them' <<'EOT'
# What is written by hand here is not sealed.
sea -c init.encrypt=false init -q --name=flooded flooded
sea -C flooded add-container -q --create c "$PWD/flood"
sea -C flooded config set --shared type.t/zzz.default own
sea -C flooded config set --shared core.abbrev 9
sea -C flooded sync -q
/usr/bin/python3 "$SEA_TEST_ROOT/Tests/reader/many_settings.py" flood 20000 type.t/p .default x
sea -C flooded sync -q
sea -C flooded put -q '{"_id":"a","_type":"t"}' '{"_id":"b","_type":"u"}'
# The first by their names, and of the name that stands behind them nothing.
[ "$(sea -C flooded get a | jq 'keys | length')" = 259 ]
[ "$(sea -C flooded get a p100255)" = x ]
[ "$(sea -C flooded config get core.abbrev)" = 9 ]
sea -C flooded status >out
says out "too many shared settings begin with 'type.t/': 20001 names, "
says out 'only the first 1024 names and 4.0 MiB are used'
sea -C flooded status --json | jq -e 'select(.event == "settings") | .names == 20001 and .most == 1024 and .beginning == "type.t/"'
# A command reads those that it asks for: not in any multiple of the time that it takes without them.
sea -c init.encrypt=false init -q --name=calm calm
cpu() { /usr/bin/python3 -c 'import resource, subprocess, sys
for _ in range(5): subprocess.run(sys.argv[1:], check=True)
print(int(1e6 * sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])))' "$@"; }
calm=$(cpu sea -C calm put -q '{"_type":"u"}')
flooded=$(cpu sea -C flooded put -q '{"_type":"u"}')
[ "$flooded" -lt $((calm * 4)) ] || { echo "$flooded us, $calm without"; false; }
EOT
