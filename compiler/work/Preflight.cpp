//===- Preflight.cpp - What is checked before work starts -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/work/Preflight.h"
#include "support/MappedFile.h"

#include <filesystem>

using namespace yarrow;

std::optional<isa::Machine> yarrow::targetAt(const std::string &nameOrPath,
                                             const Place &place,
                                             DiagnosticEngine &diags) {
  DiagnosticEngine own;
  std::optional<isa::Machine> machine = isa::findTarget(nameOrPath, own);
  for (Diagnostic problem : own.all()) {
    if (problem.place.file.empty())
      problem.place = place;
    diags.add(std::move(problem));
  }
  return machine;
}

bool yarrow::canRead(const std::vector<std::string> &paths,
                     DiagnosticEngine &diags) {
  bool ok = true;
  for (const std::string &path : paths)
    ok &= path.empty() || MappedFile::open(path, diags) != nullptr;
  return ok;
}

bool yarrow::canReadData(const std::vector<std::string> &paths,
                         DiagnosticEngine &diags) {
  bool ok = true;
  std::error_code error;
  for (const std::string &path : paths)
    ok &= std::filesystem::is_directory(path, error) || canRead({path}, diags);
  return ok;
}
