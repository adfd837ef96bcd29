#!/usr/bin/env bash
# Everything that is shipped, from one binary: the binary without symbols, the Debian package, the container images and
# files to compose them, the list of what is in all (SPDX), checksums, and their signature if AGENTBOX_SIGNING_KEY names
# an ssh key. The same binary on the same packages gives the same bytes.
# usage: image/release.sh BINARY FOLDER
set -euo pipefail
binary=$(realpath "$1")
mkdir -p "$2"
out=$(realpath "$2")
cd "$(dirname "$0")/.."
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH

version=$("$binary" --version | cut -d' ' -f2)
architecture=$(dpkg --print-architecture)
rm -f "$out"/agentbox[-_]* "$out"/SHA256SUMS*
plain=$out/agentbox-$version-linux-$architecture
strip --strip-unneeded --remove-section=.comment --remove-section=.note -o "$plain" "$binary"
touch -d "@$SOURCE_DATE_EPOCH" "$plain"
image/debian/build.sh "$binary" "$out" >/dev/null
image/box/build.sh "$binary" "$out" >/dev/null
node image/sbom.mjs "$binary" "$SOURCE_DATE_EPOCH" >"$out/agentbox-$version.spdx.json"
for name in compose compose-containers; do
  sed "s#agentbox/agentbox:[0-9.]*#agentbox/agentbox:$version#" "image/box/$name.yaml" >"$out/agentbox-$version-$name.yaml"
done
image/checksums.sh "$out"
(cd "$out" && ls -l --time-style=+ agentbox[-_]* SHA256SUMS*)
