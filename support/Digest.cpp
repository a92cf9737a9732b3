//===- Digest.cpp - Whether bytes are those that were written -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// libxxhash, compiled into this file: no library is needed at run time.
//
//===----------------------------------------------------------------------===//
#include "support/Digest.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdio>

namespace yarrow {

struct Digest::State {
  alignas(64) XXH3_state_t hash;
};

Digest::Digest() : state(std::make_unique<State>()) {
  XXH3_64bits_reset(&state->hash);
}
Digest::~Digest() = default;
Digest::Digest(Digest &&) noexcept = default;
Digest &Digest::operator=(Digest &&) noexcept = default;

void Digest::add(std::string_view bytes) {
  XXH3_64bits_update(&state->hash, bytes.data(), bytes.size());
}

uint64_t Digest::value() const { return XXH3_64bits_digest(&state->hash); }

std::string Digest::text() const { return digestText(value()); }

uint64_t digestOf(std::string_view bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}

std::string digestText(uint64_t digest) {
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016llx", (unsigned long long)digest);
  return "xxh3:" + std::string(digits);
}

} // namespace yarrow
