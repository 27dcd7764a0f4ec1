# gmsh: its .wrl is VRML 1.0.
package=gmsh
is_installed() { command -v gmsh; }
ascii_binary() { exec gmsh -0 "$1" -o "$2" -format stl -bin; }
binary_wrl() { exec gmsh -0 "$1" -o "$2" -format wrl; }
