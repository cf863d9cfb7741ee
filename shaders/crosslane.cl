// Every way a lane reads another one: DPP16 controls with row and bank masks, DPP8, ds_bpermute, ds_permute, ds_swizzle, permlane16,
// readlane, readfirstlane, mbcnt, ballot; all lanes active, then under a divergent EXEC.
#define DPP(old, v, ctrl, row, bank, bc) __builtin_amdgcn_update_dpp(old, v, ctrl, row, bank, bc)
__kernel void crosslane(__global const int *in, __global int *out, int lane) {
  size_t i = get_global_id(0);
  size_t n = get_global_size(0);
  int v = in[i], k = 0;
#define PUT(x) out[n * k++ + i] = (x)
  PUT(DPP(-1, v, 0x1b, 0xf, 0xf, false));  // quad_perm:[3,2,1,0]
  PUT(DPP(-1, v, 0x103, 0xf, 0xf, false)); // row_shl:3
  PUT(DPP(-1, v, 0x115, 0xf, 0xf, true));  // row_shr:5 bound_ctrl
  PUT(DPP(-1, v, 0x127, 0xf, 0xf, false)); // row_ror:7
  PUT(DPP(-1, v, 0x140, 0xf, 0xf, false)); // row_mirror
  PUT(DPP(-1, v, 0x141, 0xf, 0xf, false)); // row_half_mirror
  PUT(DPP(-1, v, 0x152, 0xf, 0xf, false)); // row_share:2
  PUT(DPP(-1, v, 0x169, 0xf, 0xf, false)); // row_xmask:9
  PUT(DPP(-1, v, 0x121, 0x5, 0xa, false)); // row_ror:1, some rows and banks only
  PUT(__builtin_amdgcn_mov_dpp8(v, 0x53b8e1)); // dpp8
  PUT(__builtin_amdgcn_ds_bpermute(4 * (v & 63), v));
  PUT(__builtin_amdgcn_ds_permute(4 * (int)(i * 5 + 3), v));
  PUT(__builtin_amdgcn_ds_swizzle(v, 0x8055)); // quad permutation
  PUT(__builtin_amdgcn_ds_swizzle(v, 0x7c1f)); // xor 31: the order of 32 lanes reversed
  PUT(__builtin_amdgcn_permlane16(v, v, 0x76543210, 0x0f1e2d3c, false, false));
  PUT(__builtin_amdgcn_permlanex16(v, v, 0x13579bdf, 0x02468ace, false, false));
  PUT(__builtin_amdgcn_readlane(v, lane));
  PUT(__builtin_amdgcn_readfirstlane(v));
  PUT(__builtin_amdgcn_mbcnt_hi(-1, __builtin_amdgcn_mbcnt_lo(-1, v)));
  PUT(as_int2(__builtin_amdgcn_uicmp(v, 40, 36)).x);
  int part = 0;
  if (v % 3 == 1) {
    part = __builtin_amdgcn_readfirstlane(v) + DPP(1000, v, 0x111, 0xf, 0xf, false);
    part += 10000 * __builtin_amdgcn_ds_bpermute(4 * (lane + 1), v);
  }
  PUT(part);
}
