#!/usr/bin/env bash
# Uses the extension in VS Code: code-server, in a browser without a window. Half a minute. scripts/test.sh runs it as
# tests/editors/vscode.test, where scripts/node.sh has code-server and there is a chromium (or FLY_CHROMIUM).
#
#   scripts/vscode_end_to_end.sh [--failures FOLDER] [--pictures FOLDER]
#
# FOLDER of --failures gets a picture of what was not seen, that of --pictures those that docs/editor.md shows.
# FLY_BUILD_DIR names another build.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
flyc=${FLY_BUILD_DIR:-$root/build}/bin/flyc
chromium=${FLY_CHROMIUM:-$(command -v chromium || true)}

stop() { echo "vscode_end_to_end: $1" >&2; exit 1; }
[[ -x $flyc ]] || stop "there is no $flyc; run scripts/build.sh"
[[ -n $chromium ]] || stop "chromium is missing; run scripts/setup.sh, or set FLY_CHROMIUM"

"$root/scripts/node.sh"
"$root/scripts/vscode.sh"
packages=$("$root/scripts/node.sh" --code-server)
exec "$root/scripts/node.sh" node "$root/tests/editors/code-server/drive.mjs" \
  --packages "$packages" --flyc "$flyc" --vsix "$root/editors/vscode/fly.vsix" --chromium "$chromium" "$@"
