//===- TemporaryFile.h - A file that is removed with its owner ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   TemporaryFile file;
//   compileNetwork(module, machine, options, file.path(), diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_TEMPORARYFILE_H
#define YARROW_TEST_TEMPORARYFILE_H

#include <atomic>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace yarrow::testing {

class TemporaryFile {
public:
  TemporaryFile() {
    static std::atomic<unsigned> next;
    std::string name = "yarrow-test-" + std::to_string(getpid()) + "-" +
                       std::to_string(next++);
    file = (std::filesystem::temp_directory_path() / name).string();
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;
  const std::string &path() const { return file; }

private:
  std::string file;
};

} // namespace yarrow::testing

#endif // YARROW_TEST_TEMPORARYFILE_H
