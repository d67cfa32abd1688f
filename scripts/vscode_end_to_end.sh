#!/usr/bin/env bash
# Uses the extension in VS Code: code-server, in a browser without a window. Half a minute; the first time, another
# minute and 300 MB for code-server, which is then kept. Needs Node 20, whose headers are beside it, a compiler for C++, and
# chromium (or FLY_CHROMIUM). No part of scripts/test.sh.
#
#   scripts/vscode_end_to_end.sh [FOLDER]    FOLDER: where a picture of what was not seen is put
#
# FLY_BUILD_DIR names another build, FLY_CODE_SERVER another folder for code-server.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
flyc=${FLY_BUILD_DIR:-$root/build}/bin/flyc
packages=${FLY_CODE_SERVER:-${XDG_CACHE_HOME:-$HOME/.cache}/fly-code-server-4.100.3}
chromium=${FLY_CHROMIUM:-$(command -v chromium || true)}

stop() { echo "vscode_end_to_end: $1" >&2; exit 1; }
[[ -x $flyc ]] || stop "there is no $flyc; run scripts/build.sh"
[[ -n $chromium ]] || stop "chromium is missing; run scripts/setup.sh, or set FLY_CHROMIUM"
command -v npm >/dev/null || stop "npm is missing; install Node 20"
[[ $(node --print 'process.versions.node.split(".")[0]') == 20 ]] || stop "code-server 4.100 needs Node 20"

"$root/scripts/vscode.sh"
if [[ ! -e $packages/complete ]]; then
  mkdir -p "$packages"
  cd "$packages"
  prefix=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
  [[ ! -e $prefix/include/node/node.h ]] || export npm_config_nodedir=$prefix # else node-gyp fetches the headers
  quiet=(--ignore-scripts --no-audit --no-fund --loglevel=error)
  echo '{"private": true}' >package.json
  npm install "${quiet[@]}" --save-exact code-server@4.100.3 playwright-core@1.65.1
  npm rebuild --loglevel=error argon2
  cd node_modules/code-server/lib/vscode
  npm install "${quiet[@]}" --omit=dev
  npm rebuild --loglevel=silent node-pty @vscode/spdlog native-watchdog || true # it fails after it has built them
  for module in node-pty:pty @vscode/spdlog:spdlog native-watchdog:watchdog; do
    [[ -e node_modules/${module%:*}/build/Release/${module#*:}.node ]] || stop "${module%:*} was not built"
  done
  touch "$packages/complete"
fi
node "$root/tests/editors/code-server/drive.mjs" "$packages" "$flyc" "$root/editors/vscode/fly.vsix" "$chromium" "$@"
