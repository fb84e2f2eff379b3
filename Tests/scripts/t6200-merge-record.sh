t 'the changes of both sides are merged' <<'EOT'
echo '{"_id":"h","_type":"host","_rev":null,"ram":64,"os":"9","disk":{"sda":1,"sdb":2},"old":1}' | sed 's/"_rev":null,//' >base
echo '{"_id":"h","_type":"host","ram":128,"os":"9","disk":{"sda":1,"sdb":2,"sdc":3}}' >ours
echo '{"_id":"h","_type":"server","ram":64,"os":"10","disk":{"sda":1},"old":1}' >theirs
cat >want <<'EOX'
{"_id":"h","_type":"server","os":"10","ram":128,"disk":{"sda":1,"sdc":3}}
EOX
sea merge-record --base=base ours theirs | cmp - want
sea merge-record --base=base theirs ours | cmp - want
sea merge-record --base=- ours theirs <base | cmp - want
sea merge-record --base=base - theirs <ours | cmp - want
sea merge-record --json --base=base ours - <theirs | cmp - want
EOT

t 'clashes are listed, and nothing is written' <<'EOT'
echo '{"a":1,"b":{"x":1,"/":1},"c":1}' >base
echo '{"a":2,"b":{"x":2,"/":2},"c":2}' >ours
echo '{"a":3,"b":{"x":1},"c":1}' >theirs
status $CONFLICT sea merge-record -o merged --base=base ours theirs
[ ! -s out ]
[ ! -e merged ]
says err 'sea: error[conflict]: the sides conflict in 2 paths'
grep -qx '  /a' err
grep -qx '  /b/~1' err
status $CONFLICT sea merge-record --json --base=base ours theirs
[ ! -s out ]
says err '{"event":"clash","path":"/a","base":1,"ours":2,"theirs":3}'
says err '{"event":"clash","path":"/b/~1","base":1,"ours":2}'
says err '"event":"error","code":"conflict","exit":3'
EOT

t 'without a base' <<'EOT'
echo '{"a":1,"b":1}' >ours
echo '{"b":1,"c":1}' >theirs
[ "$(sea merge-record ours theirs)" = '{"a":1,"b":1,"c":1}' ]
echo '{"b":2}' >theirs
status $CONFLICT sea merge-record ours theirs
grep -qx '  /b' err
EOT

t 'counters and sets' <<'EOT'
echo '{"n":{"$counter":5},"s":{"$set":["a","b"]}}' >base
echo '{"n":{"$counter":9},"s":{"$set":["b","c"]}}' >ours
echo '{"n":{"$counter":3},"s":{"$set":["a","b","d"]}}' >theirs
[ "$(sea merge-record --base=base ours theirs)" = '{"n":{"$counter":7},"s":{"$set":["b","c","d"]}}' ]
EOT

t 'paths that belong together' <<'EOT'
echo '{"lat":1,"lon":1,"n":1}' >base
echo '{"lat":2,"lon":1,"n":1}' >ours
echo '{"lat":1,"lon":2,"n":2}' >theirs
[ "$(sea merge-record --base=base ours theirs)" = '{"n":2,"lat":2,"lon":2}' ]
status $CONFLICT sea merge-record --base=base --atomic=/lat,/lon ours theirs
status $CONFLICT sea merge-record --base=base --atomic=/n,/x --atomic=lat,lon --policy=max ours theirs
[ "$(sea merge-record --base=base --atomic=/lat,/lon --policy=ours ours theirs)" = '{"n":2,"lat":2,"lon":1}' ]
status $USAGE sea merge-record --base=base --atomic=/lat, ours theirs
EOT

t 'policies' <<'EOT'
cat >base <<'EOX'
{"a":1,"b":[1],"c":"x\ny\nz\n"}
EOX
cat >ours <<EOX
{"_rev":"2-$(printf 1%.0s $(seq 64))","_lamport":7,"a":3,"b":[1,2],"c":"X\\ny\\nz\\n"}
EOX
cat >theirs <<EOX
{"_rev":"3-$(printf 1%.0s $(seq 64))","_lamport":5,"a":2,"b":[1,3],"c":"x\\ny\\nZ\\n"}
EOX
merge() { sea merge-record --base=base --policy="$1" ours theirs; }
[ "$(merge winner)" = '{"a":2,"b":[1,3],"c":"x\ny\nZ\n"}' ]
[ "$(merge newest)" = '{"a":3,"b":[1,2],"c":"X\ny\nz\n"}' ]
[ "$(merge theirs)" = '{"a":2,"b":[1,3],"c":"x\ny\nZ\n"}' ]
for policy in max min text; do status $CONFLICT merge $policy; done
says err '  /a'
sed 's/"a":1/"a":3/' base >ours
[ "$(merge max)" = '{"a":3,"b":[1,3],"c":"x\ny\nZ\n"}' ]
[ "$(merge min)" = '{"a":2,"b":[1,3],"c":"x\ny\nZ\n"}' ]
sed 's/x/X/' base >ours
[ "$(merge text)" = '{"a":2,"b":[1,3],"c":"X\ny\nZ\n"}' ]
status $USAGE merge best
EOT

t 'deleted records' <<'EOT'
echo '{"_id":"h","a":1}' >base
echo '{"_id":"h","_deleted":true}' >ours
[ "$(sea merge-record --base=base ours base)" = '{"_id":"h","_deleted":true}' ]
[ "$(sea merge-record --base=base ours ours)" = '{"_id":"h","_deleted":true}' ]
echo '{"_id":"h","a":2}' >theirs
status $CONFLICT sea merge-record --base=base ours theirs
says err 'one side deleted the record'
EOT

t 'output to a file' <<'EOT'
echo '{"a":1}' >ours
echo '{"b":1}' >theirs
sea merge-record -o merged ours theirs >out
[ ! -s out ]
[ "$(cat merged)" = '{"a":1,"b":1}' ]
sea merge-record -o ours ours theirs
[ "$(cat ours)" = '{"a":1,"b":1}' ]
sea merge-record -o - ours theirs | grep -q b
EOT

t 'bad input' <<'EOT'
echo '{"a":1}' >ours
for bad in '' '{' '[1]' '{"a":1}{"b":1}' '{"_x":1}' '{"a":{"$what":1}}'; do
  echo "$bad" >theirs
  status $BAD_DATA sea merge-record ours theirs
  status $BAD_DATA sea merge-record theirs ours
  status $BAD_DATA sea merge-record --base=theirs ours ours
done
echo '{"_id":"x"}' >ours
echo '{"_id":"y"}' >theirs
status $BAD_DATA sea merge-record ours theirs
status $SYSTEM sea merge-record ours no-such-file
status $USAGE sea merge-record ours
status $USAGE sea merge-record - - </dev/null
status $USAGE sea merge-record ours theirs theirs
EOT
