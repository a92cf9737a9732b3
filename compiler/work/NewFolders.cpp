//===- NewFolders.cpp - Folders that a command makes ----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "compiler/work/NewFolders.h"
#include "support/diagnostics/Files.h"

#include <cerrno>

#include <unistd.h>

using namespace yarrow;

bool yarrow::makeFolder(const std::string &folder, DiagnosticEngine &diags) {
  if (folder.empty())
    return true;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::error_code unknown;
  bool isFile = std::filesystem::exists(folder, unknown) &&
                !std::filesystem::is_directory(folder, unknown);
  if (!error && !isFile && access(folder.c_str(), W_OK) == 0)
    return true;
  int reason = errno;
  Diagnostic &d = diags.report(diag::FileUnwritable, {folder},
                               error || isFile ? "cannot create the folder"
                                               : "cannot write to the folder");
  if (isFile)
    d.found("a file of this name").hint("give the folder another name");
  else
    d.found(error ? error.message() : std::generic_category().message(reason));
  return false;
}
