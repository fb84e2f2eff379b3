# limit: 180
# What `make deb` and `make tarball` make of the programs that are tested here.
unset SEA_PASSWORD_FILE
BUILD=$(dirname "$(readlink -f "$(command -v sea)")")
# The program of a release is static; one that is not takes what it wants along.
wanted=$(ldd "$BUILD/sea" 2>/dev/null | grep -o '/[^ ]*' || true)
export BUILD wanted COMPRESSION=gzip
package() { SOURCE_DATE_EPOCH=1764000000 sh "$SEA_TEST_ROOT/packaging/package.sh" "$@"; }
package deb debs >/dev/null
package tarball tarballs >/dev/null

t 'the same bytes, whoever packs, when and where; and their sums' <<'EOT'
umask 077
export SOURCE_DATE_EPOCH=1764000000
mkdir elsewhere
TMPDIR=$PWD/elsewhere TZ=Asia/Tokyo sh "$SEA_TEST_ROOT/packaging/package.sh" deb again >/dev/null
TMPDIR=$PWD/elsewhere TZ=Asia/Tokyo sh "$SEA_TEST_ROOT/packaging/package.sh" tarball again >/dev/null
cmp debs/sea_*.deb again/sea_*.deb
cmp tarballs/sea-*.tar.gz again/sea-*.tar.gz
(cd debs && sha256sum -c --quiet ./*.sha256)
(cd tarballs && sha256sum -c --quiet ./*.sha256)
[ -z "$(ls elsewhere)" ]
EOT

t 'nothing in the programs says where or when they were made' <<'EOT'
dpkg-deb -x debs/sea_*.deb unpacked
# What is built to be debugged says it on purpose.
[ -z "$wanted" ] || exit 0
for program in unpacked/usr/bin/sea unpacked/usr/bin/sea-remote-s3 unpacked/usr/bin/sea-read-xlsx; do
  if grep -aqF "$SEA_TEST_ROOT" "$program"; then echo "$program has the folder of its sources"; exit 1; fi
  # The digests of how objects were compiled are zeros, but for those of the few that the toolchain brings.
  objcopy -O binary --only-section=.swift_modhash "$program" digests
  [ "$(od -An -v -tx1 -w16 digests | grep -vc '^\( 00\)*$')" -lt 10 ]
  # One search for a text, made by the wrong function, brings an engine for regular expressions along: a twentieth of the program.
  if grep -aqF _StringProcessing "$program"; then echo "$program has the engine for regular expressions"; exit 1; fi
done
EOT

t 'lintian finds no fault' <<'EOT'
lintian --allow-root --fail-on error,warning debs/sea_*.deb
EOT

t 'the package is installed, put over an older one, and leaves nothing' <<'EOT'
mkdir -p root/var/lib/dpkg/updates root/var/lib/dpkg/info root/tmp
: >root/var/lib/dpkg/status
: >root/var/lib/dpkg/available
packages() { fakeroot dpkg --root="$PWD/root" --log="$PWD/dpkg.log" --force-depends --force-unsafe-io "$@" >out 2>&1; }
packages -i debs/sea_*.deb
[ "$(root/usr/bin/sea version)" = "$(sea version)" ]
for file in share/man/man1/sea.1.gz share/man/man1/sea-remote-sea+http.1.gz share/man/man7/sea-workflows.7.gz lib/systemd/user/sea-watch@.service \
  share/bash-completion/completions/sea share/zsh/vendor-completions/_sea share/fish/vendor_completions.d/sea.fish share/sea/schemas/log.json \
  bin/sea-remote-rclone bin/sea-read-xlsx share/doc/sea/copyright; do
  [ -s "root/usr/$file" ] || { echo "$file is missing"; exit 1; }
done
grep -q '^ExecStart=/usr/bin/sea ' root/usr/lib/systemd/user/sea-watch@.service
# Pages are found from where the program lies.
PAGER=cat MANPAGER=cat root/usr/bin/sea help put >page
says page 'sea-put'
packages -i debs/sea_*.deb
packages --purge sea
[ -z "$(find root/usr -type f -o -type l 2>/dev/null)" ]
EOT

t 'the tarball runs where nothing else is' <<'EOT'
mkdir bare
tar -C bare -xf tarballs/sea-*.tar.gz --strip-components=1
for file in $wanted; do install -D "$file" "bare$file"; done
mkdir bare/tmp bare/home
inside() {
  if [ "$(id -u)" = 0 ]; then chroot bare "$@"; else unshare -r chroot bare "$@"; fi
}
export HOME=/home TMPDIR=/tmp
inside /bin/sea init --name=one /home/one
inside /bin/sea -C /home/one put '{"_id":"a","n":1}'
inside /bin/sea -C /home/one add-container --create stick /home/stick
inside /bin/sea -C /home/one sync
inside /bin/sea clone /home/stick /home/two
[ "$(inside /bin/sea -C /home/two get a n)" = 1 ]
inside /bin/sea -C /home/two verify
EOT
