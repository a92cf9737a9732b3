//===- NewFolders.h - Folders that a command creates ------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// They are created before the work, so that a folder that cannot be written to
// is reported at once. Folders that are empty at the end are removed: a command
// that fails leaves nothing.
//
//   NewFolders folders;
//   if (!folders.make(flags.outputDir, driver.diags))
//     return false;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_WORK_NEWFOLDERS_H
#define YARROW_COMPILER_WORK_NEWFOLDERS_H

#include "support/Diagnostics.h"

#include <filesystem>
#include <string>
#include <vector>

namespace yarrow {

/// Makes \p folder and those above it; FileUnwritable if that fails.
bool makeFolder(const std::string &folder, DiagnosticEngine &diags);

class NewFolders {
public:
  NewFolders() = default;
  NewFolders(const NewFolders &) = delete;
  NewFolders &operator=(const NewFolders &) = delete;
  ~NewFolders() {
    std::error_code isInUse;
    for (const std::filesystem::path &folder : missing)
      std::filesystem::remove(folder, isInUse);
  }

  /// As makeFolder().
  bool make(const std::string &folder, DiagnosticEngine &diags) {
    std::error_code error;
    for (std::filesystem::path path = folder;
         !path.empty() && !std::filesystem::exists(path, error);
         path = path.parent_path())
      missing.push_back(path);
    return makeFolder(folder, diags);
  }

private:
  std::vector<std::filesystem::path> missing; ///< Before; the innermost first.
};

} // namespace yarrow

#endif // YARROW_COMPILER_WORK_NEWFOLDERS_H
