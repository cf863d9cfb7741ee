// A ray-traced scene: image_bvh64_intersect_ray tests a ray against one node, the loop here is the traversal. Each pixel has a ray to the nearest
// triangle, one to the lamp for its shadow, and the floor mirrors once. The hierarchy's argument is a descriptor and the pointer of its root.
#define STACK 32
#define NO_NODE 0xffffffffu

typedef struct { float t; uint node; } Hit;

// The nearest hit before `extent`, or any if `any`.
static Hit trace(uint4 bvh, uint root, float3 from, float3 to, float extent, bool any) {
  uint stack[STACK];
  int top = 0;
  Hit hit = {extent, NO_NODE};
  float4 origin = (float4)(from, 0), direction = (float4)(to, 0), inverse = (float4)(1.0f / to.x, 1.0f / to.y, 1.0f / to.z, 0);
  uint node = root;
  for (;;) {
    uint4 r = __builtin_amdgcn_image_bvh_intersect_ray_l((ulong)node, hit.t, origin, direction, inverse, bvh);
    uint next = NO_NODE;
    if ((node & 7) < 4) { // a triangle: distance as a fraction, whose denominator is 0 without a hit
      float t = as_float(r.x) / as_float(r.y);
      if (t > 1e-3f && t < hit.t) {
        hit.t = t;
        hit.node = node;
        if (any) return hit;
      }
    } else { // a box: up to four children, the nearest first
      next = r.x;
      if (r.w != NO_NODE && top < STACK) stack[top++] = r.w;
      if (r.z != NO_NODE && top < STACK) stack[top++] = r.z;
      if (r.y != NO_NODE && top < STACK) stack[top++] = r.y;
    }
    if (next == NO_NODE) {
      if (top == 0) return hit;
      next = stack[--top];
    }
    node = next;
  }
}

// The vertices of a triangle node: v0 v1 v2, or v1 v3 v2 for its second triangle. The descriptor has the nodes' address in units of 256 bytes.
static float3 normal_of(uint4 bvh, uint node) {
  ulong base = ((ulong)bvh.x | (ulong)(bvh.y & 0xff) << 32) << 8;
  global const float *v = (global const float *)(base + (ulong)(node & ~7u) * 8);
  uint3 pick = (node & 7) == 0 ? (uint3)(0, 1, 2) : (uint3)(1, 3, 2);
  float3 a = vload3(pick.x, v), b = vload3(pick.y, v), c = vload3(pick.z, v);
  return normalize(cross(b - a, c - a));
}

static float3 shade(uint4 bvh, uint root, float3 from, float3 to, Hit hit, bool *mirrors) {
  *mirrors = false;
  if (hit.node == NO_NODE) return mix((float3)(0.85f, 0.90f, 0.95f), (float3)(0.35f, 0.55f, 0.85f), clamp(to.y * 1.5f, 0.0f, 1.0f));
  float3 at = from + to * hit.t, normal = normal_of(bvh, hit.node);
  if (dot(normal, to) > 0) normal = -normal;
  float3 lamp = (float3)(-3, 6, -4) - at;
  float far = length(lamp);
  float light = fmax(0.0f, dot(normal, lamp) / far);
  if (light > 0 && trace(bvh, root, at + normal * 1e-3f, lamp / far, far, true).node != NO_NODE) light = 0;
  float3 color;
  if (at.y < 0.01f) { // the floor, a chess board
    *mirrors = true;
    color = ((int)floor(at.x) + (int)floor(at.z)) & 1 ? (float3)(0.25f, 0.27f, 0.30f) : (float3)(0.85f, 0.84f, 0.80f);
  } else {
    color = at.x < -0.6f ? (float3)(0.85f, 0.35f, 0.25f) : at.x < 0.75f ? (float3)(0.30f, 0.65f, 0.40f) : (float3)(0.90f, 0.75f, 0.25f);
  }
  return color * (0.25f + 0.75f * light);
}

kernel void image_rays(constant uint4 *hierarchy, write_only image2d_t out) {
  int2 p = (int2)(get_global_id(0), get_global_id(1)), dim = get_image_dim(out);
  uint4 bvh = hierarchy[0];
  uint root = hierarchy[1].x;
  float2 at = ((convert_float2(p) + 0.5f) * 2 - convert_float2(dim)) / (float)dim.y;
  float3 from = (float3)(0, 1.6f, -5), to = normalize((float3)(at.x * 0.6f, -at.y * 0.6f - 0.18f, 1.0f));
  Hit hit = trace(bvh, root, from, to, 100.0f, false);
  bool mirrors, ignored;
  float3 color = shade(bvh, root, from, to, hit, &mirrors);
  if (mirrors) {
    float3 on = from + to * hit.t + (float3)(0, 1e-3f, 0), back = (float3)(to.x, -to.y, to.z);
    color = mix(color, shade(bvh, root, on, back, trace(bvh, root, on, back, 100.0f, false), &ignored), 0.25f);
  }
  write_imagef(out, p, (float4)(color, 1.0f));
}
