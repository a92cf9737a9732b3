//===- ZipWriter.h - Archives for tests -------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//   ZipWriter zip;
//   zip.add("x.npy", npyOf({2}, {1, 2}), /*isDeflated=*/true);
//   std::ofstream("x.npz") << zip.finish();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_DATA_ZIPWRITER_H
#define YARROW_TEST_UNIT_DATA_ZIPWRITER_H

#include "support/Npy.h"

#include <fstream>
#include <string>
#include <type_traits>
#include <vector>
#include <zlib.h>

namespace yarrow {

/// The bytes of a .npy of float32, or of int32.
template <typename T = float>
std::string npyOf(std::vector<int64_t> shape, const std::vector<T> &values) {
  constexpr bool isFloat = std::is_same_v<T, float>;
  static_assert(isFloat || std::is_same_v<T, int32_t>);
  return npyHeader(isFloat ? NpyType::Float32 : NpyType::Int32, shape) +
         std::string(reinterpret_cast<const char *>(values.data()),
                     values.size() * sizeof(T));
}

class ZipWriter {
public:
  void add(const std::string &name, const std::string &content, bool isDeflated,
           bool isZip64 = false) {
    std::string packed = isDeflated ? deflated(content) : content;
    auto checksum =
        uint32_t(crc32(0, reinterpret_cast<const Bytef *>(content.data()),
                       uInt(content.size())));
    std::string sizes = number(packed.size(), 4) + number(content.size(), 4),
                extra;
    if (isZip64) { // as numpy does, whatever the size
      sizes.assign(8, '\xFF');
      extra = number(1, 2) + number(16, 2) + number(content.size(), 8) +
              number(packed.size(), 8);
    }
    std::string common = number(isZip64 ? 45 : 20, 2) + number(0, 2) +
                         number(isDeflated ? 8 : 0, 2) + number(0, 4) +
                         number(checksum, 4) + sizes + number(name.size(), 2) +
                         number(extra.size(), 2);
    std::size_t offset = bytes.size();
    bytes += "PK\x03\x04" + common + name + extra + packed;
    directory += "PK\x01\x02" + number(45, 2) + common + number(0, 2) +
                 number(0, 4) + number(0, 4) + number(offset, 4) + name + extra;
    ++count;
  }
  std::string finish() const {
    return bytes + directory + "PK\x05\x06" + number(0, 4) + number(count, 2) +
           number(count, 2) + number(directory.size(), 4) +
           number(bytes.size(), 4) + number(0, 2);
  }

private:
  static std::string number(uint64_t value, int size) {
    std::string text;
    for (int i = 0; i < size; ++i)
      text += char(value >> (8 * i));
    return text;
  }
  static std::string deflated(const std::string &content) {
    std::string packed(content.size() + 100, '\0');
    z_stream stream = {};
    deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
    stream.next_in =
        reinterpret_cast<Bytef *>(const_cast<char *>(content.data()));
    stream.avail_in = uInt(content.size());
    stream.next_out = reinterpret_cast<Bytef *>(packed.data());
    stream.avail_out = uInt(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(packed.size() - stream.avail_out);
    deflateEnd(&stream);
    return packed;
  }

  std::string bytes, directory;
  std::size_t count = 0;
};

} // namespace yarrow

#endif // YARROW_TEST_UNIT_DATA_ZIPWRITER_H
