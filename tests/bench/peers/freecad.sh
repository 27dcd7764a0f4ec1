# FreeCAD without its window: shapes without names and colours, and one mesh of all, as binary STL.
package=freecad
is_installed() { command -v freecadcmd; }
step() { IN=$1 OUT=$2.stl exec freecadcmd "$peers/freecad_jobs.py"; }
