"""Render passes through wgpu: instances with a texture, depth, blending, discard and derivatives. Saves the picture, or compares it with a saved one."""

import sys

import numpy as np
import wgpu

SOURCE = """
struct Out { @builtin(position) position: vec4<f32>, @location(0) uv: vec2<f32>, @location(1) @interpolate(flat) shade: vec4<f32> };
@group(0) @binding(0) var image: texture_2d<f32>;
@group(0) @binding(1) var smooth_sampler: sampler;
@group(0) @binding(2) var<uniform> view: mat4x4<f32>;

@vertex fn vertex(@location(0) position: vec3<f32>, @location(1) uv: vec2<f32>, @builtin(instance_index) i: u32) -> Out {
    let angle = f32(i) * 0.7;
    let turned = vec3(position.x * cos(angle) + position.z * sin(angle), position.y, position.z * cos(angle) - position.x * sin(angle));
    var out: Out;
    out.position = view * vec4(turned + vec3(f32(i) - 2.0, f32(i % 2u) * 0.5 - 0.25, f32(i) * 0.4), 1.0);
    out.uv = uv;
    out.shade = vec4(1.0 - f32(i) * 0.1, 0.6 + f32(i) * 0.08, 1.0, 0.75);
    return out;
}

@fragment fn fragment(in: Out) -> @location(0) vec4<f32> {
    let slope = clamp(fwidth(in.uv.x) * 4.0, 0.0, 0.25);
    let color = textureSample(image, smooth_sampler, in.uv) * in.shade;
    if (distance(in.uv, vec2(0.5)) < 0.2) { discard; }
    return vec4(color.rgb + vec3(slope, 0.0, 0.0), color.a);
}
"""

WIDTH, HEIGHT = 320, 200

device = wgpu.gpu.request_adapter_sync().request_device_sync()
print(device.adapter.info["device"])

# The six faces of a cube; corners and places in the texture.
vertices = []
for axis in range(3):
    for side in (-0.5, 0.5):
        corners = [(a, b) for a in (-0.5, 0.5) for b in (-0.5, 0.5)]
        for a, b in [corners[k] for k in (0, 1, 2, 2, 1, 3)]:
            place = [0.0] * 3
            place[axis], place[(axis + 1) % 3], place[(axis + 2) % 3] = side, a, b
            vertices.append([*place, a + 0.5, b + 0.5])
vertices = np.array(vertices, np.float32)
near, far, focal = 0.5, 20.0, 1.2
view = np.array(
    [
        [focal * HEIGHT / WIDTH, 0, 0, 0],
        [0, focal, 0, 0.2],
        [0, 0, far / (far - near), (3 - near) * far / (far - near)],
        [0, 0, 1, 3],
    ],
    np.float32,
).T.copy()
y, x = np.mgrid[:32, :32]
texels = np.stack([x * 8, y * 8, ((x // 4 + y // 4) % 2) * 255, np.full_like(x, 255)], -1).astype(np.uint8)

usage = wgpu.BufferUsage
vertex_buffer = device.create_buffer_with_data(data=vertices, usage=usage.VERTEX)
uniform = device.create_buffer_with_data(data=view, usage=usage.UNIFORM)
image = device.create_texture(size=(32, 32, 1), format="rgba8unorm", usage=wgpu.TextureUsage.TEXTURE_BINDING | wgpu.TextureUsage.COPY_DST)
device.queue.write_texture({"texture": image}, texels, {"bytes_per_row": 128}, (32, 32, 1))
target = device.create_texture(
    size=(WIDTH, HEIGHT, 1), format="rgba8unorm", usage=wgpu.TextureUsage.RENDER_ATTACHMENT | wgpu.TextureUsage.COPY_SRC
)
depth = device.create_texture(size=(WIDTH, HEIGHT, 1), format="depth24plus", usage=wgpu.TextureUsage.RENDER_ATTACHMENT)
module = device.create_shader_module(code=SOURCE)
over = {"src_factor": "src-alpha", "dst_factor": "one-minus-src-alpha", "operation": "add"}
pipeline = device.create_render_pipeline(
    layout="auto",
    vertex={
        "module": module,
        "entry_point": "vertex",
        "buffers": [
            {
                "array_stride": 20,
                "step_mode": "vertex",
                "attributes": [
                    {"format": "float32x3", "offset": 0, "shader_location": 0},
                    {"format": "float32x2", "offset": 12, "shader_location": 1},
                ],
            }
        ],
    },
    primitive={"topology": "triangle-list", "cull_mode": "none"},
    depth_stencil={"format": "depth24plus", "depth_write_enabled": True, "depth_compare": "less"},
    fragment={
        "module": module,
        "entry_point": "fragment",
        "targets": [{"format": "rgba8unorm", "blend": {"color": over, "alpha": over}}],
    },
)
group = device.create_bind_group(
    layout=pipeline.get_bind_group_layout(0),
    entries=[
        {"binding": 0, "resource": image.create_view()},
        {"binding": 1, "resource": device.create_sampler(mag_filter="linear", min_filter="linear")},
        {"binding": 2, "resource": {"buffer": uniform, "offset": 0, "size": 64}},
    ],
)
encoder = device.create_command_encoder()
render = encoder.begin_render_pass(
    color_attachments=[{"view": target.create_view(), "clear_value": (0.1, 0.2, 0.3, 1), "load_op": "clear", "store_op": "store"}],
    depth_stencil_attachment={"view": depth.create_view(), "depth_clear_value": 1.0, "depth_load_op": "clear", "depth_store_op": "store"},
)
render.set_pipeline(pipeline)
render.set_bind_group(0, group)
render.set_vertex_buffer(0, vertex_buffer)
render.draw(36, 5, 0, 0)
render.end()
device.queue.submit([encoder.finish()])
data = device.queue.read_texture({"texture": target}, {"bytes_per_row": WIDTH * 4}, (WIDTH, HEIGHT, 1))
picture = np.frombuffer(data, np.uint8).reshape(HEIGHT, WIDTH, 4)

command, name = sys.argv[1:]
if command == "save":
    np.save(name, picture)
else:
    expected = np.load(name)
    far = np.abs(picture.astype(int) - expected).max(-1) > 1
    covered = (expected != expected[0, 0]).any(-1).mean()
    assert covered > 0.05, f"only {covered:.1%} of the picture is drawn to"
    assert far.mean() < 0.01, f"{far.sum()} of {far.size} pixels differ by more than 1"
    print(f"wgpu render: ok ({far.sum()} of {far.size} pixels differ by more than 1, at edges)")
