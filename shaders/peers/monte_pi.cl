// Points in the unit square by a generator of 32 bits (PCG), counted inside the circle; each lane counts its own.
uint pcg(uint *state) {
  uint s = *state;
  *state = s * 747796405u + 2891336453u;
  uint word = ((s >> ((s >> 28) + 4)) ^ s) * 277803737u;
  return (word >> 22) ^ word;
}

kernel void monte_pi(global uint *restrict inside, uint seed, int points) {
  uint i = get_global_id(0), state = (seed ^ i) * 2654435761u, count = 0;
  for (int k = 0; k < points; k++) {
    float x = (pcg(&state) >> 8) * 0x1p-24f, y = (pcg(&state) >> 8) * 0x1p-24f;
    count += fma(x, x, y * y) < 1.0f;
  }
  inside[i] = count;
}
