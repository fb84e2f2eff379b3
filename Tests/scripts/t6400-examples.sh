# limit: 120
# The programs of Examples/, as their README calls them: the same build as the commands.
PATH=$(dirname "$(readlink -f "$(command -v sea)")"):$PATH
export PATH

t 'first: the program of the article, which is that to the letter' <<'EOT'
example-first boats >out
same out <<'EOX'
created Petrel
created Fulmar
updated Petrel
heavy: Petrel, Fulmar
handed over: 4 blocks
EOX
awk '/^```swift/ { on = 1; next } /^```/ { exit } on' "$SEA_TEST_ROOT/Sources/SeaKit/SeaKit.docc/GettingStarted.md" >article
cmp article "$SEA_TEST_ROOT/Examples/first/main.swift"
EOT

t 'todo: two windows on one list see what is done in either' <<'EOT'
mkfifo one two
example-todo list <one >shown-1 2>&1 &
exec 3>one
comes() { for n in $(seq 2000); do grep -qxF "$2" "$1" && return; sleep 0.05; done; cat "$1"; return 1; }
comes shown-1 'nothing to do'
example-todo list <two >shown-2 2>&1 &
exec 4>two
echo 'add buy bread' >&3
comes shown-1 '1. [ ] buy bread'
comes shown-2 '1. [ ] buy bread'
echo 'add make tea' >&4
comes shown-1 '2. [ ] make tea'
comes shown-2 '2. [ ] make tea'
echo 'done 1' >&4
comes shown-1 '1. [x] buy bread'
# A command writes into it, too.
sea -C list query -t item --select=text --tsv >out
says out 'make tea'
sea -C list delete -q --where="text = 'make tea'" -t item
echo 'remove 1' >&3
for n in $(seq 2000); do [ "$(tail -n 1 shown-2)" = 'nothing to do' ] && break; sleep 0.05; done
[ "$(tail -n 1 shown-2)" = 'nothing to do' ]
echo 'remove 7' >&3
comes shown-1 'there is no item 7'
echo quit >&3
exec 3>&- 4>&-
wait
EOT

t 'sensor: a thousand samples a second, on a stick' <<'EOT'
mkdir stick
example-sensor samples stick/samples.sea 1 >out
says out '1000 samples in 1 s, 10 transactions'
says out 'handed over to stick/samples.sea: 11 blocks'
says out '1000 new samples of 1000'
sea clone -q stick/samples.sea desk
[ "$(sea -C desk query --count)" = 1000 ]
[ "$(sea -C desk query --count -t sample 'celsius >= 20 AND celsius < 25')" = 1000 ]
EOT

t 'chat: two who write to each other through a folder' <<'EOT'
mkfifo a b
comes() { for n in $(seq 2000); do grep -qxF "$2" "$1" && return; sleep 0.05; done; cat "$1"; return 1; }
SEA_CHAT=$PWD/ann example-chat chat.sea ann <a >seen-by-ann 2>&1 &
exec 3>a
echo 'is anybody there?' >&3
comes seen-by-ann 'ann: is anybody there?'
for n in $(seq 2000); do [ -e chat.sea/info.json ] && sea verify -q chat.sea 2>err && break; sleep 0.05; done
SEA_CHAT=$PWD/bob example-chat chat.sea bob <b >seen-by-bob 2>&1 &
exec 4>b
comes seen-by-bob 'ann: is anybody there?'
echo 'I am' >&4
comes seen-by-ann 'bob: I am'
exec 3>&- 4>&-
wait
lacks seen-by-ann 'chat:'
lacks seen-by-bob 'chat:'
[ "$(sea -C ann query --count -t message)" = 2 ]
EOT

t 'chat: a place that a helper reaches is as good as a folder' <<'EOT'
mkdir helpers far
cp "$SEA_TEST_ROOT/Helpers/samples/sea-remote-folder" helpers
export SEA_EXEC_PATH=$PWD/helpers
sea init -q --name=dan dan
sea -C dan put -q '{"_id":"m","_type":"message","from":"dan","text":"hello","at":{"$date":"2026-03-01T00:00:00Z"}}'
sea -C dan add-container -q --create far "folder:$PWD/far/chat.sea"
sea -C dan sync -q
mkfifo c
SEA_CHAT=$PWD/cid timeout 300 example-chat "folder:$PWD/far/chat.sea" cid <c >seen-by-cid 2>&1 &
exec 3>c
for n in $(seq 2000); do grep -qxF 'dan: hello' seen-by-cid && break; sleep 0.05; done
echo 'hello dan' >&3
exec 3>&-
wait
lacks seen-by-cid 'chat:'
sea -C dan sync -q
[ "$(sea -C dan query --count -t message)" = 2 ]
EOT

t 'recipes: what Core Data has stored, and twice is once' <<'EOT'
sqlite3 store.sqlite <<'EOS'
CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
INSERT INTO Z_PRIMARYKEY VALUES (1, 'Cuisine', 0, 1), (2, 'Recipe', 0, 2), (3, 'Tag', 0, 2), (4, 'Ingredient', 0, 3);
CREATE TABLE ZCUISINE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
INSERT INTO ZCUISINE VALUES (1, 1, 1, 'Provence');
CREATE TABLE ZRECIPE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCUISINE INTEGER, ZSERVINGS INTEGER, ZCREATED TIMESTAMP, ZTITLE VARCHAR, ZPHOTO VARCHAR);
INSERT INTO ZRECIPE VALUES (1, 2, 1, 1, 4, 694267200.5, 'Ratatouille', 'one.jpg'), (2, 2, 1, NULL, NULL, NULL, 'Toast', NULL);
CREATE TABLE ZINGREDIENT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZRECIPE INTEGER, ZNAME VARCHAR, ZAMOUNT VARCHAR);
INSERT INTO ZINGREDIENT VALUES (1, 4, 1, 1, 'aubergine', '2'), (2, 4, 1, 1, 'oil', NULL), (3, 4, 1, 2, 'bread', '1 slice'), (4, 4, 1, NULL, 'lost', NULL);
CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
INSERT INTO ZTAG VALUES (1, 3, 1, 'summer'), (2, 3, 1, 'quick');
CREATE TABLE Z_2TAGS (Z_2RECIPES INTEGER, Z_3TAGS INTEGER, PRIMARY KEY (Z_2RECIPES, Z_3TAGS));
INSERT INTO Z_2TAGS VALUES (1, 1), (2, 2);
EOS
mkdir photos
{ printf '\377\330\377\340\0\020JFIF\0'; head -c 200000 /dev/zero; } >photos/one.jpg
example-recipes store.sqlite photos kitchen >out
same out <<'EOX'
7 records
EOX
[ "$(sea -C kitchen query --count)" = 6 ]
sea -C kitchen get recipe-1 --json >out
says out '"title":"Ratatouille"'
says out '2023-01-01T12:00:00.500Z'
says out '"cuisine-1"'
says out 'image/jpeg'
sea -C kitchen query -t ingredient --json >out
[ "$(grep -c '"recipe-1"' out)" = 2 ]
sea -C kitchen get --raw recipe-1 photo >copy
cmp copy photos/one.jpg
before=$(sea -C kitchen log --json | wc -l)
example-recipes store.sqlite photos kitchen >out
says out '7 records, nothing new'
[ "$(sea -C kitchen log --json | wc -l)" = "$before" ]
# What is new there is new here, and nothing else; what was added here stays.
sqlite3 store.sqlite "UPDATE ZRECIPE SET ZTITLE = 'Toast with oil' WHERE Z_PK = 2"
example-recipes store.sqlite photos kitchen >out
same out <<'EOX'
7 records
EOX
[ "$(sea -C kitchen log --json | wc -l)" = $((before + 1)) ]
EOT
