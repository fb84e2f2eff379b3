sea init -q
body() { sea get "$1" --json | jq -c 'del(._id, ._rev, ._type)'; }
cat >body.sh <<'EOX'
body() { sea get "$1" --json | jq -c 'del(._id, ._rev, ._type)'; }
EOX

t 'only what is named is changed' <<'EOT'
. ./body.sh
sea put -q '{"_id":"h","_type":"host","a":"x","n":1}'
status 0 sea set h b=text n:=2
grep -Eqx 'updated	h	2-[0-9a-f]{64}' out
body h >out
echo '{"a":"x","b":"text","n":2}' | same out
status 0 sea set h n:=2.0 a=x
grep -q '^unchanged	h	2-' out
EOT

t 'every form of a value' <<'EOT'
. ./body.sh
printf 'from a file\n' >file
printf '\377\000' >bytes
echo '{"j":[1]}' >file.json
status 0 sea set --create v s=a=b:c e= j:='{"x":[1,null,"é"]}' t:=true f:=-1.5e3 i:int=123456789012345678901 \
  dec:decimal=12.50 d:date=2026-03-01T13:00:00+01:00 day:date=2026-03-01 born:day=1927-01-26 ref:ref=h data:data=hello cnt:counter=5 \
  set:set='["b","a","b",1]' js:json='[]' str:string=12 file:string@file bin:data@bytes js2:json@file.json js3:@file.json
sea get v --json | jq -cS 'del(._id, ._rev)' >out
same out <<'EOX'
{"bin":{"$data":"/wA="},"born":{"$day":"1927-01-26"},"cnt":{"$counter":5},"d":{"$date":"2026-03-01T12:00:00Z"},"data":{"$data":"aGVsbG8="},"day":{"$date":"2026-03-01T00:00:00Z"},"dec":{"$decimal":"12.50"},"e":"","f":-1500,"file":"from a file\n","i":{"$int":"123456789012345678901"},"j":{"x":[1,null,"é"]},"js":[],"js2":{"j":[1]},"js3":{"j":[1]},"ref":{"$ref":"h"},"s":"a=b:c","set":{"$set":[1,"a","b"]},"str":"12","t":true}
EOX
printf 'piped' | status 0 sea set v e:string@-
[ "$(sea get v e)" = piped ]
EOT

t 'dates can be said as people do' <<'EOT'
SEA_AUTHOR_DATE=2026-08-22T03:41:00Z status 0 sea set v d:date=@1787370060 day:date='2 hours ago'
[ "$(sea get v d)" = 2026-08-22T03:41:00Z ]
now=$(date +%s)
then=$(date -d "$(sea get v day)" +%s)
[ $((now - then)) -ge 7195 ]
[ $((now - then)) -le 7260 ]
EOT

t 'counters add up' <<'EOT'
status 0 sea set --create c n:counter+=3 m:counter-=2 z:counter=0
status 0 sea set c n+=4 n-=1 m:counter+=1
[ "$(sea get c n m z | tr '\n' ' ')" = '6 -1 0 ' ]
status 0 sea set c n:counter=10
[ "$(sea get c n)" = 10 ]
status 0 sea set c n:counter=10
grep -q '^unchanged' out
status 0 sea set c n+=0
grep -q '^unchanged' out
status $BAD_DATA sea set c n+=1.5
status $BAD_DATA sea set c n+=x
status 0 sea set c 'z+=9223372036854775807' 'z+=9223372036854775807'
status $BAD_DATA sea set c 'z+=9223372036854775807'
says err 'too large for a counter'
[ "$(sea get c z)" = 18446744073709551614 ]
EOT

t 'sets take elements and lose them' <<'EOT'
status 0 sea set --create s tags:set+=db tags:set+=linux
status 0 sea set s tags+=db
grep -q '^updated' out
status 0 sea set s tags+=web tags-=db tags-=absent
[ "$(sea get s tags)" = '{"$set":["web","linux"]}' ]
status 0 sea set s tags:set='["one"]'
[ "$(sea get s tags)" = '{"$set":["one"]}' ]
status 0 sea set s tags:set='["one"]'
grep -q '^unchanged' out
status $BAD_DATA sea set s tags:set=one
status $BAD_DATA sea set s 'tags:set={}'
EOT

t 'an element that is added again stays where somebody else removes it' <<'EOT'
mkdir w && cd w
sea init -q a
sea -C a add-container c --create ../../wc >../out
sea -C a put -q '{"_id":"s","t":{"$set":["x","y"]}}'
sea -C a sync -q
sea clone -q ../wc b
status 0 sea -C a set s t+=x
status 0 sea -C b set s t-=x t-=y
sea -C a sync -q
sea -C b sync -q
sea -C a sync -q
[ "$(sea -C a get s t)" = '{"$set":["x"]}' ]
[ "$(sea -C b get s t)" = '{"$set":["x"]}' ]
EOT

t 'a value can say what it is about' <<'EOT'
. ./body.sh
status 0 sea set --create ada 'phone:string[HomePhone]=+49 30=1' 'n:int[a=b]=5' 'l:json[L]=[1,2]' 'd:date[Birthday]=1815-12-10'
body ada >out
same out <<'EOX'
{"d":{"$label":"Birthday","$value":{"$date":"1815-12-10T00:00:00Z"}},"l":{"$label":"L","$value":[1,2]},"n":{"$label":"a=b","$value":5},"phone":{"$label":"HomePhone","$value":"+49 30=1"}}
EOX
[ "$(sea get ada phone n l.1 | tr '\n' ' ')" = '+49 30=1 5 2 ' ]
[ "$(sea get ada phone --json)" = '{"$label":"HomePhone","$value":"+49 30=1"}' ]
sea log ada phone | grep -q '+49 30=1 \[HomePhone\]'
# It stays with the property until it is taken away.
status 0 sea set ada phone=7 l.0:=3
[ "$(sea get ada phone --json)" = '{"$label":"HomePhone","$value":"7"}' ]
[ "$(sea get ada l --json)" = '{"$label":"L","$value":[3,2]}' ]
status 0 sea set ada 'phone:string[Work]=7'
sea diff ada@~1 ada >out
grep -q '^- phone  {"$label":"HomePhone","$value":"7"}' out
grep -q '^+ phone  {"$label":"Work","$value":"7"}' out
status 0 sea set ada 'phone:string[]=7'
[ "$(sea get ada phone --json)" = '"7"' ]
printf 'from a file' >file
status 0 sea set ada 'phone:string[File]@file'
[ "$(sea get ada phone --json)" = '{"$label":"File","$value":"from a file"}' ]
status $BAD_DATA sea set ada 'new:json[X]={"a":1}'
says err 'has no semantic type'
status $USAGE sea set ada 'new:set[X]=[]'
status $USAGE sea set ada 'new:asset[image/]@file'
status $USAGE sea set ada 'new:string[X=1'
sea get ada --json | jq -c 'del(._rev)' >ada.json
sea delete -q ada
status 0 sea put ada.json
sea get ada --json | jq -c 'del(._rev)' >out
same out <ada.json
EOT

t 'a counter keeps its digits' <<'EOT'
status 0 sea set --create big n:counter+=9007199254740992
[ "$(sea get big n --json)" = '{"$counter":9007199254740992}' ]
status 0 sea set big n+=1
[ "$(sea get big n --json)" = '{"$counter":{"$int":"9007199254740993"}}' ]
[ "$(sea get big n)" = 9007199254740993 ]
status 0 sea put '{"_id":"big","n":{"$counter":{"$int":"9007199254740995"}}}'
[ "$(sea get big n)" = 9007199254740995 ]
status 0 sea put '{"_id":"big","n":{"$counter":{"$int":"7"}}}'
[ "$(sea get big n --json)" = '{"$counter":7}' ]
EOT

t '+= and -= need a counter or a set, and say how to make one' <<'EOT'
sea put -q '{"_id":"plain","n":1,"t":"x"}'
for word in n+=1 t+=y new+=1 n:set+=x t:counter+=1; do status $BAD_DATA sea set plain $word; done
status $BAD_DATA sea set plain new+=1
says err 'to create a counter or set, use new:counter+=1 or new:set+=TEXT'
[ "$(sea get plain --json | jq ._rev | cut -c2-3)" = 1- ]
EOT

t 'a property keeps its kind unless --replace-type' <<'EOT'
status $BAD_DATA sea set v cnt:=5
says err 'v cnt is a counter, not a number'
says err '--replace-type'
says err 'hint: to keep the type, use cnt:counter=5; to change the type, use --replace-type'
for word in t=true f=1 ref=h d=2026 set:='[]' data=x j=1 str:=1; do status $BAD_DATA sea set v $word; done
status 0 sea set v f:decimal=1.50 t:=false j:='{}'
status 0 sea set v --replace-type cnt:=5
[ "$(sea get v cnt --json)" = 5 ]
EOT

t 'the assignment that a hint proposes keeps the kind, and the digits' <<'EOT'
. ./body.sh
status 0 sea set --create k p:decimal=12.50 n:=1 f:=1.5 t:=true d:date=2026-01-02 y:day=2026-01-02 r:ref=h c:counter=1 'a\.b:=1' 'it'\''s:=1'
for word in p=13.20 n=2 n=2.50 f=2.5 t=false d=2027-03-04 y=2027-03-04 r=plain c=7 'a\.b=3' 'it'\''s=4'; do
  status $BAD_DATA sea set k "$word"
  eval "status 0 sea set k $(sed -n 's/^hint: to keep the type, use \(.*\); to change.*/\1/p' err)"
done
body k | jq -c '.p, .n, .f, .t, .d, .y, .r, .c, ."a.b", ."it'\''s"' >have
printf '%s\n' '{"$decimal":"13.20"}' '{"$decimal":"2.50"}' 2.5 false '{"$date":"2027-03-04T00:00:00Z"}' '{"$day":"2027-03-04"}' '{"$ref":"plain"}' '{"$counter":7}' 3 4 | same have
for word in p=much n=one t=maybe d=soon y=2027-02-30; do
  status $BAD_DATA sea set k "$word"
  sed 1d err >have
  echo 'hint: to change the type, use --replace-type' | same have
done
EOT

t 'paths reach inside, dictionaries on the way are made' <<'EOT'
. ./body.sh
status 0 sea set --create p os.name=debian os.v:='[1,2]' 'a\.b=dot' /x/y=1
status 0 sea set p os.v.0:=9 os.v.2:=3 /os/v/-:=4
body p >out
echo '{"x":{"y":"1"},"os":{"v":[9,2,3,4],"name":"debian"},"a.b":"dot"}' | same out
status $BAD_DATA sea set p os.v.9:=1
status $BAD_DATA sea set p os.name.x=1
says err 'goes through a value that is not a dictionary or array'
EOT

t '--unset, --rename and null' <<'EOT'
. ./body.sh
sea put -q '{"_id":"u","a":1,"b":{"c":2,"d":3},"e":4,"l":[1,2,3]}'
status 0 sea set u --unset=a --unset=/b/c --rename=e=b.e e:=null l.1:=null --unset=nothing
body u >out
echo '{"b":{"d":3,"e":4},"l":[1,3]}' | same out
status $NOT_FOUND sea set u --rename=zz=y
says err "u has no property 'zz'"
status $USAGE sea set u --rename=zz
status 0 sea set u --unset=absent
grep -q '^unchanged' out
EOT

t '--create makes a record, --new one with a fresh id' <<'EOT'
status $NOT_FOUND sea set nope a=1
status 0 sea set --create -t host nope a=1
grep -q '^created	nope	1-' out
[ "$(sea get nope --json | jq -r ._type)" = host ]
status 0 sea set --create nope a=2
grep -q '^updated' out
status 0 sea set --new -t host a=1
grep -Eqx 'created	[0-9a-f-]{36}	1-[0-9a-f]{64}' out
status $USAGE sea set --new --create x a=1
status $USAGE sea set
status $BAD_DATA sea set --create 'a b' x=1
status $BAD_DATA sea set --create _x x=1
EOT

t 'a record can be named by a property, and made so' <<'EOT'
status 0 sea set --create host:hostname=web1 ram:=64
id=$(cut -f2 out)
status 0 sea set --create host:hostname=web1 ram:=65
grep -q "^updated	$id	2-" out
sea get "$id" --json | jq -e '._type == "host" and .hostname == "web1" and .ram == 65'
status 0 sea set "$(echo "$id" | cut -c1-8)" ram:=66
status $NOT_FOUND sea set host:hostname=web2 ram:=1
EOT

t '--if-rev' <<'EOT'
rev=$(sea get u --json | jq -r ._rev)
status 0 sea set u "--if-rev=$rev" x=1
status $CONFLICT sea set u "--if-rev=$rev" x=2
status $CONFLICT sea set --create u --if-rev=none x=2
status 0 sea set --create u/new --if-rev=none x=2
EOT

t '-t changes the type of a record' <<'EOT'
status 0 sea set u -t thing
grep -q '^updated' out
[ "$(sea get u --json | jq -r ._type)" = thing ]
status 0 sea set u -t thing
grep -q '^unchanged' out
status $BAD_DATA sea set u -t 'a b'
EOT

t '-n writes nothing, -q says nothing, --json prints an event' <<'EOT'
sea query --json >before
status 0 sea set -n u y=1
grep -q '^updated	u	' out
status 0 sea set -n --new y=1
sea query --json | same before
status 0 sea set -q u y=1
[ ! -s out ]
status 0 sea --json set u y=2
jq -es '.[0].event == "updated" and .[0].id == "u" and (.[0].rev | test("^[0-9]+-[0-9a-f]{64}$"))' out
EOT

t 'standard input is read once' <<'EOT'
sea put -q '{"_id":"once"}'
for two in 'a:string@- b:string@-' 'c:asset@- d:asset@-' 'g:asset@- k:string@-'; do
  printf 'one\n' | status $USAGE sea set once $two
  says err 'cannot all read standard input'
done
[ "$(sea get once --json | jq 'del(._id,._rev)' -c)" = '{}' ]
EOT

t 'a word that is no KEY=VALUE is status 2' <<'EOT'
for word in word =x k:foo=1 :=1 += k: @file; do status $USAGE sea set u "$word"; done
says err 'is not KEY=VALUE'
says err 'hint: forms: '
status $USAGE sea set u a..b=1
EOT

t 'a value that cannot be stored is status 13, and is named' <<'EOT'
for word in k:=nul k:='{"a":1,"a":2}' k:='[1' k:='1 2' k: k:int=1.5 k:decimal=1,5 k:date=soon k:day=soon k:day=1927-02-30 k:day=0000-01-01 k:day=1927-1-26 k:day=1927-01-26T00:00:00Z k:day=yesterday k:counter=x k:ref='a b' \
  k:=1e99999 k:string@bytes _k=1 '$k=1' k:='{"$x":1}' k:ref= k:int= k:='"\ud800"'; do
  [ "$word" = k: ] || status $BAD_DATA sea set u "$word"
done
status $BAD_DATA sea set u k:='{"a":1,"a":2}'
says err 'u k: invalid JSON at byte 8: duplicate key in an object: "a"'
status $BAD_DATA sea --json set u k:int=x
jq -e '.code == "bad-data" and .id == "u" and .path == "k"' err
head -c 70000 /dev/zero >large
status $BAD_DATA sea set u k:data@large
says err 'asset'
status 0 sea -c core.maxDataSize=100K set u k:data@large
[ "$(sea get u k --raw | wc -c)" -eq 70000 ]
status $SYSTEM sea set u k:data@no-such-file
EOT

t 'a deleted record is revived by --create' <<'EOT'
sea delete -q nope
status $NOT_FOUND sea set nope a=1
status 0 sea set --create nope b=1
grep -q '^created	nope	4-' out
sea get nope --json | jq -e 'has("a") | not'
EOT

t 'nothing is appended to what is no array' <<'EOT'
sea init -q --name=append append && cd append
sea put -q '{"_id":"r","a":1,"d":{}}'
for words in '--rename=a=/arr/-' '/arr/-:=1' '/d/e/-:=1'; do
  status $BAD_DATA sea set r "$words"
  says err 'has an index outside the array'
done
status 0 sea set r /arr:='[]'
status 0 sea set r --rename=a=/arr/-
[ "$(sea get r | jq -c .arr)" = '[1]' ]
# A name all the same, where there is a dictionary.
status 0 sea set r '/d/-:="x"'
[ "$(sea get r | jq -c .d)" = '{"-":"x"}' ]
EOT

t 'a name with a blank at its edge is reported' <<'EOT'
sea init -q blanks && cd blanks
status 0 sea set --create b 'Name = x'
says err "notice: the name 'Name ' begins or ends with a space; write KEY=VALUE without spaces, not 'Name = x'"
status 0 sea set b 'full name=x y '
[ ! -s err ]
EOT
