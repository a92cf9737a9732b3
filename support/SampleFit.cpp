//===- SampleFit.cpp - Which shapes hold samples of an input --------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The rule of SampleArrays.h, and what to say of a shape that breaks it. That
// the number of elements divides says nothing: images of another size, or with
// the channels elsewhere, would give numbers without meaning.
//
//===----------------------------------------------------------------------===//
#include "support/Format.h"
#include "support/SampleArrays.h"

#include <algorithm>
#include <limits>

namespace yarrow {

namespace {
using Shape = std::span<const int64_t>;

/// Saturates, which no number of elements in memory comes near.
std::size_t countOf(Shape shape) {
  std::size_t count = 1;
  for (int64_t size : shape)
    if (__builtin_mul_overflow(count, std::size_t(size), &count))
      return std::numeric_limits<std::size_t>::max();
  return count;
}

bool isPositiveMultiple(int64_t count, int64_t of) {
  return of > 0 && count > 0 && count % of == 0;
}

/// "[N,32,32,3]".
std::string shapeOf(const std::string &first, Shape rest) {
  return "[" + first + (rest.empty() ? "" : ",") + shapeText(rest).substr(1);
}

/// Of a scalar, or where only the number of elements is known.
std::size_t runsByCount(Shape shape, std::size_t elements) {
  if (elements == 0 || countOf(shape) == 0)
    return 0;
  if (countOf(shape) == elements)
    return 1;
  if (shape.empty())
    return 0;
  if (countOf(shape.subspan(1)) == elements)
    return std::size_t(shape[0]);
  return shape.size() == 1 && std::size_t(shape[0]) % elements == 0
             ? std::size_t(shape[0]) / elements
             : 0;
}

/// The axes of \p shape in the order that makes it samples of \p wanted: the
/// first one is that of the samples. Empty if there is none.
std::vector<std::size_t> findTransposition(Shape shape, Shape wanted) {
  if (shape.size() != wanted.size())
    return {};
  for (std::size_t first = 0; first < shape.size(); ++first) {
    std::vector<std::size_t> order = {first};
    std::vector<bool> isUsed(shape.size());
    isUsed[first] = true;
    for (int64_t size : wanted.subspan(1))
      for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (!isUsed[axis] && shape[axis] == size) {
          isUsed[axis] = true;
          order.push_back(axis);
          break;
        }
    if (order.size() == shape.size() &&
        isPositiveMultiple(shape[first], wanted[0]))
      return order;
  }
  return {};
}

std::string transposeHint(const std::vector<std::size_t> &order, Shape wanted) {
  std::string axes;
  for (std::size_t axis : order)
    axes += (axes.empty() ? "" : ", ") + std::to_string(axis);
  std::string layout = axes == "0, 2, 3, 1"   ? "NCHW data for an NHWC input? "
                       : axes == "0, 3, 1, 2" ? "NHWC data for an NCHW input? "
                                              : "";
  return layout + "numpy.ascontiguousarray(array.transpose(" + axes +
         ")) has the shape " + shapeOf("N", wanted.subspan(1));
}

std::vector<int64_t> withoutOnes(Shape shape) {
  std::vector<int64_t> out;
  std::copy_if(shape.begin(), shape.end(), std::back_inserter(out),
               [](int64_t size) { return size != 1; });
  return out;
}

/// Fills in what is wrong with a shape that does not fit.
void explain(Shape shape, const SampleInput &input, SampleFit &fit) {
  Shape wanted = input.shape;
  fit.problem = "the array does not fit input " + input.name;
  if (countOf(shape) == 0 && input.numElements != 0) {
    fit.problem = "the array for input " + input.name + " is empty";
    return;
  }
  if (wanted.empty())
    return;
  std::string reshape =
      "array.reshape(" + shapeOf("-1", wanted.subspan(1)) + ")";
  if (shape.size() == wanted.size() &&
      std::ranges::equal(shape.subspan(1), wanted.subspan(1))) {
    fit.problem = "the array does not fill the batches of input " + input.name;
    fit.hint = "the network takes " + std::to_string(wanted[0]) +
               " samples at a time: give a multiple of them";
  } else if (auto order = findTransposition(shape, wanted); !order.empty()) {
    fit.problem = "the axes of the array are in a different order from input " +
                  input.name;
    fit.hint = transposeHint(order, wanted);
  } else if (std::ranges::equal(shape, wanted.subspan(1))) {
    fit.hint =
        "if this is one sample without its first axis, " + reshape + " adds it";
  } else if (shape.size() > 1 && wanted.size() > 1 &&
             withoutOnes(shape.subspan(1)) == withoutOnes(wanted.subspan(1))) {
    fit.hint = reshape + " puts the axes of length 1 where the input has them";
  } else if (shape.size() == 1 && input.numElements &&
             countOf(shape) % input.numElements == 0) {
    fit.hint = reshape + " works if the elements are in the input's layout";
  } else if (input.numElements && countOf(shape) % input.numElements == 0) {
    fit.hint = "the number of elements is a multiple, but the shape does not "
               "match: was the array made for another network?";
  }
}
} // namespace

SampleFit fitSamples(std::span<const int64_t> shape, const SampleInput &input) {
  SampleFit fit;
  Shape wanted = input.shape;
  std::size_t elements = input.numElements;
  if (wanted.empty()) {
    fit.runs = runsByCount(shape, elements);
  } else if (std::ranges::equal(shape, wanted)) {
    fit.runs = 1;
  } else if (shape.size() == wanted.size() &&
             std::ranges::equal(shape.subspan(1), wanted.subspan(1))) {
    if (isPositiveMultiple(shape[0], wanted[0]))
      fit.runs = std::size_t(shape[0] / wanted[0]);
  } else if (shape.size() == 2 && elements && shape[0] > 0) {
    auto width = std::size_t(shape[1]);
    if (wanted.size() == 1) // without a batch: the tensor once for each run
      fit.runs = width == elements ? std::size_t(shape[0]) : 0;
    else if (isPositiveMultiple(shape[0], wanted[0]) &&
             width == elements / std::size_t(wanted[0]))
      fit.runs = std::size_t(shape[0] / wanted[0]);
    fit.isFlat = fit.runs && wanted.size() > 1;
  }
  // The shape may be a file's word, which its number of elements belies.
  std::size_t taken = 0;
  if (__builtin_mul_overflow(fit.runs, elements, &taken) ||
      taken != countOf(shape))
    fit.runs = 0;
  if (!fit.runs)
    explain(shape, input, fit);
  return fit;
}

} // namespace yarrow
