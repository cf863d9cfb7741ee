// What vulkan.c times; KIND chooses the instruction. As in opencl.c: a turned picture, again and again a little farther on, and a sum.
#version 450
layout(local_size_x = 8, local_size_y = 4) in;
layout(constant_id = 0) const float STEP = 1.0;
layout(constant_id = 1) const int REPEATS = 16;
layout(set = 0, binding = 1) writeonly buffer Out { vec4 sums[]; };
#if KIND == 3
layout(set = 0, binding = 0) uniform sampler3D image;
#elif KIND == 4
layout(set = 0, binding = 0) uniform samplerCube image;
#elif KIND == 5
layout(set = 0, binding = 0) uniform sampler2DShadow image;
#elif KIND == 8
layout(set = 0, binding = 0, rgba8) uniform writeonly image2D image;
#else
layout(set = 0, binding = 0) uniform sampler2D image;
#endif

void main() {
  vec2 p = vec2(gl_GlobalInvocationID.xy) * STEP;
  vec4 sum = vec4(0);
  for (int k = 0; k < REPEATS; k++) {
    vec2 t = vec2(p.x * 0.99500417 + p.y * 0.09983342 + 3.3, p.y * 0.99500417 + p.x * 0.09983342 + 5.7) + k * 0.37;
#if KIND == 1 // level 0
    sum += textureLod(image, t / 1024.0, 0.0);
#elif KIND == 2 // the level of the picture's derivatives
    vec2 dx = vec2(0.99500417, 0.09983342) * STEP / 1024.0, dy = vec2(0.09983342, 0.99500417) * STEP / 1024.0;
    sum += textureGrad(image, t / 1024.0, dx, dy);
#elif KIND == 3
    sum += textureLod(image, vec3(t / 128.0, (t.x + t.y) / 512.0), 0.0);
#elif KIND == 4 // around the edges between faces
    sum += textureLod(image, vec3(t / 128.0 - 1.2, 1.0), 0.0);
#elif KIND == 5
    sum += vec4(textureLod(image, vec3(t / 1024.0, 0.1), 0.0));
#elif KIND == 6
    sum += textureGather(image, t / 1024.0, 0);
#elif KIND == 7
    sum += texelFetch(image, ivec2(t), 0);
#elif KIND == 8
    imageStore(image, ivec2(t), sum);
    sum += 0.01;
#elif KIND == 9 // a footprint of 4 to 1
    vec2 dx = vec2(0.99500417, 0.09983342) * STEP / 1024.0, dy = vec2(0.09983342, 0.99500417) * STEP / 4096.0;
    sum += textureGrad(image, t / 1024.0, dx, dy);
#endif
  }
  sums[gl_GlobalInvocationID.y * gl_NumWorkGroups.x * 8 + gl_GlobalInvocationID.x] = sum;
}
