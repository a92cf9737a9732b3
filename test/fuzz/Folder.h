//===- Folder.h - Files and contexts of harnesses that read IR --*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   static const fuzz::Folder folder;
//   fuzz::save(folder / "net.txt", text);
//   auto module = readCompassIr(fuzz::nextContext(), folder / "net.txt", ...);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_FUZZ_FOLDER_H
#define YARROW_TEST_FUZZ_FOLDER_H

#include "dialects/compass/Compass.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>

namespace yarrow::fuzz {

/// A folder of this process, in memory where the system has one.
class Folder {
public:
  Folder() {
    namespace fs = std::filesystem;
    fs::path base = fs::exists("/dev/shm") ? fs::path("/dev/shm")
                                           : fs::temp_directory_path();
    path = base / ("yarrow-fuzz-" + std::to_string(getpid()));
    fs::create_directories(path);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  std::string operator/(const char *name) const { return path / name; }

private:
  std::filesystem::path path;
};

inline void save(const std::string &path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary)
      .write(bytes.data(), std::streamsize(bytes.size()));
}

/// Every attribute that was ever made stays in its context, so that one for
/// all inputs would grow without end, and one for each would be slow.
inline mlir::MLIRContext &nextContext() {
  constexpr unsigned inputsPerContext = 500;
  static std::unique_ptr<mlir::MLIRContext> current;
  static unsigned used = 0;
  if (!current || ++used == inputsPerContext) {
    used = 0;
    mlir::DialectRegistry registry;
    compass::registerDialects(registry);
    current = std::make_unique<mlir::MLIRContext>(
        registry, mlir::MLIRContext::Threading::DISABLED);
    current->loadAllAvailableDialects();
  }
  return *current;
}

} // namespace yarrow::fuzz

#endif // YARROW_TEST_FUZZ_FOLDER_H
