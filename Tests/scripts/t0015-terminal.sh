# What people see at a terminal: colors, pages, widths.
mkdir -p tools
ln -s "$SEA_TEST_ROOT/Tests/faults/terminal.py" tools/terminal
PATH=$PWD/tools:$PATH
export PATH
unset NO_COLOR FORCE_COLOR SEA_PAGER PAGER LESS COLUMNS
TERM=xterm
export TERM
esc=$(printf '\033')
export esc

t 'records, a conflict, and a name that would steer a terminal' <<'EOT'
sea init -q --name=field a
sea -C a add-container -q --create stick "$PWD/stick.sea"
sea -C a put -q '{"_id":"bird/1","_type":"bird","name":"wren","seen":1}'
sea -C a sync -q
sea clone -q --name=lab stick.sea b
sea -C a put -q '{"_id":"bird/1","_type":"bird","name":"a rather long name for a wren\u001b[31m","seen":2}'
sea -C b put -q '{"_id":"bird/1","_type":"bird","name":"another rather long name of it","seen":3}'
sea -C a sync -q
sea -C b sync -q
sea -C a sync -q
EOT

t 'colors at a terminal and with --color=always, nowhere else' <<'EOT'
cd a
for command in status 'log -p' 'diff bird/1' 'conflicts bird/1' 'log -h'; do
  sea $command >plain
  lacks plain "$esc"
  sea --color=always $command >colors
  grep -q "$esc\[[0-9;]*m" colors
  # Without its colors it is the same text.
  sed "s/$esc\[[0-9;]*m//g" colors | diff -u plain -
done
terminal -- sea -P diff bird/1 >shown
sea --color=always diff bird/1 | diff -u - shown
terminal -- env NO_COLOR=1 sea -P diff bird/1 >shown
lacks shown "$esc"
terminal -- env TERM=dumb sea -P diff bird/1 >shown
lacks shown "$esc"
# Nobody else colors anything.
sea --color=always log -p | grep -qF 'wren\u001b[31m"'
EOT

t 'output for programs has no colors' <<'EOT'
for options in 'status --json' 'status --porcelain' 'log --json -p' 'query --csv' 'query --tsv' 'conflicts --json' \
  'conflicts --porcelain' 'get bird/1' 'query --format=%(id)' 'log --format=%(label)'; do
  sea -C a --color=always $options >out
  [ -s out ]
  lacks out "$esc"
done
EOT

t 'the pager: SEA_PAGER, core.pager, PAGER; colors and safety go in, the status comes out' <<'EOT'
cd a
export PAGER='cat >by-pager'
terminal -- sea log -p >shown
[ ! -s shown ]
grep -q "$esc\[33m" by-pager
sed "s/$esc\[[0-9;]*m//g" by-pager >plain
lacks plain "$esc"
terminal -- sea -c core.pager='cat >by-setting' diff bird/1
says by-setting bird/1
SEA_PAGER='cat >by-variable' terminal -- sea -c core.pager='cat >no' query
says by-variable bird/1
[ ! -e no ]
status $NOT_FOUND terminal -- sea log nothing
says out 'does not exist'
rm by-pager
status 0 terminal -- sea help
says by-pager 'Records:'
EOT

t 'no pager with -P, --json, --csv, --exit-code, in a pipe, or without a pager program' <<'EOT'
cd a
rm -f no
export SEA_PAGER='cat >no'
for command in '-P log' '--json log' 'query --csv' 'query --tsv' 'diff --exit-code bird/1 bird/1' 'status'; do
  terminal -- sea $command >shown
  [ ! -e no ]
done
sea log >/dev/null
[ ! -e no ]
for none in '' cat; do SEA_PAGER=$none terminal -- sea log bird/1 | grep -q field; done
SEA_PAGER=/nonexist/pager terminal -- sea log bird/1 >shown
says shown field
says shown "warning[pager]: pager '/nonexist/pager' not found"
EOT

t 'closing the pager early is no error' <<'EOT'
cd a
for k in $(seq 3000); do printf '{"_id":"many/%d","_type":"many","text":"%s"}\n' $k "$k and some more text to fill the pipe with"; done |
  sea put -q -
export SEA_PAGER='head -1 >first'
status 0 terminal -- sea query -t many
[ "$(wc -l <first)" -eq 1 ]
[ ! -s out ]
[ ! -s err ]
EOT

t 'less shows what fits and ends by itself; q ends what does not' <<'EOT'
cd a
status 0 terminal -- sea log bird/1
says out field
export LINES=10
status 0 /usr/bin/python3 - <<'EOX'
import os, pty, select, sys, time
process, terminal = pty.fork()
if process == 0:
    os.execvp("sea", ["sea", "query", "-t", "many"])
screen = b""
end = time.monotonic() + 300
asked = False
while time.monotonic() < end:
    if select.select([terminal], [], [], 0.2)[0]:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        screen += piece
    if not asked and b"many/1" in screen and screen.rstrip().endswith((b":", b"\x1b[K")):
        asked = True
        os.write(terminal, b"q")
status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
assert asked, screen
assert status == 0, status
assert b"many/3000" not in screen
EOX
EOT

t 'what a command says of itself is broken between words, and what is to be copied in one piece stays so' <<'EOT'
sea init -q --name=alone alone
sea -C alone set -q --create r n:=1
sea -C alone add-container -q --create team "$PWD/team.sea"
touch team.sea/left
status $NO terminal -- env COLUMNS=40 sea -C alone doctor cloud-debris unverified
[ "$(wc -L <out)" -le 40 ]
says out '  sea sync team'
says out '  check it, and move it elsewhere'
status $NO sea -C alone doctor cloud-debris unverified
says out 'unverified     team: it was never synced; sea sync team'
mv team.sea away
for columns in 40 80; do
  terminal -- env COLUMNS=$columns sea -C alone doctor containers >shown
  grep -qx ' *if it is permanently lost, run:' shown ||
    grep -qx '  if it is permanently lost, run: sea remove-container --only-copy-is-fine team' shown
  grep -q 'sea remove-container --only-copy-is-fine team$' shown
done
mv away team.sea
terminal -- env COLUMNS=40 sea -C alone sync -v >shown
[ "$(wc -L <shown)" -le 40 ]
status $USAGE terminal -- env COLUMNS=40 sea
[ "$(wc -L <out)" -le 40 ]
says out '  remove-container'
says out '      sea help tutorial;'
printf 'a,b\n1,2\n' >alone/table-of-another-program.csv
status $BAD_DATA terminal -- env COLUMNS=40 sea -C alone put table-of-another-program.csv
status $NOT_FOUND terminal -- env COLUMNS=40 sea -C alone set nothing n:=1
[ "$(wc -L <out)" -le 40 ]
# A command in a notice, too, and words that go on behind one.
mkdir -p a-folder-with-a-rather-long-name/in-git && git init -q a-folder-with-a-rather-long-name/in-git 2>/dev/null ||
  mkdir a-folder-with-a-rather-long-name/in-git/.git
terminal -- env COLUMNS=80 sea init a-folder-with-a-rather-long-name/in-git >shown
grep -qx "  echo .sea >>$PWD/a-folder-with-a-rather-long-name/in-git/.gitignore" shown
status $NO_DATABASE terminal -- env COLUMNS=40 sh -c 'cd / && exec sea get x'
says out 'hint: to create a database, run:'
says out '      sea init;'
says out '      --sea-dir=DIR'
# Elsewhere they are the lines that they were.
status $USAGE sea
says err 'hint: to list commands, run: sea help; for a tutorial, run: sea help tutorial; to create a database, run: sea init DIR'
says err 'usage: sea [OPTIONS] COMMAND [OPTIONS] [ARGUMENTS]'
EOT

t 'the words that are read aloud stand on lines of their own, and none is broken' <<'EOT'
umask 077
echo 'a long passphrase of the team' >pw
sea init -q --encrypt --require-auth --password-file=pw --name=anna sealed
sea -C sealed add-container -q --create team "$PWD/sealed.team"
sea -C sealed push -q
sea clone -q --no-input --name=bruno sealed.team waiting
words=$(sea -C waiting instances --fingerprint | sed -n '/pending/{n;s/^ *//;p;}')
id=$(sea -C waiting rev-parse --instance-id | cut -c1-8)
for columns in 40 80; do
  for one in waiting sealed; do
    terminal -- env COLUMNS=$columns sea -C $one sync >shown || :
    [ "$(grep -v '^sea: error' shown | wc -L)" -le $columns ]
    # Line for line from the one with the first word.
    first=$(echo "$words" | cut -d' ' -f1)
    sed -n "/^ *$first /,\$p" shown | sed 's/^ *//' | head -n 2 | tr '\n' ' ' | tr -s ' ' >line
    case $(cat line) in "$(echo "$words" | tr -s ' ')"*) ;; *) cat shown; false ;; esac
  done
  # The second line begins below the first.
  if [ $columns = 40 ]; then sed -n "/^        $first /{n;p;}" shown | grep -q '^        [a-z]'; fi
done
terminal -- env COLUMNS=40 sea -C waiting query >shown
grep -qx "      sea authorize $id;" shown
grep -qx '      afterwards run: sea sync' shown
EOT

t 'without a yes, the fingerprint is not confirmed' <<'EOT'
id=$(sea -C waiting rev-parse --instance-id | cut -c1-8)
for answer in n ja ''; do
  have=0
  SHOWN=1 terminal '[y/N]' "$answer" -- sea -C sealed authorize "$id" >shown || have=$?
  [ $have = 7 ]
  says shown 'error[denied]: the fingerprint was not confirmed; nothing was changed'
  lacks shown 'other keys'
done
SHOWN=1 terminal '[y/N]' n -- env COLUMNS=40 sea -C sealed authorize "$id" >shown || :
[ "$(wc -L <shown)" -le 40 ]
EOT

t 'values that need a choice are told side by side, or below each other' <<'EOT'
for columns in 40 80; do
  terminal -- env COLUMNS=$columns sea -C b resolve bird/1 >shown || :
  grep -v '^sea:' shown >rest
  [ "$(wc -L <rest)" -le $columns ]
  grep -q '^    2-' rest
  grep -q '^  /[a-z]*  2-' rest
  lacks rest '"   2-'
done
terminal -- env COLUMNS=40 sea -C b conflicts bird/1 >shown
grep -qx 'e\.g\.' shown
grep -q '^  sea resolve bird/1 --merge --pick=/name=2-' shown
EOT

t 'a change takes several lines on a narrow terminal' <<'EOT'
terminal -- env COLUMNS=40 sea -C a changes -5 >shown
[ "$(wc -L <shown)" -le 40 ]
tr -s ' \n' '\n\n' <shown | grep . >have
sea -C a changes -5 | tr -s ' \n' '\n\n' | grep . >all
# All of it, but that revisions and ids are short there too.
diff -u all have
EOT

t 'the values of a property: texts begin below each other, numbers end so' <<'EOT'
sea init -q --name=values values && cd values
for name in Bo Anna-Katharina; do sea set -q --create k name=$name n:=${#name}; done
sea log k name | sed 's/  .*//' >have
printf '%s\n' Anna-Katharina Bo | same have
sea log k n | sed 's/  *integer.*//' >have
printf '%s\n' 14 ' 2' | same have
EOT

t 'a setting that there is not is told to who looks, and to no program' <<'EOT'
status $NO terminal -- sea config get some.name
says out "notice: unknown setting 'some.name'"
status $NO sea config get some.name
[ ! -s err ]
EOT

t 'changing or deleting a record in conflict prints a notice' <<'EOT'
cd b
terminal -- sea set bird/1 more:=1 >shown
says shown 'notice: bird/1 is in conflict; only the winner was changed'
says shown 'hint: to show the conflict, run: sea conflicts bird/1'
terminal -- sea delete bird/1 >shown
says shown 'notice: deleted all conflicting revisions of bird/1'
sea undo -q
sea undo -q
sea conflicts bird/1 >out
says out '2 conflicting revisions'
status 0 sea set bird/1 more:=2
lacks err notice
sea undo -q
EOT

t 'at 80 and 40 columns nothing vanishes without a mark' <<'EOT'
cd a
terminal -- env COLUMNS=40 NO_COLOR=1 sea -P conflicts >shown
says shown PATHS
[ "$(wc -L <shown)" -le 40 ]
for columns in 80 40; do
  terminal -- env COLUMNS=$columns NO_COLOR=1 sea conflicts bird/1 >shown
  grep -q 'a rather long' shown
  grep -q 'another rather' shown
  grep -q 'lab' shown
  grep -q 'field' shown
done
terminal -- env COLUMNS=200 NO_COLOR=1 sea conflicts bird/1 >wide
grep -q 'a rather long name.*another rather\|another rather.*a rather long name' wide
# In a pipe it does not turn.
sea conflicts bird/1 >out
grep -q 'a rather long name.*another rather\|another rather.*a rather long name' out
# What a list says of one thing has several lines where one is too narrow for it.
sea add-container -q --create somewhere-far "$PWD/../far.sea"
terminal -- env COLUMNS=40 NO_COLOR=1 sea containers >shown
[ "$(wc -L <shown)" -le 40 ]
grep -q 'TO PUSH' shown
grep -q '^    .*LOCATION' shown
grep -q 'TO PULL' shown
lacks shown 'no room'
terminal -- env COLUMNS=40 NO_COLOR=1 sea inspect bird/1 >shown
head -n 2 shown | tr -s ' \r\n' ' ' | grep -q 'in conflict: sea conflicts'
[ "$(head -n 2 shown | wc -L)" -le 40 ]
# Of a tree, too: its columns go on beside the words.
terminal -- env COLUMNS=40 NO_COLOR=1 sea -P log --graph bird/1 >shown
lacks shown '…'
[ "$(wc -L <shown)" -le 40 ]
grep -q '^| !  2-' shown
grep -q '^| |  put' shown
terminal -- env COLUMNS=40 NO_COLOR=1 sea inspect bird/1 >shown
lacks shown '…'
grep -q '^| |  [0-9][0-9]-' shown
# Two moments in a line are short ones.
terminal -- env COLUMNS=80 NO_COLOR=1 sea inspect >shown
lacks shown ':…'
terminal -- env COLUMNS=200 NO_COLOR=1 sea containers >wide
grep -q '  TO PUSH  TO PULL  .*LOCATION' wide
sea remove-container -q somewhere-far
# A time is short rather than cut, and a label that ends the line is cut before it.
sea set -q bird/1 somebody-has-said-of-it=yes
terminal -- env COLUMNS=40 NO_COLOR=1 sea -P log bird/1 >shown
grep -q '  [0-9][0-9]-[0-9][0-9] [0-9][0-9]:[0-9][0-9]' shown
terminal -- env COLUMNS=60 NO_COLOR=1 sea -P log bird/1 >shown
grep -q '[0-9]-[0-9][0-9] [0-9][0-9]:[0-9][0-9]:[0-9][0-9]  ' shown
sea undo -q
EOT

t 'the bytes of a block are not for a terminal' <<'EOT'
cd a
block=$(sea log --json bird/1 | jq -r .block | head -1)
have=0
terminal -- sea cat-block "$block" >shown || have=$?
[ "$have" = 2 ]
grep -q 'cat-block --pretty BLOCK' shown
have=0
terminal -- sh -c "echo $block | sea cat-block --batch" >shown || have=$?
[ "$have" = 2 ]
terminal -- sea cat-block --pretty "$block" >shown
grep -q '"index"' shown
sea cat-block "$block" | wc -c | grep -q '[0-9][0-9][0-9]'
EOT

t 'nor is what is no text, of an asset' <<'EOT'
cd a
printf 'a\0b' >photo
echo 'some words' >note
sea set -q --create 's#1' photo:asset@photo note:asset@note
have=0
terminal -- sea get --raw 's#1' photo >shown || have=$?
[ "$have" = 2 ]
says shown 'refusing to write binary content to the terminal'
terminal -- sea get --raw 's#1' note >shown
says shown 'some words'
terminal -- sea get 's#1' photo >shown
says shown "to save the content, run: sea get --raw 's#1' photo >FILE"
sea get --raw 's#1' photo | cmp - photo
EOT

t 'a narrow terminal: columns that have no room are named, and lines break between words' <<'EOT'
cd a
sea set -q --create wide/1 alpha=aaaaaaaaaa beta=bbbbbbbbbb gamma=cccccccccc delta=dddddddddd epsilon=eeeeeeeeee zeta=ffffffffff
sea set -q wide/1 --rename=alpha=aleph
terminal -- env COLUMNS=40 NO_COLOR=1 sea -P query "zeta = 'ffffffffff'" >shown
tr -s ' \n\r' ' ' <shown | grep -q 'notice: columns not shown: .*; to show all, use --json '
[ "$(wc -L <shown)" -le 40 ]
# Each is in the heading, or told.
for name in aleph beta gamma delta epsilon zeta; do grep -q "$name" shown; done
terminal -- env COLUMNS=200 NO_COLOR=1 sea -P query "zeta = 'ffffffffff'" >shown
lacks shown 'no room'
for command in status show; do
  terminal -- env COLUMNS=40 NO_COLOR=1 sea -P $command >shown
  [ "$(wc -L <shown)" -le 40 ]
  # Nothing is lost, and no word is broken.
  tr -s ' \n' '\n\n' <shown | grep . >have
  sea --date='format:%m-%d %H:%M' $command | tr -s ' \n' '\n\n' | grep . | diff -u - have
done
EOT

t 'a moment is never cut, whatever stands beside it' <<'EOT'
cd a
sea init -q ops
sea -C ops put -q '{"_id":"a","n":1}'
sea -C ops batch -q --label='a label that somebody has made so long that nothing fits beside it in a line' <<'EOX' || sea -C ops set -q a n:=2
set a n:=2
EOX
sea -C ops undo -q && sea -C ops undo -q @{0} 2>/dev/null || :
terminal -- env COLUMNS=80 NO_COLOR=1 sea -P -C ops ops >shown
lacks shown ':…'
grep -q '[0-9][0-9]:[0-9][0-9]:[0-9][0-9]  ' shown
EOT

t 'a dry run at a terminal says that nothing was written' <<'EOT'
cd a
for command in 'set bird/1 n:=1' 'delete bird/1' 'put {"_id":"new"}'; do
  terminal -- sea $command -n >shown
  says shown 'notice: nothing was written'
done
terminal -- sea put -n '{"_id":"n1"}{"_id":"n2"}' >shown
says shown 'notice: 2 created; nothing was written'
status 0 sea delete -n bird/1
lacks err notice
EOT

t 'undo of many shows the first and a sum at a terminal, and all where a program reads it' <<'EOT'
sea init -q --name=undoing undoing && cd undoing
seq 21 | sed 's/.*/{"_id":"r\/&","n":&}/' | sea put -q -
terminal -- env COLUMNS=40 sea undo -n >shown
[ "$(grep -c '^deleted' shown)" = 10 ]
tr -s ' \r\n' ' ' <shown >line
says line 'and 11 more, in total 21 deleted; to list all, use -v'
terminal -- sea undo -n -v >shown
[ "$(grep -c '^deleted' shown)" = 21 ]
lacks shown 'in all'
[ "$(sea undo -n | grep -c '^deleted')" = 21 ]
terminal -- sea undo -n --json >shown
[ "$(grep -c '"event":"deleted"' shown)" = 21 ]
# So few are told of one by one.
sea set -q --where='n > 1' n:=0
terminal -- sea undo >shown
[ "$(grep -c '^restored' shown)" = 20 ]
# What was written is named short there, and whole elsewhere.
terminal -- env COLUMNS=40 sea set r/1 n:=9 >shown
[ "$(wc -L <shown)" -le 40 ]
grep -q '^updated.r/1.[0-9]-[0-9a-f]\{8\}.\?$' shown
sea set r/1 n:=8 | grep -q '^updated.r/1.[0-9]-[0-9a-f]\{64\}$'
EOT
