# An older cellpipe (--before), which shows whether a change made a job slower: --peers cellpipe_before.
is_installed() { [ -n "$before" ]; }
version() { "$before" --version | sed -n 's/^cellpipe //p'; }
convert() { exec "$before" convert -q "$@"; }
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
library() { exec "$before" batch -q --force "$1" --out-dir "$2"; }
web() { convert "$@" --out web=yes ! simplify ratio=0.1; }
# The oldest have no command `batch`: their `convert IN... --out-dir` has threads, not processes.
batch() { exec "$before" convert -q --threads "$jobs" "$1"/* --out-dir "$2"; }
