# cellpipe's draft quality
is_installed() { [ -x "$cellpipe" ]; }
version() { "$cellpipe" --version | sed -n 's/^cellpipe //p'; }
simplify() { exec "$tools/time_filter" "$threads" "$1" "$2" simplify "triangles=$3" quality=fast; }
# The work that gltfpack does: it makes no normals.
web() { exec "$cellpipe" convert -q "$@" --out web=yes --out normals=none ! simplify ratio=0.1 quality=fast; }
