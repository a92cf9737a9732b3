//===- Fingerprint.h - FarmHash's fingerprint of 64 bits --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A hash function that is fixed for all time (FarmHash, G. Pike, 2014): a
// string of bytes is taken as little-endian words of 64 bits, of which sums and
// products are mixed modulo 2^64. Strings of up to 16, 32 and 64 bytes have
// formulas of their own; longer ones go in blocks of 64 bytes, the last one
// ending at the string's end, through a state of seven words.
//
//   Key key{seed, item, /*itemBytes=*/8};   // four bytes, then the item's
//   uint64_t h = fingerprint(key);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_KERNELS_INDEXING_FINGERPRINT_H
#define YARROW_KERNELS_INDEXING_FINGERPRINT_H

#include <stdint.h>

namespace yarrow::kernels {

/// Four bytes and those of an item behind them, as one string.
struct Key {
  uint32_t head;
  const uint8_t *item;
  uint32_t itemBytes;

  uint32_t size() const { return itemBytes + 4; }
  uint64_t byteAt(uint32_t i) const {
    return i < 4 ? head >> 8 * i & 255 : item[i - 4];
  }
  /// \p count bytes from there on, up to 8, the first the lowest.
  uint64_t word(uint32_t at, uint32_t count = 8) const {
    uint64_t value = 0;
    for (uint32_t i = 0; i < count; ++i)
      value |= byteAt(at + i) << 8 * i;
    return value;
  }
};

/// The constants are the function's: primes between 2^63 and 2^64.
class Fingerprint {
public:
  explicit Fingerprint(const Key &key) : key(key), size(key.size()) {}

  uint64_t value() const {
    if (size <= 16)
      return ofShort();
    if (size <= 32)
      return ofMedium();
    return size <= 64 ? ofLong() : ofBlocks();
  }

private:
  static constexpr uint64_t k0 = 0xc3a5c85c97cb3127, k1 = 0xb492b66fbe98f273,
                            k2 = 0x9ae16a3b2f90404f;
  struct Pair {
    uint64_t first, second;
  };

  static uint64_t rotated(uint64_t x, uint32_t by) {
    return x >> by | x << (64 - by);
  }
  static uint64_t mixed(uint64_t x) { return x ^ x >> 47; }
  static uint64_t joined(uint64_t a, uint64_t b, uint64_t factor) {
    uint64_t x = mixed((a ^ b) * factor);
    return mixed((b ^ x) * factor) * factor;
  }
  uint64_t factor() const { return k2 + 2 * uint64_t(size); }

  uint64_t ofShort() const {
    if (size >= 8) {
      uint64_t m = factor(), a = key.word(0) + k2, b = key.word(size - 8);
      return joined(rotated(b, 37) * m + a, (rotated(a, 25) + b) * m, m);
    }
    // There are four bytes before the item.
    return joined(size + (key.word(0, 4) << 3), key.word(size - 4, 4),
                  factor());
  }

  uint64_t ofMedium() const {
    uint64_t m = factor(), a = key.word(0) * k1, b = key.word(8),
             c = key.word(size - 8) * m, d = key.word(size - 16) * k2;
    return joined(rotated(a + b, 43) + rotated(c, 30) + d,
                  a + rotated(b + k2, 18) + c, m);
  }

  uint64_t ofLong() const {
    uint64_t m = factor(), a = key.word(0) * k2, b = key.word(8),
             c = key.word(size - 8) * m, d = key.word(size - 16) * k2,
             y = rotated(a + b, 43) + rotated(c, 30) + d,
             z = joined(y, a + rotated(b + k2, 18) + c, m);
    uint64_t e = key.word(16) * m, f = key.word(24),
             g = (y + key.word(size - 32)) * m,
             h = (z + key.word(size - 24)) * m;
    return joined(rotated(e + f, 43) + rotated(g, 30) + h,
                  e + rotated(f + a, 18) + g, m);
  }

  /// Four words from \p at on into two.
  Pair stirred(uint32_t at, uint64_t a, uint64_t b) const {
    uint64_t w = key.word(at), x = key.word(at + 8), y = key.word(at + 16),
             z = key.word(at + 24);
    a += w;
    b = rotated(b + a + z, 21);
    uint64_t c = a;
    a += x + y;
    return {a + z, b + rotated(a, 44) + c};
  }

  struct State {
    uint64_t x, y, z;
    Pair v, w;
  };

  /// Takes a block in; the last one with other factors.
  void take(State &s, uint32_t at, uint64_t m, uint64_t ofW,
            uint64_t ofV) const {
    s.x = rotated(s.x + s.y + s.v.first + key.word(at + 8), 37) * m;
    s.y = rotated(s.y + s.v.second + key.word(at + 48), 42) * m;
    s.x ^= s.w.second * ofW;
    s.y += s.v.first * ofV + key.word(at + 40);
    s.z = rotated(s.z + s.w.first, 33) * m;
    s.v = stirred(at, s.v.second * m, s.x + s.w.first);
    s.w = stirred(at + 32, s.z + s.w.second, s.y + key.word(at + 16));
    uint64_t x = s.x;
    s.x = s.z, s.z = x;
  }

  uint64_t ofBlocks() const {
    constexpr uint64_t seed = 81;
    State s{seed * k2 + key.word(0), seed * k1 + 113, 0, {0, 0}, {0, 0}};
    s.z = mixed(s.y * k2 + 113) * k2;
    uint32_t end = (size - 1) / 64 * 64, rest = (size - 1) % 64;
    for (uint32_t at = 0; at < end; at += 64)
      take(s, at, k1, 1, 1);
    uint64_t m = k1 + ((s.z & 255) << 1);
    s.w.first += rest;
    s.v.first += s.w.first;
    s.w.first += s.v.first;
    take(s, size - 64, m, 9, 9);
    return joined(joined(s.v.first, s.w.first, m) + mixed(s.y) * k0 + s.z,
                  joined(s.v.second, s.w.second, m) + s.x, m);
  }

  const Key &key;
  uint32_t size;
};

inline uint64_t fingerprint(const Key &key) { return Fingerprint(key).value(); }

} // namespace yarrow::kernels

#endif // YARROW_KERNELS_INDEXING_FINGERPRINT_H
