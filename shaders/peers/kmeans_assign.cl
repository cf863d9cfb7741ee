// The nearest of some centers for every point of 8 coordinates, which lie one coordinate after the other.
#pragma OPENCL FP_CONTRACT OFF
#define DIMS 8
kernel void kmeans_assign(global const float *restrict points, global const float *restrict centers, global int *restrict nearest, int count,
                          int clusters) {
  int me = get_global_id(0);
  if (me >= count)
    return;
  float p[DIMS], best = FLT_MAX;
#pragma unroll
  for (int d = 0; d < DIMS; d++)
    p[d] = points[d * count + me];
  int found = 0;
  for (int c = 0; c < clusters; c++) {
    float distance = 0.0f;
#pragma unroll
    for (int d = 0; d < DIMS; d++) {
      float apart = p[d] - centers[c * DIMS + d];
      distance = fma(apart, apart, distance);
    }
    if (distance < best) {
      best = distance;
      found = c;
    }
  }
  nearest[me] = found;
}
