# limit: 300
# The program sea-read-xlsx, which prints Excel workbooks as CSV.
export BOOKS="$SEA_TEST_ROOT/Tests/xlsx/workbooks.py"
python3 "$BOOKS" birds birds.xlsx

t 'the program prints CSV' <<'EOT'
status 0 sea-read-xlsx birds.xlsx
tr -d '\r' <out >lines
same lines <<'EOD'

"name","weight","seen"," at ","ringed","zip","note"
"Hoopoe",0.1,2024-03-01,2024-03-01T12:30:00,true,8203,"inline"

"Öz, ""große""
Zeile_x0041_ 🦉 _xD83E_",3,1900-03-01,,false,"08203"
"Owl",1.5,,,,,"08:30:00"
EOD
EOT

t 'workbooks of other programs are read, too' <<'EOT'
python3 "$BOOKS" odd odd.xlsx
status 0 sea-read-xlsx odd.xlsx
printf '"at","n"\n"10:30:00",100\n,true\n' | same out
[ ! -s err ]
EOT

t 'hostile workbooks are refused with one line' <<'EOT'
python3 "$BOOKS" hostile evil >cases
ulimit -v 1500000
while IFS="$(printf '\t')" read -r name words; do
  sheet=
  [ "$name" != newline-in-name ] || sheet=Birds
  status 1 timeout 100 sea-read-xlsx "evil/$name.xlsx" $sheet
  says err "$words"
  case $(cat err) in error:*) ;; *) cat err; exit 1 ;; esac
  [ "$(wc -l <err)" = 1 ]
  [ "$(wc -c <err)" -lt 9000 ]
done <cases
status 2 sea-read-xlsx
status 1 sea-read-xlsx .
mkfifo pipe
status 1 sea-read-xlsx pipe
EOT

t 'a workbook with changed bytes never crashes the program' <<'EOT'
python3 "$BOOKS" fuzz birds.xlsx $((300 * ${SEA_TEST_MORE:-1}))
EOT
