# Birthdays have no time and no time zone: they come back as they were written, wherever they are read.
sea init -q --name=home home

t 'a birthday comes back as the day that it is, in every time zone' <<'EOT'
cd home
status 0 sea set --create -t person ada born:day=1815-12-10
status 0 sea put '{"_id":"bob","_type":"person","born":{"$day":"1927-01-26"},"feasts":[{"$day":"0001-01-01"},{"$day":"9999-12-31"}]}'
status 0 sea set --create -t person cyd 'born:day[Birthday]=2000-02-29' invoiced:day=2026-03-01
for zone in UTC Pacific/Kiritimati America/Los_Angeles; do
  [ "$(TZ=$zone sea get ada born)" = 1815-12-10 ]
  TZ=$zone sea query -t person --select=id,born --csv >out
  printf 'id,born\nada,1815-12-10\nbob,1927-01-26\ncyd,2000-02-29\n' | same out
done
[ "$(sea get bob --json | jq -c '.born, .feasts')" = '{"$day":"1927-01-26"}
[{"$day":"0001-01-01"},{"$day":"9999-12-31"}]' ]
[ "$(sea get cyd born --json)" = '{"$label":"Birthday","$value":{"$day":"2000-02-29"}}' ]
status 0 sea get person:born=1927-01-26 born
status 0 sea set person:born=1927-01-26 seen=yes
[ "$(sea get bob seen)" = yes ]
status 0 sea set --create person:born=1950-05-05 name=dan
[ "$(sea get person:born=1950-05-05 born --json)" = '{"$day":"1950-05-05"}' ]
status $BAD_DATA sea set --create person:born=1950-02-30 name=eve
sea delete -q person:born=1950-05-05
EOT

t 'days are found by their text, and sorted by date' <<'EOT'
cd home
found() { status 0 sea query -t person --ids "$1" --sort=born && [ ! -s err ] && tr '\n' ' ' <out; }
[ "$(found "born = '1927-01-26'")" = 'bob ' ]
[ "$(found "born IN ('1927-01-26', '1815-12-10')")" = 'ada bob ' ]
[ "$(found "born < '1927-01-27' AND born >= '1815-12'")" = 'ada bob ' ]
[ "$(found "born >= '19'")" = 'bob cyd ' ]
[ "$(found "born BETWEEN '1815-12-10' AND '1927-01-26'")" = 'ada bob ' ]
[ "$(found "kind(_id, '/born') = 'day' AND born < now()")" = 'ada bob cyd ' ]
[ "$(sea query -t person --ids 'born = :d' -p 'd:={"$day":"1815-12-10"}')" = ada ]
[ "$(sea sql "SELECT min(born), max(born), count(*) FROM person WHERE born > '1'" --csv | tail -1)" = 1815-12-10,2000-02-29,3 ]
[ "$(sea query -t person --ids --sort=-born | tr '\n' ' ')" = 'cyd bob ada ' ]
sea reindex -q --add=births=person:/born
sea query -t person --explain "born = '1927-01-26'" | grep -q births
[ "$(found "born = '1927-01-26'")" = 'bob ' ]
[ "$(found "born > '1815-12-10'")" = 'bob cyd ' ]
EOT

t 'a day is no date: a query that mixes them says so' <<'EOT'
cd home
status 0 sea query -t person "born = '1927-01-26T00:00:00.000Z'" --ids
[ ! -s out ]
says err "'born' (days) never matches '1927-01-26T00:00:00.000Z'"
status $BAD_DATA sea set -t person --where="born < '1927-01-26T12:00:00Z'" old:=true
says err "nothing was written"
status 0 sea query -t person --ids 'born > 1927'
says err "'born' in 'person' has days, which SQL does not compare as numbers: quote the day"
status $BAD_DATA sea set ada born:date=1815-12-10
says err 'born'
status 0 sea set --create -t visit v/1 at:date=2026-03-01
status 0 sea set --create -t visit v/2 at:day=2026-03-01
status 0 sea query -t visit --ids "at >= '2026-03-01'" --sort=at
printf 'v/2\nv/1\n' | same out
[ ! -s err ]
status 0 sea query -t visit --ids "date(at) = '2026-03-01'" --sort=at
printf 'v/2\nv/1\n' | same out
[ ! -s err ]
status 0 sea set -t visit --where="at < '2026-03-02'" seen:=true
says out '2 updated'
status 0 sea query -t visit --ids "kind(_id, '/at') = 'day' AND at = '2026-03-01'"
echo v/2 | same out
[ ! -s err ]
status 0 sea query -t visit --ids "at = '2026-03-01'"
echo v/2 | same out
says err "'at' in 'visit' has dates and days, which SQL does not compare with each other"
status $BAD_DATA sea set -t visit --where="at = '2026-03-01'" seen:=false
sea set -q v/2 --unset=at
status 0 sea query -t visit --ids "at = '2026-03-01'"
says err "for all of a day in UTC, use date(x) = '2026-03-01'"
EOT

t 'days are grouped and computed with the functions of SQLite' <<'EOT'
cd home
rows() { status 0 sea sql --csv "$1" && [ ! -s err ] && sed 1d out | tr '\n' ' '; }
[ "$(rows "SELECT born, count(*) FROM person WHERE born IS NOT NULL GROUP BY born ORDER BY 1")" = '1815-12-10,1 1927-01-26,1 2000-02-29,1 ' ]
[ "$(rows "SELECT strftime('%Y', born) AS year FROM person WHERE born > '1' GROUP BY year ORDER BY 1")" = '1815 1927 2000 ' ]
[ "$(rows "SELECT date(born, '+1 year'), date(born, 'start of month') FROM person WHERE _id = 'cyd'")" = '2001-03-01,2000-02-01 ' ]
[ "$(rows "SELECT julianday('2026-03-01') - julianday(born) FROM person WHERE _id = 'cyd'")" = '9497 ' ]
[ "$(rows "SELECT _id FROM person WHERE born = date('2000-01-31', '+29 days')")" = 'cyd ' ]
[ "$(rows "SELECT a._id, b._id FROM person a JOIN person b ON strftime('%m', a.born) < strftime('%m', b.born) ORDER BY 1, 2")" = \
  'bob,ada bob,cyd cyd,ada ' ]
EOT

t 'a table from a spreadsheet has days, and goes back to one' <<'EOT'
cd home
printf '_id,n,found\nf/1,1,1999-12-31\nf/2,2,2000-01-01\n' >finds.csv
status 0 sea load -n -t find finds.csv
says err "'found' has days stored as text; to convert them, use --types=found:day"
status 0 sea load -t find --types=found:day,n:number finds.csv
[ "$(sea get f/1 found --json)" = '{"$day":"1999-12-31"}' ]
status 0 sea dump -t find --format=csv -o out.csv
cmp out.csv finds.csv
says err '--types=n:number,found:day'
status 0 sea load -t find --types=found:day,n:number finds.csv
says out '2 unchanged'
printf '_id,found\nf/3,1999-02-30\n' >bad.csv
status $BAD_DATA sea load -t find --types=found:day bad.csv
says err 'found: not a value of type day: 1999-02-30'
says err 'hint: use the form 2026-08-22'
sea dump --format=sqlite -o out.sqlite
[ "$(sqlite3 out.sqlite "SELECT found FROM find ORDER BY 1 LIMIT 1")" = 1999-12-31 ]
sqlite3 out.sqlite .schema | grep -q '"found" DAY TEXT'
sea init -q copy
sea -C copy load -q "$PWD/out.sqlite"
[ "$(sea -C copy get f/2 found --json)" = '{"$day":"2000-01-01"}' ]
sea -C copy dump | jq -cS 'del(._rev)' >copied
sea dump | jq -cS 'del(._rev)' | cmp - copied
EOT

t 'SQL sets days, and changes are shown with them' <<'EOT'
cd home
status 0 sea set f/1 "found:sql=date(found, '+1 day')"
[ "$(sea get f/1 found --json)" = '{"$day":"2000-01-01"}' ]
status $BAD_DATA sea set f/1 "found:sql='soon'"
says err 'the value is not a day of the years 0001 to 9999'
sea diff f/1 >out
sea log -p f/1 >log
grep -q '1999-12-31' log
grep -q '2000-01-01' log
fails grep -q T00:00:00Z log
EOT

t 'two instances merge days, and the later one wins where that is the rule' <<'EOT'
sea init -q --name=one a
sea -C a add-container -q c "$PWD/c" --create
sea -C a config set --shared merge.person.policy /last=max
sea -C a set -q --create -t person x last:day=2026-01-01 n:=1
sea -C a sync -q
sea clone -q --name=two "$PWD/c" b
sea -C a set -q x last:day=2026-03-01
sea -C b set -q x last:day=2026-02-01
sea -C b sync -q
sea -C a sync -q
sea -C b sync -q
for one in a b; do [ "$(sea -C $one get x last)" = 2026-03-01 ]; done
[ -z "$(sea -C a conflicts)" ]
EOT

t 'a dictionary may have the key $day' <<'EOT'
cd home
status 0 sea put '{"_id":"odd","d":{"$dict":{"$day":"1927-02-30"}}}'
[ "$(sea get odd d --json)" = '{"$dict":{"$day":"1927-02-30"}}' ]
status $BAD_DATA sea put '{"_id":"odd","d":{"$day":"1927-02-30"}}'
says err 'not a day (YYYY-MM-DD, years 0001 to 9999): "1927-02-30"'
EOT
