# Tables as people have them: days, numbers, dates and words in the form of a country or a program.

t 'a German table goes in and out, equal value by value' <<'EOT'
sea init -q --name=here here
sea init -q --name=there there
cat >stock.csv <<'EOD'
_id;Name;Gekauft;Preis [EUR];Gewicht;Stück;Verliehen;Geprüft
s/1;Uhr;31.12.1999;1.234,50;1.500,25;1.000;nein;01.07.2026 14:30
s/2;"Öl; Krug";1.3.2026;-0,50;0,125;12;JA;29.02.2024 00:15
s/3;Stuhl;28.02.0099;1234567,8;3;1.234.567;nein;31.12.2038 23:59
EOD
status 0 sea -C here load -t piece ../stock.csv --types='Gekauft:day[%d.%m.%Y],Preis [EUR]:decimal[1.234,50]' \
  --types='Gewicht:number[1.234,5],Stück:int[1.234],Verliehen:bool[ja/nein],Geprüft:date[%d.%m.%Y %H:%M, Europe/Zurich]'
sea -C here dump | jq -cS 'del(._rev, ._type)' >have
same have <<'EOD'
{"Gekauft":{"$day":"1999-12-31"},"Geprüft":{"$date":"2026-07-01T12:30:00Z"},"Gewicht":1500.25,"Name":"Uhr","Preis [EUR]":{"$decimal":"1234.50"},"Stück":1000,"Verliehen":false,"_id":"s/1"}
{"Gekauft":{"$day":"2026-03-01"},"Geprüft":{"$date":"2024-02-28T23:15:00Z"},"Gewicht":0.125,"Name":"Öl; Krug","Preis [EUR]":{"$decimal":"-0.50"},"Stück":12,"Verliehen":true,"_id":"s/2"}
{"Gekauft":{"$day":"0099-02-28"},"Geprüft":{"$date":"2038-12-31T22:59:00Z"},"Gewicht":3,"Name":"Stuhl","Preis [EUR]":{"$decimal":"1234567.8"},"Stück":1234567,"Verliehen":false,"_id":"s/3"}
EOD
# The notice shows the command that loads the file again.
status 0 sea -C here dump -t piece --excel=de -o ../excel.csv
load=$(sed -n 's/.*to load it again, use: //p' err)
eval "sea -C there ${load#sea} -t piece ../excel.csv"
sea -C there dump | jq -cS 'del(._rev, ._type)' | cmp - have
sea -C there dump -t piece --excel=de -o ../again.csv
cmp excel.csv again.csv
EOT

t 'an error names the form that the cells have' <<'EOT'
sea init -q forms && cd forms
hint() { printf 'x\n"%s"\n' "$2" | status $BAD_DATA sea load --format=csv --types="x:$1" && says err "$3"; }
hint day 31.12.2026 "hint: use the form 2026-08-22; to read this form, use '--types=x:day[%d.%m.%Y]'"
hint day 3/4/2026 "'--types=x:day[%d/%m/%Y]' or '--types=x:day[%m/%d/%Y]'"
hint day 3/14/2026 "to read this form, use '--types=x:day[%m/%d/%Y]'"
hint day '2026-03-01 00:00:00' "'--types=x:day[%Y-%m-%d 00:00:00]'"
hint day 46082 "'--types=x:day[excel]'"
hint day 2026-02-30 "to read other forms, use for example '--types=x:day[%d.%m.%Y]'"
hint 'day[%d.%m.%Y]' 2026/03/01 "x: not a value of type day[%d.%m.%Y]: 2026/03/01"
says err "hint: to read this form, use '--types=x:day[%Y/%m/%d]'"
hint date 31.12.2026 "'--types=x:day[%d.%m.%Y]'"
hint date '31.12.2026 10:00' "'--types=x:date[%d.%m.%Y %H:%M, UTC]', or with another time zone"
hint date '2026-03-01T10:00:00' "'--types=x:date[%Y-%m-%dT%H:%M:%S, UTC]', or with another time zone"
hint date '2026-03-01 10:00:00.5' "'--types=x:date[%Y-%m-%d %H:%M:%S, UTC]', or with another time zone"
hint date 46082.5 "'--types=x:date[excel, UTC]'"
hint decimal 1.234,50 "hint: use a decimal point: 1.5; to read this form, use '--types=x:decimal[1.234,50]'"
hint number 1,234 "'--types=x:number[1.234,50]' or '--types=x:number[1,234.50]'"
hint int 1.234 "'--types=x:int[1.234]'"
hint bool Nein "hint: use true, false, 1 or 0; to read this form, use '--types=x:bool[ja/nein]'"
hint 'date[%d.%m.%Y %H:%M, Europe/Zurich]' '29.03.2026 02:30' \
  'x: this time does not exist in Europe/Zurich, because clocks were moved forward: 29.03.2026 02:30'
says err '--rejects=FILE'
hint 'date[%d.%m.%Y %H:%M, Europe/Zurich]' '25.10.2026 02:30' \
  'x: this time exists twice in Europe/Zurich, because clocks were moved back: 25.10.2026 02:30'
[ "$(sea query --count)" = 0 ]
EOT

t 'an invalid form is refused with the forms that exist' <<'EOT'
cd forms
printf 'x\n1\n' >x.csv
bad() { status $USAGE sea load --types="x:$1" x.csv && says err "$2" && says err "$3"; }
bad 'day[%d.%m.%q]' "unknown field '%q'" 'hint: fields: %d %m %b %Y %y'
bad 'date[%d.%m.%Y %H:%M]' 'the time zone is missing' 'date[%d.%m.%Y %H:%M, Europe/Zurich]'
bad 'date[%d.%m.%Y %H:%M, Europe/Zuerich]' "time zone 'Europe/Zuerich' is not in /usr/share/zoneinfo" 'or UTC'
bad 'date[%Y-%m-%d, ../../../etc/localtime]' 'is not in' 'or UTC'
bad 'decimal[1.234]' 'not a clear example of a number' '1.234,50'
bad 'bool[ja]' 'not two words for true and false' 'bool[yes/no]'
bad 'set[x]' "type 'set' has no forms" 'day, date, number'
status $USAGE sea load --types='x:day[%d.%m.%Y' x.csv
says err 'COLUMN:TYPE[FORM]'
EOT

t 'dates of other programs need no form' <<'EOT'
cd forms
cat >dates.csv <<'EOD'
_id,at
d/1,2026-03-01 10:00:00.123456+0100
d/2,2026-03-01T10:00:00.500000Z
d/3,2026-03-01 10:00+01
d/4,2026-03-01
EOD
status 0 sea load --types=at:date dates.csv
says err 'notice: 1 date shortened to milliseconds'
[ "$(sea query --json | jq -r '.at["$date"]' | tr '\n' ' ')" = \
  '2026-03-01T09:00:00.123Z 2026-03-01T10:00:00.500Z 2026-03-01T09:00:00Z 2026-03-01T00:00:00Z ' ]
# One form reads times with and without a fraction.
printf '_id,at\nd/5,2026-03-01 10:00:00\nd/6,2026-03-01 10:00:00.5\n' >mixed.csv
status 0 sea load --types='at:date[%Y-%m-%d %H:%M:%S, UTC]' mixed.csv
[ "$(sea get d/5 at) $(sea get d/6 at)" = '2026-03-01T10:00:00Z 2026-03-01T10:00:00.500Z' ]
EOT

t 'integers that pandas wrote with a point are integers' <<'EOT'
cd forms
printf '_id,qty\nq/1,34.0\nq/2,\nq/3,-7.0\nq/4,123456789012345678901234567890.0\n' >qty.csv
status 0 sea load --types=qty:int qty.csv
[ "$(sea get q/1 qty) $(sea get q/3 qty) $(sea get q/4 qty)" = '34 -7 123456789012345678901234567890' ]
for cell in 34.5 1.000 .0 1.234.0; do
  printf 'qty\n%s\n' $cell | status $BAD_DATA sea load --format=csv --types=qty:int
  says err "qty: not a value of type int: $cell"
done
EOT

t 'days and the true and false of spreadsheets are detected' <<'EOT'
cd forms
cat >found.csv <<'EOD'
_id,made,lent,py,mixed,zip,code,big,time
f/1,2026-03-01,TRUE,True,2026-03-01,08001,1E5,1234567890123456,2026-03-01T10:00:00Z
f/2,1999-12-31,FALSE,False,TRUE,12,2,1,2026-03-01T10:00:00Z
f/3,,,,,,,,
EOD
status 0 sea load -t find --detect-types found.csv
[ "$(sea get f/1 --json | jq -c '[.made, .lent, .py, .mixed, .zip, .code, .big, .time]')" = \
  '[{"$day":"2026-03-01"},true,true,"2026-03-01","08001","1E5","1234567890123456","2026-03-01T10:00:00Z"]' ]
[ "$(sea get f/2 --json | jq -c '[.made, .lent, .py]')" = '[{"$day":"1999-12-31"},false,false]' ]
EOT

t 'a notice about numbers stored as text names both forms that fit' <<'EOT'
cd forms
advice() {
  printf '_id;p\na/1;%s\na/2;%s\n' "$1" "$2" | status 0 sea load -n --format=csv -t piece --detect-types
  says err "$3"
}
both="'p' has numbers stored as text; to convert them, use '--types=p:decimal[1.234,50]' or '--types=p:decimal[1,234.50]'"
advice 1.500 12.000 "$both"
advice 1.234 12 "$both"
advice 1,500 12 "$both"
advice 1.234,50 12.500 "use '--types=p:decimal[1.234,50]'"
advice 1,234.50 12.5 "use '--types=p:decimal[1,234.50]'"
advice 12,50 -0,125 "use '--types=p:decimal[1.234,50]'"
advice 1.50 1.500 'use --types=p:decimal'
for cells in '1.234;a/2;0.125' '1.234;a/2;12.5'; do
  printf '_id;p\na/1;%s\n' "$(echo "$cells" | sed 's/;a/\na/')" >points.csv
  status 0 sea load -n --json -t piece --detect-types points.csv
  [ "$(jq -r 'select(.name == "p") | .kinds[]' out)" = 'a number' ]
done
printf '_id,p\na/1,1.234\n' | status 0 sea load -n --format=csv -t piece --detect-types
says out 'p         a number'
for cell in 01.500 1.50E3 1.5.0 1,5,0; do
  printf '_id;p\na/1;%s\na/2;1.500\n' $cell | status 0 sea load -n --format=csv -t piece --detect-types
  lacks err 'stored as text'
done
EOT

t 'a table of SQLite has forms, too, and its numbers need none' <<'EOT'
cd forms
sqlite3 in.sqlite "CREATE TABLE item (_id TEXT PRIMARY KEY, made TEXT, price, serial INTEGER, at REAL);
  INSERT INTO item VALUES ('i/1', '31.12.2026', '1.234,50', 46082, 46082.25), ('i/2', '1.1.2026', 1.234, 61, 1);"
status 0 sea load in.sqlite \
  --types='made:day[%d.%m.%Y],price:decimal[1.234,50],serial:day[excel],at:date[excel, America/New_York]'
[ "$(sea get i/1 --json | jq -c '[.made, .price, .serial, .at]')" = \
  '[{"$day":"2026-12-31"},{"$decimal":"1234.50"},{"$day":"2026-03-01"},{"$date":"2026-03-01T11:00:00Z"}]' ]
[ "$(sea get i/2 price --json)" = '{"$decimal":"1.234"}' ]
status $BAD_DATA sea load in.sqlite --types='made:day[%m/%d/%Y]'
says err "made: not a value of type day[%m/%d/%Y]: 31.12.2026"
EOT
