# openscad
package=openscad
is_installed() { command -v openscad; }
ascii_binary() {
    printf 'import("%s");\n' "$1" >"$2.scad"
    exec openscad -o "$2" --export-format binstl "$2.scad"
}
