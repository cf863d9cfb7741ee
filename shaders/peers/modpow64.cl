// Powers modulo an odd 63-bit number by Montgomery's multiplication: 64-bit products, high and low, and compares.
ulong multiply(ulong a, ulong b, ulong modulus, ulong negated_inverse) {
  ulong low = a * b, high = mul_hi(a, b);
  ulong sum = high + mul_hi(low * negated_inverse, modulus) + (low != 0);
  return sum >= modulus ? sum - modulus : sum;
}

// `one` is 2^64 modulo the modulus, `square` is 2^128.
kernel void modpow64(global const ulong *restrict bases, global ulong *restrict powers, ulong exponent, ulong modulus, ulong negated_inverse,
                     ulong one, ulong square) {
  int i = get_global_id(0);
  ulong b = multiply(bases[i], square, modulus, negated_inverse), result = one;
  for (ulong e = exponent; e != 0; e >>= 1) {
    if (e & 1)
      result = multiply(result, b, modulus, negated_inverse);
    b = multiply(b, b, modulus, negated_inverse);
  }
  powers[i] = multiply(result, 1, modulus, negated_inverse);
}
