# sealed: yes
t 'a backup has settings and hooks, and no key' <<'EOT'
sea init -q --name=a --content-type=org.example.x a
cd a
sea add-container -q --create c "$PWD/../c.sea"
sea config set merge.auto off
sea config set driver.x.command 'rm -rf /'
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
says err 'left out settings that run programs: driver.x.command'
says err "hooks are there and off until their '.disabled' is taken away: post-import"
cd r
[ "$(sea get r1 n)" = 1 ]
[ "$(sea config get merge.auto)" = off ]
status 1 sea config get driver.x.command
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
status 2 sea clone --restore c.sea q
says err 'has a meaning only with'
[ ! -e q ]
EOT

t 'a damaged backup restores nothing' <<'EOT'
head -c $(($(stat -c %s b.tar) - 3000)) b.tar >cut.tar
status 5 sea restore cut.tar q
[ ! -e q ]
EOT
