#!/usr/bin/env bash
# Writes SHA256SUMS of what a release has in a folder, and signs it if AGENTBOX_SIGNING_KEY names an ssh key
# (ssh-keygen(1), -Y sign).
# usage: image/checksums.sh FOLDER
set -euo pipefail
key=${AGENTBOX_SIGNING_KEY:+$(realpath "$AGENTBOX_SIGNING_KEY")}
cd "$1"
rm -f SHA256SUMS.sig
sha256sum agentbox[-_]* >SHA256SUMS
if [ -n "$key" ]; then
  ssh-keygen -q -Y sign -n agentbox-release -f "$key" SHA256SUMS
else
  echo "release: SHA256SUMS is not signed: AGENTBOX_SIGNING_KEY names no key" >&2
fi
