# gmsh with the triangles of finite elements, which are as large as it finds right, as binary STL.
package=gmsh
is_installed() { command -v gmsh; }
step() { exec gmsh -2 "$1" -o "$2.stl" -format stl -bin; }
