# limit: 120
t 'the program completes commands, options and values' <<'EOT'
status 0 sea --complete 'sea conf' 8
says out 'config	read and change settings'
status 0 sea --complete 'sea hash-record --kind=d' 24
echo --kind=delete | same out
EOT

t 'bash offers what the program says' <<'EOT'
cat >ask.bash <<'EOX'
. "$SEA_TEST_ROOT/completions/sea.bash"
COMP_LINE=$1 COMP_POINT=${#1} COMP_CWORD=$(($# - 2)) COMP_WORDS=("${@:2}")
_sea
printf '%s\n' "${COMPREPLY[@]}"
EOX
bash ask.bash 'sea hash-rec' sea hash-rec >out
echo hash-record | same out
bash ask.bash 'sea hash-record --kind=' sea hash-record --kind = >out
printf 'put\ndelete\nresolved\n' | same out
bash ask.bash 'sea hash-record --kind=d' sea hash-record --kind = d >out
echo delete | same out
EOT

t 'ids, revisions, types, properties, places, settings, guides' <<'EOT'
sea init -q --name=ann db
cd db
sea put -q '{"_id":"host/web1","_type":"host","name":"a","ram_mb":1,"place":{"code":"x"}}' '{"_id":"bird/1","_type":"bird","seen":1}'
sea set -q host/web1 ram_mb:=2
sea add-container -q --create stick "$PWD/../stick.sea"
sea sync -q
sea export -q -o full.sea.tar.zst
touch fulltext
# Of each line the words that are offered; of revisions and operations what stands in front.
ask() { sea --complete "$1" "${#1}" | cut -f 1 | sed 's/-[0-9a-f]\{8\}$//; s/^op:.*/op/' | tr '\n' ' '; }
while IFS='|' read -r line want; do
  have=$(ask "$line")
  [ "$have" = "$want " ] || [ "$have$want" = '' ] || { echo "$line: '$have' instead of '$want'"; exit 1; }
done <<'EOX'
sea get h|host/web1
sea get host/web1@|host/web1@2 host/web1@1
sea diff host/web1@1|host/web1@1
sea delete host/web1 --if-rev=|--if-rev=2 --if-rev=1
sea get host/web1 |name place place.code ram_mb
sea get host/web1 /p|/place /place/code
sea get host/web1 place.|place.code
sea log host/web1 ra|ram_mb
sea set host/web1 ra|ram_mb=
sea set host/web1 x:da|x:date= x:day= x:data=
sea set -t bird --unset=|--unset=seen
sea query -t|-t
sea query -t |bird host
sea query -t host --sort=|--sort=name --sort=place --sort=ram_mb
sea query -t host --sort=name,-|--sort=name,-place --sort=name,-ram_mb
sea query --type host --select=ram_mb,n|--select=ram_mb,name
sea resolve --pick=se|--pick=seen=
sea resolve --pick=seen=t|--pick=seen=text --pick=seen=theirs
sea resolve --prefer=n|--prefer=newest
sea resolve |
sea sync |stick
sea remove-container |stick
sea log --instance=|--instance=ann
sea undo |op op
sea import fu|full.sea.tar.zst
sea config set core.a|core.abbrev
sea config set container.stick.a|container.stick.assets container.stick.auto
sea config set merge.host.p|merge.host.policy
sea config set type.bird/|type.bird/seen.default type.bird/seen.required type.bird/seen.type type.bird/seen.minimum type.bird/seen.maximum type.bird/seen.enum type.bird/seen.pattern type.bird/seen.unique
sea config set merge.auto |off clean drivers
sea config get merge.auto |
sea config list |
sea -c core.com|core.compress=
sea -c core.compress=t|core.compress=true
sea help tut|tutorial
sea init --name=|
sea nothing |
EOX
# Files are for the shell.
[ "$(sea --complete 'sea put ' 8)" = "$(printf '\tfile')" ]
[ "$(sea --complete 'sea add-container x ' 20)" = "$(printf '\tdirectory')" ]
# In conflict.
sea clone -q --name=bob ../stick.sea ../bob
sea set -q host/web1 name=b
sea -C ../bob set -q host/web1 name=c
sea sync -q
sea -C ../bob sync -q
[ "$(sea -C ../bob --complete x 1)" = '' ]
[ "$(sea --complete "sea -C ../bob resolve " 22 | cut -f 1)" = host/web1 ]
# Where there is no database, nothing is offered and nothing is said.
cd /
sea --complete 'sea get h' 9 >"$OLDPWD/out" 2>"$OLDPWD/err"
[ ! -s "$OLDPWD/out" ]
[ ! -s "$OLDPWD/err" ]
EOT

t 'bash, zsh and fish as people use them' <<'EOT'
cd db
while IFS='|' read -r line want; do
  for shell in bash zsh; do
    have=$("$SEA_TEST_ROOT/Tests/faults/tab.py" $shell "$line" | sed 's/ $//')
    [ "$have" = "$want" ] || { echo "$shell: $line: '$have' instead of '$want'"; exit 1; }
  done
done <<'EOX'
sea hash-rec|sea hash-record
sea get ho|sea get host/web1
sea query --sort=ra|sea query --sort=ram_mb
sea query -t host --select=name,ra|sea query -t host --select=name,ram_mb
sea resolve --pick=name=te|sea resolve --pick=name=text
sea set host/web1 ra|sea set host/web1 ram_mb=
sea config set core.pa|sea config set core.pager
sea import fu|sea import full.sea.tar.zst
sea put fullt|sea put fulltext
sea init --name=fullt|sea init --name=fullt
sea help tut|sea help tutorial
EOX
# A revision behind @, at which bash breaks words.
for shell in bash zsh; do
  "$SEA_TEST_ROOT/Tests/faults/tab.py" $shell 'sea get host/web1@1' | grep -qx 'sea get host/web1@1-[0-9a-f]* \?'
done
fish() { command fish --no-config -c ". '$SEA_TEST_ROOT/completions/sea.fish'; complete -C \"\$argv\"" "$1" | cut -f 1; }
[ "$(fish 'sea get ho')" = host/web1 ]
[ "$(fish 'sea query --sort=ra')" = --sort=ram_mb ]
[ "$(fish 'sea put fullt')" = fulltext ]
[ "$(fish 'sea init --name=fullt')" = '' ]
fish 'sea get host/web1@1' | grep -qx 'host/web1@1-[0-9a-f]*'
EOT

t 'each completion is one word for the shell, also with special characters' <<'EOT'
sea init -q evil && cd evil
while read -r id; do jq -nc --arg id "$id" '{_id: $id, _type: "t"}'; done <<'EOX' | sea put -q -
a1w$(touch${IFS}ran)`touch${IFS}ran`;touch${IFS}ran;\$(touch${IFS}ran){x,y}*é'$(touch${IFS}ran)'"$(touch${IFS}ran)"!ls
a2w$(touch${IFS}ran)`touch${IFS}ran`;touch${IFS}ran;\$(touch${IFS}ran){x,y}*é
a3w"$(touch${IFS}ran)"
a4w'$(touch${IFS}ran)'
a5w!ls
EOX
id() { sea query --ids "_id LIKE '$1%'"; }
# Each takes a second of waiting for the shell.
tab() { "$SEA_TEST_ROOT/Tests/faults/tab.py" "$2" "$3" 2>/dev/null | sed 's/ $//' >"$1" & }
tab bash1 bash 'sea get a1'
tab zsh1 zsh 'sea get a1'
tab bash2 bash 'sea get "a2'
tab bash3 bash "sea get 'a2"
tab bash4 bash 'sea get \a\1'
tab no1 bash 'sea get "a3'
tab no2 bash "sea get 'a4"
tab no3 bash 'sea get "a5'
tab no4 bash 'sea get a"2w'
wait
for one in bash1 zsh1 bash4; do echo "sea get $(id a1)" | same $one; done
for one in bash2 bash3; do echo "sea get $(id a2)" | same $one; done
# Of what cannot be written behind the quote that is open nothing is offered.
for one in no1 no2 no3 no4; do lacks $one touch && lacks $one ls; done
[ ! -e ran ]
EOT

t 'nothing that is offered steers a terminal' <<'EOT'
sea init -q steered && cd steered
printf '{"_id":"b\\u202eid","n":1}\n{"_id":"bird","n":1}\n' | sea put -q -
sea set -q bird "$(printf 'p\342\200\256x')=1"
ask() { sea --complete "$1" "${#1}"; }
echo bird >want
ask 'sea get b' | cut -f 1 | same want
ask 'sea get bird@' >out
grep -qF 'set p\u202ex' out
for line in 'sea get b' 'sea get bird@' 'sea get bird p' 'sea set bird p' 'sea undo ' 'sea ops --show=' 'sea query --sort=p'; do
  ask "$line" | LC_ALL=C fails grep -q "$(printf '\342\200\256')"
done
EOT

t 'sea-server, too' <<'EOT'
cat >server.bash <<'EOX'
. "$SEA_TEST_ROOT/completions/sea-server.bash"
COMP_LINE=$1 COMP_POINT=${#1} COMP_CWORD=$(($# - 2)) COMP_WORDS=("${@:2}")
_sea_server
printf '%s\n' "${COMPREPLY[@]}"
EOX
bash server.bash 'sea-server ' sea-server '' | sort >out
printf '%s\n' --config= --help --version add-token | same out
bash server.bash 'sea-server add-token --r' sea-server add-token --r >out
echo --read-only | same out
touch main.conf
bash server.bash 'sea-server --config=ma' sea-server --config = ma >out
echo main.conf | same out
bash server.bash 'sea-server --config=' sea-server --config = | grep -qx main.conf
bash server.bash 'sea-server add-token --config=x --d' sea-server add-token --config = x --d >out
echo --days= | same out
# What it has is what is offered, in each shell.
sed -n '/static let usage/,/--version/p' "$SEA_TEST_ROOT/Helpers/Sources/sea-server/Main.swift" | grep -oE -- '--[a-z-]+' | sort -u >want
[ "$(wc -l <want)" -ge 7 ]
for file in sea-server.bash _sea-server; do
  grep -oE -- '--[a-z]+(-[a-z]+)*' "$SEA_TEST_ROOT/completions/$file" | sort -u | same want
done
sed -n 's/.*--long-option \([a-z-]*\).*/--\1/p' "$SEA_TEST_ROOT/completions/sea-server.fish" | sort -u | same want
EOT

t 'the scripts for zsh and fish are well-formed' <<'EOT'
for name in sea sea-server; do
  zsh -n "$SEA_TEST_ROOT/completions/_$name"
  fish -n "$SEA_TEST_ROOT/completions/$name.fish"
  bash -n "$SEA_TEST_ROOT/completions/$name.bash"
done
EOT
