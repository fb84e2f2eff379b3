# What README.md points at is there, and its picture shows what the program shows.

t 'the picture is what the program shows: make picture draws it anew' <<'EOT'
/usr/bin/python3 "$SEA_TEST_ROOT/docs/terminal.py" "$(command -v sea)" terminal.svg
cmp terminal.svg "$SEA_TEST_ROOT/docs/terminal.svg"
/usr/bin/python3 -c 'import sys, xml.etree.ElementTree as tree; tree.parse(sys.argv[1])' terminal.svg
EOT

t 'files that it names are there' <<'EOT'
grep -o '](\([^)]*\))' "$SEA_TEST_ROOT/README.md" | sed 's/^](//;s/)$//;s/#.*//' | grep -v '^https:\|^$' >files
[ "$(wc -l <files)" -gt 10 ]
while read -r file; do [ -e "$SEA_TEST_ROOT/$file" ] || { echo "$file is missing"; exit 1; }; done <files
EOT

t 'targets of make that it names are there' <<'EOT'
grep -o '\(`\|^\|^sudo \)make [a-z]*' "$SEA_TEST_ROOT/README.md" | sed 's/.*make //' | sort -u >targets
[ "$(wc -l <targets)" -ge 5 ]
while read -r target; do
  grep -q "^[a-z ]*\b$target\b[a-z ]*:" "$SEA_TEST_ROOT/Makefile" || { echo "no target $target"; exit 1; }
done <targets
EOT
