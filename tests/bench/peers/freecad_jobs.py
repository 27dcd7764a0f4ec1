"""Reads $IN by FreeCAD's module Part, tessellates it to 0.1 % of its diagonal and 20 degrees, and writes $OUT."""
import math
import os

import MeshPart
import Part

shape = Part.read(os.environ["IN"])
MeshPart.meshFromShape(Shape=shape, LinearDeflection=0.001 * shape.BoundBox.DiagonalLength,
                       AngularDeflection=math.radians(20), Relative=False).write(os.environ["OUT"])
