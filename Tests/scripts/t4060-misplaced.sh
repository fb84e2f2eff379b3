# limit: 120
# sealed: yes
# What a cloud client is still to bring is waited for, by folders too; blocks under other names are known by what they hold.
export XDG_STATE_HOME=/dev/null
sea init -q --name=one one
sea -C one put -q '{"_id":"r1"}'
sea -C one add-container -q --create c "$PWD/c"
sea -C one config set sync.patience 0
sea -C one sync -q
sea clone -q --name=two c two
sea -C two config set sync.patience 0
sea -C two sync -q
sea -C one sync -q
sea -C one rev-parse --instance-id >id

t 'a placeholder of a folder stands for all that is below it' <<'EOT'
T=$(cat id)
for way in all chain leaf; do
  case $way in
  all) rm -r c/transactions && : >c/.transactions.icloud ;;
  chain) rm -r "c/transactions/$T" && : >"c/transactions/.$T.icloud" ;;
  leaf) rm -r "c/transactions/$T/1" && : >"c/transactions/$T/.1.icloud" ;;
  esac
  for n in 1 2 3; do
    status $PARTIAL sea -C two sync
    says err 'placeholder'
    [ ! -e "c/transactions/$T/1/0" ]
  done
  status 0 sea -C two sync
  [ -e "c/transactions/$T/1/0" ]
  find c -name '.*.icloud' -delete
  status 0 sea -C two sync
  status 0 sea -C one sync
  status 0 sea verify c
done
EOT

t 'a placeholder does not delay new blocks' <<'EOT'
T=$(cat id)
rm -r "c/transactions/$T/1"
: >"c/transactions/$T/.1.icloud"
sea -C one put -q '{"_id":"r2"}'
status $PARTIAL sea -C one sync
[ -e "c/transactions/$T/1/2" ]
[ ! -e "c/transactions/$T/1/1" ]
for n in 2 3; do status $PARTIAL sea -C one sync; done
status 0 sea -C one sync
[ -e "c/transactions/$T/1/1" ]
rm "c/transactions/$T/.1.icloud"
status 0 sea -C one sync
sea -C two sync -q
EOT

t 'assets and slots below a placeholder are waited for too' <<'EOT'
head -c 3000 /dev/urandom >photo
sea -C one set -q --create p photo:asset@"$PWD/photo"
status 0 sea -C one sync
file=$(find c/assets -type f)
for way in assets instance; do
  case $way in
  assets) rm -r c/assets && : >c/.assets.icloud ;;
  instance) rm -r "c/assets/$(cat id)" && : >"c/assets/.$(cat id).icloud" ;;
  esac
  for n in 1 2 3; do
    status $PARTIAL sea -C one sync
    [ ! -e "$file" ]
  done
  sea -C one sync
  [ -e "$file" ]
  find c -name '.*.icloud' -delete
  status 0 sea -C one sync
done
if [ "$SEA_TEST_SEALED" ]; then
  rm -r c/keys
  : >c/.keys.icloud
  for n in 1 2 3; do
    status $PARTIAL sea -C one sync
    [ ! -d c/keys ]
  done
  sea -C one sync
  [ -n "$(ls c/keys)" ]
  rm c/.keys.icloud
  status 0 sea -C one sync
fi
sea -C two sync -q
EOT

t 'nor where junk stands in its place beside a placeholder of a folder' <<'EOT'
T=$(cat id)
chain=c/transactions/$T
for name in c/.transactions.icloud "c/transactions/.$T.icloud" "$chain/.1.icloud"; do
  for junk in folder bytes cut; do
    last=$(ls "$chain/1" | grep -x '[0-9]*' | sort -n | tail -1)
    next=$chain/1/$((last + 1))
    case $junk in
    folder) mkdir "$next" ;;
    bytes) head -c 300 /dev/urandom >"$next" ;;
    cut) head -c 150 "$chain/1/$last" >"$next" ;;
    esac
    : >"$name"
    sea -C one put -q "{\"_id\":\"$junk/${name##*/}\"}"
    # The placeholder is told, and so is the junk.
    sea -C one sync -q 2>/dev/null || case $? in 5 | 8) ;; *) exit 1 ;; esac
    [ -f "$next" ]
    rm "$name"
    sea -C two sync -q || [ $? = 8 ]
    status 0 sea -C two get -e "$junk/${name##*/}"
  done
done
sea -C one sync -q || :
status 0 sea -C one sync
EOT

t 'a whole block under the name of a placeholder is looked at after patience' <<'EOT'
T=$(cat id)
for name in N.tmp N.part .N.aB3dE6 N.nextcloud; do
  sea -C one put -q "{\"_id\":\"$name\"}"
  sea -C one sync -q
  last=$(ls "c/transactions/$T/1" | grep -x '[0-9]*' | sort -n | tail -1)
  mv "c/transactions/$T/1/$last" "c/transactions/$T/1/$(echo "$name" | sed "s/N/$last/")"
  for n in 1 2 3; do
    status $PARTIAL sea -C two sync
    status $NO sea -C two get -e "$name"
  done
  sea -C two sync -q || [ $? = 8 ]
  status 0 sea -C two get -e "$name"
  [ -e "c/transactions/$T/1/$last" ]
  status 0 sea -C two sync
  status 0 sea -C one sync
done
EOT

t 'conflict copies are used wherever a cloud client has put them' <<'EOT'
T=$(cat id)
for way in c/Untitled "c/transactions (1)/$T/1/N" c/keys/x c/assets/x "c/transactions/$T/1/N.conflict-2" \
  "c/transactions/$T/1 (2)/N" "c/transactions/$T (copy)/1/N" "c/heads/N (1)"; do
  id=$(echo "$way" | cksum | cut -d' ' -f1)
  sea -C one put -q "{\"_id\":\"$id\"}"
  sea -C one sync -q
  last=$(ls "c/transactions/$T/1" | grep -x '[0-9]*' | sort -n | tail -1)
  to=$(echo "$way" | sed "s/N\$/$last/; s/N\([^a-z]\)/$last\1/")
  mkdir -p "$(dirname "$to")"
  mv "c/transactions/$T/1/$last" "$to"
  sea -C two sync -q || [ $? = 8 ]
  status 0 sea -C two get -e $id
  sea -C one sync -q
  [ -e "c/transactions/$T/1/$last" ]
  status 0 sea -C two sync
  status 0 sea verify c
  rm "$to"
done
EOT
