run() {
    "$cellpipe" "$@"
    echo "exit $?"
}
run diff -q cell.wu cell.wu
sed 's/JointPosLimit -90 90/JointPosLimit -90 91/; s/0, 0, 0.25/0, 0, 0.250001/; s/JointVelLimit 20//' arm.dev >arm2.dev
sed '/Gone/d; s/second="J1Geo"/second="J1"/' pairs.xml >pairs2.xml
sed -i 's/pairs.xml/pairs2.xml/' arm2.dev
sed 's/arm.dev/arm2.dev/; s/"Item"/"Thing"/; s/#Box 2 1/#Box 2 2/; s/0.5, 0.25/0.5, 0.5/' cell.wu >cell2.wu
run diff -q cell.wu cell2.wu
sed 's/0, 0, 0.25/0, 0, 0.250001/' arm.dev >arm3.dev
sed 's/arm.dev/arm3.dev/' cell.wu >cell3.wu
run diff -q cell.wu cell3.wu tol=1e-5
run diff -q cell.wu cell3.wu
run diff part.stl open.stl
# Binary parts go by their files' names, which are no difference.
"$cellpipe" convert -q part.stl first.stl
"$cellpipe" convert -q first.stl second.stl
run diff first.stl second.stl
# Two cells that agree at home and nowhere else.
printf '{ "A"\n Revolute\n ActiveJoint\n}\n{ "B"\n ReferenceFrame "A"\n Position (1, 0, 0)\n PassiveRevolute "A" 1 0\n}\n' >one.wu
sed 's/"A" 1 0/"A" 2 0/' one.wu >two.wu
run diff one.wu two.wu
# What else may differ; 5e-8 is more than the tolerance, 5e-10 is not.
printf '<CollisionSetup><ExcludeStaticPairs/></CollisionSetup>' >static.xml
printf '{ "A"\n DAF\n GeoID "#Box 1 1 1"\n CollisionSetup "static.xml"\n}\n{ "B"\n Revolute\n ActiveJoint\n}\n{ "C"\n Position (1, 0, 0)\n Revolute\n ActiveJoint\n}\n' >one.wu
sed 's/DAF//; s/GeoID/DrawableID/; /CollisionSetup/d; s/(1,/(1.00000005,/' one.wu >two.wu
run diff one.wu two.wu
sed 's/(1,/(1.0000000005,/' one.wu >two.wu
run diff one.wu two.wu
printf '{ "A"\n Revolute\n ActiveJoint\n}\n{ "B"\n Revolute\n ActiveJoint\n}\n' >one.wu
printf '{ "A"\n Revolute\n ActiveJoint\n}\n{ "B"\n PassiveRevolute "A" 1 0\n}\n' >two.wu
run diff one.wu two.wu
