# sealed: yes
t 'a backup has settings and hooks, and no key' <<'EOT'
sea init -q --name=a --content-type=org.example.x a
cd a
sea add-container -q --create c "$PWD/../c.sea"
sea config set merge.auto off
sea config set driver.x.command 'rm -rf /'
sea config set core.pager 'touch /tmp/never; cat'
sea set -q --create r1 n:=1
mkdir -p .sea/hooks
printf '#!/bin/sh\ntouch /tmp/never\n' >.sea/hooks/post-import
chmod +x .sea/hooks/post-import
status 0 sea backup -o ../b.tar --compress=none
says out 'b.tar   2 blocks, 1 change'
tar tf ../b.tar >../list
says ../list 'backup/config'
says ../list 'backup/hooks/post-import'
if grep -E 'identity|epochs|\.sea' ../list; then exit 1; fi
od -An -tx1 -v .sea/keys/* | tr -d ' \n' | cut -c1-64 >../secret
od -An -tx1 -v ../b.tar | tr -d ' \n' >../hex
if grep -qF "$(cat ../secret)" ../hex; then exit 1; fi
sea export --backup -o ../b2.tar --compress=none -q
cmp ../b.tar ../b2.tar
mkdir ../KIT
sea backup -q --to=../KIT/x
[ -e ../KIT/x/x-a-0001-full.sea.tar.zst ]
EOT

t 'it is restored as another instance' <<'EOT'
status 0 sea restore --name=r b.tar r
says err 'settings that run programs were not restored: '
says err 'driver.x.command'
says err 'core.pager'
says err "hooks are disabled; to enable one, remove '.disabled' from its name: post-import"
cd r
[ "$(sea get r1 n)" = 1 ]
[ "$(sea config get merge.auto)" = off ]
status $NO sea config get driver.x.command
status $NO sea config get core.pager
[ "$(sea rev-parse --instance-id)" != "$(sea -C ../a rev-parse --instance-id)" ]
[ -f .sea/hooks/post-import.disabled ]
[ ! -e .sea/hooks/post-import ]
[ ! -x .sea/hooks/post-import.disabled ]
says .sea/config 'c.sea'
sea set -q r1 n:=2
sea sync -q
sea -C ../a sync -q
[ "$(sea -C ../a get r1 n)" = 2 ]
sea verify -q
EOT

t 'without --restore nothing but the data comes' <<'EOT'
sea clone -q --name=p b.tar p
[ ! -e p/.sea/hooks ]
[ "$(sea -C p config get merge.auto)" = clean ]
sea -C p import -q ../b.tar
[ ! -e p/.sea/hooks ]
status $USAGE sea clone --restore c.sea q
says err "'c.sea' is not a backup"
[ ! -e q ]
EOT

t 'a damaged backup restores nothing' <<'EOT'
head -c $(($(stat -c %s b.tar) - 3000)) b.tar >cut.tar
status $CORRUPT sea restore cut.tar q
[ ! -e q ]
EOT

t 'in a database with members it is a stranger until somebody lets it in' <<'EOT'
mkdir team
cd team
export XDG_STATE_HOME="$PWD/state"
sea init -q --require-auth --name=ann ann
sea -C ann set -q --create r1 n:=1
sea -C ann backup -q -o ../team.tar --compress=none
sea restore -q --name=ben team.tar ben
sea -C ben instances | grep -q '^ben .*pending'
sea -C ben set -q --create r2 n:=2
sea -C ben export -q -o ../ben.sea.tar.zst
sea -C ann import -q ../ben.sea.tar.zst
status $NOT_FOUND sea -C ann get r2
words=$(sea -C ben instances --json | sed -n '/"name":"ben"/s/.*"fingerprint":"\([^"]*\)".*/\1/p')
sea -C ann authorize -q --fingerprint="$words" ben
[ "$(sea -C ann get r2 n)" = 2 ]
# A copy that is put back goes on as the member that it was.
cp -a ann/.sea kept
sea -C ann set -q r1 n:=3
rm -r ann/.sea
mv kept ann/.sea
sea -C ann set -q r1 n:=4
sea -C ann instances | grep -q '^ann .*self *admin'
EOT
