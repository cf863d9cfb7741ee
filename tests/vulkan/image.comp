#version 450
// A picture in an optimal layout, blurred by its sampler, one texel to the right and one row down.
layout(local_size_x = 8, local_size_y = 8) in;
layout(set = 0, binding = 0) uniform sampler2D from;
layout(set = 0, binding = 1, rgba8) uniform writeonly image2D to;
void main() {
  ivec2 at = ivec2(gl_GlobalInvocationID.xy);
  ivec2 size = imageSize(to);
  if (all(lessThan(at, size))) imageStore(to, at, textureLod(from, (vec2(at) + 1.0) / vec2(size), 0.0));
}
