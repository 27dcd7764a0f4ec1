# assimp: joins vertices only where the facets' normals are equal too, so its GLB is as good as unwelded.
package=assimp-utils
is_installed() { command -v assimp; }
ascii_glb() { exec assimp export "$1" "$2"; }
binary_glb() { exec assimp export "$1" "$2"; }
ply_glb() { exec assimp export "$1" "$2"; }
text_ply_glb() { exec assimp export "$1" "$2"; }
off_glb() { exec assimp export "$1" "$2"; }
threemf_glb() { exec assimp export "$1" "$2"; }
dae_glb() { exec assimp export "$1" "$2"; }
obj_glb() { exec assimp export "$1" "$2"; }
ascii_binary() { exec assimp export "$1" "$2" -fstlb; }
binary_ascii() { exec assimp export "$1" "$2" -fstl; }
# A process a part: a peak of memory would be the loop's.
one_by_one=yes
library() {
    for part in "$1"/*.stl; do
        assimp export "$part" "$2/$(basename "$part" .stl).glb" || exit 1
    done
}
# A shell's loop, or $jobs processes at a time
batch() {
    cd "$1"
    if [ "$jobs" = 1 ]; then
        for part in *; do
            assimp export "$part" "$2/$part.glb"
        done
    else
        printf '%s\n' * | xargs -P "$jobs" -I '{}' assimp export '{}' "$2/{}.glb"
    fi
}
