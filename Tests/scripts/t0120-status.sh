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
status 1 sea -C one status --exit-code
says out 'container team  new  1 to push, never synced'
says out '1 block of this instance in no container yet'
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
status 3 sea -C one status --porcelain=v1 --exit-code
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

t 'what was kept apart is shown until it is mended' <<'EOT'
sea -C one set -q --create b n=1
sea -C one push -q
block=$(find team -path "*$(sea -C one rev-parse --instance-id)*" -name 2)
cp "$block" good
chmod u+w "$block"
truncate -s 100 "$block"
status 8 sea -C two pull -q
status 0 sea -C two status
says out 'quarantined origin: block'
says out 'incomplete'
sea -C two resolve -q --winner a
status 8 sea -C two status --exit-code
head -c "$(stat -c %s good)" /dev/zero | tr "\0" x >"$block"
status 5 sea -C two pull -q
status 5 sea -C two status --exit-code
status 0 sea -C two status --json
says out '"event":"quarantined"'
cp good "$block"
sea -C two pull -q
status 0 sea -C two status --porcelain
says out '# quarantined	0'
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
status 10 sea -C empty --sea-dir=.sea status
EOT
