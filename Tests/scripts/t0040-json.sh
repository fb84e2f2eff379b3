# limit: 120
# Everything that commands print with --json, held against the schemas in schemas/: each command, and each kind of line
# that its schema has.
unset SEA_PASSWORD_FILE
umask 077
echo 'vier kleine Boote' >pw
echo 'eine neue Sprache' >pw2

# j DIR COMMAND ARGUMENTS: runs a command with --json, and keeps what it prints.
cat >j.sh <<'EOX'
log=${log-$PWD/log}
export log
mkdir -p "$log"
j() {
  where=$1 command=$2
  shift 2
  code=0
  sea -C "$where" --json "$command" "$@" >>"$log/$command" 2>>"$log/talk" || code=$?
  echo "$code $command $*" >>"$log.statuses"
}
damage() {
  chmod u+w "$1"
  printf XXXX | dd of="$1" bs=1 seek=$(($(stat -c %s "$1") / 2)) conv=notrunc status=none
}
EOX

t 'records, history and the plumbing' <<'EOT'
. ./j.sh
j . init -n one
j . init --name=one --content-type=org.example.test one
j . init one
j . init --require-auth --recovery --name=old old
j one config set core.abbrev 9
j one config set -n core.abbrev 10
j one config get core.abbrev
j one config list --local
j one config list --describe
j one config path
j one config set --shared core.abbrev 8
j one config unset core.abbrev
mkdir one/.sea/hooks && touch one/.sea/hooks/none
j one status --locks
rm -r one/.sea/hooks
j one put '{"_id":"h/1","_type":"host","n":1,"tags":{"$set":["a"]},"owner":{"$ref":"p/1"}}' '{"_id":"p/1","when":{"$date":"2026-01-01T00:00:00Z"}}'
j one put '{"_id":"h/1","_type":"host","n":1,"tags":{"$set":["a"]},"owner":{"$ref":"p/1"}}' '{"_id":"h/2","n":1}' '{"_id":"p/1","_deleted":true}'
j one put -n '{"_id":"h/1","_type":"host"}'
j one put '{"_id":"c/a","to":{"$ref":"c/b"}}' '{"_id":"c/b","to":{"$ref":"c/a"}}'
j one put 'no json'
j one set h/1 n:=2
j one set h/1 n:=2
j one set --create h/3 n:=1
j one set -t host --where='n > 1' n:sql='n + 1'
j one set -n --where='n > 1' x:=1
j one revert -n h/1
j one revert h/1 n
j one revert h/1@~1 n
j one revert h/1@winner
j one revert --at=now h/3 n
sea -C one delete -q h/3
j one revert h/3
sea -C one set -q --create h/3 n:=1
j one delete -n --where='n > 1'
printf '%s\n' start 'put {"_id":"b/1","n":1}' 'get b/1' 'verify b/1 none' commit 'get b/2' 'set b/2 n:=2' 'verify b/1 1-0000' nothing | j one batch
j one delete h/3
printf '<script>' >page
cp page one/page
j one set h/1 page:asset@page
j one get h/1
j one get --meta h/1
j one get h/1 n tags owner page
j one get --at=now h/1
sea -C one config set type.host/missing.required true
j one check
sea -C one config unset type.host/missing.required
j one check -t host
j one get h/9
j one query
j one query --deleted --ids
j one query --count
j one query --types
j one query --select=id,n
j one query 'n = 1'
j one dump --where='n = 1'
j one dump -t host -o hosts.jsonl
j one load -n hosts.jsonl
j one load hosts.jsonl
j one dump --format=datastore -o entities.json
j one load -n --format=datastore entities.json
mkdir one/beside
j one load --assets=beside hosts.jsonl
j one dump --history
j one dump --history -o all.jsonl
j one load -n --history all.jsonl
j one load --history all.jsonl
j one sql 'SELECT _id, n, tags FROM records'
j one log
j one log h/1
j one log --graph h/1
j one log -p
j one log --changes -t h
j one log -p h/1
j one log h/1 n
j one diff h/1@~1 h/1
j one diff --json-patch -- h/1
j one diff --merge-patch -- h/1
j one diff --stat -- h/1
j one ops
j one ops --show='@{0}'
j one diff '@{0}'
j one show
j one stats
j one changes
j one changes --position
j one watch --since=0 --once
j one watch --once --timeout=0
j one show h/1
j one diff --stat '@{yesterday}'
sea -C one put -q '{"_id":"u/1","n":1}' '{"_id":"u/2","n":1}'
op=$(sea -C one ops -1 --format='%(op)')
j one undo -n
j one undo "$op" --only=u/1
j one undo "$op"
j one set h/1 n:=9
j one undo
j one rev-parse --short h/1 h/1@winner "$(sea -C one rev-parse --instance-id)" one/0
for fact in sea-dir database-id instance-id content-type; do j one rev-parse --$fact; done
sea -C one log --format='%(block)' | while read -r block; do j one cat-block "$block"; done
j one inspect
j one inspect --tree
j one inspect one/0
j one inspect --hex one/1
j one inspect h/1
j one doctor --list
mkdir -p one/.sea/tmp/0123456789abcdef one/.sea/hooks && : >one/.sea/tmp/0123456789abcdef/file && : >one/.sea/hooks/none
j one doctor
j one doctor --fix temporaries
rm -r one/.sea/hooks
echo one/0 >names
echo one/77777 >>names
sea -C one --json cat-block --batch-check <names >>log/cat-block
j one heads
sea -C one heads | sed 's/	[0-9]*	/	0	/' >have
j one heads --have="$PWD/have"
echo '{"_id":"x","n":1}' | sea --json hash-record >>log/hash-record
printf '{"rev":"1-a"}\n{"rev":"2-b","parent":"1-a"}\n' | sea --json pick-winner >>log/pick-winner
sea --json pick-winner </dev/null >>log/pick-winner
echo '{"_id":"x","n":2}' >ours
echo '{"_id":"x","n":3,"m":1}' >theirs
j . merge-record --policy=max ours theirs
j . merge-record ours theirs
j . help
j . help put
sea --json put -h >>log/help
j . version
j . no-such-command
j one gc
j one gc -n
j one reindex --projection
j one reindex --projection -n
j one reindex --add=by-n=h:/n -n
j one reindex --add=by-n=h:/n
j one reindex --list
j one query -t h --explain 'n = 1'
j one reindex --remove=by-n -n
j one reindex --remove=by-n
j one verify one/0
j one verify
EOT

t 'purges' <<'EOT'
. ./j.sh
sea init -q --name=p p1
sea -C p1 add-container -q --create pteam "$PWD/pteam"
sea -C p1 put -q '{"_id":"x","v":1}' '{"_id":"y","v":1}'
sea -C p1 set -q x v:=2
sea -C p1 sync -q
sea clone -q --name=q pteam p2
sea -C p2 set -q y v:=2
sea -C p2 sync -q
sea -C p1 sync -q
j p1 purge x
j p1 purge -n y v
j p1 purge --confirm=other y
j p1 purge --confirm=p --history-only y
j p1 purge --confirm=p --before=now
j p1 purge --status
EOT

t 'containers, conflicts and bundles' <<'EOT'
. ./j.sh
j one add-container -n --create team "$PWD/team"
j one add-container --create team "$PWD/team"
j one sync -n
j one push
j . clone -n team two
j . clone --name=two team two
sea -C one put -q '{"_id":"k","a":0,"b":0,"c":{"$counter":1}}'
sea -C one sync -q
sea -C two sync -q
sea -C one set -q k a:=1
sea -C two set -q k b:=1
sea -C one sync -q
j two sync
sea -C one sync -q
sea -C one set -q k a:=2
sea -C two set -q k a:=3
sea -C one sync -q
j two pull
sea -C one set -q k b:=2
sea -C two push -q
sea -C one pull -q
for who in one two; do
  j $who conflicts
  j $who conflicts --count
done
j one put '{"_id":"k","_rev":"'"$(sea -C one rev-parse k@winner)"'","a":7}'
j one conflicts k
j one resolve -n --winner k
j one resolve --all
j one resolve --winner k
j one resolve k
j one undo
j one undo '@{0}'
j one diff --container=team
j one diff --container=team --stat
sea -C one put -q '{"_id":"m","a":0,"b":0}'
sea -C one sync -q
sea -C two sync -q
sea -C one set -q m a:=11
sea -C two set -q m b:=11
sea -C two export -q --full -o "$PWD/merging.bundle"
j one import "$PWD/merging.bundle"
sea -C one sync -q
sea -C two sync -q
sea -C one set -q m a:=12
sea -C two set -q m a:=13
sea -C two export -q --full -o "$PWD/clashing.bundle"
j one import "$PWD/clashing.bundle"
j one resolve --all --winner
j one export -n -o whole.bundle
j one export --verify -o whole.bundle
sea -C one --json export --full -o - >stream 2>>log/export
mv one/whole.bundle .
j one export --since=0d -o none.bundle
j one export --to="$PWD/kit"
touch -d yesterday kit/*.zst
sea -C one set -q h/1 n:=77
j one export --to="$PWD/kit" --keep-last=1
j one export -n --full --to="$PWD/kit" --keep-last=1
j one export --full --to="$PWD/kit" --keep-last=1
j one status
j one status --probe
j one diff --bundle="$PWD/whole.bundle"
j . verify whole.bundle
j two import -n "$PWD/whole.bundle"
j two import "$PWD/whole.bundle"
j . clone -n whole.bundle three
j . clone --name=three whole.bundle three
sea -C two put -q '{"_id":"late"}'
sea -C two export -q --full -o "$PWD/base.bundle"
sea -C two put -q '{"_id":"later"}'
sea -C two export -q --since="$PWD/base.bundle" -o "$PWD/more.bundle"
j one import -n "$PWD/more.bundle"
j one import "$PWD/more.bundle"
j . mirror -n team copy
j . mirror team copy
j one containers
j one stats
j one containers --probe
mkdir browser && printf '#!/bin/sh\necho "=;eth0;IPv4;field;_sea._tcp;local;box.local;10.0.0.1;7325;"\n' >browser/avahi-browse
chmod +x browser/avahi-browse
PATH=$PWD/browser:$PATH j one containers --discover
mv copy away
j one add-container "$PWD/nowhere" here
j one remove-container -n team
mv team gone
j one sync
j one verify team
mv gone team
echo foreign >team/transactions/foreign
j one verify team
sea mirror -q team mended
j one verify --repair="$PWD/mended" team
rm -r mended
cp -r team broken && chmod -R u+w broken
printf XX | dd of="$(ls -d broken/transactions/*/1/1 | head -1)" bs=1 conv=notrunc status=none
j . inspect --blocks broken
damage "$(ls -d team/transactions/*/1/1 | head -1)"
j . verify team
j . mirror --size-limit=1 team limited
rm -r limited
j . mirror team other
j one verify --assets team
j one remove-container --only-copy-is-fine team
EOT

t 'assets' <<'EOT'
. ./j.sh
for k in 1 2 3; do head -c ${k}00000 /dev/zero | tr '\0' $k >file$k; done
sea init -q --name=birds birds
for k in 1 2 3; do sea -C birds set -q --create -t bird bird/$k photo:asset@"$PWD/file$k"; done
sea -C birds add-container -q --create stick "$PWD/stick.sea"
sea -C birds sync -q
sea clone -q --name=lab stick.sea lab
j lab status
j lab assets --whereis
j lab fetch-assets -n
j lab fetch-assets --size-limit=100000
j lab assets --present
damage "$(echo stick.sea/assets/*/1/1)"
rm -f stick.sea/assets/*/1/2
j lab fetch-assets
j birds drop-assets -n
j birds drop-assets
j birds fetch-assets
j . verify --assets stick.sea
cp "$(find birds/.sea/assets -type f | head -1)" spare
sea init -q bare
mkdir -p bare/.sea/assets/11111111-1111-4111-8111-111111111111/1
cp spare bare/.sea/assets/11111111-1111-4111-8111-111111111111/1/0
j bare assets --unreferenced
j bare gc --assets
SEA_PROGRESS_DELAY=0 sea -C birds --progress --json verify >>log/verify 2>>log/talk
EOT

t 'passphrases and members' <<'EOT'
. ./j.sh
SEA_PASSWORD_FILE=$PWD/pw
export SEA_PASSWORD_FILE
sea init -q --encrypt --require-auth --name=alice alice
sea -C alice add-container -q --create hub "$PWD/hub"
sea -C alice put -q '{"_id":"n/1"}'
sea -C alice sync -q
j alice passwd --list
j alice passwd -n
j alice passwd -n --rotate
j alice passwd --new-password-file="$PWD/pw2"
SEA_PASSWORD_FILE=$PWD/pw2
j alice passwd --add --new-password-file="$PWD/pw"
sea -C alice sync -q
SEA_PASSWORD_FILE=
sea --json --no-input clone --name=carol hub carol >>log/clone 2>>log/talk || true
j . clone --name=bob --password-file="$PWD/pw2" hub bob
sea -C bob put -q '{"_id":"n/2"}'
sea -C bob sync -q
sea -C bob export -q --full -o "$PWD/bob.bundle"
j alice import "$PWD/bob.bundle"
j alice sync
j alice status
j alice instances
words=$(sea -C bob instances --json --fingerprint | sed -n '/"name":"bob"/s/.*"fingerprint":"\([^"]*\)".*/\1/p')
j alice authorize -n --fingerprint="$words" bob
j alice authorize --fingerprint="$words" bob
j alice authorize --admin --fingerprint="$words" bob
j alice sync
SEA_PASSWORD_FILE=$PWD/pw2
j alice passwd --rotate
j alice revoke -n bob
j alice revoke bob
j alice sync
j alice passwd --list
j alice instances
j alice verify --keys
j alice inspect hub
j alice inspect --blocks hub
j alice containers -n --drop-held=hub
j alice containers --drop-held=hub
sea -C alice log --format='%(block)' | while read -r block; do j alice cat-block "$block" && j alice inspect "$block"; done
sea init -q --name=cut cut
sea -C cut put -q '{"_id":"x"}'
sea -C cut purge -q --confirm=cut x
sea -C cut log --format='%(block)' | while read -r block; do j cut cat-block "$block"; done
EOT

t 'copies and forks' <<'EOT'
. ./j.sh
export XDG_STATE_HOME=/dev/null
sea init -q --name=field field
sea -C field add-container -q --create box "$PWD/box"
sea -C field put -q '{"_id":"a"}'
sea -C field sync -q
cp -r field twin
sea -C field put -q '{"_id":"of-field"}'
sea -C twin put -q '{"_id":"of-twin"}'
sea -C field sync -q
j twin sync
j field sync
j field status
j field heads
j field verify
j . init -n --renew-instance twin
j . init --renew-instance twin
cp -r field third
sea -C field put -q '{"_id":"x"}'
sea -C third put -q '{"_id":"y"}'
sea -C third export -q --full -o "$PWD/third.bundle"
j field import "$PWD/third.bundle"
damage "$(ls -d box/transactions/*/1/1 | head -1)"
j . clone box late
j late status
# Blocks that are kept and not applied.
j . clone "$SEA_TEST_ROOT/Tests/vectors/container/lamport/sea" clocks
j clocks status
# More settings than count.
sea init -q --name=settings settings
sea -C settings add-container -q many "$PWD/many" --create
sea -C settings sync -q
/usr/bin/python3 "$SEA_TEST_ROOT/Tests/reader/many_settings.py" many 1025 merge.p .policy max
sea -C settings sync -q
j settings status
EOT

t 'containers elsewhere' <<'EOT'
. ./j.sh
j . serve --stdio box </dev/null
printf '#!/bin/sh\nexec sea serve --stdio "${1#*:}"\n' >good && chmod +x good
j . test-helper --program=good good:"$PWD/trial"
printf '#!/bin/sh\nread -r line; echo sea-helper 1; read -r line; echo ok; read -r line; echo error failed\n' >bad && chmod +x bad
j . test-helper --program=bad bad:place
# It would serve its pages; here, there is no database.
mkdir none
j none studio --no-open
EOT

t 'every line is as its schema says, and every kind of line was seen' <<'EOT'
. ./j.sh
/usr/bin/python3 "$SEA_TEST_ROOT/Tests/schemas/check.py" "$SEA_TEST_ROOT/schemas" "$log"
EOT
