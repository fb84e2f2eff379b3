# sealed: yes
# Each test looks at one thing that is made wrong, and that it is told once, with what to do.
t 'a database that is well: every check says what it looked at' <<'EOT'
umask 022
sea init -q --name=one one
sea -C one put -q '{"_id":"a","n":1}' '{"_id":"b","n":2}'
sea -C one add-container -q --create team "$PWD/team"
sea -C one sync -q
sea -C one sync -q
chmod -R go-w one
chmod go-rwx one/.sea
status 0 sea -C one doctor
echo '14 checks, 0 findings' | same out
status 0 sea -C one doctor -v
[ "$(grep -c ' ok: checked ' out)" = 14 ]
says out 'containers     ok: checked 1 container'
status 0 sea -C one doctor -q
[ ! -s out ]
status 0 sea -C one doctor --list
[ "$(wc -l <out)" = 14 ]
sea -C one doctor --list --porcelain | cut -f1 >names
grep -qx cloud-debris names
status 0 sea -C one doctor clock cloud-debris
echo '2 checks, 0 findings' | same out
status $USAGE sea -C one doctor clock cluod
says err "CHECK: 'cluod'"
status $USAGE sea -C one doctor --fix --list
EOT

t 'nothing is written but with --fix' <<'EOT'
find one team -type f | sort | xargs sha256sum >before
sea -C one doctor -q
find one team -type f | sort | xargs sha256sum >after
cmp before after
EOT

t 'copies that a cloud client has made, and what it has yet to bring' <<'EOT'
block=$(ls team/transactions/*/1/1)
cp "$block" "$block (conflicted copy)"
echo mine >team/notes.txt
: >"$(dirname "$block")/.7.icloud"
status $NO sea -C one doctor cloud-debris
says out '/1; you can delete it'
says out "it has the same content as block $(sea -C one rev-parse --instance-id)/1"
says out 'team: notes.txt: it is not a file of sea'
says out '.7.icloud: a cloud client has not downloaded it yet; wait for the client to finish'
says out '1 check, 3 findings'
status $NO sea -C one doctor --porcelain cloud-debris
[ "$(cut -f1,2,4 out | sort | uniq -c | sed 's/^ *//')" = "$(printf '%s\n' '1 cloud-debris	found	copy' '1 cloud-debris	found	foreign-file' '1 cloud-debris	found	placeholder')" ]
rm "$block (conflicted copy)" team/notes.txt "$(dirname "$block")/.7.icloud"
sea -C one doctor -q cloud-debris
EOT

t 'an incomplete container and an unavailable one' <<'EOT'
block=$(ls team/transactions/*/1/1)
mv "$block" aside
status $NO sea -C one doctor missing
says out 'sea sync team'
mv aside "$block"
sea -C one doctor -q missing
mv team elsewhere
# A stick in a drawer is told once, by the check of containers, and is no fault.
status 0 sea -C one doctor containers cloud-debris missing unverified disk-space temporaries
says out 'containers     team: unavailable, not checked; if it is permanently lost'
says out '6 checks, 0 findings, 1 container unavailable'
[ "$(grep -c team: out)" = 1 ]
sea -C one doctor --porcelain containers | cut -f 2,3,4 >away
printf 'unavailable\tteam\tunavailable\n' | same away
sea -C one doctor --json | jq -e 'select(.event == "summary") | .ok and .unavailable == 1' >/dev/null
# What is there and cannot be read is one.
mkdir team && echo '{' >team/info.json
status $PARTIAL sea -C one doctor missing
rm -r team
mv elsewhere team
mkdir two
sea -C one add-container -q --create second "$PWD/second"
status $NO sea -C one doctor unverified
says out 'second: it was never synced; sea sync second'
sea -C one remove-container -q second
EOT

t 'files that other users may read or change' <<'EOT'
chmod 755 one/.sea
chmod g+w one/.sea/config
chmod 644 one/.sea/keys/instance
status $NO sea -C one doctor permissions
says out "one/.sea/config: other users can change it; chmod go-w "
says out "one/.sea/keys/instance: other users can read it; chmod go-rwx "
sea -C one doctor --json permissions | jq -r 'select(.event == "finding") | .advice' >fix
sh -e fix
sea -C one doctor -q permissions
chmod 700 one/.sea
# A closed folder does not close what a link in it leads to.
mkdir -p one/.sea/hooks
printf '#!/bin/sh\n' >hook && chmod 777 hook
ln -s "$PWD/hook" one/.sea/hooks/post-sync
status $NO sea -C one doctor permissions
says out 'hooks/post-sync: other users can change it; chmod go-w '
rm -r one/.sea/hooks hook
EOT

t 'hooks that are never run' <<'EOT'
mkdir -p one/.sea/hooks
echo 'exit 0' >one/.sea/hooks/post-put
: >one/.sea/hooks/post-lunch
chmod -x one/.sea/hooks/*
status $NO sea -C one doctor hooks
says out 'post-lunch: never runs: no event has that name'
rm -r one/.sea/hooks
sea -C one doctor -q hooks
EOT

t 'only files of killed commands are removed' <<'EOT'
head -c 3000 /dev/zero >team/.sea-tmp-00112233445566778899aabbccddeeff
touch -d '2 hours ago' team/.sea-tmp-00112233445566778899aabbccddeeff
head -c 10 /dev/zero >team/.sea-tmp-ffeeddccbbaa99887766554433221100
mkdir -p one/.sea/tmp/0123456789abcdef
head -c 2000 /dev/zero >one/.sea/tmp/0123456789abcdef/file
status $NO sea -C one doctor temporaries
says out 'team: 1 file of interrupted commands, 2.9 KiB; sea doctor --fix temporaries'
says out 'one/.sea: 1 file of interrupted commands, 1.9 KiB; sea doctor --fix temporaries'
status 0 sea -C one doctor --fix temporaries
says out 'team: 1 file of interrupted commands, 2.9 KiB; repaired'
says out '1 check, 0 findings, 2 repaired'
[ ! -e team/.sea-tmp-00112233445566778899aabbccddeeff ]
# Somebody may be just making it.
[ -e team/.sea-tmp-ffeeddccbbaa99887766554433221100 ]
rm team/.sea-tmp-ffeeddccbbaa99887766554433221100
sea -C one doctor -q temporaries
EOT

t 'a projection that is wrong is made anew' <<'EOT'
sea -C one query >good
python3 -c 'import sqlite3; c = sqlite3.connect("one/.sea/db"); c.execute("DELETE FROM revision"); c.commit(); c.close()'
status $NO sea -C one doctor projection
says out 'the local index does not match the chains'
says out 'sea doctor --fix projection'
status 0 sea -C one doctor --fix projection
says out '; repaired'
sea -C one query | cmp - good
sea -C one doctor -q projection
EOT

t 'a copy, and one that has no note' <<'EOT'
cp -r one copy
status $NO sea -C copy doctor copied
says out 'it is a copy of another '
rm -r copy
status $PARTIAL env HOME="$PWD/nobody" XDG_STATE_HOME="$PWD/nobody" sea -C one doctor copied
says out "no note of this instance's last write"
sea -C one doctor -q copied
EOT

t 'clocks' <<'EOT'
sea clone -q --name=two team two
SEA_AUTHOR_DATE=2099-01-01 sea -C two put -q '{"_id":"c"}'
sea -C two sync -q
sea -C one sync -q
status $NO sea -C one doctor clock
says out 'clock          two: its newest block is '
says out ' days ahead of this clock; set the wrong clock'
status $NO sea -C two doctor clock
says out 'two: this clock is '
EOT

t 'stored keys are counted' <<'EOT'
status 0 sea -C one doctor -v stored-keys
if [ "$SEA_TEST_SEALED" ]; then says out '1 stored content key'; else says out '0 stored content keys'; fi
says out 'the private keys of this instance'
EOT

t 'private keys that are gone are told of, and what is left to do' <<'EOT'
sea init -q keyless
rm -r keyless/.sea/keys
status $NO sea -C keyless doctor
says out 'the private keys of this instance are missing'
status $DENIED sea -C keyless set --create -q r n=1
says err 'error[no-key]'
says err 'restore it from a backup'
EOT

t 'a reason that keeps from looking at several things is told once' <<'EOT'
sea init -q broken
echo '[core' >>broken/.sea/config
status $PARTIAL sea -C broken doctor
[ "$(grep -c 'to correct the file, run: sea config edit' out)" = 1 ]
[ "$(grep -c 'could not be checked' out)" -gt 3 ]
grep -q 'containers .*could not be checked for the same reason$' out
# Programs are told it each time.
sea -C broken --json doctor >out || true
[ "$(jq -s '[.[] | select(.event == "finding" and (.found | contains("config:1")))] | length > 3' out)" = true ]
EOT
