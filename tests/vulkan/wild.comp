#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// A store to an address that nobody has mapped; or a loop without an end.
layout(local_size_x = 64) in;
layout(buffer_reference) buffer Place { uint value; };
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) buffer Y { uint y[]; };
layout(push_constant) uniform P { uint64_t address; uint endless; };
void main() {
  if (endless != 0) {
    while (atomicAdd(y[0], 0) != 0xffffffff) y[1]++;
  } else if (gl_LocalInvocationIndex == 5) {
    Place(address).value = 1;
  }
}
