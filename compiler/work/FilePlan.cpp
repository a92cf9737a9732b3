//===- FilePlan.cpp - The files of a command, before it works -------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/work/FilePlan.h"
#include "support/AtomicFile.h"
#include "support/Format.h"
#include "support/diagnostics/Files.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <sys/stat.h>
#include <unistd.h>

using namespace yarrow;
namespace fs = std::filesystem;

FilePlan::File::File(const std::string &path) : path(path) {
  // A folder that is yet to be made has no links in it.
  target = fs::absolute(followLinks(path)).lexically_normal();
  struct stat info, out;
  if (stat(path.c_str(), &info) == 0) {
    identity = {uint64_t(info.st_dev), uint64_t(info.st_ino)};
    isDevice = S_ISCHR(info.st_mode);
  }
  isStandardOutput =
      descriptorNamed(path) == 1 ||
      (identity && !isDevice && fstat(1, &out) == 0 &&
       *identity == FileIdentity{uint64_t(out.st_dev), uint64_t(out.st_ino)});
}

bool FilePlan::File::isSameAs(const File &other) const {
  if (isStandardOutput || other.isStandardOutput)
    return isStandardOutput && other.isStandardOutput;
  if (isDevice || other.isDevice)
    return false;
  if (identity && other.identity)
    return *identity == *other.identity;
  return !identity && !other.identity && target == other.target;
}

bool FilePlan::File::isAsPlanned() const {
  return File(path).identity == identity;
}

void FilePlan::reads(const std::string &path) {
  if (!path.empty())
    inputs.emplace_back(path);
}

void FilePlan::reads(const std::vector<std::string> &paths) {
  for (const std::string &path : paths)
    reads(path);
}

void FilePlan::writes(const std::string &path) {
  if (!path.empty())
    outputs.emplace_back(path);
}

void FilePlan::writes(const std::vector<std::string> &paths) {
  for (const std::string &path : paths)
    writes(path);
}

bool FilePlan::usesStandardOutput() const {
  return std::any_of(outputs.begin(), outputs.end(),
                     [](const File &f) { return f.isStandardOutput; });
}

void FilePlan::addOpenedFiles() {
  for (const auto &[identity, path] : readFiles()) {
    File opened(path);
    auto isKnown = [&](const File &f) { return f.identity == opened.identity; };
    // One that is gone since says nothing: its number may be another's by now.
    if (opened.identity == identity &&
        std::none_of(inputs.begin(), inputs.end(), isKnown))
      inputs.push_back(std::move(opened));
  }
}

namespace {
struct Obstacle {
  std::string found, hint;
};
} // namespace

/// Why a file at \p path cannot be written; nothing is found if it can.
static Obstacle obstacleAt(const fs::path &path) {
  std::error_code error;
  if (fs::is_directory(path, error))
    return {"it is a directory", "name a file in it"};
  fs::path folder = path.parent_path();
  if (folder.empty())
    folder = ".";
  if (!fs::exists(folder, error))
    return {"the folder " + folder.string() + " does not exist",
            "`mkdir -p " + shellWord(folder.string()) + "` creates it"};
  if (!fs::is_directory(folder, error))
    return {folder.string() + " is not a folder",
            "write the output to another folder"};
  // A file of another kind, such as /dev/stdout, is not replaced.
  bool isReplaced =
      !fs::exists(path, error) || fs::is_regular_file(path, error);
  const fs::path &asked = isReplaced ? folder : path;
  if (access(asked.c_str(), W_OK) != 0)
    return {std::generic_category().message(errno), ""};
  return {};
}

bool FilePlan::canBeWritten(DiagnosticEngine &diags) const {
  bool ok = true;
  for (const File &output : outputs) {
    Obstacle obstacle = obstacleAt(output.path);
    if (obstacle.found.empty())
      continue;
    ok = false;
    diags.report(diag::FileUnwritable, {output.path}, "cannot write the file")
        .found(obstacle.found)
        .hint(obstacle.hint);
  }
  return ok;
}

bool FilePlan::check(DiagnosticEngine &diags) {
  addOpenedFiles();
  bool ok = true;
  for (auto output = outputs.begin(); output != outputs.end(); ++output) {
    auto isSame = [&](const File &f) { return f.isSameAs(*output); };
    auto input = std::find_if(inputs.begin(), inputs.end(), isSame);
    auto earlier = std::find_if(outputs.begin(), output, isSame);
    bool isInput = input != inputs.end();
    bool isFirst = !isInput && earlier == output;
    if (isFirst || !output->isAsPlanned())
      continue;
    ok = false;
    diags
        .report(diag::FilesCollide, {output->path},
                isInput ? "the output would replace an input file"
                        : "two outputs are the same file")
        .found(isInput ? input->path : earlier->path)
        .hint("give the output another name");
  }
  return ok;
}
