# limit: 120
# Every input that cannot be stored: one clear line, the documented status, and nothing is changed.
sea init -q
sea put -q '{"_id":"h/1","_type":"host","n":1}' '{"_id":"h/2","n":1}'
sea put -q '{"_id":"h/1","_type":"host","n":2}'
sea query --json --deleted >before
sea get --meta --json h/1 >block

# refused STATUS TEXT COMMAND...: as text and as JSON, with `input` on standard input.
cat >refused.sh <<'EOX'
refused() {
  want=$1
  text=$2
  shift 2
  status "$want" "$@" <input
  [ ! -s out ]
  [ "$(grep -c '^sea: error\[' err)" -eq 1 ]
  [ "$(grep -vc '^sea: error\[\|^hint: ' err || :)" -eq 0 ]
  says err "$text"
  status "$want" "$@" --json <input
  [ ! -s out ]
  [ "$(wc -l <err)" -eq 1 ]
  jq -e --argjson s "$want" '.event == "error" and .exit == $s and (.code | length > 0) and (.message | length > 0)' err >jq.out
  sea query --json --deleted | same before
  sea get --meta --json h/1 | same block
}
bad() {
  printf "$1" >input
  refused 13 "$2" sea put -
}
EOX

t 'malformed JSON is reported with line and column' <<'EOT'
. ./refused.sh
bad '{"a":1' 'standard input:1:7: unexpected end of JSON'
bad '{"a":1,}' 'standard input:1:8: unexpected character: }'
bad '{"_id":"ok/1"}\n{"_id":"ok/2"}\n\n  {"a":tru}' 'standard input:4:8: expected true, false or null: tru'
bad '{"_id":"ok/1"}{"a" 1}' 'standard input:1:20: unexpected character: 1'
bad '{"a":"x}\n' "standard input:1:9: control character in a string"
bad "{'a':1}" "standard input:1:2: unexpected character: '"
bad '{a:1}' 'standard input:1:2: unexpected character: a'
bad '{"a":1}}' 'standard input:1:8: unexpected character: }'
bad '{"a":[1 2]}' 'standard input:1:9: unexpected character: 2'
bad '{"a":"\\q"}' 'standard input:1:7: unknown escape in a string: \q'
bad '{"a":"\\u00g0"}' 'standard input:1:7: '
bad '{"a":/*c*/1}' 'standard input:1:6: unexpected character: /'
bad '// a comment\n{}' 'standard input:1:1: unexpected character: /'
bad '\000' 'standard input:1:1: unexpected character: \x00'
jq -e '.line == 1 and .column == 1 and .file == "standard input"' err >jq.out
EOT

t 'the place is right behind many lines, and far along one' <<'EOT'
. ./refused.sh
{ seq 30000 | jq -c '{_id:"far/\(.)",text:"some text to fill the line"}' && printf ' {"_id":}\n'; } >input
refused 13 'standard input:30001:9: unexpected character: }' sea put -
{ seq 20000 | jq -cj '{_id:"far/\(.)"}' && printf '{"_id":}'; } >input
column=$(($(wc -c <input)))
refused 13 "standard input:1:$column: unexpected character: }" sea put -
EOT

t 'a file and an argument are named' <<'EOT'
. ./refused.sh
: >input
printf '{\n"a": 1,\n"b" 2}' >my.json
refused 13 'my.json:3:5: unexpected character: 2' sea put my.json
refused 13 'argument 2:1:8: unexpected character: }' sea put '{"_id":"ok"}' '{"_id":}'
EOT

t 'text that is not UTF-8, of every kind' <<'EOT'
. ./refused.sh
for bytes in '\377' '\200' '\300\200' '\301\277' '\340\200\200' '\355\240\200' '\360\200\200\200' '\364\220\200\200' '\370\210\200\200\200' \
  '\303' '\342\202' '\360\237\230' '\303x'; do
  bad "{\"a\":\"ok $bytes\"}" 'standard input:1:10: not UTF-8'
  bad "{\"k$bytes\":1}" 'standard input:1:4: not UTF-8'
done
bad '{"a":"\303' 'standard input:1:'
EOT

t 'UTF-16 that is not marked, or is incomplete' <<'EOT'
. ./refused.sh
bad '{\000}\000' 'standard input:1:1: UTF-16 without a byte order mark'
bad '\377\376{\000}' 'standard input:1:2: invalid UTF-16'
bad '\377\376{\000"\000\000\330"\000' 'standard input:1:3: invalid UTF-16'
EOT

t 'lone surrogates' <<'EOT'
. ./refused.sh
for text in '\\ud800' '\\udc00' '\\ud800\\ud800' '\\ud800x' '\\udbff\\u0041'; do
  bad "{\"a\":\"$text\"}" 'unpaired surrogate'
done
EOT

t 'a key that stands twice, however it is spelled' <<'EOT'
. ./refused.sh
bad '{"a":1,"b":2,"a":1}' 'duplicate key in an object: "a"'
bad '{"a":{"x":1,"\\u0078":2}}' 'duplicate key in an object'
bad '{"_id":"x","_id":"x"}' 'duplicate key in an object: "_id"'
EOT

t 'numbers beyond range, and what is no number' <<'EOT'
. ./refused.sh
bad '{"a":1e99999999}' 'standard input:1:6: number out of range: 1e99999999'
bad '{"a":-1e-99999999}' 'number out of range'
bad "{\"a\":1$(printf '%%03000d' 0)}" 'number out of range'
for word in NaN Infinity nan inf +1 .5 True; do bad "{\"a\":$word}" 'standard input:1:6: '; done
for word in -Infinity 01 1. -; do bad "{\"a\":$word}" 'standard input:1:'; done
bad '{"a":{"$int":"1.5"}}' 'not an integer: "1.5"'
bad '{"a":{"$decimal":"1,5"}}' 'not a decimal number: "1,5"'
bad '{"a":{"$day":"1927-02-30"}}' 'standard input:1:14: not a day (YYYY-MM-DD, years 0001 to 9999): "1927-02-30"'
bad '{"a":{"$day":"1927-01-26T00:00:00Z"}}' 'not a day (YYYY-MM-DD, years 0001 to 9999)'
bad '{"a":{"$date":"2026-02-30T00:00:00Z"}}' 'not a date (RFC 3339, years 0001 to 9999)'
EOT

t 'nesting of 10,000' <<'EOT'
. ./refused.sh
python3 -c 'print("{\"a\":" * 10000 + "1" + "}" * 10000)' >input
refused 13 'nested more than 128 deep' sea put -
python3 -c 'print("{\"a\":" + "[" * 10000)' >input
refused 13 'nested more than 128 deep' sea put -
EOT

t 'a line of 100 MB is refused in little memory' <<'EOT'
. ./refused.sh
measured() {
  python3 -c '
import resource, subprocess, sys
code = subprocess.run(["sea", "put", "-"], stdin=open("input"), stdout=open("out", "w"), stderr=open("err", "w")).returncode
use = resource.getrusage(resource.RUSAGE_CHILDREN)
print("status", code, "KiB", use.ru_maxrss)
sys.exit(not (code == 13 and use.ru_maxrss < 250 * 1024))'
  [ ! -s out ]
  says err 'standard input:1:1: record exceeds 64 MiB of JSON'
  [ "$(wc -l <err)" -eq 1 ]
}
for line in '{"a":"\0"}' '{"a":[\0]}' '{"a":{\0}}' '\0'; do
  python3 - "$line" >input <<'EOX'
import sys
head, tail = sys.argv[1].split("\\0")
unit = 'x' if '"' in tail else '{},' if '[' in head else '"k":[[]],' if '{' in head[1:] else '['
sys.stdout.write(head + unit * ((100 << 20) // len(unit)) + tail)
EOX
  [ "$line" = '\0' ] || measured
done
refused 13 'nested more than 128 deep' sea put -
rm input
EOT

t 'ids and types' <<'EOT'
. ./refused.sh
for key in _id _type; do
  what=$(echo $key | cut -c2-)
  for text in 'a b' 'a\\u00a0b' 'a\\u2003b' 'a\\u3000b' 'a\\u0085b' 'a\\tb' 'a\\u2028b'; do
    bad "{\"$key\":\"$text\"}" "the $what '"
    says err 'contains white space'
  done
  for text in 'a\\u0001b' 'a\\u0000' '\\u007f' '\\u009b' 'a\\u001b[2J'; do
    bad "{\"$key\":\"$text\"}" 'contains a control character'
  done
  bad "{\"$key\":\"\"}" "the $what is empty"
  bad "{\"$key\":\"-x\"}" "the $what '-x' cannot begin with '-'"
  bad "{\"$key\":\"_x\"}" "the $what '_x' cannot begin with '_'"
  bad "{\"$key\":5}" "standard input:1:$((${#key} + 5)): the $what must be text"
  bad "{\"$key\":\"$(printf '%%0256d' 0)\"}" 'is too long (256 bytes)'
  bad "{\"$key\":[\"x\"]}" "the $what must be text"
done
printf '{}' >input
for id in '-x' '_x' 'a b' "$(printf 'a\tb')" "$(printf 'a\033b')" "$(printf '%0256d' 0)"; do
  refused 13 'the name ' sea put "--id=$id" -
  refused 13 'the name ' sea put -t "$id" -
done
[ "$(tr -d '[:print:]\n' <err | wc -c)" -eq 0 ]
status 0 sea put -n "{\"_id\":\"$(printf '%0255d' 0)\"}"
EOT

t 'property names and reserved keys' <<'EOT'
. ./refused.sh
bad '{"":1}' 'the property name is empty'
bad '{"$x":1}' "the property name '\$x' cannot begin with '\$'"
bad '{"a\\u0000":1}' 'contains a control character'
bad "{\"$(printf '%%01025d' 0)\":1}" 'is too long (1025 bytes)'
bad '{"_foo":1}' 'standard input:1:2: '
says err '"_foo\"'
bad '{"_ID":"x"}' 'keys that begin with '
bad '{"_id":"x","_deleted":1}' 'keys that begin with '
for value in '{"$x":1}' '{"$ref":"h/1","x":1}' '{"a":1,"$ref":"h/1"}' '{"$asset":"x"}' '{"$dict":1}' '{"$set":1}' \
  '{"$set":[{"$set":[]}]}' '{"$ref":"h/1","as":""}'; do
  bad "{\"a\":$value}" 'keys that begin with '
  says err sea-record
done
EOT

t 'forms with a wrong value' <<'EOT'
. ./refused.sh
bad '{"a":{"$ref":"a b"}}' "the id in a reference 'a b' contains white space"
bad '{"a":{"$ref":""}}' 'the id in a reference is empty'
bad '{"a":{"$ref":5}}' 'the id in a reference must be text'
bad '{"a":{"$data":"x"}}' 'not Base64'
bad '{"a":{"$data":"AA=A"}}' 'not Base64'
bad '{"a":{"$counter":1.5}}' 'not an integer'
bad '{"_id":"x","a":{"b":[1,{"$counter":99999999999999999999}]}}' 'x a.b.1: the sum is too large for a counter'
python3 -c 'print("{\"a\":{\"$data\":\"" + "A" * 87384 + "\"}}")' >input
refused 13 'data exceeds core.maxDataSize' sea put -
jq -r .hint err >hint
says hint asset
status 0 sea -c core.maxDataSize=1M put -n input
EOT

t 'documents that are no objects' <<'EOT'
. ./refused.sh
for one in '1' '"text"' 'true' 'null'; do
  bad "$one" 'standard input:1:1: a record must be a JSON object'
  bad "[$one]" 'standard input:1:2: a record must be a JSON object'
done
bad '[{"_id":"ok"},[{}]]' 'standard input:1:15: a record must be a JSON object'
bad '{"_id":"ok"} 5' 'standard input:1:14: a record must be a JSON object'
bad '{"_id":"ok"} x' 'standard input:1:14: unexpected character: x'
EOT

t 'an empty input is no record and no error' <<'EOT'
: >input
status 0 sea put - <input
[ ! -s out ]
printf ' \n\t\r\n' >input
status 0 sea --json put - <input
jq -e '.event == "summary" and .created == 0' out >jq.out
sea query --json --deleted | same before
sea get --meta --json h/1 | same block
EOT

t 'a null property is no property' <<'EOT'
status 0 sea put -n '{"_id":"h/1","n":2,"x":null}'
grep -q '^unchanged' out
EOT

t 'stale and malformed revisions' <<'EOT'
. ./refused.sh
printf '{"_id":"h/1","_rev":"1-%064d","n":3}' 0 >input
refused 3 'h/1 is at 2-' sea put -
printf '{"_id":"h/0","_rev":"1-%064d","n":3}' 0 >input
refused 3 'h/0 is missing, not at 1-00000000' sea put -
for rev in '"1-abcd"' '5' '""' '"0-%064d"' '"-1-%064d"' '"4294967296-%064d"' '"2-%063dG"'; do
  bad "{\"_id\":\"h/1\",\"_rev\":$(printf "$rev" 0)}" '_rev must be a full revision (DEPTH-HEX with 64 digits)'
done
: >input
refused 3 'h/1 is at 2-' sea set h/1 --if-rev=1-abcd n:=3
refused 3 'h/1 is at 2-' sea delete h/1 --if-rev=1-abcd
refused 3 'h/1 already exists' sea put --if-rev=none '{"_id":"h/1"}'
EOT

t 'input that is too large for one block suggests --chunk' <<'EOT'
. ./refused.sh
python3 -c '
for k in range(70): print("{\"_id\":\"big/%d\",\"a\":\"%s\"}" % (k, "x" * 1000000))' >input
refused 13 'exceed 64 MiB, the maximum size of a transaction' sea put -
jq -e '.hint | contains("--chunk")' err >jq.out
status 0 sea put -q --chunk=10 input -n
python3 -c 'print("{\"_id\":\"big\",\"a\":\"%s\"}" % ("x" * ((64 << 20) - 100)))' >input
refused 13 'the record exceeds 64 MiB' sea put -
rm input
EOT

t 'more than 1,000,000 records ask for --chunk' <<'EOT'
. ./refused.sh
seq 1000001 | sed 's/.*/{"_id":"m\/&"}/' >input
status $BAD_DATA sea put - <input
says err '1000001 records exceed 1000000, the maximum of a transaction'
says err '--chunk'
[ ! -s out ]
sea query --json --deleted | same before
rm input
EOT

t 'a name on the command line that is not UTF-8' <<'EOT'
. ./refused.sh
: >input
refused 2 'is not UTF-8' sea put "$(printf '{"a":"\377"}')"
refused 2 'is not UTF-8' sea get "$(printf 'h\377')"
printf 'h/\3771\n' >input
refused 4 'does not exist' sea delete --stdin
EOT

t 'a record that was packed to little is not kept whole as text' <<'EOT'
mkdir packed && cd packed
sea init -q one
/usr/bin/python3 -c 'print("{\"_id\":\"z\",\"d\":[0" + ",0" * 9999999 + "]}")' | sea -C one put -q -
cat >peak.py <<'EOP'
import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
EOP
for words in 'get z' 'query --json'; do
  peak=$(/usr/bin/python3 peak.py sea -C one $words)
  [ "$peak" -lt 65000 ] || { echo "$words: $peak KB"; exit 1; }
done
EOT
