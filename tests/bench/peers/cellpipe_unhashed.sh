# cellpipe without hashes of files (--unhashed): README.md tells how to build it.
batch() { exec "$unhashed" batch -q --jobs "$jobs" --threads "$jobs" "$1" --out-dir "$2"; }
