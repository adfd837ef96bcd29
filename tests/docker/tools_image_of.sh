#!/bin/sh
# The root file system of an image for agents' commands, as a tar on stdout: the box's binary, and programs of this
# machine's packages with the libraries that they need. A small one for tests; image/box/tools.sh makes the one that is
# released.
# usage: tools_image_of.sh AGENTBOX
set -eu
binary=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
packages='dash bash coreutils sed grep mawk findutils procps curl git libpython3.11-minimal libpython3.11-stdlib
  python3.11-minimal python3-minimal'

mkdir -p "$root/usr/bin" "$root/usr/sbin" "$root/usr/lib" "$root/usr/lib64" "$root/tmp" "$root/workspace" \
  "$root/opt/mcp" "$root/run/agentbox" "$root/etc/ssl/certs"
for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$root/$folder"; done
strip -o "$root/usr/bin/agentbox" "$binary"
chmod 755 "$root" "$root/usr/bin/agentbox"

# shellcheck disable=SC2086
dpkg -L $packages | sort -u | grep -vE '^/usr/share/(doc|man|locale|info|lintian|bash-completion|gitweb)/|^/etc/' |
  while read -r path; do [ -d "$path" ] || [ ! -e "$path" ] || echo "${path#/}"; done >"$root.files"
tar -C / -c -T "$root.files" | tar -x -C "$root" --keep-directory-symlink
cp -L "$(command -v node)" "$root/usr/bin/node"
ln -sf mawk "$root/usr/bin/awk"
cp /etc/ssl/certs/ca-certificates.crt "$root/etc/ssl/certs/"
find "$root/usr" -type f \( -perm /111 -o -name '*.so*' \) -exec ldd {} + 2>/dev/null |
  grep -oE '=> /[^ )]+|^\s*/[^ )]+/ld-[^ )]+' | grep -oE '/.*' | sort -u | sed 's#^/##' >"$root.files"
tar -C / -ch -T "$root.files" | tar -x -C "$root" --keep-directory-symlink
rm "$root.files"
tar -C "$root" -c .
