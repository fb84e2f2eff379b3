sea init -q
cat >docs <<'EOD'
{"_id":"h/1","_type":"host","os":"debian","ram":64,"net":{"ip":"10.0.0.1"},"note":"stands by the lake"}
{"_id":"h/2","_type":"host","os":"alpine","ram":8,"net":{"ip":"10.0.0.2"},"note":"stands in Zürich"}
{"_id":"h/3","_type":"host","os":"debian","ram":"unknown","tags":["lake","old"]}
{"_id":"p/1","_type":"person","name":"Ada"}
EOD
sea put -q docs

t 'an index of values is used and says the same' <<'EOT'
status 0 sea reindex --add=by-os=host:os,ram
same out <<'EOD'
index by-os: added
EOD
status 0 sea reindex --add=ip=host:/net/ip
status 0 sea sql --csv "SELECT _id FROM host WHERE os = 'debian' ORDER BY 1"
same out <<'EOD'
_id
h/1
h/3
EOD
status 0 sea query -q -t host --explain "os = 'debian' AND ram > 10"
grep -q 'index by-os (os=? AND ram>?)' out
status 0 sea query -q -t host --explain --json "os = 'debian'"
[ "$(jq -s '[.[] | select(.detail | test("index by-os"))] | length' out)" = 1 ]
status 0 sea query -t host --ids "\"/net/ip\" = '10.0.0.2'"
same out <<'EOD'
h/2
EOD
EOT

t 'an invalid index is refused with the reason' <<'EOT'
status $BAD_DATA sea reindex --add=id=host:os
says err "invalid index name 'id'"
status $BAD_DATA sea reindex --add=2nd=host:os
says err "invalid index name '2nd'"
status $BAD_DATA sea reindex --add=x=host
says err 'hint: use NAME=TYPE:PATH[,PATH]...'
status $BAD_DATA sea reindex --add=x=host:_id
says err 'ids are always indexed'
status $BAD_DATA sea reindex --add-text=x=host:_modified
says err "cannot index '_modified': it is not a property"
status 0 sea reindex --list
lacks out '2nd'
EOT

t 'a text index has the first MiB of a text' <<'EOT'
sea init -q large
sea -C large reindex -q --add-text=words=doc:/t
python3 -c "
import json
for k in range(3): print(json.dumps({'_id': 'd/%d' % k, '_type': 'doc', 't': 'first ' + 'ä ' * ((1 << 19) + k) + ' last', 'u': 'x' * k}))" | sea -C large put -q -
[ "$(sea -C large query -t doc --count "_words MATCH 'first'") $(sea -C large query -t doc --count "_words MATCH 'last'")" = '3 0' ]
status 0 sea -C large verify
EOT

t 'a text index finds words, and says where' <<'EOT'
status 0 sea reindex --add-text=words=host:/note,/tags
status 0 sea query -t host --ids "_words MATCH 'LAKE'"
same out <<'EOD'
h/1
h/3
EOD
status 0 sea query -t host --ids "_words MATCH 'zurich'"
same out <<'EOD'
h/2
EOD
status 0 sea sql --csv "SELECT _id, snippet(_words, '<', '>') AS s FROM host WHERE _words MATCH 'lake' ORDER BY rank(_words), 1 LIMIT 1"
grep -q '<lake>' out
status $BAD_DATA sea query -t host --ids "_words MATCH 'a AND'"
same err <<'EOD'
sea: error[bad-query]: MATCH: fts5: syntax error near ""
EOD
EOT

t 'they follow what is written, and are verified' <<'EOT'
status 0 sea set -q h/2 os=debian note='moved to Bern'
status 0 sea query -t host --ids "os = 'debian' AND _words MATCH 'bern'"
same out <<'EOD'
h/2
EOD
status 0 sea query -t host --count "_words MATCH 'zurich'"
same out <<'EOD'
0
EOD
[ "$(sea query -t host --ids --at='@{1}' "os = 'alpine'")" = h/2 ]
[ -z "$(sea query -t host --ids --at='@{1}' "_words MATCH 'bern'")" ]
[ "$(sea query -t host --ids --at='@{1}' "_words MATCH 'zurich'")" = h/2 ]
status 0 sea delete -q h/1
status 0 sea query -t host --count "os = 'debian'"
same out <<'EOD'
2
EOD
status 0 sea verify
sqlite3 .sea/db 'DELETE FROM index_entry' 2>/dev/null || sqlite3 .sea/db.sqlite 'DELETE FROM index_entry'
status $CORRUPT sea verify
status 0 sea reindex --projection
status 0 sea verify
EOT

t 'list, remove, dry runs and slips' <<'EOT'
status 0 sea reindex --list
same out <<'EOD'
NAME   KIND    TYPE  PATHS        SCOPE  MADE
by-os  values  host  /os /ram     local  yes
ip     values  host  /net/ip      local  yes
words  text    host  /note /tags  local  yes
EOD
status 0 sea reindex --list --json
[ "$(jq -r 'select(.name == "words") | .kind' out)" = text ]
status 0 sea reindex -n --remove=ip
same out <<'EOD'
index ip: would be removed
EOD
status 0 sea reindex -n --add=new=host:os
same out <<'EOD'
index new: would be added
EOD
status 0 sea reindex --list --json
[ "$(jq -s length out)" = 3 ]
status 0 sea reindex --remove=ip --json
[ "$(jq -r 'select(.event == "unindexed") | .name' out)" = ip ]
status $NOT_FOUND sea reindex --remove=ip
status $NOT_FOUND sea reindex --remove=words --shared
for bad in id=host:os 'a b=host:os' x=host x=host: x=:os x; do status $BAD_DATA sea reindex --add="$bad"; done
status $USAGE sea reindex --shared
status $USAGE sea reindex --list --add=x=host:os
# A setting written by hand.
sea config set index.ram.on host:/ram
status 0 sea reindex
same out <<'EOD'
index ram: added
EOD
status 0 sea reindex
same out </dev/null
status $BAD_DATA sea config set index.ram.on nonsense
printf '[index "ram"]\non = nonsense\n' >>.sea/config
status $BAD_DATA sea reindex
sea config unset --all index.ram.on
status 0 sea reindex
same out <<'EOD'
index ram: removed
EOD
EOT

t 'an index that is named in another case is the same' <<'EOT'
status 0 sea reindex --add=WORDS=host:/os
same out <<'EOD'
index words: removed
index WORDS: added
EOD
status 0 sea reindex --add-text=words=host:/note,/tags
same out <<'EOD'
index WORDS: removed
index words: added
EOD
status 0 sea reindex --remove=Words -n
same out <<'EOD'
index words: would be removed
EOD
EOT

t 'one shared index more than count is refused' <<'EOT'
mkdir many && cd many && sea init -q
for number in $(seq 16); do status 0 sea reindex --shared --add=i$number=host:/os; done
status $BAD_DATA sea reindex --shared --add=more=host:/os
grep -q 'too many shared indexes (limit: 16)' err
status 0 sea reindex --shared --remove=i1
status 0 sea reindex --shared --add=more=host:/os
EOT

t 'a shared index comes with a sync' <<'EOT'
sea add-container -q --create c c
status 0 sea reindex --shared --add=all=host:/os
sea sync -q
sea clone -q c other
status 0 sea -C other reindex
status 0 sea -C other reindex --list
grep -q '^all .*shared  yes$' out
status 0 sea reindex --remove=all --shared
sea sync -q
sea -C other sync -q
status 0 sea -C other reindex --list
same out </dev/null
EOT
