# An older cellpipe (--before): its `convert IN... --out-dir` has threads, not processes.
batch() { exec "$before" convert -q --threads "$jobs" "$1"/* --out-dir "$2"; }
