//===- Sanitizers.h - What watches the program ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// For the few tests that a sanitizer's runtime leaves nothing to test of:
//
//   if (kHasThreadSanitizer)
//     GTEST_SKIP() << "TSan ...";
//   if (!kNewThrows)
//     GTEST_SKIP() << "...";
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_SANITIZERS_H
#define YARROW_TEST_SANITIZERS_H

namespace yarrow::test {

// Only clang compiles Yarrow.
inline constexpr bool kHasThreadSanitizer = __has_feature(thread_sanitizer);
inline constexpr bool kHasAddressSanitizer = __has_feature(address_sanitizer);

/// Without memory, the operator new of sanitizers ends the process.
inline constexpr bool kNewThrows =
    !kHasThreadSanitizer && !kHasAddressSanitizer;

} // namespace yarrow::test

#endif // YARROW_TEST_SANITIZERS_H
