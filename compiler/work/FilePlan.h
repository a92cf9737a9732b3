//===- FilePlan.h - The files of a command, before it works ---------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Every command declares the files that it is going to read and to write. Files
// that would replace one another are rejected before the work (FilesCollide):
// links are followed, and a file is the same however its path is spelled.
// Opened files already count as read, so that the weights which a text names
// need not be declared. Devices can be written twice, pipes cannot.
//
//   driver.files.reads(flags.graph);
//   driver.files.writes(flags.output);
//   if (!driver.files.check(driver.diags))
//     return false;
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_COMPILER_WORK_FILEPLAN_H
#define YARROW_COMPILER_WORK_FILEPLAN_H

#include "support/Diagnostics.h"
#include "support/MappedFile.h"

#include <optional>
#include <string>
#include <vector>

namespace yarrow {

class FilePlan {
public:
  /// An empty path means no file.
  void reads(const std::string &path);
  void reads(const std::vector<std::string> &paths);
  void writes(const std::string &path);
  void writes(const std::vector<std::string> &paths);

  /// False after FilesCollide. May be called again when more is known.
  bool check(DiagnosticEngine &diags);

  /// FileUnwritable for each output that certainly cannot be written: its
  /// folder is not there or takes no files, or it is a folder itself. Nothing
  /// is made or changed.
  bool canBeWritten(DiagnosticEngine &diags) const;

  /// Whether an output goes where the program prints, which then gets it alone.
  bool usesStandardOutput() const;

private:
  struct File {
    std::string path;                     ///< As it was given.
    std::string target;                   ///< With links followed.
    std::optional<FileIdentity> identity; ///< None while there is no file.
    bool isDevice = false; ///< Swallows what is written, such as /dev/null.
    bool isStandardOutput = false;

    explicit File(const std::string &path);
    bool isSameAs(const File &other) const;
    /// Whether the path still leads where it did: not once it was written.
    bool isAsPlanned() const;
  };

  void addOpenedFiles();

  std::vector<File> inputs, outputs;
};

} // namespace yarrow

#endif // YARROW_COMPILER_WORK_FILEPLAN_H
