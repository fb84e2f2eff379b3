# limit: 120
# The pages of a database: who may see and change them, and what they say. Browsers are in t8810.
. "$SEA_TEST_ROOT/Tests/studio/studio.sh"
sea init -q --name=office museum
cat >records <<'EOX'
{"_id":"o/1","_type":"object","name":"Bronze fibula","weight":41,"found":{"$day":"1932-06-14"},"place":{"$ref":"p/1"},"loans":{"$counter":2}}
{"_id":"o/2","_type":"object","name":"Glass bead","weight":3}
{"_id":"p/1","_type":"place","name":"Store A"}
{"_id":"e<script>alert(1)</script>","_type":"object","name":"\u202etxt.exe <b onclick='x'>\"","<i>":"javascript:alert(2)"}
EOX
sea -C museum put -q - <records
start_studio main museum
cp main.address first.address
cat >env <<'EOX'
. "$SEA_TEST_ROOT/Tests/studio/studio.sh"
. ./main.env
rev() { sea -C museum sql --tsv "SELECT _rev FROM records WHERE _id = '$1'" | tail -1; }
EOX
enter_studio main

t 'the address is of this computer, random, and valid once' <<'EOT'
IN_TEST=1 . ./env
grep -qE '^http://127\.[0-9]+\.[0-9]+\.[0-9]+:[0-9]+/enter\?token=[0-9a-f]{64}$' first.address
[ "$(curl -s -o body -w '%{http_code}' "$(cat first.address)")" = 403 ]
grep -q 'already opened' body
[ "$(curl -s -o body -w '%{http_code}' "$place/enter?token=0")" = 403 ]
EOT

t 'without the cookie, under another name or from another page nothing is answered' <<'EOT'
IN_TEST=1 . ./env
[ "$(page /)" = 200 ]
[ "$(curl -s -o body -w '%{http_code}' "$place/")" = 403 ]
fails grep -q museum body
[ "$(page / -H 'host: localhost')" = 421 ]
[ "$(page / -H 'host: evil.example')" = 421 ]
[ "$(page / -H 'sec-fetch-site: cross-site')" = 403 ]
[ "$(page / -X DELETE)" = 405 ]
EOT

t 'every answer says what a browser may do with it' <<'EOT'
IN_TEST=1 . ./env
for target in / /nothing /studio.css /studio.js '/record?id=o/1' '/record'; do
  page "$target" >/dev/null
  grep -qi "^content-security-policy: default-src 'none'" head
  fails grep -qi 'unsafe' head
  grep -qi '^x-content-type-options: nosniff' head
  grep -qi '^cache-control: no-store' head
done
EOT

t 'records, conditions, orders and searches' <<'EOT'
IN_TEST=1 . ./env
[ "$(page '/?type=object')" = 200 ]
grep -q 'Bronze fibula' body
grep -q 'Store A' body
[ "$(page '/?type=object&where=weight%20%3E%205')" = 200 ]
grep -q 'Bronze fibula' body
fails grep -q 'Glass bead' body
[ "$(page '/?type=object&where=wieght%20%3E%205')" = 422 ]
grep -q "Did you mean &#39;weight&#39;" body
[ "$(page '/?q=GLASS')" = 200 ]
grep -q 'Glass bead' body
fails grep -q 'Bronze' body
[ "$(page '/?type=object&sort=-name')" = 200 ]
[ "$(page '/record?id=o/1')" = 200 ]
grep -q '1932-06-14' body
grep -q 'sea get o/1' body
[ "$(page '/record?id=p/1')" = 200 ]
grep -q 'Referred to by' body
grep -q 'Bronze fibula' body
EOT

t 'a change, as a form makes it, is one of the database' <<'EOT'
IN_TEST=1 . ./env
rev=$(rev o/1)
[ "$(send /edit id=o/1 "rev=$rev" p0=/weight k0=number o0=41 v0=42.5 p1=/loans k1=counter c1=3)" = 303 ]
[ "$(sea -C museum get o/1 weight)" = 42.5 ]
[ "$(sea -C museum get o/1 loans)" = 5 ]
sea -C museum log | grep -qF 'set weight loans (studio)'
# What has changed in the meantime is shown and not replaced.
sea -C museum set -q o/1 weight:=50
[ "$(send /edit id=o/1 "rev=$rev" p0=/weight k0=number o0=41 v0=60)" = 409 ]
grep -q 'changed in the meantime' body
[ "$(sea -C museum get o/1 weight)" = 50 ]
EOT

t 'a file is attached, and comes back as a picture only if it is one' <<'EOT'
IN_TEST=1 . ./env
printf '\211PNG\r\n\032\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\10\2\0\0\0....' >real.png
printf '<script>alert(1)</script>' >fake.png
for name in real fake; do
  rev=$(rev o/2)
  form=$(page "/new?type=x" >/dev/null && sed -n 's/.*name=token value="\([0-9a-f]*\)".*/\1/p' body | head -1)
  [ "$(page /edit -H "origin: $place" -F "token=$form" -F id=o/2 -F "rev=$rev" -F "n0=$name" -F k0=file -F "f0=@$name.png")" = 303 ]
done
sea -C museum set -q o/2 "fake:asset[image/png]@$PWD/fake.png"
[ "$(page '/asset?id=o/2&path=/real')" = 200 ]
cmp body real.png
grep -qi '^content-type: image/png' head
[ "$(page '/asset?id=o/2&path=/fake')" = 200 ]
grep -qi '^content-type: application/octet-stream' head
grep -qi '^content-disposition: attachment' head
grep -qi "^content-security-policy: default-src 'none'; sandbox" head
EOT

t 'a form from elsewhere, or without its token, changes nothing' <<'EOT'
IN_TEST=1 . ./env
before=$(rev o/2)
for origin in null http://evil.example "https${place#http}" "$place/"; do
  [ "$(page /delete -H "origin: $origin" -F token=x -F id=o/2)" = 403 ]
done
[ "$(page /delete -F token=x -F id=o/2)" = 403 ]
[ "$(page /delete -H "origin: $place" -F id=o/2)" = 403 ]
[ "$(page /delete -H "origin: $place" -F token=0 -F id=o/2)" = 403 ]
[ "$(page /delete -H "origin: $place" -d id=o/2)" = 403 ]
[ "$(page '/delete?id=o/2')" = 200 ]
[ "$(rev o/2)" = "$before" ]
EOT

t 'a hostile record is text' <<'EOT'
IN_TEST=1 . ./env
id='e%3Cscript%3Ealert(1)%3C/script%3E'
for target in / '/?type=object' "/record?id=$id" "/edit?id=$id" "/delete?id=$id" /operations '/?q=%3Cscript%3E' \
  '/?where=%3Cscript%3E' '/?type=%3Cscript%3E' "/record?id=%3Cscript%3Ex" '/%3Cscript%3E' '/?done=%3Cscript%3E'; do
  page "$target" >/dev/null
  fails grep -qE '<script>|<b onclick|<i>' body
done
page "/record?id=$id" >/dev/null
grep -q 'U+202E' body
EOT

t 'delete, and bring back' <<'EOT'
IN_TEST=1 . ./env
[ "$(send /delete id=o/2)" = 303 ]
fails sea -C museum get o/2
[ "$(page /deleted)" = 200 ]
grep -q 'Glass bead' body
rev=$(sed -n 's/.*revert?id=o\/2&amp;rev=\([0-9a-f-]*\).*/\1/p' body | head -1)
[ "$(send /revert id=o/2 "rev=$rev")" = 303 ]
[ "$(sea -C museum get o/2 name)" = 'Glass bead' ]
[ "$(send /undo)" = 303 ]
fails sea -C museum get o/2
EOT

t 'changes are told of while a page is open' <<'EOT'
IN_TEST=1 . ./env
page '/?type=object' >/dev/null
since=$(sed -n 's/.*data-since="\([^"]*\)".*/\1/p' body)
page "/news?since=$since&type=object" >/dev/null
grep -q '"changes":0' body
curl -sN --max-time 10 -b "$jar" "$place/events" >events &
for n in $(seq 100); do ! grep -q ready events || break; sleep 0.1; done
sea -C museum set -q o/1 weight:=51
for n in $(seq 100); do ! grep -q changed events || break; sleep 0.1; done
kill $!
grep -q 'event: changed' events
page "/news?since=$since&type=object" >/dev/null
grep -q '"changes":1' body
page "/news?since=$since&id=p/1" >/dev/null
grep -q '"changes":0' body
EOT

start_studio readonly museum --read-only
enter_studio readonly

t '--read-only changes nothing' <<'EOT'
IN_TEST=1 . ./env
. ./readonly.env
[ "$(page /)" = 200 ]
grep -q read-only body
before=$(sea -C museum heads)
[ "$(send /delete id=o/1)" = 403 ]
[ "$(send /new type=x id=y)" = 403 ]
[ "$(sea -C museum heads)" = "$before" ]
EOT

t 'it ends when it is told to, and says what is missing' <<'EOT'
kill -TERM "$(cat main.studio)"
for n in $(seq 100); do kill -0 "$(cat main.studio)" 2>/dev/null || break; sleep 0.1; done
fails kill -0 "$(cat main.studio)" 2>/dev/null
mkdir empty
status $NO_DATABASE sea -C empty studio
status $USAGE sea -C museum studio --port=80
mkdir alone
cp "$(realpath "$(command -v sea)")" alone/sea
PATH=/usr/bin:/bin status $REFUSED alone/sea -C museum studio
says err 'the program sea-studio is not installed'
EOT
