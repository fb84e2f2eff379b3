# sealed: yes
t 'status of a new database' <<'EOT'
sea init -q --name=one --content-type=org.example.test one
status 0 sea -C one status
says out 'no conflicts'
says out 'no container'
status 0 sea -C one status --exit-code
EOT

t 'status tells what a container lacks' <<'EOT'
sea -C one add-container -q --create team "$PWD/team"
status $NO sea -C one status --exit-code
says out 'container team  new  1 to push, never synced'
says out '1 block of this instance not in any container yet'
sea -C one sync -q
status 0 sea -C one status --exit-code
says out 'nothing to push'
EOT

t 'a container that is not synced by itself does not make the status 1' <<'EOT'
sea mirror -q team aside
sea -C one add-container -q --no-auto aside "$PWD/aside"
status 0 sea -C one status --exit-code
status 0 sea -C one status --porcelain
grep -q "^container	aside	new	1	-	-$" out
EOT

t 'the frozen lines' <<'EOT'
sea clone -q --name=two team two
for i in one two; do sea -C $i set -q --create -t note a by=$i; sea -C $i sync -q; done
sea -C one sync -q
status $CONFLICT sea -C one status --porcelain=v1 --exit-code
sed -E 's/[0-9a-f]{8}-[0-9a-f-]{27}/UUID/; s/[0-9-]{10}T[0-9:.]+Z/TIME/' out >lines
same lines <<'EOX'
# sea.status v1
# database	UUID	org.example.test
# instance	UUID	one
# conflicts	1
# assets.missing	0	0
# quarantined	0
container	team	synced	0	-	TIME
container	aside	new	4	-	-
conflict	a	note	add/add	2
EOX
EOT

t 'a quarantined block is listed until it is repaired' <<'EOT'
sea -C one set -q --create b n=1
sea -C one push -q
block=$(find team -path "*$(sea -C one rev-parse --instance-id)*" -name 2)
cp "$block" good
chmod u+w "$block"
truncate -s 100 "$block"
status $PARTIAL sea -C two pull -q
status 0 sea -C two status
says out 'quarantined origin: block'
says out 'incomplete'
sea -C two resolve -q --winner a
status $PARTIAL sea -C two status --exit-code
head -c "$(stat -c %s good)" /dev/zero | tr "\0" x >"$block"
status $CORRUPT sea -C two pull -q
status $CORRUPT sea -C two status --exit-code
status 0 sea -C two status --json
says out '"event":"quarantined"'
# Somebody who knows of it need not see it again; it is no less damaged for that.
status 0 sea -C two status --dismiss
says out '1 quarantined item is hidden until it changes'
status 0 sea -C two status
lacks out quarantined
status $CORRUPT sea -C two status --exit-code
status $CORRUPT sea -C two pull -q
status 0 sea -C two status --porcelain
says out '# quarantined	0'
head -c 100 good >"$block"
status $PARTIAL sea -C two pull -q
status 0 sea -C two status
says out 'quarantined origin: block'
cp good "$block"
sea -C two pull -q
status 0 sea -C two status --porcelain
says out '# quarantined	0'
EOT

t 'pending blocks are hidden after they were dismissed, until more arrive' <<'EOT'
sea init -q --name=alice --require-auth alice
sea -C alice add-container -q --create box ../box
sea -C alice sync -q
sea clone -q --name=mallory box mallory
sea -C mallory set -q --create x n:=1
sea -C mallory sync -q
for command in sync status; do
  status 0 sea -C alice $command
  says out 'quarantined: 2 blocks of mallory'
done
status 0 sea -C alice status --dismiss
says out '1 quarantined item is hidden until it changes'
for command in sync status 'status --json'; do
  status 0 sea -C alice $command
  lacks out 'quarantined: '
  lacks out '"event":"quarantined"'
done
status 0 sea -C alice status --dismiss
says out '0 quarantined items are hidden until they change'
sea -C mallory set -q x n:=2
sea -C mallory sync -q
for command in sync status; do
  status 0 sea -C alice $command
  says out 'quarantined: 3 blocks of mallory'
done
status $USAGE sea -C alice status --dismiss --probe
EOT

t 'status takes no lock and tells who has it' <<'EOT'
status 0 sea -C one status --locks
says out 'no writer'
: >one/.sea/lock
flock one/.sea/lock sh -c 'echo "4711 here sea put" >one/.sea/lock; sea -C one status --locks >out'
says out 'writer: pid 4711 here sea put'
EOT

t 'status needs a database' <<'EOT'
mkdir empty
status $NO_DATABASE sea -C empty --sea-dir=.sea status
EOT
