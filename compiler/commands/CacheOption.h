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
                  "Keep compiled kernels, and which plans are best, in this "
                  "folder for the next time; it is made if it is not there")
      ->type_name("FOLDER");
}

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_CACHEOPTION_H
