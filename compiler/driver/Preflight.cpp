//===- Preflight.cpp - What is checked before work starts -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/driver/Preflight.h"
#include "support/MappedFile.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <unistd.h>

using namespace yarrow;
namespace fs = std::filesystem;

std::optional<isa::Machine> yarrow::targetAt(const std::string &nameOrPath,
                                             Place place,
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

/// Why a file at \p path cannot be written, or "".
static std::string obstacleAt(const fs::path &path) {
  std::error_code error;
  if (fs::is_directory(path, error))
    return "it is a directory";
  fs::path folder = path.parent_path();
  if (folder.empty())
    folder = ".";
  if (!fs::exists(folder, error))
    return "the folder " + folder.string() + " is not there";
  if (!fs::is_directory(folder, error))
    return folder.string() + " is not a folder";
  // A file of another kind, such as /dev/stdout, is not replaced.
  bool isReplaced =
      !fs::exists(path, error) || fs::is_regular_file(path, error);
  const fs::path &asked = isReplaced ? folder : path;
  if (access(asked.c_str(), W_OK) != 0)
    return std::generic_category().message(errno);
  return "";
}

bool yarrow::canWrite(const std::vector<std::string> &paths,
                      DiagnosticEngine &diags) {
  bool ok = true;
  for (const std::string &path : paths) {
    std::string obstacle = path.empty() ? "" : obstacleAt(path);
    if (obstacle.empty())
      continue;
    ok = false;
    diags.report(DiagId::FileUnwritable, {path}, "the file cannot be written")
        .found(obstacle);
  }
  return ok;
}

bool yarrow::canRead(const std::vector<std::string> &paths,
                     DiagnosticEngine &diags) {
  bool ok = true;
  for (const std::string &path : paths)
    ok &= path.empty() || MappedFile::open(path, diags) != nullptr;
  return ok;
}
