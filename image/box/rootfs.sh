#!/usr/bin/env bash
# The root file system of the box's container image: the binary, the shared libraries it loads, PostgreSQL's client, certificate authorities,
# time zones and two users. No shell, no package manager. Packages are named in var/lib/dpkg/status.d, as scanners expect.
# usage: image/box/rootfs.sh BINARY FOLDER     fills the folder, which must be empty
set -euo pipefail
binary=$(realpath "$1") root=$(realpath "$2")
umask 022

packages=()
own() { # Notes the package of a file that goes into the image; dpkg may know it with or without /usr.
  local path
  for path in "$1" "/usr$1" "${1#/usr}"; do
    if dpkg-query -S "$path" >/dev/null 2>&1; then
      packages+=("$(dpkg-query -S "$path" | head -n 1 | cut -d: -f1)")
      return
    fi
  done
  echo "rootfs: no package owns $1" >&2
  exit 1
}

mkdir -p "$root"/{usr/bin,usr/lib,usr/share,etc/ssl/certs,data,tmp,var/lib/dpkg/status.d}
for folder in bin lib lib64; do
  mkdir -p "$root/usr/$folder"
  ln -s "usr/$folder" "$root/$folder"
done
chmod 1777 "$root/tmp"
strip --strip-unneeded --remove-section=.comment --remove-section=.note -o "$root/usr/bin/agentbox" "$binary"
chmod 755 "$root/usr/bin/agentbox"

# PostgreSQL's client is loaded by name, with STORE_URL (store/postgres/libpq.cpp).
libpq=$(ldconfig -p | awk '$1 == "libpq.so.5" && !found++ {print $NF}')
[ -n "$libpq" ] || { echo "rootfs: libpq.so.5 is not installed: the package libpq5" >&2; exit 1; }

while read -r library; do
  install -D -m 755 "$library" "$root/$library"
  own "$library"
done < <({ ldd "$binary" && ldd "$libpq" && echo "$libpq"; } | grep -oE '/[^ )]+' | sort -u)

# The authorities one by one and the file of all, as update-ca-certificates makes them.
cp -r /usr/share/zoneinfo "$root/usr/share/"
rm -rf "$root"/usr/share/zoneinfo/{right,posix}
own /usr/share/zoneinfo/UTC
LC_ALL=C sort -z < <(find /usr/share/ca-certificates/mozilla -name '*.crt' -print0) | xargs -0 cat >"$root/etc/ssl/certs/ca-certificates.crt"
packages+=(ca-certificates)
if [ -d /usr/lib/ssl ]; then
  mkdir -p "$root/usr/lib/ssl"
  ln -s /etc/ssl/certs "$root/usr/lib/ssl/certs"
fi

cat >"$root/etc/passwd" <<'PASSWD'
root:x:0:0:root:/:/usr/sbin/nologin
agentbox:x:65532:65532:agentbox:/data:/usr/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin
PASSWD
printf 'root:x:0:\nagentbox:x:65532:\nnogroup:x:65534:\n' >"$root/etc/group"
printf 'hosts: files dns\n' >"$root/etc/nsswitch.conf"
cp /etc/os-release "$root/etc/os-release"
chmod 700 "$root/data"

for package in $(printf '%s\n' "${packages[@]}" | sort -u); do
  dpkg-query -s "$package" | grep -E '^(Package|Version|Architecture|Source|Maintainer|Description):' >"$root/var/lib/dpkg/status.d/$package"
  install -D -m 644 "$(realpath "/usr/share/doc/$package/copyright")" "$root/usr/share/doc/$package/copyright"
done
