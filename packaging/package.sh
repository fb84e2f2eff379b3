#!/bin/sh
# package.sh deb|tarball FOLDER: makes a Debian package, or a tarball that runs wherever it is unpacked, of the programs that are built.
#
# The same programs give the same bytes, whoever packs them, where and when: files are in order, belong to root, and are as old
# as SOURCE_DATE_EPOCH says, or the last commit. Beside each file stands its SHA-256 sum. BUILD is where the programs are,
# COMPRESSION is xz, or gzip where that takes too long.
set -eu

kind=$1
out=$(mkdir -p "$2" && cd "$2" && pwd)
cd "$(dirname "$0")/.."
umask 022
export LC_ALL=C TZ=UTC
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}"

build=${BUILD:-.build/release}
compression=${COMPRESSION:-xz}
version=$("$build/sea" version | cut -d' ' -f2)
architecture=$(dpkg --print-architecture)
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
trap 'exit 130' INT TERM HUP

place() { # place MODE FILE TARGET
  install -D -m "$1" "$2" "$root/$3"
}

# What each file says of its age, and who may do what with it, depends on nothing but the file.
settle() {
  find "$1" -type d -exec chmod 755 {} +
  find "$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
}

finish() { # finish FILE: a whole one takes its place.
  mv "$stage/$1" "$out/$1"
  (cd "$out" && sha256sum "$1" >"$1.sha256")
  cat "$out/$1.sha256"
}

deb() {
  root=$stage/root
  make -s install PREFIX=/usr DESTDIR="$root" SEA="$build/sea" S3="$build/sea-remote-s3" XLSX="$build/sea-read-xlsx" STUDIO="$build/sea-studio" SERVER=none
  # What the linker says of itself.
  strip -R .comment "$root/usr/bin/sea" "$root/usr/bin/sea-remote-s3" "$root/usr/bin/sea-read-xlsx" "$root/usr/bin/sea-studio"
  # Where the packages of Debian have it; site-functions is the administrator's own.
  mkdir -p "$root/usr/share/zsh/vendor-completions"
  mv "$root/usr/share/zsh/site-functions/_sea" "$root/usr/share/zsh/vendor-completions/_sea"
  rmdir "$root/usr/share/zsh/site-functions"
  place 644 packaging/copyright usr/share/doc/sea/copyright
  place 644 README.md usr/share/doc/sea/README.md
  for picture in terminal.svg studio.png; do place 644 "docs/$picture" "usr/share/doc/sea/docs/$picture"; done
  place 644 packaging/lintian-overrides usr/share/lintian/overrides/sea
  changelog/news.sh | gzip -9nc >"$root/usr/share/doc/sea/NEWS.gz"
  {
    echo "sea ($version) unstable; urgency=medium"
    printf '\n  * What has changed is in /usr/share/doc/sea/NEWS.gz.\n\n'
    echo " -- $(maintainer)  $(date -R -d "@$SOURCE_DATE_EPOCH")"
  } | gzip -9nc >"$root/usr/share/doc/sea/changelog.gz"
  find "$root/usr/share/man" -type f -exec gzip -9n {} +
  find "$root/usr/share/man" -type l | while read -r link; do
    ln -sf "$(readlink "$link").gz" "$link.gz"
    rm "$link"
  done
  # The server is not in it, and so its pages are not either.
  rm -f "$root"/usr/share/man/man?/sea-server.*
  mkdir -p "$root/DEBIAN"
  control >"$root/DEBIAN/control"
  settle "$root"
  (cd "$root" && find usr -type f | sort | xargs md5sum) >"$root/DEBIAN/md5sums"
  touch -d "@$SOURCE_DATE_EPOCH" "$root/DEBIAN/md5sums" "$root/DEBIAN"
  name=sea_${version}_$architecture.deb
  dpkg-deb --root-owner-group -Z"$compression" $([ "$compression" = xz ] || echo -z1) --build "$root" "$stage/$name" >/dev/null
  finish "$name"
}

maintainer() { echo "${DEBFULLNAME:-Sea contributors} <${DEBEMAIL:-sea@lists.example.org}>"; }

# The programs that are not static say which libraries they want.
libraries() {
  mkdir -p "$stage/wants/debian"
  printf 'Source: sea\n\nPackage: sea\nArchitecture: any\n' >"$stage/wants/debian/control"
  (cd "$stage/wants" && dpkg-shlibdeps -O "$root/usr/bin/sea-remote-s3" "$root/usr/bin/sea-read-xlsx" "$root/usr/bin/sea-studio" 2>/dev/null) | sed -n 's/^shlibs:Depends=//p'
}

control() {
  cat <<CONTROL
Package: sea
Version: $version
Architecture: $architecture
Maintainer: $(maintainer)
Installed-Size: $(du -sk --apparent-size "$root/usr" | cut -f1)
Depends: $(libraries)
Recommends: libmagic-mgc, man-db, tzdata
Suggests: openssh-client, rclone, xdg-utils
Section: database
Priority: optional
Description: git for records: a database that syncs through plain folders
 Sea keeps schema-less records with their history. Several people change them
 on several computers, connected or not, and exchange what they did through a
 folder: a stick, a share, a cloud drive, an object store. No server is needed
 and no account. What two people did to one record is kept, and shown until
 somebody decides.
 .
 This package has the program sea, its manual, completion for bash, zsh and
 fish, sea-studio, which shows a database in the browser, and the helpers for
 S3, rclone, sea-server and Excel workbooks.
CONTROL
}

tarball() {
  name=sea-$version-linux-$(uname -m)
  root=$stage/$name
  place 755 "$build/sea" bin/sea
  strip -R .comment "$root/bin/sea"
  for page in man/*.[157]; do
    case $page in */sea-server.* | */sea-remote-* | */sea-read-*) continue ;; esac
    place 644 "$page" "share/man/man${page##*.}/${page##*/}"
  done
  for schema in schemas/*.json; do place 644 "$schema" "share/sea/$schema"; done
  place 755 Helpers/samples/sea-remote-folder share/sea/samples/sea-remote-folder
  place 644 completions/sea.bash share/bash-completion/completions/sea
  place 644 completions/_sea share/zsh/site-functions/_sea
  place 644 completions/sea.fish share/fish/vendor_completions.d/sea.fish
  place 644 packaging/README.tarball README
  place 644 README.md README.md
  for picture in terminal.svg studio.png; do place 644 "docs/$picture" "docs/$picture"; done
  changelog/news.sh >"$stage/NEWS.md"
  place 644 "$stage/NEWS.md" NEWS.md
  place 644 LICENSE LICENSE
  settle "$root"
  tar -C "$stage" --sort=name --owner=0 --group=0 --numeric-owner --format=gnu -cf "$stage/tar" "$name"
  case $compression in
  xz)
    xz -9 -T1 <"$stage/tar" >"$stage/$name.tar.xz"
    finish "$name.tar.xz" ;;
  *)
    gzip -1n <"$stage/tar" >"$stage/$name.tar.gz"
    finish "$name.tar.gz" ;;
  esac
}

case $kind in
deb | tarball) "$kind" ;;
*) echo "package.sh: deb or tarball, not $kind" >&2; exit 2 ;;
esac
