#!/usr/bin/env bash
# Signs the checksums of a release if AGENTBOX_SIGNING_KEY names an ssh key (ssh-keygen(1), -Y sign).
# usage: image/sign.sh FOLDER
set -euo pipefail
if [ -n "${AGENTBOX_SIGNING_KEY:-}" ]; then
  ssh-keygen -q -Y sign -n agentbox-release -f "$AGENTBOX_SIGNING_KEY" "$1/SHA256SUMS"
else
  echo "release: SHA256SUMS is not signed: AGENTBOX_SIGNING_KEY names no key" >&2
fi
