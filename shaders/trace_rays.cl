// Ray intersection: the nearest triangle of each ray, by a stack of node pointers and one image_bvh64_intersect_ray a node. The hierarchy
// begins at `nodes` (a multiple of 256 bytes) and has `units` pieces of 64 bytes.
#pragma OPENCL FP_CONTRACT OFF
__kernel void trace_rays(__global const uint *nodes, uint root, uint units, __global const float *rays, __global float *distance,
                         __global uint *triangle, uint n) {
  uint id = get_global_id(0);
  if (id >= n)
    return;
  ulong base = (ulong)nodes;
  // Boxes sorted and grown by 6 ulps, barycentric coordinates returned.
  uint4 bvh = (uint4)((uint)(base >> 8), (uint)(base >> 40) | 6u << 23 | 1u << 31, units - 1, 0x81000000u);
  float4 origin = (float4)(rays[6 * id], rays[6 * id + 1], rays[6 * id + 2], 0);
  float4 direction = (float4)(rays[6 * id + 3], rays[6 * id + 4], rays[6 * id + 5], 0);
  float4 inverse = (float4)(1.0f / direction.x, 1.0f / direction.y, 1.0f / direction.z, 0);
  float nearest = INFINITY;
  uint hit = 0xffffffffu;
  uint stack[64];
  uint top = 0, node = root;
  while (node != 0xffffffffu) {
    uint4 r = __builtin_amdgcn_image_bvh_intersect_ray_l((ulong)node, nearest, origin, direction, inverse, bvh);
    if ((node & 7) < 4) {
      float t = as_float(r.x) / as_float(r.y);
      if (t < nearest) {
        nearest = t;
        // The builder leaves the number of the triangle behind the vertices.
        hit = nodes[((node & ~7u) * 8 + 48) / 4 + (node & 1)];
      }
      node = 0xffffffffu;
    } else {
      // Nearest first: the others wait, farthest at the bottom.
      if (r.w != 0xffffffffu && top < 64)
        stack[top++] = r.w;
      if (r.z != 0xffffffffu && top < 64)
        stack[top++] = r.z;
      if (r.y != 0xffffffffu && top < 64)
        stack[top++] = r.y;
      node = r.x;
    }
    if (node == 0xffffffffu && top != 0)
      node = stack[--top];
  }
  distance[id] = nearest;
  triangle[id] = hit;
}
