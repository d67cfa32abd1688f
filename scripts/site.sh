#!/usr/bin/env bash
# Makes the site of docs/ and kernels/: build/site/html, for any server of files. Needs Node 20 or later with npm; the
# packages are those of site/package-lock.json, and once they are in npm's cache no network is needed. A built flyc
# (build/bin/flyc, FLYC, or one on PATH) also makes the reports and time pages that stand in frames in the gallery.
#
#   scripts/site.sh              everything
#   scripts/site.sh --serve      and serves it at http://127.0.0.1:8000 (PORT)
#   scripts/site.sh --no-frames  without what flyc makes
#   scripts/site.sh setup        only installs the packages, as tests in tests/site want them
#
# FLY_SITE_BASE=/0.1/ is the path under which it will be served; FLY_REPOSITORY=https://... is where links to source
# files lead, instead of to copies on the site.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${FLY_BUILD_DIR:-$root/build}/site
serve='' frames=yes setup=''
for argument; do
  case $argument in
    setup) setup=yes ;;
    --serve) serve=yes ;;
    --no-frames) frames='' ;;
    *)
      echo "site: \`$argument\` is unknown; it takes \`setup\`, \`--serve\`, \`--no-frames\`" >&2
      exit 2
      ;;
  esac
done

if ! command -v npm >/dev/null; then
  echo "site: npm is missing; install Node 20 or later" >&2
  exit 1
fi
major=$(node --print 'process.versions.node.split(".")[0]')
if [[ $major -lt 20 ]]; then
  echo "site: Node $(node --version) is too old; it must be 20 or later" >&2
  exit 1
fi
cd "$root/site"
if [[ ! -e node_modules/.package-lock.json || package-lock.json -nt node_modules/.package-lock.json ]]; then
  npm ci --ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error
  touch node_modules/.package-lock.json
fi
if [[ $setup ]]; then exit 0; fi

mkdir -p "$build"
ln -sfn "$root/site/node_modules" "$build/node_modules" # the pages, which are compiled there, import Vue
export FLY_SITE_PAGES=$build/pages FLY_SITE_OUT=$build/html FLY_SITE_CACHE=$build/cache
flyc=${FLYC:-${FLY_BUILD_DIR:-$root/build}/bin/flyc}
[[ -x $flyc ]] || flyc=$(command -v flyc || true)
if [[ $frames && $flyc ]]; then
  python3 "$root/scripts/gallery.py" "$flyc" --frames "$build/frames"
  python3 "$root/scripts/site_pages.py" "$build/pages" --frames "$build/frames"
else
  if [[ $frames ]]; then echo "site: there is no flyc: the gallery is without reports and time pages"; fi
  python3 "$root/scripts/site_pages.py" "$build/pages"
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! node_modules/.bin/vitepress build >"$log" 2>&1; then
  cat "$log" >&2
  exit 1
fi
echo "site: $build/html"
if [[ $serve ]]; then
  echo "site: http://127.0.0.1:${PORT:-8000}"
  exec python3 -m http.server --bind 127.0.0.1 --directory "$build/html" "${PORT:-8000}"
fi
