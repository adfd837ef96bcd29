#!/usr/bin/env bash
# The container images of the box and of its agents, as one archive for `docker load`. Its bytes follow from the binary,
# the machine's packages and SOURCE_DATE_EPOCH.
# usage: image/box/build.sh BINARY FOLDER     makes FOLDER/agentbox-VERSION-image.tar.gz and prints its path
set -euo pipefail
binary=$(realpath "$1") out=$(realpath "$2")
cd "$(dirname "$0")"
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
version=$("$binary" --version | cut -d' ' -f2)
commit=$("$binary" version --json | node -e 'console.log(JSON.parse(require("fs").readFileSync(0)).commit ?? "")')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packed() { tar --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" --numeric-owner "$@"; }

mkdir "$work/root" "$work/archive"
./rootfs.sh "$binary" "$work/root"
# What the box may write belongs to its user.
packed --owner=0 --group=0 -C "$work/root" --exclude=./data -cf "$work/layer.tar" .
packed --owner=65532 --group=65532 --no-recursion -C "$work/root" -rf "$work/layer.tar" ./data
node archive.mjs "$work/layer.tar" "$version" "$commit" "$SOURCE_DATE_EPOCH" "$work/archive"
image=$out/agentbox-$version-image.tar.gz
packed --owner=0 --group=0 -C "$work/archive" -c . | gzip -9n >"$image"
echo "$image"
