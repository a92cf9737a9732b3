//===- ScoreArguments.h - Arguments in a metric's parentheses ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Arguments by place or by name, for the functions that make metrics; their
// problems are collected.
//
//   ScoreArguments arguments("TopKMetric", {"5", "with_argmax=True"}, folder);
//   int64_t k = arguments.integer("K", 1, 1, 1000000);
//   bool isArgmax = arguments.boolean("with_argmax", false);
//   if (!arguments.finish().empty()) ...
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_SCORES_SCOREARGUMENTS_H
#define YARROW_QUANTIZER_SCORES_SCOREARGUMENTS_H

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow {

class ScoreArguments {
public:
  ScoreArguments(std::vector<std::string> texts, std::string folder)
      : texts(std::move(texts)), folder(std::move(folder)) {}

  int64_t integer(std::string_view name, int64_t otherwise, int64_t min,
                  int64_t max);
  std::optional<int64_t> optionalInteger(std::string_view name);
  bool boolean(std::string_view name, bool otherwise);
  /// One of \p words, without regard to case; the first one otherwise.
  std::string word(std::string_view name,
                   std::initializer_list<std::string_view> words);
  /// Of a file, which must be there.
  std::string file(std::string_view name);
  /// All that are left, as they are.
  std::vector<std::string> rest();

  /// "" or what was expected. Arguments that nothing has read are too many.
  std::string finish();

private:
  /// The argument named \p name, or the next one without a name.
  std::optional<std::string> take(std::string_view name);
  void expect(std::string what);

  std::vector<std::string> texts;
  std::string folder, problem;
};

} // namespace yarrow

#endif // YARROW_QUANTIZER_SCORES_SCOREARGUMENTS_H
