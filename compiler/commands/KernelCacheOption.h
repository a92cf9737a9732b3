//===- KernelCacheOption.h - Where compiled kernels are kept ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// --kernel-cache of commands that compile.
//
//   addKernelCacheOption(*command, flags->kernelCache);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_COMMANDS_KERNELCACHEOPTION_H
#define YARROW_COMPILER_COMMANDS_KERNELCACHEOPTION_H

#include <CLI/CLI.hpp>

#include <string>

namespace yarrow {

inline void addKernelCacheOption(CLI::App &command, std::string &folder) {
  command
      .add_option("--kernel-cache", folder,
                  "Keep compiled kernels in this folder for the next time; it "
                  "is made if it is not there")
      ->type_name("FOLDER");
}

} // namespace yarrow

#endif // YARROW_COMPILER_COMMANDS_KERNELCACHEOPTION_H
