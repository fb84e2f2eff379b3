# Reads an age in the current folder, which is empty, and says what is in it. Only what any later version must say alike.
set -eu
age=$1
cp "$age/password" password
chmod 600 password
export SEA_PASSWORD_FILE="$PWD/password"
tell() {
  sea -C "$1" query --json --sort=_id | jq -cS 'del(._conflicts)' | grep -v '"_id":"many/' || :
  sea -C "$1" query -t many --count
  for record in thing/1 thing/2; do sea -C "$1" log --json "$record" | jq -r .rev | sort; done
  sea -C "$1" conflicts --porcelain | sort
  sea -C "$1" heads | sort
  sea -C "$1" get thing/1 photo --raw | sha256sum
}
for name in plain sealed members; do
  zstd -qdc "$age/$name-database.tar.zst" | tar -x
  zstd -qdc "$age/$name-container.tar.zst" | tar -x
  echo "== $name: a database"
  sea -C "$name" verify -q
  tell "$name"
  echo "== $name: a clone of its container"
  sea clone -q --assets=all --name=new "$name-container" "$name-new"
  sea verify -q "$name-container"
  tell "$name-new" | grep -v "$(sea -C "$name-new" rev-parse --instance-id)"
  echo "== $name: a clone of its bundle"
  sea clone -q --name=new "$age/$name.tar.zst" "$name-bundle"
  sea verify -q "$age/$name.tar.zst"
  tell "$name-bundle" | grep -v "$(sea -C "$name-bundle" rev-parse --instance-id)"
done
