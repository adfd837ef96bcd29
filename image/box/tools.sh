#!/usr/bin/env bash
# The image in which agents in containers run commands, agentbox/agent-tools, as an archive for `docker load` and
# `agentbox images load`: the layer of the agents' image, which has the box's binary, and above it the programs of
# packages.txt (kind tools) with what they depend on, from where this machine gets its packages. Nothing is installed:
# packages are unpacked, without what they are not needed for here (manuals, translations, scripts of dpkg).
# usage: image/box/tools.sh BINARY FOLDER     makes FOLDER/agentbox-VERSION-tools-image.tar.gz and prints its path
set -euo pipefail
binary=$(realpath "$1") out=$(realpath "$2")
cd "$(dirname "$0")"
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
version=$("$binary" --version | cut -d' ' -f2)
commit=$("$binary" version --json | node -e 'console.log(JSON.parse(require("fs").readFileSync(0)).commit ?? "")')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packed() { tar --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --numeric-owner "$@"; }
umask 022

# With an empty list of what is installed, apt names all that the programs need. Perl is left out, without which Git
# lacks send-email and its like, and so is what only an installation needs.
mapfile -t wanted < <(awk '$1 == "tools" {print $2}' ../../packages.txt)
left_out='^(dpkg|debconf|usrmerge|init-system-helpers|base-files|media-types|git-man|openssl|ca-certificates|readline-common|libperl5.*|perl|perl-modules.*|lib.*-perl)$'
mkdir -p "$work/apt/archives/partial" "$work/root" "$work/tools" "$work/archive"
: >"$work/status"
apt-get -qq -y --no-install-recommends --download-only -o Dir::State::status="$work/status" -o Dir::Cache="$work/apt" \
  -o APT::Sandbox::User=root -o Debug::NoLocking=1 install "${wanted[@]}"

tools=$work/tools
mkdir -p "$tools"/usr/{bin,sbin,lib,lib64,share}
for folder in bin sbin lib lib64; do ln -s "usr/$folder" "$tools/$folder"; done
for package in "$work"/apt/archives/*.deb; do
  name=$(dpkg-deb -f "$package" Package)
  [[ $name =~ $left_out ]] && continue
  dpkg-deb --fsys-tarfile "$package" | tar -x -C "$tools" --keep-directory-symlink --no-same-owner
  mkdir -p "$tools/var/lib/dpkg/status.d"
  dpkg-deb -f "$package" Package Version Architecture Source Maintainer Description |
    grep -E '^(Package|Version|Architecture|Source|Maintainer|Description):' >"$tools/var/lib/dpkg/status.d/$name"
done
[ -e "$tools/usr/bin/awk" ] || ln -s mawk "$tools/usr/bin/awk"
find "$tools/usr/share/doc" -mindepth 1 -not -name copyright -not -type d -delete
find "$tools/usr/share/doc" -type d -empty -delete
rm -rf "$tools"/usr/share/{man,locale,info,lintian,bash-completion,zsh,gitweb,perl,perl5} "$tools"/usr/lib/git-core/{git-svn,git-cvs*}

./rootfs.sh "$binary" "$work/root"
# As build.sh packs it, so that an engine keeps the layer of both images once.
packed --owner=0 --group=0 -C "$work/root" --exclude=./data -cf "$work/layer.tar" .
packed --owner=65532 --group=65532 --no-recursion -C "$work/root" -rf "$work/layer.tar" ./data
packed --owner=0 --group=0 -C "$tools" -cf "$work/tools.tar" ./usr ./var
node archive.mjs "$work/layer.tar" "$version" "$commit" "$SOURCE_DATE_EPOCH" "$work/archive" "$work/tools.tar"
image=$out/agentbox-$version-tools-image.tar.gz
packed --owner=0 --group=0 -C "$work/archive" -c . | gzip -9n >"$image"
echo "$image"
