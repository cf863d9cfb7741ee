// Scores of alignments after Needleman and Wunsch, two strings of 64 letters per workgroup: 127 diagonals, a barrier each.
#define N 64
kernel __attribute__((reqd_work_group_size(N, 1, 1)))
void nw_lds(global const uchar *restrict left, global const uchar *restrict top, global int *restrict scores, int same, int differs, int gap) {
  local int diagonal[3][N + 1]; // by row
  local uchar letters[N];
  int me = get_local_id(0), group = get_group_id(0);
  uchar mine = left[group * N + me];
  letters[me] = top[group * N + me];
  for (int k = me; k < N + 1; k += N)
    diagonal[0][k] = diagonal[1][k] = diagonal[2][k] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  // diagonal d holds the cells (row, column) with row + column == d; row and column 0 are multiples of the gap
  int now = 2, before = 1, oldest = 0, score = 0;
  if (me == 0)
    diagonal[1][0] = gap;
  diagonal[1][1] = gap;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 2; d <= 2 * N; d++) {
    int row = me + 1, column = d - row;
    if (column >= 1 && column <= N) {
      int step = diagonal[oldest][row - 1] + (mine == letters[column - 1] ? same : differs);
      score = max(step, max(diagonal[before][row - 1], diagonal[before][row]) + gap);
      diagonal[now][row] = score;
    } else if (column == 0) {
      diagonal[now][row] = gap * d;
    }
    if (me == 0)
      diagonal[now][0] = gap * d;
    barrier(CLK_LOCAL_MEM_FENCE);
    int t = oldest;
    oldest = before, before = now, now = t;
  }
  if (me == N - 1)
    scores[group] = score;
}
