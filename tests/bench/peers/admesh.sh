# admesh: writes VRML 1.0, which is not VRML97 and shorter to write; joins vertices for it.
package=admesh
is_installed() { command -v admesh; }
ascii_binary() { exec admesh --no-check --write-binary-stl="$2" "$1"; }
binary_ascii() { exec admesh --no-check --write-ascii-stl="$2" "$1"; }
binary_wrl() { exec admesh --exact --write-vrml="$2" "$1"; }
