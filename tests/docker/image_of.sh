#!/bin/sh
# The root file system of a container image, as a tar on stdout: one program, as /usr/bin/agentbox, and the shared
# libraries it needs.
# usage: image_of.sh PROGRAM
set -eu
program=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
mkdir -p "$root/usr/bin" "$root/run/agentbox" "$root/workspace" "$root/tmp"
strip -o "$root/usr/bin/agentbox" "$program"
chmod 755 "$root" "$root/usr/bin/agentbox"
ldd "$program" | grep -o '/[^ )]*' | while read -r library; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done
tar -C "$root" -c .
