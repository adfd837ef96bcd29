#!/usr/bin/env bash
# The Debian package of a binary. Its bytes follow from the binary, these files and SOURCE_DATE_EPOCH alone.
# usage: image/debian/build.sh BINARY FOLDER     makes FOLDER/agentbox_VERSION_ARCHITECTURE.deb and prints its path
set -euo pipefail
binary=$(realpath "$1") out=$(realpath "$2")
cd "$(dirname "$0")"
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH
umask 022

version=${AGENTBOX_PACKAGE_VERSION:-$("$binary" --version | cut -d' ' -f2)}
architecture=$(dpkg --print-architecture)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
put() { install -D -m "$1" "$2" "$root/$3"; }
compressed() { mkdir -p "$(dirname "$root/$1")" && gzip -9n >"$root/$1"; }

mkdir -p "$root/usr/bin" "$root/DEBIAN"
strip --strip-unneeded --remove-section=.comment --remove-section=.note -o "$root/usr/bin/agentbox" "$binary"
chmod 755 "$root/usr/bin/agentbox"
put 644 agentbox.service lib/systemd/system/agentbox.service
put 644 agentbox.socket lib/systemd/system/agentbox.socket
put 644 agentbox-redirect.socket lib/systemd/system/agentbox-redirect.socket
put 644 agentbox-commands.socket lib/systemd/system/agentbox-commands.socket
put 644 agentbox-commands@.service lib/systemd/system/agentbox-commands@.service
put 644 agentbox.toml etc/agentbox/agentbox.toml
put 644 apparmor etc/apparmor.d/usr.bin.agentbox
put 644 copyright usr/share/doc/agentbox/copyright
put 644 lintian-overrides usr/share/lintian/overrides/agentbox
"$binary" man | compressed usr/share/man/man1/agentbox.1.gz
printf 'agentbox (%s) bookworm; urgency=medium\n\n  * See CHANGELOG.md of the release.\n\n -- the authors of agentbox <maintainers@agentbox.invalid>  %s\n' \
  "$version" "$(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")" | compressed usr/share/doc/agentbox/changelog.gz
mkdir -p "$root"/usr/share/{bash-completion/completions,zsh/vendor-completions,fish/vendor_completions.d}
"$binary" completion bash >"$root/usr/share/bash-completion/completions/agentbox"
"$binary" completion zsh >"$root/usr/share/zsh/vendor-completions/_agentbox"
"$binary" completion fish >"$root/usr/share/fish/vendor_completions.d/agentbox.fish"

# The packages of its shared libraries, and at least the version that this machine has of libc and libstdc++'s kin.
depends=$(ldd "$binary" | grep -oE '/[^ )]+' | while read -r library; do
  dpkg-query -S "$(realpath "$library")" "$library" 2>/dev/null || true
done | sed -E 's/:.*//' | sort -u | grep -Fxf <(awk '$1 == "run" {print $2}' ../../packages.txt; echo libc6) |
  sed -E 's/^libc6$/libc6 (>= 2.36)/' | paste -sd, | sed 's/,/, /g')
cat >"$root/DEBIAN/control" <<CONTROL
Package: agentbox
Version: $version
Architecture: $architecture
Maintainer: the authors of agentbox <maintainers@agentbox.invalid>
Installed-Size: $(du -sk --apparent-size --exclude=DEBIAN "$root" | cut -f1)
Depends: $depends, adduser, ca-certificates, debconf (>= 0.5) | debconf-2.0, tzdata
Recommends: systemd
Suggests: apparmor, docker.io, espeak-ng, ffmpeg, fonts-noto-core, libnginx-mod-rtmp, libpq5, nginx-light, poppler-utils
Section: net
Priority: optional
Description: host AI agents on one box
 One program keeps users, agents and usage in an embedded store, runs each
 agent as a supervised process or container with a workspace of its own, meters
 every model call, and serves the APIs and a browser console. It needs no other
 service and no network.
CONTROL
printf '%s\n' /etc/agentbox/agentbox.toml /etc/apparmor.d/usr.bin.agentbox >"$root/DEBIAN/conffiles"
install -m 755 postinst prerm postrm "$root/DEBIAN/"
install -m 644 templates "$root/DEBIAN/templates"
(cd "$root" && find . -type f ! -path './DEBIAN/*' -printf '%P\0' | LC_ALL=C sort -z | xargs -0 md5sum) >"$root/DEBIAN/md5sums"
find "$root" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
package=$out/agentbox_${version}_$architecture.deb
dpkg-deb --root-owner-group -Zxz --build "$root" "$package" >/dev/null
echo "$package"
