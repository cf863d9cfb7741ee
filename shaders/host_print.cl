// OpenCL's printf: records in a buffer, printed when the dispatch has ended; scalars, strings, vectors. The function that makes room for a
// record is the device library's otherwise, which brings a printf of its own that does nothing.
global char *__printf_alloc(uint bytes) {
  constant ulong *hidden = (constant ulong *)__builtin_amdgcn_implicitarg_ptr();
  global atomic_uint *buffer = (global atomic_uint *)hidden[9];
  uint room = ((global uint *)buffer)[1];
  uint at = __opencl_atomic_load(buffer, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE);
  do {
    if (at + bytes > room)
      return 0;
  } while (!__opencl_atomic_compare_exchange_strong(buffer, &at, at + bytes, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __OPENCL_MEMORY_SCOPE_DEVICE));
  return (global char *)buffer + 8 + at;
}

kernel void host_print(global const float *x, int n) {
  int i = (int)(__builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x());
  if (i >= n)
    return;
  float4 v = (float4)(x[i], x[i] * 2, x[i] * 3, x[i] * 4);
  short3 s = (short3)((short)i, (short)-i, (short)(2 * i));
  printf("%d: %.2f, %s\n", i, x[i], "text: with \"colons\"");
  printf("%v4hlf|%v3hd|%ld|%c\n", v, s, (long)i - 5, 'A' + i);
}
