# sealed: yes
t 'transactions, newest first' <<'EOT'
sea init --name=field -q
SEA_AUTHOR_DATE=2026-01-01T10:00:00Z sea set -q --create -t host web1 ram:=16
SEA_AUTHOR_DATE=2026-01-02T10:00:00Z sea put -q '{"_id":"web2","ram":1}' '{"_id":"web3","ram":1}'
sea log | head -3 >out
same out <<'EOX'
BLOCK    TIME                 CHANGES  LABEL
field/2  2026-01-02 10:00:00        2  put
field/1  2026-01-01 10:00:00        1  set ram
EOX
EOT

t 'as many as asked for, by author and time' <<'EOT'
sea log -1 --format='%(name)/%(index) %(changes)' >out
same out <<'EOX'
field/2 2
EOX
[ -z "$(sea log -0)" ]
sea log --since=2026-01-02 --until=2026-01-03 --format='%(index)' >out
same out <<'EOX'
2
EOX
[ "$(sea log --instance=field --format='%(index)' | tr '\n' ' ')" = '2 1 0 ' ]
status $NOT_FOUND sea log --instance=nobody
status $USAGE sea log --since=soon
EOT

t 'lines of JSON, and fields for a shell' <<'EOT'
sea log -1 --json >out
says out '"changes":2'
says out '"time":"2026-01-02T10:00:00Z"'
eval "$(sea log -1 --shell --format='label=%(label) size=%(size)')"
[ "$label" = put ]
[ "$size" -gt 80 ]
sea log -2 -z --format='%(index)' | tr '\0' ,  >out
printf '2,1,' | cmp - out
status $USAGE sea log --shell
status $USAGE sea log --format='%(nothing)'
EOT

t 'the revisions of a record' <<'EOT'
SEA_AUTHOR_DATE=2026-01-03T10:00:00Z sea set -q web1 ram:=32
sea log web1 | sed 's/-[0-9a-f]\{8\} /-HEX /' >out
same out <<'EOX'
*  2-HEX  field  2026-01-03 10:00:00  set ram
   1-HEX  field  2026-01-01 10:00:00  created
EOX
sea log web1 --format='%(mark)|%(rev:short=4)|%(parent)|%(state)|%(kind)' | cut -c1-3 >out
same out <<'EOX'
*|2
|1-
EOX
[ "$(sea log -1 web1 --json | grep -c '"state":"winner"')" -eq 1 ]
status $NOT_FOUND sea log nothing
EOT

t 'the values of a property' <<'EOT'
sea set -q web1 other=x
sea set -q web1 --unset=ram
SEA_AUTHOR_DATE=2026-01-05T10:00:00Z sea set -q web1 ram=much
sea log web1 ram --format='%(value) %(rev:short=1) %(type) %(branch)' | sed 's/-[0-9a-f] / /' >out
same out <<'EOX'
"much" 5 string winner
 4  winner
32 2 integer winner
16 1 integer winner
EOX
sea log -1 web1 /ram | sed 's/-[0-9a-f]\{8\} /-HEX /' >out
same out <<'EOX'
much  string  5-HEX  field  2026-01-05 10:00:00  set ram
EOX
sea log web1 ram --json >out
[ "$(sed 's/.*"rev":"\(.\).*/\1/; s/"type"//' out | tr '\n' ' ')" = '5 4 2 1 ' ]
[ "$(grep -c '"value":"much","type":"string","rev"' out)" -eq 1 ]
# What was taken away has neither value nor type.
[ "$(grep -c '"path":"/ram","rev"' out)" -eq 1 ]
status $NOT_FOUND sea log web1 nothing
EOT

t 'a deleted record still has a log' <<'EOT'
sea delete -q web3
sea log web3 | cut -c1-4 >out
same out <<'EOX'
x  2
   1
EOX
EOT

t 'the tree of a record that two have changed' <<'EOT'
sea add-container -q c ../c.sea --create
sea sync -q
sea clone -q --name=lab ../c.sea ../lab
sea set -q web2 here=1
sea -C ../lab set -q web2 there=1
sea -C ../lab sync -q
sea sync -q --no-merge
sea log --graph web2 | sed 's/ *[0-9]-.*//' >out
same out <<'EOX'
*
| !
|/
*
EOX
sea resolve -q --winner web2
sea log --graph web2 | sed 's/  [0-9]-[0-9a-f]* .*:[0-9][0-9]  /  /; s/into 3-.*/into/' >out
same out <<'EOX'
*    resolve --winner
| x  resolved into
* |  set there
| *  set here
|/
*    created
EOX
for path in here there; do sea log web2 $path --format='%(value) %(branch)'; done >out
same out <<'EOX'
"1" other
"1" winner
EOX
sea log web2 here | grep -q '(other branch)'
status $USAGE sea log --graph
status $USAGE sea log --graph --since=1d web2
EOT

t 'every type of value by its name, also within others' <<'EOT'
d=$(printf %064d 0)
printf '%s\n' true 1 '{"$int":"123456789012345678901"}' 1.5 '{"$decimal":"1.50"}' '"1.5"' '{"$date":"2026-01-01"}' '{"$day":"2026-01-01"}' \
  '{"$data":"AAAA"}' '[1]' '{"a":1}' '{"$ref":"web1"}' '{"$counter":2}' '{"$set":[2]}' \
  "{\"\$asset\":\"$(sea rev-parse --instance-id)/1\",\"sha256\":\"$d\",\"size\":0,\"mime\":\"a/b\"}" |
  sed 's/.*/{"_id":"kinds","v":&,"in":[{"x~":&},null]}/' >kinds
sea put -q - <kinds
printf '%s\n' asset set counter reference dictionary array data day date string decimal double integer integer boolean >want
for path in v in.0.x~ /in/0/x~0; do
  sea log kinds $path --format='%(type)' | cmp - want
done
[ "$(sea log kinds in.1 --format='%(value) %(type)')" = 'null null' ]
status $NOT_FOUND sea log kinds in.2
status $NOT_FOUND sea log kinds v.a.b
EOT

t 'newest first, whatever is deeper' <<'EOT'
sea put -q '{"_id":"deep","v":0,"in":[{"x":0}]}'
sea sync -q
sea -C ../lab sync -q
for v in 1 2 3; do sea -C ../lab set -q deep v:=$v; done
for n in 1 2 3 4 5 6 7 8 9; do sea put -q '{"_id":"other","n":'$n'}'; done
sea set -q deep v:=9 in.0.x:=9
sea -C ../lab sync -q
sea sync -q
sea log deep v --format='%(value) %(rev:short=0) %(name) %(branch)' >out
same out <<'EOX'
9 2- field other
3 4- lab winner
2 3- lab winner
1 2- lab winner
0 1- field winner
EOX
sea -C ../lab sync -q
[ "$(sea -C ../lab log deep v --format='%(value)' | tr '\n' ' ')" = '9 3 2 1 0 ' ]
EOT

t 'log shows the revision and message of merged changes' <<'EOT'
sea resolve -q --theirs deep
sea log deep in.0.x --format='%(value) %(rev:short=0) %(branch) %(label)' >out
same out <<'EOX'
9 2- other set v in.0.x
0 1- winner put
EOX
sea put -q '{"_id":"deep2","v":0}'
sea sync -q
sea -C ../lab sync -q
sea set -q deep2 v:=1
sea -C ../lab set -q deep2 w:=2 v:=2
sea -C ../lab sync -q
sea sync -q
mine=$(sea get deep2 v)
[ "$mine" = 1 ] && taken=2 || taken=1
sea resolve -q --take="$(sea log deep2 v --format='%(rev) %(value)' | sed -n "s/ $taken\$//p")" deep2
sea log deep2 v --format='%(value) %(rev:short=0) %(branch) %(label)' | sed 's/ --take=.*//' | sort -k 2,2 -r >out
says out "$taken 3- winner resolve"
says out "$taken 2- other set"
says out "$mine 2- winner set"
[ "$(sea log -1 deep2 v --format='%(value) %(rev:short=0)')" = "$taken 3-" ]
EOT

t 'a page that is read only at its beginning' <<'EOT'
seq 400 | sed 's/.*/{"_id":"n","v":&}/' >many
sea put -q - <many
[ "$(sea log -3 n v --format='%(value)' | tr '\n' ' ')" = '400 399 398 ' ]
sea log n | head -1 >out
says out '400-'
EOT
