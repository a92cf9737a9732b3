//===- CacheOption.h - Where kernels and plans are kept ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// --cache of commands that compile.
//
//   addCacheOption(*command, flags->cache);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_CACHEOPTION_H
#define YARROW_COMPILER_COMMANDS_CACHEOPTION_H

#include <CLI/CLI.hpp>

#include <string>

namespace yarrow {

inline void addCacheOption(CLI::App &command, std::string &folder) {
  command
      .add_option("--cache", folder,
                  "Keep compiled kernels and the best plans in this folder for "
                  "later builds; it is created if needed")
      ->type_name("FOLDER");
}

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_CACHEOPTION_H
