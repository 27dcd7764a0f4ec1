"""blender_jobs.py JOB IN OUT [TRIANGLES], inside blender: what the benchmark asks of it."""
import sys
import time

import bpy


def read(path):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.preferences.addon_enable(module='io_mesh_stl')
    bpy.ops.preferences.addon_enable(module='io_scene_gltf2')
    bpy.ops.import_mesh.stl(filepath=path)
    return bpy.context.object


def glb(source, target):
    read(source)
    bpy.ops.export_scene.gltf(filepath=target, export_format='GLB', export_normals=False, export_materials='NONE')


def simplify(source, target, triangles):
    part = read(source)
    begin = time.monotonic()
    modifier = part.modifiers.new('decimate', 'DECIMATE')
    modifier.ratio = int(triangles) / len(part.data.polygons)
    bpy.ops.object.modifier_apply(modifier='decimate')
    print('\n%.4f' % (time.monotonic() - begin))
    bpy.ops.export_mesh.stl(filepath=target)


arguments = sys.argv[sys.argv.index('--') + 1:]
globals()[arguments[0]](*arguments[1:])
