// printf of OpenCL's library: its buffer is a hidden argument that the metadata does not list where the library's own printf is linked.
kernel void prints(global int *p) {
  printf("hello %d\n", p[0]);
  p[1] = 2;
}

kernel void quiet(global int *p) { p[1] = 2 + get_local_size(0); }
