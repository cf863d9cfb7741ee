#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
// Sums of 256 numbers each: lanes of a subgroup first, then subgroups through shared memory; and all of them by atomics.
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer X { uint x[]; };
layout(set = 0, binding = 1) buffer Y { uint total; uint sums[]; };
shared uint parts[256];
void main() {
  uint sum = subgroupAdd(x[gl_GlobalInvocationID.x]);
  if (gl_SubgroupInvocationID == 0) parts[gl_SubgroupID] = sum;
  barrier();
  if (gl_LocalInvocationIndex == 0) {
    uint all = 0;
    for (uint i = 0; i < gl_NumSubgroups; i++) all += parts[i];
    sums[gl_WorkGroupID.x] = all;
    atomicAdd(total, all);
  }
}
