//===- StateFiles.cpp - States of a run as files --------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/run/StateFiles.h"
#include "compiler/run/IoFiles.h"
#include "compiler/run/OutputFiles.h"
#include "support/diagnostics/Files.h"

using namespace yarrow;
using namespace yarrow::runtime;

static std::optional<std::size_t> findState(const Executable &executable,
                                            const std::string &name) {
  for (std::size_t i = 0; i < executable.states().size(); ++i)
    if (executable.states()[i].name == name ||
        executable.states()[i].tensor == name)
      return i;
  return std::nullopt;
}

/// The one value that \p path holds.
static std::optional<std::vector<char>> readState(const std::string &path,
                                                  const IoDescription &state,
                                                  DiagnosticEngine &diags) {
  auto arrays = readRunInputs({path}, {state}, diags);
  if (!arrays)
    return std::nullopt;
  if (arrays->count() == 1)
    return std::move(arrays->inputsOf(0)[0]);
  diags
      .report(diag::TensorMismatch, {path},
              "more than one value for the state " + state.name)
      .found(std::to_string(arrays->count()))
      .expected("one, " + describeTensor(state));
  return std::nullopt;
}

std::optional<std::vector<std::optional<std::vector<char>>>>
yarrow::readStates(const std::vector<std::string> &given,
                   const Executable &executable, DiagnosticEngine &diags) {
  std::vector<std::optional<std::vector<char>>> states(
      executable.states().size());
  std::vector<std::string> names;
  for (const IoDescription &state : executable.states())
    names.push_back(state.name);
  bool ok = true;
  for (const std::string &text : given) {
    std::size_t equals = text.find('=');
    std::string name = text.substr(0, equals);
    auto index = findState(executable, name);
    if (equals == text.npos || !index) {
      ok = false;
      diags
          .report(diag::TensorMismatch, {executable.name()},
                  "the network has no state of this name")
          .found(text)
          .expected(names.empty() ? "no --state: the network keeps no state"
                                  : "NAME=FILE, such as " + names[0] + "=" +
                                        names[0] + ".npy")
          .suggest(name, names);
      continue;
    }
    states[*index] =
        readState(text.substr(equals + 1), executable.states()[*index], diags);
    ok &= states[*index].has_value();
  }
  return ok ? std::optional(std::move(states)) : std::nullopt;
}

bool yarrow::writeStates(const std::string &path, const Executable &executable,
                         const IoBytes &states, DiagnosticEngine &diags) {
  const std::vector<IoDescription> &tensors = executable.states();
  auto paths = outputPaths({path}, describeAll(tensors), diags);
  if (!paths || states.size() != tensors.size())
    return false;
  OutputFiles files(*paths,
                    outputArrays(tensors, OutputNumbers::Stored, *paths),
                    /*runs=*/1, diags);
  return files.append(states) && files.commit();
}
