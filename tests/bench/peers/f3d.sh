# f3d, a viewer: it reads and tessellates (0.1 mm, 0.5 rad), and draws and writes nothing.
package=f3d
is_installed() { command -v f3d; }
step() { exec f3d --dry-run --no-render "$1"; }
step_folder() { for file in "$1"/*; do f3d --dry-run --no-render "$file" || return; done; }
