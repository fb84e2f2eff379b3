# limit: 120
# The inside of a database in the browser: chains and blocks, revision trees, checks and sizes.
. "$SEA_TEST_ROOT/Tests/studio/studio.sh"
sea init -q --name=office museum
sea -C museum set -q --create -t object o/1 name=Fibula
sea -C museum add-container -q --create usb "$PWD/usb.sea"
sea -C museum sync -q
sea clone -q --name=field usb.sea field
sea -C field set -q o/1 name=Brooch
sea -C museum set -q o/1 name=Bead
sea -C field sync -q
sea -C museum sync -q
sea -C museum put -q '{"_id":"e<script>alert(1)</script>","_type":"<b>","name":"x"}'
start_studio main museum --read-only
# Containers and bundles that others would bring: one is encrypted, and one has members.
cp -r usb.sea stick.sea
sea -C museum export -q --to="$PWD/bundles"
echo 'a passphrase that is long enough' >passphrase
chmod 600 passphrase
sea init -q --encrypt --require-auth --name=alice --password-file=passphrase alice
sea -C alice set -q --create -t object o/1 name=Secret
sea -C alice add-container -q --create team "$PWD/team.sea"
sea -C alice push -q
mkdir tmp
export TMPDIR="$PWD/tmp"
cat >env <<'EOX'
. "$SEA_TEST_ROOT/Tests/studio/studio.sh"
. ./main.env
digest() { find stick.sea bundles team.sea -printf '%p %y %s %T@\n' -type f -exec sha256sum {} + | sort; }
EOX
(IN_TEST=1 && . ./env && digest) >before
start_studio stick . stick.sea
start_studio bundle . bundles/*.zst
start_studio bundles . bundles
start_studio team . --password-file=passphrase team.sea
for name in main stick bundle bundles team; do enter_studio $name; done

t 'chains as lanes, in the database and in a container' <<'EOT'
IN_TEST=1 . ./env
[ "$(page /blocks)" = 200 ]
grep -q 'office/1' body
grep -q 'field/1' body
grep -q 'class="seen"' body
[ "$(page '/blocks?in=usb')" = 200 ]
grep -q 'field/1' body
fails grep -q 'office/3' body
[ "$(page "/blocks?chain=$(sea -C museum rev-parse --instance-id)")" = 200 ]
grep -q 'office/1' body
fails grep -q 'title="[0-9a-f-]*"><bdi>field</bdi></li>' body
EOT

t 'only what is attached is reached' <<'EOT'
IN_TEST=1 . ./env
for other in "$PWD/usb.sea" usb.sea /etc ssh://example.com/x; do
  [ "$(page "/blocks?in=$other")" = 404 ]
  [ "$(page "/health?start=verify:$other")" = 404 ]
done
EOT

t 'a block has its header, its changes and what was seen' <<'EOT'
IN_TEST=1 . ./env
own=$(sea -C museum rev-parse --instance-id)
[ "$(page "/block?id=$own/3")" = 200 ]
grep -q 'payload size' body
grep -q 'field/1' body
fails grep -q '<script>alert' body
[ "$(page "/block?id=$own/0")" = 200 ]
grep -q 'Control entries' body
[ "$(page "/block?id=$own/77")" = 404 ]
EOT

t 'the tree tells the winner and the side apart' <<'EOT'
IN_TEST=1 . ./env
[ "$(page '/tree?id=o/1')" = 200 ]
grep -q 'class="tag winner"' body
grep -q 'class="tag side"' body
[ "$(page '/tree?id=none')" = 404 ]
EOT

t 'checks and verification run, and say what they found' <<'EOT'
IN_TEST=1 . ./env
finish() { for n in $(seq 200); do page /health >/dev/null; grep -qi '^refresh' head || return 0; sleep 0.1; done; return 1; }
[ "$(page '/health?start=doctor')" = 303 ]
finish && grep -q 'No problem was found' body
: >usb.sea/strange
[ "$(page '/health?start=doctor')" = 303 ]
finish && grep -q 'it is not a file of sea' body
rm usb.sea/strange
block=$(find usb.sea/transactions -type f -name 1 | head -1)
chmod u+w "$block" && printf XX | dd of="$block" bs=1 seek=120 conv=notrunc status=none
[ "$(page '/health?start=verify:usb')" = 303 ]
finish && grep -q 'class=problem' body && grep -q '<code>bad-data</code>' body
[ "$(page '/health?start=verify')" = 303 ]
finish && grep -q 'Everything that was checked is valid' body
EOT

t 'a container is shown as a database that cannot be changed' <<'EOT'
IN_TEST=1 . ./env
. ./stick.env
[ "$(page "/blocks?in=origin")" = 200 ]
grep -q '<title>Blocks – stick.sea</title>' body
grep -q 'office/1' body
grep -q 'field/1' body
lacks body 'sea studio/0'
[ "$(page '/record?id=o/1')" = 200 ]
grep -qE 'Bead|Brooch' body
for target in / /copies /members /conflicts /operations /deleted /health; do [ "$(page $target)" = 200 ]; done
[ "$(send /sync do=sync)" = 403 ]
EOT

t 'a bundle and a folder with bundles, too' <<'EOT'
IN_TEST=1 . ./env
. ./bundle.env
[ "$(page /blocks)" = 200 ]
grep -q '<title>Blocks – .*\.zst</title>' body
grep -q 'office/2' body
. ./bundles.env
[ "$(page /blocks)" = 200 ]
grep -q '<title>Blocks – bundles</title>' body
grep -q 'office/2' body
EOT

t 'an encrypted container is shown to those who have the passphrase' <<'EOT'
IN_TEST=1 . ./env
. ./team.env
[ "$(page '/record?id=o/1')" = 200 ]
grep -q Secret body
status $DENIED sea studio --no-open --no-input team.sea
says err 'error[no-key]'
EOT

t 'anything else is refused in one line' <<'EOT'
echo nothing >none
mkdir empty
status $UNREACHABLE sea studio --no-open missing
for name in none empty museum; do
  status $INCOMPATIBLE sea studio --no-open $name
  [ ! -s out ]
  [ "$(grep -c error err)" = 1 ]
done
EOT

t 'the end of the program is not that of the browser' <<'EOT'
IN_TEST=1 . ./env
mkdir browser
printf '#!/bin/sh\necho $$ >browser/pid\nexec sleep 60\n' >browser/xdg-open
chmod +x browser/xdg-open
PATH=$PWD/browser:$PATH DISPLAY=:9 sea studio stick.sea >address 2>log &
for n in $(seq 300); do [ ! -s browser/pid ] || break; sleep 0.1; done
kill $!
wait $! || [ $? = 143 ]
kill "$(cat browser/pid)"
EOT

t 'the status is that of the program, also if it crashes' <<'EOT'
IN_TEST=1 . ./env
mkdir alone
cp "$(realpath "$(command -v sea)")" alone/sea
for end in 'exit 12' 'kill -SEGV $$'; do
  printf '#!/bin/sh\n%s\n' "$end" >alone/sea-studio
  chmod +x alone/sea-studio
  PATH=/usr/bin:/bin alone/sea studio stick.sea >out 2>err || echo $? >>statuses
done
printf '12\n139\n' | same statuses
EOT

t 'nothing is written to them, and no copy remains' <<'EOT'
IN_TEST=1 . ./env
digest | diff before -
[ "$(ls tmp | wc -l)" = 4 ]
for name in stick bundle bundles team; do
  kill "$(cat $name.studio)"
  for n in $(seq 100); do kill -0 "$(cat $name.studio)" 2>/dev/null || break; sleep 0.1; done
done
[ "$(ls tmp | wc -l)" = 0 ]
EOT
