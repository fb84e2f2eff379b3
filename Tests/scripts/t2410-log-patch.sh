# limit: 240
t 'the changes of each transaction' <<'EOT'
sea init -q --name=field
SEA_AUTHOR_DATE=2026-01-01T10:00:00Z sea put -q '{"_id":"web1","_type":"host","ram":1}' '{"_id":"note","v":1}'
SEA_AUTHOR_DATE=2026-01-02T10:00:00Z sea set -q note v:=2
SEA_AUTHOR_DATE=2026-01-03T10:00:00Z sea set -q web1 ram:=2 disk:=9
SEA_AUTHOR_DATE=2026-01-04T10:00:00Z sea delete -q web1
short() { sed "s/$(sea rev-parse --instance-id)/ID/; s/-[0-9a-f]\{8\}/-HEX/g"; }
sea log -p -2 | short >out
same out <<'EOX'
block    field/4
by       field ID
time     2026-01-04 10:00:00
label    delete
changes  1

deleted  web1  2-HEX → 3-HEX
- ram  2
- disk  9
- _type  "host"

block    field/3
by       field ID
time     2026-01-03 10:00:00
label    set ram disk
changes  1

updated  web1  1-HEX → 2-HEX
- ram  1
+ ram  2
+ disk  9
EOX
# As sea show tells of each, but for the name by which it is undone.
sea show field/4 field/3 | sed "/^op /d" | short | cmp - out
sea log --changes -4 >out
same out <<'EOX'
field/4  2026-01-04 10:00:00  delete
  deleted  web1  ram, disk, _type
field/3  2026-01-03 10:00:00  set ram disk
  updated  web1  ram, disk
field/2  2026-01-02 10:00:00  set v
  updated  note  v
field/1  2026-01-01 10:00:00  put
  created  note  v
  created  web1  ram, _type
EOX
[ "$(sea log --at='@{2}' --changes --limit=1 | tail -1)" = '  updated  note  v' ]
[ -z "$(sea log -0 -p)" ]
EOT

t 'of a type' <<'EOT'
[ "$(sea log -t host --format='%(index) %(changes)' | tr '\n' ,)" = '4 1,3 1,1 2,' ]
[ "$(sea log -t host -1 --until=2026-01-02T12:00:00Z --format='%(index)')" = 1 ]
sea log -t host --changes --until=2026-01-02 >out
same out <<'EOX'
field/1  2026-01-01 10:00:00  put
  created  web1  ram, _type
EOX
[ -z "$(sea log -t nothing)" ]
[ -z "$(sea log -t hos)" ]
EOT

t 'the revisions of a record' <<'EOT'
short() { sed "s/-[0-9a-f]\{8\}/-HEX/g"; }
sea log -p web1 | short >out
same out <<'EOX'
x  3-HEX  field  2026-01-04 10:00:00  delete
- ram  2
- disk  9
- _type  "host"

   2-HEX  field  2026-01-03 10:00:00  set ram disk
- ram  1
+ ram  2
+ disk  9

   1-HEX  field  2026-01-01 10:00:00  created
+ ram  1
+ _type  "host"
EOX
sea log --changes --at='@{1}' web1 | short >out
same out <<'EOX'
*  2-HEX  field  2026-01-03 10:00:00  set ram disk
     ram, disk
   1-HEX  field  2026-01-01 10:00:00  created
     ram, _type
EOX
EOT

t 'JSON' <<'EOT'
sea log -p -t host --json >out
[ "$(wc -l <out)" -eq 6 ]
[ "$(sea log -p --json | grep -v '"hash"')" = "$(for n in 4 3 2 1; do sea show --json field/$n | tail -n +2; done)" ]
sea log --changes -2 --json >out
says out '"kind":"put","properties":["/ram","/disk"]}'
sea log -p --json web1 >out
[ "$(wc -l <out)" -eq 3 ]
says out '"changes":{"/ram":{"new":1},"/_type":{"new":"host"}}}'
sea log --changes --json web1 >out
says out '"properties":["/ram","/_type"]}'
EOT

t 'options that exclude each other' <<'EOT'
status $USAGE sea log -p --changes
status $USAGE sea log -p --format='%(block)'
status $USAGE sea log -p web1 ram
status $USAGE sea log --changes web1 ram
status $USAGE sea log --graph -p web1
status $USAGE sea log -t host web1
status $USAGE sea log -t host --graph web1
EOT

t 'unreadable content is reported' <<'EOT'
sea purge -q --confirm=field note
sea log -p --until=2026-01-02 >out
says out '(purged)'
sea log --changes -t host --until=2026-01-01T12:00:00Z >out
says out 'created  web1'
EOT

# The largest records that a block can bring, one of them in a block of 46 KB.
t 'records of 33 MB take little memory' <<'EOT'
cat >few <<'P'
import resource, subprocess, sys
with open("out", "wb") as out: status = subprocess.run(sys.argv[1:], stdout=out).returncode
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
sys.exit(f"status {status}, {peak} MiB: {sys.argv[1:]}" if status or peak > 200 else 0)
P
for kind in zeros text names; do
  python3 "$SEA_TEST_ROOT/Tests/reader/large_record.py" $kind $kind.sea
  sea clone -q --name=$kind $kind.sea $kind
done
last=$(sea -C text log -1 --format='%(block)')
for words in "show $last" "log -p" "log --changes" changes "diff k" "diff --json-patch k" "diff --merge-patch k" "diff --stat k"; do
  python3 few sea -C text $words
done
for words in "log -p -1" "log --changes" "--json changes"; do python3 few sea -C names $words; done
for words in changes "log -p -1" "--json diff k"; do python3 few sea -C zeros $words; done
[ "$(wc -c <out)" -gt 134000000 ]
[ "$(head -c 4000 out | tail -c 10)" = 0,0,0,0,0, ]
rm -rf zeros* text* names* out
EOT

# What a merge that nobody asked for would hold of each of them is a hundred times what came.
t 'two of them that disagree are left to whoever asks' <<'EOT'
for kind in zeros names; do
  python3 "$SEA_TEST_ROOT/Tests/reader/large_record.py" $kind $kind-2.sea conflict
  sea clone -q --name=$kind-2 $kind-2.sea $kind-2
  sea -C $kind-2 set -q --create other n:=1
  case $kind in
    zeros) status 0 sea -C $kind-2 sync ;;
    names)
      status $PARTIAL sea -C $kind-2 sync
      says err 'sea resolve'
      ;;
  esac
  python3 few sea -C $kind-2 sync
  for words in status "get k" "query --json" "dump --history"; do python3 few sea -C $kind-2 $words; done
  rm -rf $kind-2* out
done
EOT
