//===- TempFolder.h - A folder that a test may fill -----------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A fresh folder, removed with all it holds at the end of the test.
//
//   TempFolder folder;
//   writeFile(folder / "a.txt", "hello", diags);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_SUPPORT_TEMPFOLDER_H
#define YARROW_TEST_UNIT_SUPPORT_TEMPFOLDER_H

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace yarrow::test {

class TempFolder {
public:
  TempFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "yarrow-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path = name;
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TempFolder(const TempFolder &) = delete;
  TempFolder &operator=(const TempFolder &) = delete;

  std::string operator/(const std::string &name) const {
    return (path / name).string();
  }

  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto &entry : std::filesystem::directory_iterator(path))
      out.push_back(entry.path().filename().string());
    return out;
  }

private:
  std::filesystem::path path;
};

inline std::string contents(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

} // namespace yarrow::test

#endif // YARROW_TEST_UNIT_SUPPORT_TEMPFOLDER_H
