/*===- Kernels.c - Programs that host and TEC both run ----------------------===
 *
 * Part of Yarrow, under the Apache License v2.0.
 *
 *===------------------------------------------------------------------------===*/
#include "test/unit/simulator_tec/Kernels.h"

#ifdef __riscv
/* Entry: a0 to a2 are the kernel's arguments, a3 its number; ends in npu.end.
 */
__attribute__((naked, section(".text.start"), used)) void _start(void) {
  __asm__("la t0, kernelTable\n"
          "slli a3, a3, 2\n"
          "add t0, t0, a3\n"
          "lw t0, 0(t0)\n"
          "jalr t0\n"
          ".insn r 0x0B, 4, 0, x0, x0, x0\n");
}
#endif

#define KERNEL(NAME)                                                           \
  static void NAME(const uint8_t *restrict in, uint8_t *restrict out, int count)
#define FOR(I) for (int I = 0; I < count; ++I)
#define IN(TYPE) const TYPE *a = (const TYPE *)in, *b = a + count
#define OUT(TYPE) TYPE *r = (TYPE *)out

static int32_t clamp32(int64_t v, int32_t low, int32_t high) {
  return v < low ? low : v > high ? high : (int32_t)v;
}

KERNEL(addBytes) {
  IN(int8_t);
  OUT(int8_t);
  FOR(i) r[i] = (int8_t)(a[i] + b[i] - 3);
}
KERNEL(mulHalves) {
  IN(int16_t);
  OUT(int16_t);
  FOR(i) r[i] = (int16_t)((uint32_t)a[i] * (uint32_t)b[i] ^ (uint32_t)a[i]);
}
KERNEL(addWords) {
  IN(uint32_t);
  OUT(uint32_t);
  FOR(i) r[i] = a[i] + (b[i] & ~a[i]) - (a[i] | 0x55);
}
KERNEL(mulDoubleWords) {
  IN(uint64_t);
  OUT(uint64_t);
  FOR(i) r[i] = a[i] * b[i] + (a[i] ^ (b[i] << 7));
}
/* acc * scale, a 64-bit product, rounded half up. */
KERNEL(requantize) {
  IN(int32_t);
  OUT(int8_t);
  (void)b;
  FOR(i) {
    int64_t product = (int64_t)(a[i] >> 8) * 20011;
    r[i] = (int8_t)clamp32(((product + (1 << 21)) >> 22) + 3, -128, 127);
  }
}
KERNEL(requantizeVarying) {
  IN(int32_t);
  OUT(int16_t);
  FOR(i) {
    int shift = 16 + (b[i] & 15);
    int64_t product = (int64_t)a[i] * (b[i] & 0xffff);
    r[i] = (int16_t)clamp32((product + ((int64_t)1 << (shift - 1))) >> shift,
                            -32768, 32767);
  }
}
KERNEL(saturatingAdd) {
  IN(int16_t);
  OUT(int16_t);
  FOR(i) r[i] = (int16_t)clamp32((int32_t)a[i] + b[i], -32768, 32767);
  FOR(i) {
    uint8_t x = in[i], y = in[i + 3000];
    uint32_t sum = (uint32_t)x + y;
    out[4000 + i] = sum > 255 ? 255 : (uint8_t)sum;
    out[6000 + i] = x > y ? (uint8_t)(x - y) : 0;
  }
}
KERNEL(shifts) {
  IN(int32_t);
  OUT(int32_t);
  FOR(i) {
    unsigned s = (unsigned)b[i] & 31;
    r[i] = (int32_t)((uint32_t)a[i] << s) ^ (a[i] >> s) ^
           (int32_t)((uint32_t)b[i] >> s);
  }
}
KERNEL(shifts64) {
  IN(int64_t);
  OUT(int64_t);
  FOR(i) {
    unsigned s = (unsigned)b[i] & 63;
    r[i] = (int64_t)((uint64_t)a[i] << s) ^ (a[i] >> s) ^
           (int64_t)((uint64_t)b[i] >> s);
  }
}
KERNEL(dotProduct) {
  IN(int8_t);
  OUT(int32_t);
  int32_t sum = 0;
  uint32_t usum = 0;
  FOR(i) sum += a[i] * b[i];
  FOR(i) usum += (uint32_t)in[i] * in[i + count];
  r[0] = sum;
  r[1] = (int32_t)usum;
}
KERNEL(sumDoubleWords) {
  IN(int32_t);
  OUT(int64_t);
  int64_t sum = 0;
  FOR(i) sum += (int64_t)a[i] * b[i];
  r[0] = sum;
}
KERNEL(minMax) {
  IN(int32_t);
  OUT(int32_t);
  int32_t low = INT32_MAX, high = INT32_MIN;
  uint8_t lowByte = 255, highByte = 0;
  FOR(i) {
    low = a[i] < low ? a[i] : low;
    high = b[i] > high ? b[i] : high;
  }
  FOR(i) {
    lowByte = in[i] < lowByte ? in[i] : lowByte;
    highByte = in[i] > highByte ? in[i] : highByte;
  }
  FOR(i) r[4 + i] = a[i] < b[i] ? a[i] : b[i];
  r[0] = low;
  r[1] = high;
  r[2] = lowByte;
  r[3] = highByte;
}
KERNEL(minMaxFloat) {
  const int16_t *a = (const int16_t *)in;
  OUT(float);
  float low = 1e30f, high = -1e30f;
  FOR(i) {
    float x = (float)a[i] * 0.37f;
    low = x < low ? x : low;
    high = x > high ? x : high;
    r[2 + i] = x > 10.0f ? 10.0f : x < -10.0f ? -10.0f : x;
  }
  r[0] = low;
  r[1] = high;
}
KERNEL(lookUpBytes) {
  const uint8_t *table = in + 4096;
  FOR(i) out[i] = table[in[i]];
}
KERNEL(lookUpHalves) {
  const uint16_t *index = (const uint16_t *)in;
  const uint16_t *table = (const uint16_t *)(in + 8192);
  OUT(uint16_t);
  FOR(i) r[i] = table[index[i] & 4095];
}
KERNEL(scatterWords) {
  const uint32_t *a = (const uint32_t *)in;
  OUT(uint32_t);
  FOR(i) r[(uint32_t)(i * 37) & 1023] = a[i];
}
KERNEL(strided) {
  const int16_t *a = (const int16_t *)in;
  OUT(int16_t);
  FOR(i) r[2 * i] = (int16_t)(a[7 * i] + a[5 * i + 1]);
}
KERNEL(transpose) {
  (void)count;
  for (int y = 0; y < 24; ++y)
    for (int x = 0; x < 40; ++x)
      out[x * 24 + y] = in[y * 40 + x];
}
KERNEL(deinterleave) {
  OUT(int16_t);
  FOR(i) r[i] = (int16_t)(in[3 * i] * 77 + in[3 * i + 1] * 150 + in[3 * i + 2]);
}
KERNEL(interleave) {
  IN(uint16_t);
  OUT(uint16_t);
  FOR(i) {
    r[4 * i] = a[i];
    r[4 * i + 1] = b[i];
    r[4 * i + 2] = (uint16_t)(a[i] + b[i]);
    r[4 * i + 3] = (uint16_t)(a[i] - b[i]);
  }
}
KERNEL(reverse) {
  const uint32_t *a = (const uint32_t *)in;
  OUT(uint32_t);
  FOR(i) r[i] = a[count - 1 - i];
}
KERNEL(copyBytes) {
  for (int i = 0; i < count * 3; ++i)
    out[i + 1] = in[i + 3];
}
KERNEL(fillBytes) {
  for (int i = 0; i < count * 3; ++i)
    out[i + 5] = in[0];
}
KERNEL(divideWords) {
  IN(int32_t);
  OUT(int32_t);
  FOR(i) {
    int32_t d = (b[i] >> (b[i] & 31)) | 1;
    if (d == -1)
      d = 3;
    r[2 * i] = a[i] / d + a[i] % d;
    r[2 * i + 1] =
        (int32_t)((uint32_t)a[i] / (uint32_t)d + (uint32_t)a[i] % (uint32_t)d) +
        a[i] / 7;
  }
}
KERNEL(divideBytes) {
  FOR(i) {
    uint8_t d = in[i + 2000] | 1;
    out[i] = (uint8_t)(in[i] / d + in[i] % d);
  }
}
KERNEL(sortWords) {
  const int32_t *a = (const int32_t *)in;
  OUT(int32_t);
  count = count < 300 ? count : 300;
  FOR(i) r[i] = a[i];
  for (int i = 1; i < count; ++i) {
    int32_t v = r[i];
    int j = i;
    for (; j > 0 && r[j - 1] > v; --j)
      r[j] = r[j - 1];
    r[j] = v;
  }
}
KERNEL(collatz) {
  OUT(uint32_t);
  FOR(i) {
    uint32_t n = (uint32_t)in[i] + 1, steps = 0;
    while (n != 1) {
      n = n & 1 ? 3 * n + 1 : n / 2;
      ++steps;
    }
    r[i] = steps;
  }
}
KERNEL(crc32) {
  OUT(uint32_t);
  uint32_t crc = ~0u;
  FOR(i) {
    crc ^= in[i];
    for (int k = 0; k < 8; ++k)
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  r[0] = ~crc;
}
KERNEL(conditional) {
  IN(int32_t);
  OUT(int32_t);
  FOR(i) {
    if (a[i] > b[i])
      r[i] = a[i] - (b[i] >> 2);
    else if ((a[i] & 3) == 0)
      r[i] = b[i] * 5;
    if (in[i] & 1)
      out[8192 + i] = in[i + 5];
  }
}
KERNEL(compress) {
  const int16_t *a = (const int16_t *)in;
  OUT(int16_t);
  int n = 1;
  FOR(i) if (a[i] > 0) r[n++] = a[i];
  r[0] = (int16_t)n;
}
KERNEL(findByte) {
  OUT(int32_t);
  for (int k = 0; k < 64; ++k) {
    int i = 0;
    while (i < count && in[i] != k * 4)
      ++i;
    r[k] = i;
  }
}
KERNEL(prefixSum) {
  const int16_t *a = (const int16_t *)in;
  OUT(int32_t);
  int32_t sum = 0;
  FOR(i) r[i] = sum += a[i];
}
KERNEL(floatArithmetic) {
  IN(int16_t);
  OUT(float);
  FOR(i) {
    float x = (float)a[i] * 0.001f, y = (float)b[i] * 0.37f + 1e5f;
    r[i] = (x + y) * (x - y) / (x * x + 1.25f) - y;
  }
}
KERNEL(doubleArithmetic) {
  IN(int16_t);
  OUT(double);
  FOR(i) {
    double x = (double)a[i] * 0.001, y = (double)b[i] * 0.37 + 1e5;
    r[i] = (x + y) * (x - y) / (x * x + 1.25) - y;
  }
}
KERNEL(fusedFloat) {
  IN(int16_t);
  OUT(float);
  FOR(i) {
    float x = (float)a[i] * 0.001f, y = (float)b[i] * 0.37f;
    r[i] = __builtin_fmaf(x, y, -__builtin_fmaf(y, x, x)) +
           __builtin_fmaf(-x, y, y);
  }
}
KERNEL(fusedDouble) {
  IN(int16_t);
  OUT(double);
  FOR(i) {
    double x = (double)a[i] * 0.001, y = (double)b[i] * 0.37;
    r[i] =
        __builtin_fma(x, y, -__builtin_fma(y, x, x)) + __builtin_fma(-x, y, y);
  }
}
static float expOf(float x) {
  x = x < -80.0f ? -80.0f : x > 80.0f ? 80.0f : x;
  int32_t k = (int32_t)(x * 1.4426950408889634f + (x < 0 ? -0.5f : 0.5f));
  float f = x - (float)k * 0.693145751953125f;
  f -= (float)k * 1.42860682030941723212e-6f;
  float p = 1.9875691500e-4f;
  p = p * f + 1.3981999507e-3f;
  p = p * f + 8.3334519073e-3f;
  p = p * f + 4.1665795894e-2f;
  p = p * f + 1.6666665459e-1f;
  p = p * f + 5.0000001201e-1f;
  p = p * f * f + f + 1.0f;
  union {
    uint32_t u;
    float f;
  } scale = {(uint32_t)(k + 127) << 23};
  return p * scale.f;
}
KERNEL(polynomialExp) {
  const int16_t *a = (const int16_t *)in;
  OUT(float);
  FOR(i) r[i] = expOf((float)a[i] * 0.003f);
}
KERNEL(floatSum) {
  IN(int16_t);
  OUT(float);
  float sum = 0, product = 0;
  double wide = 0;
  FOR(i) sum += (float)a[i] * 0.1f;
  FOR(i) product += ((float)a[i] * 0.1f) * ((float)b[i] * 0.01f);
  FOR(i) wide += (double)((float)a[i] * 0.1f);
  r[0] = sum;
  r[1] = product;
  *(double *)(r + 2) = wide;
}
KERNEL(softmaxLike) {
  const int8_t *a = (const int8_t *)in;
  OUT(float);
  float sum = 0;
  int8_t greatest = -128;
  FOR(i) greatest = a[i] > greatest ? a[i] : greatest;
  FOR(i) r[i] = expOf((float)(a[i] - greatest) * 0.0625f);
  FOR(i) sum += r[i];
  FOR(i) out[8192 + i] = (uint8_t)(int32_t)(r[i] / sum * 255.0f + 0.5f);
}
KERNEL(floatToInt) {
  const int32_t *a = (const int32_t *)in;
  OUT(int32_t);
  FOR(i) {
    float x = (float)a[i] * 0.99f;
    double y = (double)a[i] * 0.777;
    r[3 * i] = (int32_t)x;
    r[3 * i + 1] = (int32_t)y ^ (int32_t)(uint32_t)(y < 0 ? -y : y);
    r[3 * i + 2] = (int16_t)(x * 0x1p-17f);
  }
}
KERNEL(intToFloat) {
  OUT(float);
  FOR(i) {
    r[i] = (float)((const int32_t *)in)[i] + (float)((const uint32_t *)in)[i];
    r[1000 + i] = (float)((const uint16_t *)in)[i] - (float)in[i];
    r[2000 + i] = (float)((double)((const uint32_t *)in)[i] * 1e-3 +
                          (double)((const int32_t *)in)[i]);
  }
}
KERNEL(narrowFloat) {
  IN(int32_t);
  OUT(float);
  FOR(i) {
    double x = (double)a[i] * 1.000000119 + (double)b[i] * 0x1p-33;
    r[i] = (float)x;
    r[count + i] = (float)((double)(float)x * 1.5);
  }
}
KERNEL(roundings) {
  const int16_t *a = (const int16_t *)in;
  OUT(float);
  FOR(i) {
    float x = (float)a[i] * 0.25f;
    r[i] = __builtin_floorf(x) + 2 * __builtin_ceilf(x);
    r[1000 + i] = __builtin_truncf(x) + 4 * __builtin_roundf(x);
    r[2000 + i] = __builtin_rintf(x) + 8 * __builtin_roundevenf(x);
    r[3000 + i] =
        (float)(__builtin_floor((double)x) + __builtin_round((double)x));
  }
}
KERNEL(squareRoots) {
  const int16_t *a = (const int16_t *)in;
  OUT(float);
  FOR(i) {
    float x = (float)a[i] * 0.3f;
    r[i] = __builtin_sqrtf(x < 0 ? -x : x);
    r[1000 + i] = (float)__builtin_sqrt((double)(x * x));
    r[2000 + i] = __builtin_copysignf(__builtin_fabsf(x), (float)in[i] - 99.0f);
  }
}
/* Any bit pattern; NaN results are made equal, for hosts choose others. */
KERNEL(rawFloatBits) {
  const uint32_t *a = (const uint32_t *)in, *b = a + count;
  OUT(uint32_t);
  FOR(i) {
    union {
      uint32_t u;
      float f;
    } x = {a[i]}, y = {b[i] & 1 ? b[i] : a[i] ^ 0x80000000u}, sum;
    sum.f = x.f * y.f + x.f;
    r[i] = sum.f != sum.f ? 0x7fc00000u : sum.u;
    r[count + i] = (uint32_t)(x.f < y.f) | (uint32_t)(x.f <= y.f) << 1 |
                   (uint32_t)(x.f == y.f) << 2 | (uint32_t)(x.f != x.f) << 3 |
                   (uint32_t)!(x.f > y.f) << 4 | (uint32_t)!(x.f >= y.f) << 5;
  }
}
KERNEL(matrixProduct) {
  const int8_t *a = (const int8_t *)in, *b = a + 1024;
  OUT(int32_t);
  (void)count;
  for (int y = 0; y < 32; ++y)
    for (int x = 0; x < 32; ++x) {
      int32_t sum = 0;
      for (int k = 0; k < 32; ++k)
        sum += a[y * 32 + k] * b[k * 32 + x];
      r[y * 32 + x] = sum;
    }
}
KERNEL(convolution) {
  const uint8_t *a = in;
  const int8_t *w = (const int8_t *)in + 8192;
  OUT(int32_t);
  (void)count;
  for (int y = 0; y < 30; ++y)
    for (int x = 0; x < 30; ++x) {
      int32_t sum = 0;
      for (int ky = 0; ky < 3; ++ky)
        for (int kx = 0; kx < 3; ++kx)
          sum += a[(y + ky) * 32 + x + kx] * w[ky * 3 + kx];
      r[y * 30 + x] = sum;
    }
}
KERNEL(highProducts) {
  IN(uint32_t);
  OUT(uint32_t);
  const int16_t *h = (const int16_t *)in;
  FOR(i) {
    uint32_t s = (uint32_t)(((int64_t)(int32_t)a[i] * (int32_t)b[i]) >> 32);
    uint32_t u = (uint32_t)(((uint64_t)a[i] * b[i]) >> 32);
    r[i] = s ^ u * 3;
    r[count + i] = (uint32_t)((h[i] * h[i + 1]) >> 16);
  }
}
KERNEL(averages) {
  FOR(i) {
    out[i] = (uint8_t)((in[i] + in[i + 1000] + 1) >> 1);
    out[2000 + i] = (uint8_t)((in[i] + in[i + 1000]) >> 1);
    ((int16_t *)out)[2000 + i] = (int16_t)((((const int16_t *)in)[i] +
                                            ((const int16_t *)in)[i + 7] + 1) >>
                                           1);
  }
}
KERNEL(widening) {
  const int8_t *a = (const int8_t *)in;
  OUT(int64_t);
  FOR(i) r[i] = (int64_t)a[i] * 1000003 + in[i + 9] - ((const int16_t *)in)[i];
}
KERNEL(atomics) {
  OUT(int32_t);
  const int32_t *a = (const int32_t *)in;
  for (int k = 0; k < 8; ++k)
    r[k] = 0;
  FOR(i) {
    __atomic_fetch_add(&r[0], a[i], __ATOMIC_RELAXED);
    __atomic_fetch_xor(&r[1], a[i], __ATOMIC_SEQ_CST);
    __atomic_fetch_or(&r[2], a[i] & a[i + 1], __ATOMIC_ACQUIRE);
    __atomic_fetch_and(&r[3], a[i], __ATOMIC_RELEASE);
    r[4] ^= __atomic_exchange_n(&r[5], a[i], __ATOMIC_RELAXED);
    int32_t expected = r[6];
    __atomic_compare_exchange_n(&r[6], &expected, a[i], 0, __ATOMIC_SEQ_CST,
                                __ATOMIC_SEQ_CST);
    r[7] += expected;
  }
}

#define ENTRY(NAME) NAME,
const Kernel kernelTable[] = {YARROW_TEST_KERNELS(ENTRY)};
