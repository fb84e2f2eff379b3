t 'put of a table says load' <<'EOT'
sea init -q d && cd d
printf 'id,name\n1,Ann\n' >c.csv
status $BAD_DATA sea put c.csv
says err 'error[bad-data]: c.csv:1:1'
says err 'hint: to load a file of another program, run: sea load c.csv'
(cd .. && cp d/c.csv here.csv && status $SYSTEM sea -C d load -t person here.csv)
says ../err "hint: relative paths start in 'd', the folder of -C; use an absolute path"
status 0 sea query "name=Ann"
says err "notice: no record has a property 'Ann'"
lacks out Ann
status $SYSTEM sea put person/ann '{"name":"Ann"}'
says err "hint: to create a record with this id, run: sea put --id=person/ann '{…}'"
status $SYSTEM sea put no.json
lacks err hint
# What git has, and where a type stands for a record.
while IFS='|' read -r words hint; do
  status $USAGE sea $words
  says err "hint: $hint"
done <<'EOX'
log -n 3|to limit the output, use --limit=3 or -3
log --oneline|sea log prints one line per entry by default
log --stat|to show the changes of each entry, use --changes
status --short|for scripts, use --porcelain
config --list|to list settings, run: sea config list
config --get core.pager|to show a setting, run: sea config get KEY
resolve a --pick=n=mine|did you mean: --pick=n=ours
resolve a --pick=n=other|did you mean: --pick=n=theirs
resolve a --prefer=mine|did you mean: --prefer=ours
backup x.sea.tar.zst|for output, use --output=x.sea.tar.zst
backup kit|for output, use --to=kit
EOX
status 0 sea load -t person c.csv
status $NOT_FOUND sea get person
says err "hint: 'person' is a type; to list its records, run: sea query -t person"
status $NOT_FOUND sea set person name=x
says err 'sea query -t person'
cp c.csv 'my table.csv'
status $BAD_DATA sea put 'my table.csv'
says err "sea load 'my table.csv'"
# What is JSON and broken is not for load.
printf '{"a":' >broken.json
status $BAD_DATA sea put broken.json
[ "$(grep -c 'sea load' err)" = 0 ]
EOT

t 'words of one command given to another, or of another program' <<'EOT'
sea init -q wrongs && cd wrongs
sea set -q --create -t thing 1 a=1
status $SYSTEM sea put a=1
says err 'hint: to create a record from assignments, run: sea set --new a=1'
status 0 sea set --new a=1
status $BAD_DATA sea set 1 tags:set=red,blue
says err "hint: to write a set, use 'tags:set=[\"red\",\"blue\"]'; to add one element, use tags:set+=TEXT"
status 0 sea set 1 'tags:set=["red","blue"]'
status 0 sea set 1 tags:set+=TEXT
printf '\377\330\377' >'p 1.jpg'
status $USAGE sea set 1 photo:asset='p 1.jpg'
says err "'photo:asset=p 1.jpg': an asset needs a file"
says err "hint: to read the asset from a file, use 'photo:asset@p 1.jpg'"
status 0 sea set 1 'photo:asset@p 1.jpg'
echo text >note.txt
status 0 sea set 1 note=@note.txt
says err 'notice: note was set to text, not to the content of the file'
says err 'hint: to store the file as an asset, use note:asset@note.txt; to store it as text, use note:string@note.txt'
[ "$(sea get 1 note)" = @note.txt ]
status 0 sea set 1 note:string@note.txt
status 0 sea set 1 handle=@somebody
[ ! -s err ]
EOT

t 'a format that is the same for each is told' <<'EOT'
cd wrongs
status 0 sea query --format=csv
says err 'notice: the format contains no field, so all items look the same'
says err 'hint: did you mean: --csv'
status 0 sea sql --format=tsv 'SELECT 1 AS n'
says err 'hint: did you mean: --tsv'
status 0 sea log --format=oneline
says err 'hint: to print a field, use %('
status 0 sea query --format='{_id} {n}'
says err 'hint: to print a field, use %(id)'
status 0 sea query --format='%(id)'
[ ! -s err ]
EOT

t 'habits of other programs say what is done here' <<'EOT'
sea init -q --name=me habits && cd habits
sea set -q --create -t person p/1 name=Ann n:=1
sea set -q p/1 name=Bo
sea add-container -q --create kit "$PWD/../habits.kit"
rev=$(sea get --json p/1 | jq -r ._rev | cut -c1-8)
while IFS='|' read -r want words hint; do
  status "$want" sea $words
  says err "hint: $hint"
done <<EOX
2|redo|to redo the operation that you undid, run: sea undo '@{0}'
2|move-container kit x|to copy a container, run: sea mirror NAME NEW; for all steps, run: sea help workflows
2|rename-container kit x|to rename a container, run: sea remove-container NAME; then run:
2|undo me/1|to find the operation that wrote a block, run: sea show me/1
4|revert p/1 $rev|to name a revision, use p/1@$rev; to list revisions, run: sea log p/1
4|show HEAD|to show the latest transaction, run: sea show
2|delete -t person|to select all records of the type, use --where=1
2|query --order-by=name|to sort, use --sort=PATHS
2|query -n 1|to limit the number of records, use --limit=N
2|query person name=1|to set the type, use --type=TYPE;
2|dump ../x|to set the output file, use --output=FILE
2|sql select * from person|quote the statement as one argument: sea sql '
2|set p/1 _type=bird|to set the type, use --type=bird; to replace another type, add --replace-type
4|diff yesterday now|to name a point in time, use '@{yesterday}'
4|get p/1/name|to name a property, use a separate argument: p/1 name
2|add-container ../kit x|the name comes before the location: sea add-container NAME LOCATION
2|add-container kit ../other|to show its location, run: sea containers; to reuse the name, first run: sea remove-container kit
2|clone https://localhost/x new|for a sea server, use sea+https://HOST/FOLDER
4|authorize bruno|to list instances, run: sea instances; to receive new access requests, run: sea sync
12|hash-record {"a":1}|JSON comes from a file, or from standard input
13|set p/1 d:decimal=1,5|use a decimal point: 1.5
2|load --delimiter=tab x.csv|for tab-separated columns, use --format=tsv
EOX
status $USAGE sea init --name=a/b new
says err "'a/b' is not a name of at most "
printf 'sum;day\n1,5;31.12.2026\n' >x.csv
status $USAGE sea load --delimiter='\t' x.csv
says err 'hint: for tab-separated columns, use --format=tsv'
status $BAD_DATA sea load -t sale --delimiter=';' --types=sum:decimal x.csv
says err 'hint: use a decimal point: 1.5'
status $BAD_DATA sea load -t sale --delimiter=';' --types=day:date x.csv
says err 'hint: use 2026-'
# As they say.
status 0 sea get p/1@$rev
status 0 sea delete -n -t person --where=1
status 0 sea set p/1 --type=bird --replace-type
status 0 sea undo -q
status 0 sea undo '@{0}'
EOT

t 'JSON without its quotes gets a hint on shell quoting' <<'EOT'
sea init -q quotes && cd quotes
for text in '{name:Ann}' "{'name':'Ann'}" '{"name":Ann}' '{"name":'; do
  status $BAD_DATA sea put "$text"
  says err "sea put '{\"name\":\"text\"}'"
done
# A comma too many is another mistake.
status $BAD_DATA sea put '{"name":"Ann",}'
[ "$(grep -c hint err)" = 0 ]
echo '{name:Ann}' >ann.json
status $BAD_DATA sea put ann.json
[ "$(grep -c hint err)" = 0 ]
EOT

t 'a text of another encoding says the option' <<'EOT'
sea init -q codes && cd codes
printf 'name\nJos\351\n' >c.csv
status $BAD_DATA sea load -t person c.csv
says err 'error[bad-data]: c.csv:2:4: not UTF-8'
says err 'sea load --encoding=windows-1252 FILE'
iconv -f WINDOWS-1252 -t UTF-8 c.csv >new.csv
status 0 sea load -t person new.csv
printf '{"name":"Jos\351"}\n' >j.jsonl
status $BAD_DATA sea load j.jsonl
says err '--encoding=windows-1252'
cp j.jsonl j.txt
status $BAD_DATA sea load j.txt
says err '--encoding=windows-1252'
EOT

t 'a file of another program is no bundle: the hint names load' <<'EOT'
sea init -q bundles && cd bundles
printf 'name\nAnn\n' >'a b.csv'
status $INCOMPATIBLE sea import 'a b.csv'
says err "hint: to load a file of another program, run: sea load 'a b.csv'"
printf 'name\nAnn\n' >a.sea
status $INCOMPATIBLE sea import a.sea
[ "$(grep -c 'sea load' err)" = 0 ]
EOT

t 'words of other programs say the command' <<'EOT'
sea init -q words && cd words
for pair in merge:resolve commit:put add:put rm:delete ls:query cat:get checkout:get snapshots:ops forget:backup prune:gc mv:set; do
  status $USAGE sea "${pair%:*}"
  says err "hint: did you mean: sea ${pair#*:}"
done
status $UNREACHABLE sea restore ann
says err 'to restore a record, run: sea revert RECORD'
# What is said of a second name is said by that name.
status $USAGE sea restore
says err 'sea restore -h'
printf 'name,age\nAnn,3\n' >c.csv
echo '{"_id":"ann"}' >c.json
for command in restore clone; do
  status $INCOMPATIBLE sea $command c.csv new
  says err 'to load a file of another program, run: sea load c.csv'
  lacks err 'sea put'
  status $INCOMPATIBLE sea $command c.json new
  says err 'run: sea load c.json; to store one JSON record, run: sea put c.json'
  [ ! -e new ]
done
sea put -q c.json
for command in export backup; do
  status $USAGE sea $command ../KIT
  says err "hint: for output, use --to=../KIT"
done
status $USAGE sea status ../KIT
says err 'hint: for usage, run: sea status -h'
EOT

t 'a database is no container, and is told apart from nothing' <<'EOT'
sea init -q base
status $INCOMPATIBLE sea clone base e
says err "'$PWD/base' is a database, not a container"
says err 'add-container --create NAME LOCATION'
status $INCOMPATIBLE sea clone base/.sea e
[ ! -e e ]
sea init -q other
status $SYSTEM sea -C other add-container x "$PWD/base"
says err "is a database, not a container"
status $SYSTEM sea -C other add-container --create x "$PWD/base"
[ "$(ls -A base)" = .sea ]
EOT

t 'nothing is called nothing' <<'EOT'
status $UNREACHABLE sea clone missing e
says err "'$PWD/missing' does not exist"
status $UNREACHABLE sea restore missing e
says err "'missing' does not exist"
status $NO_DATABASE sea -C "$PWD/nonexistent" status
says err "folder '$PWD/nonexistent' does not exist"
mkdir plain
status $NO_DATABASE sea --sea-dir="$PWD/plain" status
says err "'$PWD/plain' is not a database folder"
sea init -q here
status $NO_DATABASE sea --sea-dir="$PWD/here" status
says err "hint: use --sea-dir=$PWD/here/.sea"
status 0 sea --sea-dir="$PWD/here/.sea" status
[ -z "$(ls -A plain)" ]
EOT

t 'a database file that is gone is called that' <<'EOT'
sea init -q gone && cd gone
sea add-container -q --create kit ../gone.sea
sea put -q '{"_id":"a"}'
sea sync -q
rm .sea/db*
for command in status 'put {"_id":"b"}' init doctor reindex verify; do
  status $SYSTEM sea $command
  says err "the database file '$PWD/.sea/db' is missing"
  says err 'clone a container again'
done
# As it says.
mv .sea ../gone-keys
status 0 sea clone -q ../gone.sea .
status 0 sea get a
EOT

t 'a container is a folder of its own' <<'EOT'
sea init -q own && cd own
mkdir ../stick && echo text >../stick/letter.txt
status $SYSTEM sea add-container --create kit ../stick
says err "is not empty"
says err "'letter.txt'"
[ "$(ls -A ../stick)" = letter.txt ]
status $SYSTEM sea add-container -n --create kit ../stick
status 0 sea add-container --create kit ../stick/data.sea
# What a file system or a desktop keeps there is nobody's file.
mkdir -p ../root/lost+found ../root/.Trash-1000 '../root/System Volume Information'
status 0 sea add-container --create root ../root
# And what is a container already is added.
sea push -q root && sea clone -q ../root ../copy && echo text >../root/letter.txt
status 0 sea -C ../copy remove-container origin
status 0 sea -C ../copy add-container --create root ../root
EOT

t 'operations and revisions that are none say how one is written' <<'EOT'
sea init -q names && cd names
sea set -q --create c/1 n:=1
status $USAGE sea undo 7
says err "'7' is not an operation"
says err "'@{7}'"
status $USAGE sea undo op:xyz
says err 'to list operations, run: sea ops'
status $USAGE sea get c/1@2
says err "'2' is not a revision of c/1"
says err 'sea log c/1'
status $USAGE sea set c/1 d:dat=2026-01-01
status $NO sea get -e c/1 d
EOT

t 'help finds pages and recipes by topic' <<'EOT'
status 0 sea help photos
says out 'sea help workflows'
says out 'room'
status 0 sea help spreadsheet
says out 'An address book from a spreadsheet'
status 0 sea help checkout
says out 'sea help from-git'
status 0 sea help asset
says out 'sea help fetch-assets'
EOT

t 'help finds the page that was meant' <<'EOT'
status $NOT_FOUND sea help quer
says err 'did you mean: sea help query'
status $NOT_FOUND sea help tutoria
says err 'did you mean: sea help tutorial'
status $NOT_FOUND sea help xyzzy
says err 'to list commands, run: sea help'
EOT

t 'a table whose column is called id' <<'EOT'
sea init -q slips && cd slips
printf 'id,naem,color\n1,x,red\n2,y,blue\n' >c.csv
status 0 sea load -n -t host c.csv
says err "notice: column 'id' becomes a property"
says err 'to use it as the id, add --map=id:_id'
status 0 sea load -t host --map=naem:name,id:_id c.csv
[ ! -s err ]
printf 'id,name\n1,z\n' >k.csv
status 0 sea load -n -t host --key=id k.csv
[ "$(grep -c 'each record gets' err)" = 0 ]
EOT

t 'columns that are named on the command line and are not there' <<'EOT'
sea init -q columns && cd columns
printf 'name,age\nAda,36\n' >c.csv
for option in --key=nme --types=nme:string --map=nme:title; do
    status $BAD_DATA sea load -t person $option c.csv
    says err 'hint: did you mean: name'
done
status $BAD_DATA sea load -t person --key=number c.csv
[ "$(grep -c hint err)" = 0 ]
EOT

t 'missing input and output files are found before anything is written' <<'EOT'
sea init -q there && cd there
echo '{"_id":"c/1"}' >r.jsonl
status $UNREACHABLE sea load --assets=nowhere r.jsonl
says err "'nowhere' does not exist"
status $NO sea get -e c/1
status $UNREACHABLE sea add-container --create stick "$PWD/media/stick/x"
says err "folder '$PWD/media/stick' does not exist"
says err 'mkdir -p'
[ ! -e media ]
mkdir place
status 0 sea add-container --create one place/x
status $SYSTEM sea add-container two place/x
says err "is already attached as container one"
status $SYSTEM sea add-container two "file://$PWD/place/../place/x"
[ "$(sea containers --json | grep -c '"name"')" = 1 ]
EOT

t 'a line of JSON that is broken is the one that is named' <<'EOT'
sea init -q lines && cd lines
printf '{"_id":"a"}\n{"_id":"b","n":[1,\n{"_id":"c"}\n' >f.jsonl
status $BAD_DATA sea load f.jsonl
says err 'f.jsonl:2:19: unexpected end of JSON'
printf '{"_id":"a"}\n{"_id":"b","n":\n{"_id":"c"}\n' | status $BAD_DATA sea load
says err 'standard input:2:16: unexpected end of JSON'
EOT

t 'hints say what is written here' <<'EOT'
sea init -q hints && cd hints
echo '{"_id":"h/1","_type":"host","name":"a","n":1}' | sea put -q -
status 0 sea help 'query(7)'
status 0 sea help query.1
status 0 sea help sea-query
status $NOT_FOUND sea help 'quer(1)'
says err 'did you mean: sea help query'
status $USAGE sea remote
says err 'did you mean: sea containers'
for text in .tables .schema 'SHOW TABLES' 'PRAGMA table_info(host)'; do
    status $BAD_DATA sea sql "$text"
    says err 'sea query --types'
done
status $BAD_DATA sea sql .tables
says err '.tables is not allowed'
status $BAD_DATA sea sql "UPDATE host SET n = 2"
says err 'sea set --where=SQL'
status $BAD_DATA sea sql 'SELECT len(name) FROM host'
says err "did you mean 'length'?"
status $BAD_DATA sea query -t host 'n = ?'
says err 'give its value with -p NAME=VALUE'
status $BAD_DATA sea query -t host "host MATCH 'x'"
says err 'reindex --add-text'
status $USAGE sea query --where='n = 1'
says err "sea query 'CONDITION'"
status $USAGE sea set -t host name=b
says err "missing RECORD before 'name=b'"
for first in tel=5 n:=5; do
  for create in '' --create '-t person --create'; do
    status $USAGE sea set $create $first ort=Bern
    says err "missing RECORD before '$first'"
    says err 'to use it as an id, add --literal-ids'
  done
done
sea set -q --literal-ids --create tel=5 ort=Bern
sea set -q tel=5 ort=Basel
[ "$(sea get tel=5 ort)" = Basel ]
sea delete -q tel=5
status $USAGE sea set -t host --rename=name=title
says err 'missing RECORD'
says err 'to change all, use --where=1'
status $USAGE sea set h/1 on:bool=true
says err 'key:=true'
status $BAD_DATA sea set h/1 name:=b
says err 'to set text, use name=TEXT'
status $NOT_FOUND sea get 'h/1@{2020-01-01}'
says err 'the record exists now, but not at that time'
status $NOT_FOUND sea get h/1 --at='@{2020-01-01}'
says err 'sea log h/1'
EOT

t 'a word of a fixed set that is mistyped is told what was meant' <<'EOT'
sea init -q words && cd words
sea set -q --create c/1 n:=1
status $USAGE sea doctor clokc
says err 'hint: did you mean: clock'
status $USAGE sea dump --format=cvs
says err 'hint: did you mean: --format=csv'
status $USAGE sea resolve --prefer=theris
says err 'hint: did you mean: --prefer=theirs'
status $USAGE sea resolve --pick=n=theris c/1
says err 'hint: did you mean: --pick=n=theirs'
status $USAGE sea config user.nam x
says err 'sea config set user.nam VALUE'
status $USAGE sea config core.abbrv 9
says err 'sea config set core.abbrev VALUE'
status $NOT_FOUND sea help confict
says err 'did you mean: sea help conflicts'
EOT

t 'a command line that is wrong says how it is called' <<'EOT'
cd words
status $USAGE sea diff
says err "sea diff '@{0}'"
sea diff '@{0}' >out
says out '+ n  1'
status $USAGE sea get
says err 'hint: for usage, run: sea get -h'
status $NOT_FOUND sea diff 1-f5bd 3-91c0
says err 'RECORD@1-f5bd'
status $USAGE sea init --no-store-key ../unmade
says err "requires '--encrypt'"
[ ! -e ../unmade ]
mkdir -p sub && echo secret >pw
status $SYSTEM sea -C sub --password-file=pw init --encrypt
says err "file 'sub/pw' does not exist"
says err "the folder of -C"
EOT

t 'renamed commands and undoable steps have exact hints' <<'EOT'
cd words
sea set -q c/1 --rename=n=m
sea log c/1 >out
says out 'set --rename=n=m'
sea show c/1 >out
op=$(sed -n 's/^op  *//p' out)
sea show "$op" | same out
sea undo -q "$op"
[ "$(sea get c/1 n)" = 1 ]
EOT

t 'names of containers and instances, and what belongs to another database' <<'EOT'
sea init -q --name=anna one
sea init -q two
cd one
sea set -q --create c/1 n:=1
sea add-container -q --create stick ../place.sea
sea sync -q
status $NOT_FOUND sea sync stcik
says err "did you mean 'stick'?"
status $NOT_FOUND sea log --instance=annna
says err "did you mean 'anna'?"
status $NOT_FOUND sea show c/2
says err "did you mean 'c/1'?"
status $INCOMPATIBLE sea -C ../two add-container --create other "$PWD/../place.sea"
says err 'sea clone LOCATION FOLDER'
status $NOT_FOUND sea sync nothing-like-it
says err 'to list containers, run: sea containers'
EOT

t 'a folder that has the place in it, and a database in the place of one' <<'EOT'
sea init -q near && cd near
sea set -q --create c/1 n:=1
mkdir -p ../kit/other
sea export -q --to=../kit/birds
for command in 'verify ../kit' 'clone ../kit ../no' 'import ../kit' 'inspect ../kit' 'restore ../kit ../no'; do
  fails sea $command >out 2>err
  says err "hint: did you mean $(dirname "$PWD")/kit/birds?"
done
sea add-container -q --create team ../kit/team
fails sea verify ../kit 2>err
says err "did you mean one of $(dirname "$PWD")/kit/birds, $(dirname "$PWD")/kit/team?"
for command in verify inspect; do
  status $INCOMPATIBLE sea -C .. $command near
  says err "hint: it is a database: sea -C $PWD $command"
  sea -C "$PWD" $command >/dev/null
done
[ ! -e ../no ]
EOT

t 'a command that is told can be pasted, whatever records, properties and folders are called' <<'EOT'
id="x'\$(touch\${IFS}ran)\`touch\${IFS}ran\`;&|<*\"\\#"
mkdir evil && cd evil
# The words of the command that stands behind a text in a file, as a shell takes them, one in a line.
words() { sed -n "s/^.*$1 \(sea .*\)/\1/p" "$2" >line && sh -c "sea() { printf '%s\n' \"\$@\"; }; $(cat line)"; }
record() { jq -nc --arg id "$id" --argjson v "$1" '{_id: $id, "p'"'"'$(touch ran)": $v}'; }
sea init -q --name="o'\$(touch ran)" one
record 1 | sea -C one put -q -
sea -C one add-container -q --create c "$PWD/c"
sea -C one sync -q
sea clone -q --name=two c two
record 2 | sea -C one put -q -
record 3 | sea -C two put -q -
sea -C one sync -q
sea -C two sync -q
cd two
status $CONFLICT sea get --strict "$id"
words 'run:' err >told
printf '%s\n' conflicts "$id" | same told
sea conflicts "$id" >table
words 'e.g.' table >told
grep -qxF -- "$id" told
grep -qF -- "--pick=/p'\$(touch ran)=" told
sed -n 's/^e\.g\. //p' table >line
sh ./line >/dev/null
status 0 sea get --strict "$id"
record 4 | status $CONFLICT sea put --if-rev=1-0000 -
sed 's/; to overwrite.*//' err >first
words 'run:' first >told
printf '%s\n' get "$id" | same told
sea delete -q "$id"
status $NOT_FOUND sea get "$id"
sed 's/; to restore.*//' err >first
words 'run:' first >told
printf '%s\n' log "$id" | same told
words 'to restore it, run:' err >told
printf '%s\n' revert "$id" | same told
d="d'\$(touch ran)"
mkdir "$d"
/usr/bin/python3 "$SEA_TEST_ROOT/Tests/faults/terminal.py" -- env COLUMNS=200 sea init "$d" >shown
sed -n "s/^.*to continue, run: \(cd .*\); for a tour.*/\1; pwd/p" shown >line
[ "$(sh ./line)" = "$PWD/$d" ]
[ -z "$(find .. -name ran)" ]
EOT
