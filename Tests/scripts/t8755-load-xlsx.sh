# limit: 120
# sea load reads Excel workbooks with the program sea-read-xlsx.
export BOOKS="$SEA_TEST_ROOT/Tests/xlsx/workbooks.py"
sea init -q
python3 "$BOOKS" birds birds.xlsx

t 'each cell of a workbook keeps its kind' <<'EOT'
status 0 sea load -t bird --key=name birds.xlsx
echo 'birds.xlsx: 3 created, 0 updated, 0 unchanged' | same out
same err <<'EOD'
notice: birds.xlsx: only sheet 'Birds' is read, not 'Rings', 'Places'
hint: to read another sheet, use --sheet=NAME
notice: birds.xlsx: blanks around column names removed: 'at'
notice: times without a time zone were read as UTC: 'at'; to set it, use --types='at:date[excel, ZONE]'
EOD
sea query -t bird --sort=name --json | jq -cS 'del(._id, ._rev, ._type)' >out
same out <<'EOD'
{"at":{"$date":"2024-03-01T12:30:00Z"},"name":"Hoopoe","note":"inline","ringed":true,"seen":{"$day":"2024-03-01"},"weight":0.1,"zip":8203}
{"name":"Owl","note":"08:30:00","weight":1.5}
{"name":"Öz, \"große\"\r\nZeile_x0041_ 🦉 _xD83E_","ringed":false,"seen":{"$day":"1900-03-01"},"weight":3,"zip":"08203"}
EOD
status 0 sea load -q -t bird --key=name birds.xlsx
[ "$(sea query -t bird --count)" = 3 ]
EOT

t 'the options of tables work, and a dry run shows the kinds' <<'EOT'
status 0 sea load -n -q -t bird --sheet=Birds --types=zip:string,at:string --map=ringed: birds.xlsx
status 0 sea load -n -t bird --sheet=Birds --types=zip:string,at:string --map=ringed:,weight:mass birds.xlsx
same out <<'EOD'
PROPERTY  KIND      FILLED  FIRST VALUES
name      text           3  Hoopoe | Öz, "große"\x0d\x0aZeile_x0041_ 🦉 _xD83E_ | Owl
mass      a number       3  0.1 | 3 | 1.5
seen      a day          2  {"$day":"2024-03-01"} | {"$day":"1900-03-01"}
at        text           1  2024-03-01T12:30:00
zip       text           2  8203 | 08203
note      text           2  inline | 08:30:00
birds.xlsx: 3 created, 0 updated, 0 unchanged
EOD
python3 "$BOOKS" birds mac.xlsx 1904
status 0 sea load -n -t bird --sheet=Birds mac.xlsx
says out '{"$day":"2028-03-02"}'
# A column of numbers that are stored as text.
python3 "$BOOKS" sheet text.xlsx '<row><c t="str"><v>id</v></c><c t="str"><v>n</v></c><c t="str"><v>d</v></c></row>
  <row><c t="str"><v>a</v></c><c t="str"><v>5</v></c><c s="1"><v>61</v></c></row><row><c t="str"><v>b</v></c><c><v>7</v></c></row>'
status 0 sea load -t part --map=id:_id --detect-types text.xlsx
[ "$(sea get --json a | jq -c '[.n,.d]')" = '[5,{"$day":"1900-03-01"}]' ]
[ ! -s err ]
EOT

t 'times are read as UTC, and days beside them are named' <<'EOT'
python3 "$BOOKS" sheet times.xlsx '<row><c t="str"><v>at</v></c></row><row><c s="2"><v>61.5</v></c></row>
  <row><c s="2"><v>62</v></c></row><row><c t="str"><v>2024-03-01T12:00:00+01:00</v></c></row>
  <row><c t="d"><v>2024-03-01T12:30:00.5Z</v></c></row>'
status 0 sea load -t time times.xlsx
says err "notice: times without a time zone were read as UTC: 'at'; to set it, use --types='at:date[excel, ZONE]'"
says err "notice: to make the days in the same columns dates, use --types=at:date"
status 0 sea load -t date --types=at:date times.xlsx
lacks err 'days in the same'
sea query -t date --json | jq -c '.at' | sort >out
same out <<'EOD'
{"$date":"1900-03-01T12:00:00Z"}
{"$date":"1900-03-02T00:00:00Z"}
{"$date":"2024-03-01T11:00:00Z"}
{"$date":"2024-03-01T12:30:00.500Z"}
EOD
EOT

t 'a time zone for the times of a workbook' <<'EOT'
python3 "$BOOKS" sheet zone.xlsx '<row><c t="str"><v>at</v></c><c t="str"><v>seen</v></c></row>
  <row><c s="2"><v>45352.5</v></c><c s="1"><v>61</v></c></row><row><c s="2"><v>45474</v></c><c><v>45352</v></c></row>'
status 0 sea load -t zone --types='at:date[excel, Europe/Zurich],seen:day[excel]' zone.xlsx
[ ! -s err ]
sea query -t zone --json | jq -cS '[.at, .seen]' | sort >out
same out <<'EOD'
[{"$date":"2024-03-01T11:00:00Z"},{"$day":"1900-03-01"}]
[{"$date":"2024-06-30T22:00:00Z"},{"$day":"2024-03-01"}]
EOD
EOT

t 'a cell with an error is refused by its name, or rejected' <<'EOT'
python3 "$BOOKS" sheet errors.xlsx '<row r="4"><c r="A4" t="s"><v>0</v></c><c r="B4" t="s"><v>1</v></c></row>
  <row r="5"><c r="A5" t="str"><v>Owl, &quot;x&quot;</v></c><c r="B5" t="e"><v>#N/A</v></c></row>
  <row r="6"><c r="A6" t="s"><v>2</v></c><c r="B6"><v>2</v></c></row>
  <row r="7"><c r="A7" t="str"><v>Kite</v></c><c r="B7" s="1"><v>60</v></c></row>'
status $BAD_DATA sea load -t e errors.xlsx
same err <<'EOD'
sea: error[bad-data]: errors.xlsx: B5: weight: the cell has the error #N/A
hint: nothing was loaded; correct the cell; to skip invalid rows, use --rejects=FILE
EOD
status $PARTIAL sea load -t e --rejects=bad.csv errors.xlsx
echo 'errors.xlsx: 1 created, 0 updated, 0 unchanged, 2 rejected (bad.csv)' | same out
says err 'errors.xlsx: B7: weight: the cell has the error #1900-02-29'
printf '"name","weight"\n"Owl, ""x""",#N/A\n"Kite",#1900-02-29\n' | cmp - bad.csv
# A column that is left out is not read.
status 0 sea load -n -t e --map=weight: errors.xlsx
status $BAD_DATA sea load -t e --types=weight:int,name:day errors.xlsx
EOT

t 'a cell without a column name is refused, named or left out' <<'EOT'
python3 "$BOOKS" sheet wide.xlsx '<row><c t="s"><v>0</v></c></row><row><c t="s"><v>2</v></c><c/><c t="str"><v>rare</v></c></row>'
status $BAD_DATA sea load -t w wide.xlsx
says err 'wide.xlsx: C2: column 3 has no name'
says err "use --map='#3:NAME'; to leave out columns without a name, use --skip-unnamed"
status 0 sea load -n -t w --skip-unnamed wide.xlsx
lacks out rare
status 0 sea load -t w --map=#2:,#3:note wide.xlsx
[ "$(sea query -t w --plain --json | jq -r '.note')" = rare ]
EOT

t 'a workbook that cannot be read loads nothing' <<'EOT'
status $BAD_DATA sea load -t bird --sheet=Nests birds.xlsx
same err <<'EOD'
sea: error[bad-data]: birds.xlsx: sheet 'Nests' does not exist; the workbook has 'Birds', 'Rings', 'Places'
EOD
# The error is in the last row, after rows that were read already.
{
  echo '<row><c t="s"><v>0</v></c></row>'
  seq -f '<row><c t="str"><v>bird %g</v></c></row>' 5000
  echo '<row><c t="s"><v>99</v></c></row>'
} | python3 "$BOOKS" sheet late.xlsx -
for more in --detect-types --rejects=late.csv -q; do
  status $BAD_DATA sea load -t late $more late.xlsx
  says err "late.xlsx: row 5002: text '99' is missing"
done
status $BAD_DATA sea query -t late --count
says err "no record has the type 'late'"
[ ! -e late.csv ]
status $BAD_DATA sea load -t e --sheet=Rings birds.xlsx
says err 'the header line is missing'
status $BAD_DATA sea load missing.xlsx
says err 'missing.xlsx: No such file or directory'
status $USAGE sea load --format=xlsx - <birds.xlsx
status $USAGE sea load --delimiter=';' birds.xlsx
status $USAGE sea load --sheet=Birds birds.csv
cp birds.xlsx other
status 0 sea load -n -q -t bird --format=xlsx other
EOT

t 'other spreadsheets are refused with a way' <<'EOT'
printf '\320\317\021\340\241\261\032\341' >old.xls
printf 'PK\003\004mimetypeapplication' >open.ods
for file in old.xls open.ods; do
  status $BAD_DATA sea load -t bird $file
  says err 'hint: save the table as .xlsx or CSV, then run: sea load FILE.xlsx'
done
cp old.xls locked.xlsx
status $BAD_DATA sea load -t bird locked.xlsx
says err 'locked.xlsx: an .xls file, or a workbook with a password; save it as .xlsx without a password, or as CSV'
cp open.ods wrong.xlsx
status $BAD_DATA sea load -t bird wrong.xlsx
says err 'not an .xlsx workbook'
EOT

t 'without its program, or if it crashes, nothing is loaded' <<'EOT'
mkdir alone
cp "$(realpath "$(command -v sea)")" alone/sea
PATH=/usr/bin:/bin status $REFUSED alone/sea load -t new birds.xlsx
same err <<'EOD'
sea: error[refused]: cannot read 'birds.xlsx': the program sea-read-xlsx is not installed
hint: save the table as CSV, then run: sea load FILE.csv
EOD
printf '#!/bin/sh\necho "\\"name\\""\necho "\\"Owl\\""\nkill -KILL $$\n' >alone/sea-read-xlsx
chmod +x alone/sea-read-xlsx
PATH=/usr/bin:/bin status $REFUSED alone/sea load -t new birds.xlsx
says err "'sea-read-xlsx' failed with status 137"
# What it says besides is no end of the load, and secrets of sea are not told to it.
printf '#!/bin/sh\nenv >env\nyes x | head -c 200000 >&2\necho "\\"name\\""\necho "\\"Owl\\""\n' >alone/sea-read-xlsx
SEA_PASSWORD_COMMAND=secret PATH=/usr/bin:/bin status 0 alone/sea load -n -t new birds.xlsx
lacks env secret
[ "$(sea query -t new --count)" = 0 ]
EOT
