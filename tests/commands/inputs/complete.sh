# complete.sh SCRIPT: what bash completes with the script, one line a case.
source "$1"
try() {
  COMP_WORDS=(flyc "$@") COMP_CWORD=$#
  COMPREPLY=()
  _flyc
  local shown="$*"
  [[ -n ${@: -1} ]] || shown="$* "
  echo "${shown// = /=}: $(printf '%s\n' "${COMPREPLY[@]}" | sort | tr '\n' ' ' | sed 's/ $//')" | sed 's/  *: /: /'
}
try t
try help bu
try build --stop
try test --arch gfx94
try test --arch gfx942,gfx12
try build --color a
try build --color = a
try tune --device ''
cd "$(mktemp -d)" && touch vec_add.fly
try build --quiet vec
try build -o vec
try completion ''
try targets gfx94
try explain FLY020
try explain unknown-na
try cache vec
rm -r "$PWD"
