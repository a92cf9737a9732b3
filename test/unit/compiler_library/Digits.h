//===- Digits.h - The example network, for the C interface ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   Handles handles;
//   yarrow_model *model = handles.open();
//   yarrow_array samples = handles.samples(8);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_COMPILER_LIBRARY_DIGITS_H
#define YARROW_TEST_UNIT_COMPILER_LIBRARY_DIGITS_H

#include "api/compiler/include/yarrow/compiler.h"

#include <fstream>
#include <sstream>
#include <string>

inline std::string content(const char *name) {
  std::ifstream file(std::string(YARROW_DIGITS "/") + name, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A log, and what a test opens with it.
class Handles {
public:
  Handles() { yarrow_log_create(&log); }
  ~Handles() {
    yarrow_close(executable);
    yarrow_model_close(integers);
    yarrow_model_close(model);
    yarrow_log_close(log);
  }
  Handles(const Handles &) = delete;
  Handles &operator=(const Handles &) = delete;

  yarrow_status open() {
    std::string text = content("digits.txt"), weights = content("digits.bin");
    return yarrow_model_open_memory(log, "digits.txt", text.data(), text.size(),
                                    weights.data(), weights.size(), nullptr, 0,
                                    &model);
  }
  /// The first \p count of the calibration set.
  yarrow_array samples(int64_t count) {
    constexpr std::size_t kHeader = 128;
    file = content("calibration.npy");
    shape[0] = count;
    return {nullptr, YARROW_FLOAT32, 4, shape, file.data() + kHeader};
  }
  yarrow_status quantize(const char *const *settings = nullptr,
                         size_t count = 0) {
    yarrow_array array = samples(8);
    return yarrow_quantize(log, model, &array, 1, settings, count, &integers);
  }
  yarrow_status compile(const char *const *settings = nullptr,
                        size_t count = 0) {
    return yarrow_compile(log, integers, settings, count, &executable);
  }
  std::string text() { return yarrow_log_text(log); }
  std::string bytes() const {
    const void *data = nullptr;
    size_t size = 0;
    yarrow_content(executable, &data, &size);
    return {static_cast<const char *>(data), size};
  }

  yarrow_log *log = nullptr;
  yarrow_model *model = nullptr, *integers = nullptr;
  yarrow_executable *executable = nullptr;

private:
  std::string file;
  int64_t shape[4] = {0, 8, 8, 1};
};

#endif // YARROW_TEST_UNIT_COMPILER_LIBRARY_DIGITS_H
