# gltfpack, with meshoptimizer inside.
package=gltfpack
is_installed() { command -v gltfpack; }
obj_glb() { exec gltfpack -noq -i "$1" -o "$2"; }
web() { exec gltfpack -i "$1" -o "$2" -cc -si 0.1; }
look() { exec gltfpack -i "$1" -o "$2" -cc -si "$3"; } # IN OUT SHARE
# IN.stl has its IN.glb beside it; the output goes to OUT.stl.glb.
simplify() { exec gltfpack -i "${1%.stl}.glb" -o "$2.glb" -noq -si "$(awk "BEGIN { print $3 / $4 }")"; }
# A shell's loop, or $jobs processes at a time. It reads no STL, and writes floats with -noq.
batch() {
    cd "$1"
    if [ "$jobs" = 1 ]; then
        for part in *; do
            gltfpack -noq -i "$part" -o "$2/$part.glb"
        done
    else
        printf '%s\n' * | xargs -P "$jobs" -I '{}' gltfpack -noq -i '{}' -o "$2/{}.glb"
    fi
}
