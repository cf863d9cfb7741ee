// One step of Floyd and Warshall's shortest paths over all pairs: row `via` is read by columns, column `via` by rows.
kernel void floyd_step(global const int *restrict in, global int *restrict out, global const int *restrict before, global int *restrict after,
                       int n, int via) {
  int x = get_global_id(0), y = get_global_id(1);
  int direct = in[y * n + x], detour = in[y * n + via] + in[via * n + x];
  bool is_shorter = detour < direct;
  out[y * n + x] = is_shorter ? detour : direct;
  after[y * n + x] = is_shorter ? via : before[y * n + x];
}
