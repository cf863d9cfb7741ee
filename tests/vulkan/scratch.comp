#version 450
// An array that no registers can hold, indexed by what is only known when it runs.
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) buffer Y { uint y[]; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  uint all[200];
  for (uint k = 0; k < 200; k++) all[k] = x[i] * k + i;
  uint sum = 0;
  for (uint k = 0; k < 50; k++) {
    uint at = (x[i] * 7 + k * 13) % 200;
    sum = sum * 31 + all[at];
    all[(at + k) % 200] = sum;
  }
  y[i] = sum;
}
