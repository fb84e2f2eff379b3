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
cat >env <<'EOX'
. "$SEA_TEST_ROOT/Tests/studio/studio.sh"
. ./main.env
EOX
enter_studio main

t 'chains as lanes, in the database and in a container' <<'EOT'
IN_TEST=1 . ./env
[ "$(page /blocks)" = 200 ]
grep -q 'office/1' body && grep -q 'field/1' body && grep -q 'class="seen"' body
[ "$(page '/blocks?in=usb')" = 200 ]
grep -q 'field/1' body && ! grep -q 'office/3' body
[ "$(page "/blocks?chain=$(sea -C museum rev-parse --instance-id)")" = 200 ]
grep -q 'office/1' body && ! grep -q 'title="[0-9a-f-]*"><bdi>field</bdi></li>' body
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
grep -q 'payload size' body && grep -q 'field/1' body
! grep -q '<script>alert' body
[ "$(page "/block?id=$own/0")" = 200 ]
grep -q 'Control entries' body
[ "$(page "/block?id=$own/77")" = 404 ]
EOT

t 'the tree tells the winner and the side apart' <<'EOT'
IN_TEST=1 . ./env
[ "$(page '/tree?id=o/1')" = 200 ]
grep -q 'class="tag winner"' body && grep -q 'class="tag side"' body
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
