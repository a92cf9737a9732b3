//===- MemoryFile.h - A file in memory ------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A file in memory, for code that needs a path for a temporary file. It has a
// name under /proc as long as it is open, and disappears with the process,
// whatever ends it.
//
//   MemoryFile script("script");
//   if (script.write(text))
//     link("-T", script.path());
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_MEMORYFILE_H
#define YARROW_SUPPORT_MEMORYFILE_H

#include <string>
#include <string_view>

namespace yarrow {

class MemoryFile {
public:
  /// \p name is for those who look at the process.
  explicit MemoryFile(const char *name);
  MemoryFile(MemoryFile &&other) noexcept;
  ~MemoryFile();

  /// False where the system refuses one.
  explicit operator bool() const { return fd >= 0; }
  bool write(std::string_view data);
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd); }

private:
  int fd;
};

} // namespace yarrow

#endif // YARROW_SUPPORT_MEMORYFILE_H
