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

#if defined(__SANITIZE_THREAD__)
inline constexpr bool kHasThreadSanitizer = true;
#elif defined(__has_feature)
inline constexpr bool kHasThreadSanitizer = __has_feature(thread_sanitizer);
#else
inline constexpr bool kHasThreadSanitizer = false;
#endif

#if defined(__SANITIZE_ADDRESS__)
inline constexpr bool kHasAddressSanitizer = true;
#elif defined(__has_feature)
inline constexpr bool kHasAddressSanitizer = __has_feature(address_sanitizer);
#else
inline constexpr bool kHasAddressSanitizer = false;
#endif

/// Without memory, the operator new of sanitizers ends the process.
inline constexpr bool kNewThrows =
    !kHasThreadSanitizer && !kHasAddressSanitizer;

} // namespace yarrow::test

#endif // YARROW_TEST_SANITIZERS_H
