# Reads an age in the current folder, which is empty, and says what is in it. Only what any later version must say alike.
set -eu
age=$1
cp "$age/password" password
chmod 600 password
export SEA_PASSWORD_FILE="$PWD/password"
# A chain of the house is forked, and all who see that are told (5). Without a key nobody knows what may be removed (8).
well() { "$@" >/dev/null 2>&1 || case $name$? in house5 | house8) ;; *) return 1 ;; esac; }
tell() {
  sea -C "$1" query --json --sort=_id | jq -cS 'del(._conflicts)' | grep -v '"_type":"many"' || :
  sea -C "$1" query -t many --count
  for record in thing/1 thing/2; do sea -C "$1" log --json "$record" | jq -r .rev | sort; done
  sea -C "$1" conflicts --porcelain | sort
  sea -C "$1" heads | sort
  sea -C "$1" get thing/1 photo --raw | sha256sum
}
for name in plain sealed members house; do
  zstd -qdc "$age/$name-database.tar.zst" | tar -x
  zstd -qdc "$age/$name-container.tar.zst" | tar -x
  echo "== $name: a database"
  well sea -C "$name" verify -q
  tell "$name"
  echo "== $name: a clone of its container"
  well sea clone -q --assets=all --name=new "$name-container" "$name-new"
  well sea verify -q "$name-container"
  tell "$name-new" | grep -v "$(sea -C "$name-new" rev-parse --instance-id)"
  echo "== $name: a clone of its bundle"
  well sea clone -q --name=new "$age/$name.tar.zst" "$name-bundle"
  sea verify -q "$age/$name.tar.zst"
  tell "$name-bundle" | grep -v "$(sea -C "$name-bundle" rev-parse --instance-id)"
done

# What the key of recovery opens, and bundles of each kind; who counts, and what was purged.
echo '== house: by its key of recovery'
cp "$age/recovery" recovery
chmod 600 recovery
well sea clone -q --recovery=recovery --name=new house-container house-recovered
sea -C house-recovered query --count
for kind in none xz; do
  echo "== house: a clone of a bundle, $kind"
  well sea clone -q --name=new "$age/house-$kind" house-$kind
  sea -C house-$kind query --count
done
echo '== house: instances, purges'
sea -C house instances --json | jq -cS '[.name, .role, .state, .instance]' | sort
for record in secret/1 secret/2; do sea -C house log --json "$record" | jq -cS '[.rev, .kind]' | sort; done
(sea -C house purge --status || :) | grep '^done: [it]' | sort
