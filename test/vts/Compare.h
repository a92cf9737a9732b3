//===- Compare.h - Results beside recorded ones -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Lengths must be equal; values within the case's tolerance. Of 8-bit integers
// it is counted how many are equal and how many a step off.
//
//   Difference d;
//   if (std::string why = compare(expected, actual, d); !why.empty()) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_VTS_COMPARE_H
#define YARROW_TEST_VTS_COMPARE_H

#include "test/vts/CaseFile.h"

namespace yarrow::vts {

/// Of quantized results of 8 bits.
struct Difference {
  std::uint64_t equal = 0, offByOne = 0, more = 0;
  Difference &operator+=(const Difference &other) {
    equal += other.equal;
    offByOne += other.offByOne;
    more += other.more;
    return *this;
  }
};

/// What became of a case.
struct Outcome {
  enum Kind {
    Passed,
    Failed,  ///< It gives other results, or is computed and must not be.
    Refused, ///< It is not computed, and says why.
  } kind = Passed;
  std::string why = {};
  Difference difference = {};
};

/// Of what is not computed: its errors, one behind the other.
Outcome refused(const DiagnosticEngine &diags);

/// Every output beside the recorded one.
Outcome compareOutputs(std::span<const Expected> expected,
                       const std::vector<nnapi::Value> &outputs);

/// "" or what is wrong.
std::string compare(const Expected &expected, const nnapi::Value &actual,
                    Difference &difference);

/// The same of samples that are drawn by chance from the case's first input.
std::string compareDistribution(const Case &recorded,
                                const nnapi::Value &samples);

} // namespace yarrow::vts

#endif // YARROW_TEST_VTS_COMPARE_H
