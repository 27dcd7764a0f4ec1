# ctmconv: reads binary STL alone (and ends with 0 when given ASCII).
package=openctm-tools
is_installed() { command -v ctmconv; }
binary_wrl() { exec ctmconv "$1" "$2"; }
