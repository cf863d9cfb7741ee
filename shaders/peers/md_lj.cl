// Forces between atoms (Lennard-Jones) over lists of neighbors: gathers of float4 and a cutoff.
#pragma OPENCL FP_CONTRACT OFF
kernel void md_lj(global const float4 *restrict atoms, global const int *restrict neighbors, global float4 *restrict forces, int count, int each,
                  float cutoff) {
  int me = get_global_id(0);
  float4 p = atoms[me];
  float x = 0.0f, y = 0.0f, z = 0.0f;
  for (int k = 0; k < each; k++) {
    float4 q = atoms[neighbors[k * count + me]];
    float dx = p.x - q.x, dy = p.y - q.y, dz = p.z - q.z;
    float square = fma(dx, dx, fma(dy, dy, dz * dz));
    if (square < cutoff) {
      float inverse = 1.0f / square;
      float sixth = inverse * inverse * inverse;
      float force = inverse * sixth * fma(1.5f, sixth, -2.0f);
      x = fma(dx, force, x);
      y = fma(dy, force, y);
      z = fma(dz, force, z);
    }
  }
  forces[me] = (float4)(x, y, z, 0.0f);
}
