t 'put of a table says load' <<'EOT'
sea init -q d && cd d
printf 'id,name\n1,Ann\n' >c.csv
status 13 sea put c.csv
says err 'error[bad-data]: c.csv:1:1'
says err 'hint: a file of another program is taken in with: sea load c.csv'
status 0 sea load -t person c.csv
cp c.csv 'my table.csv'
status 13 sea put 'my table.csv'
says err "sea load 'my table.csv'"
# What is JSON and broken is not for load.
printf '{"a":' >broken.json
status 13 sea put broken.json
[ "$(grep -c 'sea load' err)" = 0 ]
EOT

t 'a database is no container, and is told apart from nothing' <<'EOT'
sea init -q base
status 11 sea clone base e
says err "'$PWD/base' is a database, and no container"
says err 'add-container --create NAME LOCATION'
status 11 sea clone base/.sea e
[ ! -e e ]
sea init -q other
status 12 sea -C other add-container x "$PWD/base"
says err "is a database, and no container"
status 12 sea -C other add-container --create x "$PWD/base"
[ "$(ls -A base)" = .sea ]
EOT

t 'nothing is called nothing' <<'EOT'
status 9 sea clone missing e
says err "there is nothing at '$PWD/missing'"
status 9 sea restore missing e
says err "there is nothing at 'missing'"
status 10 sea -C "$PWD/nonexistent" status
says err "there is no folder '$PWD/nonexistent'"
mkdir plain
status 10 sea --sea-dir="$PWD/plain" status
says err "'$PWD/plain' is not the folder of a database"
sea init -q here
status 10 sea --sea-dir="$PWD/here" status
says err "hint: the database is: --sea-dir=$PWD/here/.sea"
status 0 sea --sea-dir="$PWD/here/.sea" status
[ -z "$(ls -A plain)" ]
EOT

t 'a container is a folder of its own' <<'EOT'
sea init -q own && cd own
mkdir ../stick && echo text >../stick/letter.txt
status 12 sea add-container --create kit ../stick
says err "there are files at"
says err "'letter.txt'"
[ "$(ls -A ../stick)" = letter.txt ]
status 12 sea add-container -n --create kit ../stick
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
status 2 sea undo 7
says err "'7' is no operation"
says err "'@{7}'"
status 2 sea undo op:xyz
says err 'see what there is: sea ops'
status 2 sea get c/1@2
says err "'2' is no revision of c/1"
says err 'sea log c/1'
status 2 sea set c/1 d:dat=2026-01-01
status 1 sea get -e c/1 d
EOT

t 'help finds the page that was meant' <<'EOT'
status 4 sea help quer
says err 'did you mean: sea help query'
status 4 sea help tutoria
says err 'did you mean: sea help tutorial'
status 4 sea help xyzzy
says err 'see the list of commands: sea help'
EOT
