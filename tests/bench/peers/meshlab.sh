# MeshLab: meshlabserver asks for a display; bench.sh starts Xvfb when there is none. Joins vertices; VRML97 in 6 digits.
package='meshlab xvfb'
is_installed() { command -v meshlabserver && { [ -n "${DISPLAY-}" ] || command -v Xvfb; }; }
needs_display=yes
binary_wrl() { exec meshlabserver -i "$1" -o "$2"; }
# MeshLab's defaults but for the number of faces.
simplify() {
    cat >"$2.mlx" <<EOF
<!DOCTYPE FilterScript>
<FilterScript>
 <filter name="Simplification: Quadric Edge Collapse Decimation">
  <Param type="RichInt" name="TargetFaceNum" value="$3"/>
  <Param type="RichFloat" name="TargetPerc" value="0"/>
  <Param type="RichFloat" name="QualityThr" value="0.3"/>
  <Param type="RichBool" name="PreserveBoundary" value="false"/>
  <Param type="RichFloat" name="BoundaryWeight" value="1"/>
  <Param type="RichBool" name="PreserveNormal" value="false"/>
  <Param type="RichBool" name="PreserveTopology" value="false"/>
  <Param type="RichBool" name="OptimalPlacement" value="true"/>
  <Param type="RichBool" name="PlanarQuadric" value="false"/>
  <Param type="RichFloat" name="PlanarWeight" value="0.001"/>
  <Param type="RichBool" name="QualityWeight" value="false"/>
  <Param type="RichBool" name="AutoClean" value="true"/>
  <Param type="RichBool" name="Selected" value="false"/>
 </filter>
</FilterScript>
EOF
    exec meshlabserver -i "$1" -o "$2" -s "$2.mlx"
}
