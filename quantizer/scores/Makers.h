//===- Makers.h - The functions of Scores.def -------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// One for each metric; they read its arguments.
//
//   ScoreArguments arguments({"5"}, folder);
//   std::unique_ptr<Score> top5 = scores::makeTopK(arguments);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_QUANTIZER_SCORES_MAKERS_H
#define YARROW_QUANTIZER_SCORES_MAKERS_H

#include "quantizer/scores/Score.h"
#include "quantizer/scores/ScoreArguments.h"

namespace yarrow::scores {

#define SCORE(name, make, arguments, doc)                                      \
  std::unique_ptr<Score> make(ScoreArguments &arguments_);
#define LABEL_FREE(name, make, arguments, doc)                                 \
  std::unique_ptr<Score> make(ScoreArguments &arguments_);
#define TASK(name)
#include "quantizer/scores/Scores.def"

} // namespace yarrow::scores

#endif // YARROW_QUANTIZER_SCORES_MAKERS_H
