//===- MeanScore.cpp - What metrics share ---------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "quantizer/scores/MeanScore.h"

#include "support/Format.h"

#include <algorithm>

using namespace yarrow;

std::size_t yarrow::countOf(std::span<const int64_t> shape) {
  std::size_t count = 1;
  for (int64_t size : shape)
    count *= std::size_t(size);
  return count;
}

std::size_t yarrow::argmax(std::span<const float> values) {
  return std::size_t(std::ranges::max_element(values) - values.begin());
}

// ATen's topk of one row: a partial sort if few of many are wanted, else a
// selection whose front is sorted. Which of equal values come first is what
// libstdc++ makes of that; so it is done the same way.
std::vector<std::size_t> yarrow::torchTopK(std::span<const float> values,
                                           std::size_t k) {
  using Item = std::pair<float, std::size_t>;
  k = std::min(k, values.size());
  std::vector<Item> queue;
  for (std::size_t i = 0; i < values.size(); ++i)
    queue.emplace_back(values[i], i);
  auto isLarger = [](const Item &a, const Item &b) {
    return a.first > b.first;
  };
  auto end = queue.begin() + std::ptrdiff_t(k);
  if (k && k * 64 <= queue.size()) {
    std::partial_sort(queue.begin(), end, queue.end(), isLarger);
  } else if (k) {
    std::nth_element(queue.begin(), end - 1, queue.end(), isLarger);
    std::sort(queue.begin(), end - 1, isLarger);
  }
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < k; ++i)
    indices.push_back(queue[i].second);
  return indices;
}

std::string yarrow::expectLabel(const ScoreContext &context,
                                std::size_t count) {
  if (!context.labels.empty() && countOf(context.labels[0]) == count)
    return "";
  return formatCount(count) +
         (count == 1 ? " number per sample" : " numbers per sample");
}

std::string yarrow::expectLabelsLikeOutputs(const ScoreContext &context) {
  bool fits = std::ranges::equal(context.outputs, context.labels,
                                 [](const ScoreShape &a, const ScoreShape &b) {
                                   return countOf(a) == countOf(b);
                                 });
  return fits ? "" : "an array for each output, with the output's elements";
}

std::string yarrow::expectLengths(const ScoreContext &context) {
  bool fits = context.labels.size() == 2 && !context.labels[0].empty() &&
              countOf(context.labels[1]) == 1;
  return fits ? "" : "two arrays: values, and their number";
}
