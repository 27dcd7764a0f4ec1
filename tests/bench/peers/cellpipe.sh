# cellpipe itself
is_installed() { [ -x "$cellpipe" ]; }
version() { "$cellpipe" --version | sed -n 's/^cellpipe //p'; }
convert() { exec "$cellpipe" convert -q "$@"; }
ascii_glb() { convert "$@"; }
binary_glb() { convert "$@"; }
ply_glb() { convert "$@"; }
text_ply_glb() { convert "$@"; }
off_glb() { convert "$@"; }
threemf_glb() { convert "$@"; }
dae_glb() { convert "$@"; }
obj_glb() { convert "$@"; }
ascii_binary() { convert "$@"; }
binary_ascii() { convert "$@" --out format=ascii; }
binary_wrl() { convert "$@"; }
library() { exec "$cellpipe" batch -q --force "$1" --out-dir "$2"; }
# By $jobs processes at a time
batch() { exec "$cellpipe" batch -q --jobs "$jobs" --threads "$jobs" "$1" --out-dir "$2"; }
step() { convert "$@"; }
step_folder() { exec "$cellpipe" batch -q --jobs 1 --threads 1 "$1" --out-dir "$2"; }
web() { convert "$@" --out web=yes ! simplify ratio=0.1; }
simplify() { exec "$tools/time_filter" "$threads" "$1" "$2" simplify "triangles=$3"; }
