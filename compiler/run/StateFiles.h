//===- StateFiles.h - States of a run as files ------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What a network keeps from run to run, given and taken: --state NAME=FILE says
// what it begins with, --final-state FILE gets what it ends with.
//
//   auto first = readStates({"h=h0.npy"}, executable, driver);
//   if (first) runner.setFirstStates(*first);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_RUN_STATEFILES_H
#define YARROW_COMPILER_RUN_STATEFILES_H

#include "compiler/run/IoBytes.h"
#include "runtime/Executable.h"
#include "support/Diagnostics.h"

#include <optional>
#include <string>
#include <vector>

namespace yarrow {

/// By state of the executable; null where none is given. Nullopt after errors.
std::optional<std::vector<std::optional<std::vector<char>>>>
readStates(const std::vector<std::string> &given,
           const runtime::Executable &executable, DiagnosticEngine &diags);

/// \p states of the executable as they are stored, by name; false after errors.
bool writeStates(const std::string &path, const runtime::Executable &executable,
                 const IoBytes &states, DiagnosticEngine &diags);

} // namespace yarrow

#endif // YARROW_COMPILER_RUN_STATEFILES_H
