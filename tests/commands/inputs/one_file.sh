# Copies flyc and a source into an empty folder and works there, without anything in the environment.
#   one_file.sh FLYC SOURCE FOLDER
set -euo pipefail
rm -rf "$3" && mkdir "$3" && cp "$1" "$3/flyc" && cp "$2" "$3" && cd "$3"
source=$(basename "$2")
env -i ./flyc build "$source" --arch gfx942,gfx1201 -o out --no-cache -q && ls out
env -i ./flyc test "$source" --arch gfx942,gfx1201 --no-cache -q
env -i ./flyc run "$source" --kernel totals --arg x=arange:f32[1,256] --arg y=y.npy:empty:f32[1] --arg m=i32:1 --no-cache
od -An -tfF -j128 y.npy
