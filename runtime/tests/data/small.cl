// Kernels for the loader's tests. They use compiler builtins instead of the device library, so that one source builds for every code
// object version. Together they have: explicit arguments of several kinds, hidden arguments, the dispatch packet, static and dynamic
// LDS, a call that is not inlined, and a table of pointers (a relocation that the loader must apply).

typedef unsigned int uint;
typedef uint uint4 __attribute__((ext_vector_type(4)));

#define ID(dim) (__builtin_amdgcn_workgroup_id_##dim() * (uint)__builtin_amdgcn_workgroup_size_##dim() + __builtin_amdgcn_workitem_id_##dim())

// out[i] = factor * i for i < n.
kernel void scale(__global float *out, float factor, uint n) {
    uint i = ID(x);
    if (i < n) out[i] = factor * (float)i;
}

// Four numbers per work-item: workgroup size, x of the grid, local and group ids.
kernel void where_am_i(__global uint4 *out) {
    uint i = ID(x) + __builtin_amdgcn_grid_size_x() * ID(y);
    out[i] = (uint4)(__builtin_amdgcn_workgroup_size_x() << 16 | __builtin_amdgcn_workgroup_size_y(), __builtin_amdgcn_grid_size_x(),
                     __builtin_amdgcn_workitem_id_x() << 16 | __builtin_amdgcn_workitem_id_y(),
                     __builtin_amdgcn_workgroup_id_x() << 16 | __builtin_amdgcn_workgroup_id_y());
}

// Reverses each workgroup's part of `data` through dynamic LDS, and adds the first element of a static LDS array.
kernel void reverse(__global uint *data, __local uint *tile) {
    __local uint first[64];
    uint l = __builtin_amdgcn_workitem_id_x();
    tile[l] = data[ID(x)];
    first[l & 63] = l & 63;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    data[ID(x)] = tile[__builtin_amdgcn_workgroup_size_x() - 1 - l] + first[0];
}

__constant uint primes[4] = {2, 3, 5, 7};
__constant uint squares[4] = {1, 4, 9, 16};
__constant uint *__constant tables[2] = {primes, squares};

__attribute__((noinline)) uint look_up(uint table, uint index) {
    return tables[table & 1][index & 3];
}

// out[i] = primes[i % 4] for table 0, squares[i % 4] for table 1.
kernel void table(__global uint *out, uint table) {
    out[ID(x)] = look_up(table, ID(x));
}
