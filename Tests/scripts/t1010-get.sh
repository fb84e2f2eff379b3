# sealed: yes
sea init -q
cat >docs <<'EOX'
{"_id":"host/web1","_type":"host","ram_gb":64,"os":{"name":"debian","v":[12,null,{"x/y":"s~l"}]},"a.b":1,"":{}}
EOX
sed 's/,"":{}//' docs | sea put -q -
sea put -q '{"_id":"host/web1","_type":"host","ram_gb":65,"os":{"name":"debian","v":[12,null,{"x/y":"s~l"}]},"a.b":1,"key":{"$data":"AAEK/w=="},"when":{"$date":"2026-03-01"},"owner":{"$ref":"person/ada"},"price":{"$decimal":"12.50"},"n":{"$counter":7},"tags":{"$set":["db","linux"]},"big":{"$int":"12345678901234567890"},"multi":"two\nlines","empty":""}'

t 'a record is printed as JSON, pretty or on one line' <<'EOT'
status 0 sea get host/web1
[ "$(head -1 out)" = '{' ]
[ "$(tail -1 out)" = '}' ]
[ "$(wc -l <out)" -gt 10 ]
jq -S . out >pretty
status 0 sea get host/web1 --json
[ "$(wc -l <out)" -eq 1 ]
jq -S . out | same pretty
jq -e '._id == "host/web1" and ._type == "host" and (._rev | startswith("2-")) and .ram_gb == 65' out
EOT

t 'a path leads to a value: by dots, or as a JSON Pointer' <<'EOT'
status 0 sea get host/web1 ram_gb /os/name os.name /os/v/0 os.v.2 '/os/v/2/x~1y' 'a\.b' /a.b
printf '%s\n' 65 debian debian 12 '{"x/y":"s~l"}' 's~l' 1 1 | same out
EOT

t 'values are plain text, JSON with --json' <<'EOT'
status 0 sea get host/web1 when owner price n tags big key /os/v/1
printf '%s\n' 2026-03-01T00:00:00Z person/ada 12.50 7 '{"$set":["db","linux"]}' 12345678901234567890 AAEK/w== null | same out
status 0 sea get --json host/web1 when owner price n tags big key os.name
printf '%s\n' '{"$date":"2026-03-01T00:00:00Z"}' '{"$ref":"person/ada"}' '{"$decimal":"12.50"}' '{"$counter":7}' \
  '{"$set":["db","linux"]}' '{"$int":"12345678901234567890"}' '{"$data":"AAEK/w=="}' '"debian"' | same out
EOT

t '--raw prints the bytes and no newline, -z ends values with NUL' <<'EOT'
status 0 sea get host/web1 --raw key
[ "$(od -An -tx1 out | tr -d ' \n')" = 00010aff ]
status 0 sea get host/web1 --raw multi
printf 'two\nlines' >want
cmp want out
status 0 sea get host/web1 --raw empty
[ ! -s out ]
status 0 sea get -z host/web1 ram_gb multi
printf '65\000two\nlines\000' >want
cmp want out
status $USAGE sea get --raw host/web1
EOT

t 'a missing record is status 4, and 1 with -e' <<'EOT'
status $NOT_FOUND sea get host/web2
says err "error[not-found]: record 'host/web2' does not exist"
status $NOT_FOUND sea get host/web1 ram_gb no.such
says err "host/web1 has no property 'no.such'"
[ ! -s out ]
status $NOT_FOUND sea get host/web1 /os/v/3
status $NOT_FOUND sea get host/web1 ram_gb.x
status $NOT_FOUND sea get --json host/web2
jq -e '.code == "not-found" and .exit == 4 and .id == "host/web2"' err
for words in host/web2 'host/web1 no.such' 'host/web1 ram_gb no.such'; do
  status $NO sea get -e $words
  [ ! -s out ]
  [ ! -s err ]
done
status 0 sea get -e host/web1 ram_gb /os/v/1
[ ! -s out ]
EOT

t 'an invalid argument is status 2' <<'EOT'
status $USAGE sea get
status $USAGE sea get host/web1 a..b
status $USAGE sea get host/web1 /a~2
status $USAGE sea get --stdin host/web1
status $USAGE sea get --frob host/web1
status $USAGE sea get host/web1 ''
EOT

t 'revisions have names' <<'EOT'
rev=$(sea get host/web1 --json | jq -r ._rev)
[ "$(sea get host/web1@~1 ram_gb)" = 64 ]
[ "$(sea get "host/web1@$rev" ram_gb)" = 65 ]
[ "$(sea get "host/web1@$(echo $rev | cut -c1-8)" ram_gb)" = 65 ]
[ "$(sea get --rev="$rev" host/web1 ram_gb)" = 65 ]
[ "$(sea get host/web1@winner ram_gb)" = 65 ]
status $NOT_FOUND sea get host/web1@~2
status $NOT_FOUND sea get host/web1@9-abcd
status $NOT_FOUND sea get host/web2@winner
EOT

t 'records have short names: the beginning of a generated id, or a property' <<'EOT'
sea put -q '{"_id":"0a1b2c3d-0000-4000-8000-000000000001","_type":"bird","name":"hoopoe"}' \
  '{"_id":"0a1b2c3d-0000-4000-8000-000000000002","_type":"bird","name":"wren"}' \
  '{"_id":"ffff2c3d-0000-4000-8000-000000000002","_type":"bird","name":"wren"}'
[ "$(sea get ffff name)" = wren ]
[ "$(sea get bird:name=hoopoe --json | jq -r ._id)" = 0a1b2c3d-0000-4000-8000-000000000001 ]
status $NOT_FOUND sea get 0a1b
says err 'error[ambiguous]'
says err '0a1b2c3d-0000-4000-8000-000000000002'
status $NOT_FOUND sea get bird:name=wren
status $NOT_FOUND sea get bird:name=crow
status $NOT_FOUND sea get --literal-ids ffff
SEA_LITERAL_IDS=1 status $NOT_FOUND sea get bird:name=hoopoe
EOT

t '--literal-ids: an id may look like a revision' <<'EOT'
sea put -q '{"_id":"ada@example.org","n":1}'
status 0 sea get --literal-ids ada@example.org n
echo 1 | same out
EOT

t '--stdin reads records and goes on behind one that is missing' <<'EOT'
printf 'host/web1\nno-such\nffff\n' | status $PARTIAL sea get --stdin
[ "$(wc -l <out)" -eq 2 ]
jq -e . out
says err "sea: warning[not-found]: record 'no-such' does not exist"
printf 'host/web1\nno-such\n' | status $PARTIAL sea --json get --stdin
jq -e '.event == "warning" and .code == "not-found"' err
printf 'host/web1\000ffff\000' | status 0 sea get -z --stdin
[ "$(jq -r ._id out | tr '\n' ' ')" = 'host/web1 ffff2c3d-0000-4000-8000-000000000002 ' ]
status 0 sea get --stdin
[ ! -s out ]
EOT

t '--meta says who, when and where' <<'EOT'
SEA_AUTHOR_DATE=2026-08-22T03:41:00Z sea put -q '{"_id":"meta","n":1}'
SEA_AUTHOR_DATE=2026-08-23T03:41:00Z sea put -q '{"_id":"meta","n":2}'
status 0 sea get --meta meta --json
jq -e '._revParent[0:2] == "1-" and ._time == {"$date":"2026-08-23T03:41:00Z"} and ._created == {"$date":"2026-08-22T03:41:00Z"}
  and (._lamport | type) == "number" and ._labels == ["put"] and ._modified == ._time and ._conflict == 0' out
[ "$(sea get --meta meta --json | jq -r '._created_by, ._modified_by')" = "$(sea sql --csv "SELECT _created_by || char(10) || _modified_by FROM records WHERE _id = 'meta'" | tail -n +2 | tr -d '"')" ]
[ "$(jq -r ._block out | cut -d/ -f1)" = "$(jq -r ._instance out)" ]
sea get --meta meta --json | status 0 sea put -
grep -q '^unchanged' out
EOT

t 'a deleted record is gone, its revisions are not' <<'EOT'
sea put -q '{"_id":"gone","n":1}'
sea delete -q gone
status $NOT_FOUND sea get gone
status $NO sea get -e gone
status 0 sea get --json gone@winner
jq -e '._deleted' out
[ "$(sea get gone@~1 n)" = 1 ]
EOT

t 'a conflict is shown, and refused by --strict' <<'EOT'
sea add-container -q --create box "$PWD/box"
sea put -q '{"_id":"both","n":0}'
sea sync -q
sea clone -q "$PWD/box" second
sea put -q '{"_id":"both","n":1}'
sea put -q '{"_id":"both","n":2}'
sea -C second put -q '{"_id":"both","n":3}'
sea -C second sync -q
sea sync -q
status 0 sea get both --json
jq -e '.n == 2 and (._conflicts | length == 1) and (._conflicts[0] | startswith("2-"))' out
[ "$(sea get "both@$(jq -r '._conflicts[0]' out)" n)" = 3 ]
[ "$(sea get both@base n)" = 0 ]
[ "$(sea get both@ours n)" = 2 ]
[ "$(sea get both@theirs n)" = 3 ]
status $CONFLICT sea get --strict both
says err 'error[conflict]: both is in conflict'
status $CONFLICT sea get --strict -e both
status 0 sea get --strict host/web1 ram_gb
EOT

t 'a text with control characters is exact in a pipe' <<'EOT'
printf '{"_id":"esc","t":"\\u001b[2J\\u202e"}' | sea put -q -
status 0 sea get esc t
printf '\033[2J\342\200\256\n' >want
cmp want out
EOT
