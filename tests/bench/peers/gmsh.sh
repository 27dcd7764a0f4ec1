# gmsh: its .wrl is VRML 1.0.
package=gmsh
is_installed() { command -v gmsh; }
ascii_binary() { exec gmsh -0 "$1" -o "$2" -format stl -bin; }
binary_wrl() { exec gmsh -0 "$1" -o "$2" -format wrl; }
# It tessellates nothing: it reads, and writes BREP.
step() { exec gmsh -0 "$1" -o "$2.brep"; }
step_folder() { for file in "$1"/*; do gmsh -0 "$file" -o "$2/${file##*/}.brep" || return; done; }
