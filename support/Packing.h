//===- Packing.h - Values as bytes for other processes ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Numbers, texts and vectors of them one after the other, for processes of the
// same program on the same kind of machine (support/Ranks.h): no byte order, no
// versions. One function lists the members for both ways:
//
//   template <typename Pack> void pack(Pack &p, Result &r) {
//     p(r.hits)(r.sum);
//   }
//   Packer out;
//   pack(out, result);
//   Unpacker in(out.bytes);
//   pack(in, copy);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_PACKING_H
#define YARROW_SUPPORT_PACKING_H

#include <cassert>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace yarrow {

class Packer {
public:
  static constexpr bool isReading = false;
  std::string bytes;

  template <typename T> Packer &operator()(const T &value) {
    static_assert(std::is_arithmetic_v<T>, "a member at a time");
    bytes.append(reinterpret_cast<const char *>(&value), sizeof(T));
    return *this;
  }
  Packer &operator()(const std::string &text) {
    (*this)(text.size());
    bytes += text;
    return *this;
  }
  template <typename T> Packer &operator()(const std::vector<T> &values) {
    static_assert(std::is_arithmetic_v<T>, "a vector of numbers");
    (*this)(values.size());
    bytes.append(reinterpret_cast<const char *>(values.data()),
                 values.size() * sizeof(T));
    return *this;
  }
};

/// Reads what a Packer of the same program wrote.
class Unpacker {
public:
  static constexpr bool isReading = true;
  explicit Unpacker(std::string_view bytes) : rest(bytes) {}
  bool atEnd() const { return rest.empty(); }

  template <typename T> Unpacker &operator()(T &value) {
    static_assert(std::is_arithmetic_v<T>, "a member at a time");
    take(&value, sizeof(T));
    return *this;
  }
  Unpacker &operator()(std::string &text) {
    std::size_t size = 0;
    (*this)(size);
    text.resize(size);
    take(text.data(), size);
    return *this;
  }
  template <typename T> Unpacker &operator()(std::vector<T> &values) {
    std::size_t size = 0;
    (*this)(size);
    values.resize(size);
    take(values.data(), size * sizeof(T));
    return *this;
  }

private:
  void take(void *to, std::size_t size) {
    assert(size <= rest.size() && "read in another order than written");
    if (size)
      std::memcpy(to, rest.data(), size);
    rest.remove_prefix(size);
  }

  std::string_view rest;
};

} // namespace yarrow

#endif // YARROW_SUPPORT_PACKING_H
