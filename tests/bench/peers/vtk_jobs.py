"""vtk_jobs.py JOB IN OUT [TRIANGLES]: what the benchmark asks of VTK."""
import glob
import os
import sys
import time

import vtk


def read(path):
    readers = {'.stl': vtk.vtkSTLReader, '.obj': vtk.vtkOBJReader, '.ply': vtk.vtkPLYReader}
    reader = readers[os.path.splitext(path)[1]]()
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()


def window_with(mesh):
    mapper = vtk.vtkPolyDataMapper()
    mapper.SetInputData(mesh)
    actor = vtk.vtkActor()
    actor.SetMapper(mapper)
    renderer = vtk.vtkRenderer()
    renderer.AddActor(actor)
    window = vtk.vtkRenderWindow()
    window.SetOffScreenRendering(1)
    window.AddRenderer(renderer)
    return window


def write_scene(exporter, mesh, path):
    exporter.SetRenderWindow(window_with(mesh))
    exporter.SetFileName(path)
    exporter.Write()


def gltf(source, target):
    exporter = vtk.vtkGLTFExporter()
    exporter.InlineDataOn()
    write_scene(exporter, read(source), target)


def wrl(source, target):
    write_scene(vtk.vtkVRMLExporter(), read(source), target)


def write_stl(mesh, path, binary):
    writer = vtk.vtkSTLWriter()
    writer.SetInputData(mesh)
    writer.SetFileName(path)
    if binary:
        writer.SetFileTypeToBinary()
    writer.Write()


def stl_binary(source, target):
    write_stl(read(source), target, True)


def stl_ascii(source, target):
    write_stl(read(source), target, False)


def library(source, target):
    for path in sorted(glob.glob(os.path.join(source, '*.stl'))):
        gltf(path, os.path.join(target, os.path.basename(path)[:-4] + '.glb'))


def simplify(source, target, triangles):
    mesh = read(source)
    begin = time.monotonic()
    decimation = vtk.vtkQuadricDecimation()
    decimation.SetInputData(mesh)
    decimation.SetTargetReduction(1 - int(triangles) / mesh.GetNumberOfCells())
    decimation.Update()
    print('%.4f' % (time.monotonic() - begin))
    write_stl(decimation.GetOutput(), target, True)


globals()[sys.argv[1]](*sys.argv[2:])
