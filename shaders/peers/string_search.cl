// Where a short pattern stands in a text: every lane compares at its place until a byte differs; matches are marked and counted.
kernel void string_search(global const uchar *restrict text, int length, constant uchar *pattern, int size, global uchar *restrict marks,
                          global uint *restrict count) {
  int i = get_global_id(0);
  int k = 0;
  if (i + size <= length)
    while (k < size && text[i + k] == pattern[k])
      k++;
  marks[i] = k == size;
  if (k == size)
    atomic_inc(count);
}
