# cellpipe's draft quality
is_installed() { [ -x "$cellpipe" ]; }
version() { "$cellpipe" --version | sed -n 's/^cellpipe //p'; }
simplify() { exec "$tools/time_filter" "$threads" "$1" "$2" simplify "triangles=$3" quality=fast; }
