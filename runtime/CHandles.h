//===- CHandles.h - What handles of the C interface stand for ---*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// For libraries that make handles which the functions of yarrow.h take.
//
//   *executable = new yarrow_executable{std::move(model)};
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_RUNTIME_CHANDLES_H
#define YARROW_RUNTIME_CHANDLES_H

#include "runtime/Executable.h"

#include <memory>
#include <vector>

struct yarrow_executable {
  std::shared_ptr<const yarrow::runtime::Executable> model;
  /// All that were chosen before: names in them stay valid.
  std::vector<std::shared_ptr<const yarrow::runtime::Executable>> earlier = {};
};

#endif // YARROW_RUNTIME_CHANDLES_H
