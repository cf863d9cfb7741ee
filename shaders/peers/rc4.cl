// RC4, one key per lane: a table of 256 bytes in private memory, read and swapped at places that the data decide.
kernel void rc4(global const uchar *restrict keys, global uchar *restrict stream, int length) {
  int me = get_global_id(0);
  uchar s[256], key[16];
  for (int k = 0; k < 16; k++)
    key[k] = keys[16 * me + k];
  for (int k = 0; k < 256; k++)
    s[k] = k;
  uchar j = 0;
  for (int k = 0; k < 256; k++) {
    uchar t = s[k];
    j += t + key[k & 15];
    s[k] = s[j];
    s[j] = t;
  }
  uchar i = 0;
  j = 0;
  for (int k = 0; k < length; k++) {
    i++;
    uchar a = s[i];
    j += a;
    uchar b = s[j];
    s[i] = b;
    s[j] = a;
    stream[me * length + k] = s[(uchar)(a + b)];
  }
}
