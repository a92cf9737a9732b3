//===- Digest.h - Checks that bytes did not change --------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A 64-bit digest (XXH3, at memory speed) that detects damage and files that do
// not belong together: an IR's text and its weights, the parts of an
// executable. It finds slips and bit flips. It is not a signature: an attacker
// can make bytes with the same digest.
//
//   Digest digest;
//   digest.add(first);
//   digest.add(second);            // as if both were one
//   header.set("weights_digest", digest.text());      // "xxh3:0011aabb..."
//   if (digestOf(section) != stored) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_DIGEST_H
#define YARROW_SUPPORT_DIGEST_H

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace yarrow {

class Digest {
public:
  Digest();
  ~Digest();
  Digest(Digest &&) noexcept;
  Digest &operator=(Digest &&) noexcept;

  void add(std::string_view bytes);
  /// Of everything added so far.
  uint64_t value() const;
  std::string text() const;

private:
  struct State;
  std::unique_ptr<State> state;
};

uint64_t digestOf(std::string_view bytes);
/// "xxh3:" and 16 hexadecimal digits. The name of the function is part of the
/// text, so that a later one can be told from it.
std::string digestText(uint64_t digest);

} // namespace yarrow

#endif // YARROW_SUPPORT_DIGEST_H
