#!/usr/bin/env bash
# Node 20 and the packages of npm that tests use: those of the extension for VS Code, VS Code itself (code-server)
# with what drives a browser, and readers of SARIF and of GitHub's actions. Everything is pinned by lock files; nothing is there that npm did not fetch.
#
#   scripts/node.sh               installs what is missing, else is immediate: 2 minutes and 500 MB the first time
#   scripts/node.sh --extension   only for the extension
#   scripts/node.sh --site        only for the site
#   scripts/node.sh --code-server prints the folder of code-server
#   scripts/node.sh --readers     prints the folder of the readers
#   scripts/node.sh COMMAND...    runs a command with Node 20 and its npm first on the PATH
#
# A Node 20 that is on the PATH is used. Else npm installs one (Debian 12 has Node 18) into the folder FLY_NODE_DIR,
# which is ~/.cache/fly-node if it is not set. code-server is in that folder, too, or in FLY_CODE_SERVER.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=${FLY_NODE_DIR:-${XDG_CACHE_HOME:-$HOME/.cache}/fly-node}
code_server=${FLY_CODE_SERVER:-$folder/code-server}
quiet=(--ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error --fetch-retries=1)

stop() { echo "node: $1" >&2; exit 1; }

# Installs the packages that SOURCE/package-lock.json lists into TARGET, unless TARGET has just these; runs the rest of
# the words after them.
install_packages() { # SOURCE TARGET [COMMAND...]
  local source=$1 target=$2 lock
  shift 2
  lock=$(sha256sum <"$source/package-lock.json")
  if [[ -e $target/node_modules/.fly-lock && $(<"$target/node_modules/.fly-lock") == "$lock" ]]; then return; fi
  echo "node: installing the packages of ${source#"$root"/}" >&2
  mkdir -p "$target"
  [[ $source -ef $target ]] || cp "$source/package.json" "$source/package-lock.json" "$target"
  (cd "$target" && npm ci "${quiet[@]}" >&2) || stop "npm cannot install the packages of ${source#"$root"/}"
  if [[ $# -gt 0 ]]; then (cd "$target" && "$@"); fi
  echo "$lock" >"$target/node_modules/.fly-lock"
}

# What of code-server is compiled. node-pty's own rule fails after its module is built.
build_code_server() {
  local prefix
  prefix=$(dirname "$(dirname "$(readlink -f "$(command -v node)")")")
  [[ ! -e $prefix/include/node/node.h ]] || export npm_config_nodedir=$prefix # else node-gyp fetches the headers
  npm rebuild --loglevel=error argon2
  cd node_modules/code-server/lib/vscode
  npm install "${quiet[@]}" --omit=dev # as its npm-shrinkwrap.json pins them
  npm rebuild --loglevel=silent node-pty @vscode/spdlog native-watchdog || true
  for module in node-pty:pty @vscode/spdlog:spdlog native-watchdog:watchdog; do
    [[ -e node_modules/${module%:*}/build/Release/${module#*:}.node ]] || stop "${module%:*} was not built"
  done
}

if [[ ${1-} == --code-server ]]; then
  echo "$code_server"
  exit 0
elif [[ ${1-} == --readers ]]; then
  echo "$folder/readers"
  exit 0
fi

is_node_20() { [[ $("$1" --print 'process.versions.node.split(".")[0]' 2>/dev/null) == 20 ]]; }

if ! is_node_20 node || ! command -v npm >/dev/null; then
  bin=$folder/node/node_modules/.bin
  if ! is_node_20 "$bin/node"; then
    command -v npm >/dev/null || stop "npm is missing; run scripts/setup.sh, or install Node 20"
    [[ $(uname -sm) == "Linux x86_64" ]] ||
      stop "Node is $(node --version); npm has a Node 20 only for Linux on x86-64"
    install_packages "$root/tests/editors/node" "$folder/node"
  fi
  export PATH=$(dirname "$(readlink -f "$bin/node")"):$bin:$PATH
fi
case ${1-} in
  --extension | --site) ;;
  ?*) exec "$@" ;;
esac

[[ ${1-} == --site ]] || install_packages "$root/editors/vscode" "$root/editors/vscode"
[[ ${1-} == --extension ]] || install_packages "$root/site" "$root/site"
if [[ -n ${1-} ]]; then exit 0; fi
install_packages "$root/tests/editors/code-server" "$code_server" build_code_server
install_packages "$root/tests/conventions/readers" "$folder/readers" \
  chmod +x node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool
