# Several users of one machine: folders that a group shares, whatever the umask of each, and a home directory of somebody else.
XDG_STATE_HOME=/dev/null
export XDG_STATE_HOME
cat >lib <<'EOX'
# as NUMBER COMMAND...: runs it as that user, with a group of its own and the one that is shared.
as() {
  user=$1
  shift
  setpriv --reuid=$user --regid=$user --groups=4999 env HOME="$top/$user" "$@"
}
EOX
echo "top=$PWD" >>lib
# The folder of the build may be nobody else's.
mkdir bin
cp "$(command -v sea)" bin/sea
echo "PATH=$PWD/bin:\$PATH" >>lib
for path in "$PWD" "$(dirname "$PWD")" "$(dirname "$(dirname "$PWD")")"; do
  case $path in / | /tmp) ;; *) chmod a+x "$path" ;; esac
done

t 'two users with the usual umask share a folder of their group' <<'EOT'
. ./lib
mkdir 4001 4002 team
chown 4001 4001 && chown 4002 4002 || { echo 'this test changes owners: run it as root'; exit 1; }
chgrp 4999 team && chmod 2775 team
umask 022
as 4001 sea init -q --name=a 4001/a
as 4001 sea -C 4001/a put -q '{"_id":"r1"}'
as 4001 sea -C 4001/a add-container -q --create st "$PWD/team/st"
as 4001 sea -C 4001/a sync -q
as 4002 sea clone -q --name=b "$PWD/team/st" 4002/b
head -c 100000 /dev/urandom >photo
as 4002 sea -C 4002/b set -q --create r2 photo:asset@"$PWD/photo"
as 4002 sea -C 4002/b sync -q
as 4001 sea -C 4001/a sync -q
as 4001 sea -C 4001/a get r2 photo --raw --fetch | cmp - photo
as 4001 sea -C 4001/a gc -q
as 4002 sea -C 4002/b export -q --full --to="$PWD/team/kit"
as 4001 sea -C 4001/a export -q --full --to="$PWD/team/kit"
as 4002 sea -C 4002/b export -q --full --keep-last=1 --to="$PWD/team/kit"
# Everything there is the group's, and what is private stays so.
find team ! -group 4999 -o ! -perm -g=rw -o -type d ! -perm -2070 | same /dev/stdin </dev/null
find 4001/a/.sea -perm /077 ! -type d | same /dev/stdin </dev/null || [ "$(stat -c %a 4001/a/.sea)" = 700 ]
EOT

for mode in 2770 770 2750 755; do
  echo "mode=$mode" >mode
  t "in a folder with mode $mode the group has of new files what it has of the folder, with umask 077" <<'EOT'
. ./lib && . ./mode
rm -rf shared && mkdir shared && chgrp 4999 shared && chmod $mode shared
rm -rf c && sea init -q --name=c c && sea -C c put -q '{"_id":"r"}'
umask 077
sea -C c add-container -q --create st ../shared/st
sea -C c sync -q
sea -C c export -q --to=../shared/kit
case $mode in
2770 | 770) find shared ! -group 4999 -o ! -perm -g=rw -o -type d ! -perm -2070 ;;
2750) find shared/* ! -group 4999 -o ! -perm -g=r -o -perm /g=w ;;
755) find shared/* -perm /077 ;;
esac | same /dev/stdin </dev/null
EOT
done

t 'a file that the group cannot write has a useful hint' <<'EOT'
. ./lib
umask 022
mkdir 4003 && chown 4003 4003
as 4003 sea clone -q --name=c "$PWD/team/st" 4003/c
as 4003 sea -C 4003/c put -q '{"_id":"r3"}'
chmod -R g-w team/st
status $SYSTEM as 4003 sea -C 4003/c sync
says err 'Permission denied'
hint=$(sed -n 's/.*its owner runs: //p' err)
[ "$hint" != "" ]
as 4001 sh -c "$hint" 2>chmod.err || true
as 4003 sea -C 4003/c sync -q
chmod g-w team/kit
status $SYSTEM as 4003 sea -C 4003/c export --to="$PWD/team/kit" --full
says err 'its owner runs: chmod -R g+rwX '
EOT

t 'a home directory of somebody else stops nothing that does not need it' <<'EOT'
. ./lib
mkdir home && chmod 700 home
mkdir -p home/.config/sea && printf '[core]\n\tabbrev = 9\n' >home/.config/sea/config
strange() { as 4003 env HOME="$PWD/home" "$@"; }
strange sea init -q --name=d 4003/d
strange sea -C 4003/d put -q '{"_id":"r"}'
strange sea -C 4003/d add-container -q --create st ../st
strange sea -C 4003/d sync -q
strange sea clone -q --name=e 4003/st 4003/e
strange sea -C 4003/e export -q --to=../kit
strange sea -C 4003/e config list >out
strange sea -C 4003/e doctor >out || [ $? != 12 ]
strange sea mirror -q 4003/st 4003/copy
# What needs it says so.
status $SYSTEM strange sea config set --global core.abbrev 9
says err "$PWD/home"
EOT
