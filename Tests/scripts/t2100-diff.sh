t 'the last change of a record' <<'EOT'
sea init --name=a -q
sea put -q '{"_id":"x","_type":"t","a":1,"b":"old","c":{"k":1,"l":2}}' '{"_id":"y","n":1}'
sea put -q '{"_id":"x","_type":"u","b":"new","c":{"k":1,"m":3},"d":[null]}'
sea diff x | sed 's/-[0-9a-f]\{8\}/-HEX/g' >out
same out <<'EOX'
x  1-HEX → 2-HEX
- a  1
- b  "old"
+ b  "new"
- c  {"k":1,"l":2}
+ c  {"k":1,"m":3}
+ d  [null]
- _type  "t"
+ _type  "u"
EOX
sea diff 'x@~1' x | sed 1d >two
sed 1d out | same two
EOT

t 'every property of a new record is new' <<'EOT'
sea diff y | sed 's/-[0-9a-f]\{8\}/-HEX/g' >out
same out <<'EOX'
y  - → 1-HEX
+ n  1
EOX
EOT

t 'several records, and counts' <<'EOT'
sea diff --stat -- x y >out
same out <<'EOX'
x  3 changed, 1 added, 1 removed
y  0 changed, 1 added, 0 removed
EOX
sea diff --stat x y >out
says out 'y  0 changed'
EOT

t 'exit status' <<'EOT'
status $NO sea diff --exit-code x
status 0 sea diff x
status 0 sea diff --exit-code x x
[ ! -s out ]
status $NOT_FOUND sea diff nothing
status $NOT_FOUND sea diff x@9-0000
status $USAGE sea diff
status $USAGE sea diff x -- y
status $USAGE sea diff --stat --json-patch x
EOT

t 'a merge patch is what put takes' <<'EOT'
sea diff --merge-patch x >patch
same patch <<'EOX'
{"a":null,"b":"new","c":{"l":null,"m":3},"d":[null],"_id":"x","_type":"u"}
EOX
sea init -q --name=b ../b
sea -C ../b put -q '{"_id":"x","_type":"t","a":1,"b":"old","c":{"k":1,"l":2}}'
sea -C ../b put -q --merge-patch - <patch
[ "$(sea -C ../b rev-parse x@winner)" = "$(sea rev-parse x@winner)" ]
sea put -q '{"_id":"x","c":{"k":{"deep":null}}}'
status $BAD_DATA sea diff --merge-patch x
EOT

t 'a JSON patch' <<'EOT'
sea diff --json-patch y >out
same out <<'EOX'
[{"op":"add","path":"/n","value":1}]
EOX
sea diff --json --json-patch y >out
says out '"patch":[{"op"'
EOT

t 'lines of JSON' <<'EOT'
sea diff --json y >out
says out '"changes":{"/n":{"new":1}}'
says out '"id":"y","to":"1-'
EOT

t 'a deletion' <<'EOT'
sea delete -q y
sea diff y | sed 's/-[0-9a-f]\{8\}/-HEX/g' >out
same out <<'EOX'
y  1-HEX → 2-HEX  (deleted)
- n  1
EOX
sea diff --merge-patch y >out
same out <<'EOX'
{"_id":"y","_deleted":true}
EOX
EOT

t 'blocks that only one of instance and container has' <<'EOT'
sea init -q --name=p ../p
cd ../p
sea add-container -q c ../c2.sea --create
status $NO sea diff --container=c --exit-code
sea push -q
status 0 sea diff --container=c --exit-code
[ ! -s out ]
sea put -q '{"_id":"one"}' '{"_id":"two"}'
sea delete -q one
sea diff --container=c | sed 's/-[0-9a-f]\{8\}/-HEX/' >out
same out <<'EOX'
< one  1-HEX
< two  1-HEX
< one  2-HEX  (deleted)
EOX
sea diff --container=c --stat >out
same out <<'EOX'
< p  2 blocks, 3 changes
EOX
sea clone -q --name=q ../c2.sea ../q
sea -C ../q put -q '{"_id":"three"}'
sea -C ../q push -q
sea diff --container=c --json | tail -1 >out
says out '{"only":"there","id":"three"'
mv ../c2.sea ../away
status $UNREACHABLE sea diff --container=c
status $NOT_FOUND sea diff --container=nothing
EOT
