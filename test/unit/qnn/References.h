//===- References.h - What QNN's definitions compute ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Formulas of the definitions written down once more, in double precision and
// without regard to how layers compute: tensors as lists of real numbers, row
// by row, channels last.
//
//   Reference y = convolved({xDims, xReals}, {wDims, wReals}, bias, steps);
//   expectClose(net.run(), y, 1e-5);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_QNN_REFERENCES_H
#define YARROW_TEST_UNIT_QNN_REFERENCES_H

#include "test/unit/qnn/OneNode.h"
#include <functional>

namespace yarrow::test {

using Dims = std::vector<std::int64_t>;

struct Reference {
  Dims dims;
  std::vector<double> reals;

  Reference(Dims dims, std::vector<double> reals)
      : dims(std::move(dims)), reals(std::move(reals)) {}
  /// Zeros.
  explicit Reference(Dims dims);
  Reference(const Values &values) : dims(values.dims), reals(values.reals()) {}

  double &at(const Dims &index);
  double at(const Dims &index) const;
  bool has(const Dims &index) const; ///< Not outside.
};

/// Calls \p fn for every index, the last axis fastest.
void forEachIndex(const Dims &dims,
                  const std::function<void(const Dims &)> &fn);
/// The same for all places of \p x along \p axes, others as in \p at.
void forEachAlong(const Dims &dims, const Dims &axes, Dims at,
                  const std::function<void(const Dims &)> &fn);

/// For each axis between batch and channels.
struct Steps {
  Dims stride, before, after, dilation;
  std::int64_t group = 1;
};

/// Filters [kernel..., input / group, output].
Reference convolved(const Reference &x, const Reference &w,
                    const std::vector<double> &bias, const Steps &steps);
/// Filters [kernel..., input, output / group].
Reference convolvedBack(const Reference &x, const Reference &w,
                        const std::vector<double> &bias, const Steps &steps,
                        const Dims &outputPadding);

enum class Pool { Average, Maximum, RootOfSquares };
Reference pooled(const Reference &x, const Dims &filter, const Steps &steps,
                 Pool how, bool countsPads, bool roundsUp);

/// An encoding that has the numbers from \p low to \p high, and 0.
qnn::Encoding encodingFor(DataType type, double low, double high);
qnn::Encoding encodingFor(DataType type, const Reference &y);

/// Floats: every number within \p tolerance of the largest magnitude.
void expectClose(const Values &found, const Reference &expected,
                 double tolerance);
/// Fixed point against the exact numbers, rounded once.
Agreement agreementOf(const Values &found, const Reference &expected);
void expectEqual(const Values &found, const Reference &expected);
void expectWithinOne(const Values &found, const Reference &expected);

} // namespace yarrow::test

#endif // YARROW_TEST_UNIT_QNN_REFERENCES_H
