#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
// Arithmetic in 64 and 16 bits.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { double x[]; };
layout(set = 0, binding = 1) buffer Y { double y[]; };
layout(set = 0, binding = 2) buffer Z { int64_t z[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  y[i] = x[i] * x[i] + 1.0LF / double(i + 1);
  int64_t n = int64_t(i) * 0x123456789L - 77L;
  z[i] = n * n + (n >> 3);
}
