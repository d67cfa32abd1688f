#!/usr/bin/env bash
# Makes the extension for VS Code, editors/vscode/fly.vsix, after checking its types and the grammar. Node and the
# packages are those of scripts/node.sh; once they are there, no network is needed. Two runs make the same bytes.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root/editors/vscode"

"$root/scripts/node.sh" --extension
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 315532800)}
"$root/scripts/node.sh" npm run --silent test
"$root/scripts/node.sh" npm run --silent package >/dev/null
echo "vscode: $root/editors/vscode/fly.vsix"
