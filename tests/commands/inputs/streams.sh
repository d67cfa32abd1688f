# Every kind of artifact goes into /dev/null, a named pipe and standard output; the last two get the same bytes.
#   streams.sh SOURCE FOLDER
set -euo pipefail
mkfifo "$2/pipe"
for kind in ast fly rocdl llvm isa hsaco json header cxx-header obj; do
  flyc build "$1" --arch gfx942 --emit=$kind -o /dev/null
  cat "$2/pipe" >"$2/piped" &
  flyc build "$1" --arch gfx942 --emit=$kind -o "$2/pipe"
  wait
  flyc build "$1" --arch gfx942 --emit=$kind -o - >"$2/file"
  flyc build "$1" --arch gfx942 --emit=$kind -o /dev/stdout >"$2/stdout"
  cmp "$2/piped" "$2/file"
  cmp "$2/stdout" "$2/file"
  test -s "$2/file"
done
test -p "$2/pipe" && test -c /dev/null
