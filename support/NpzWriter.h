//===- NpzWriter.h - Several arrays into one .npz file ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// What numpy.savez writes: a zip archive of stored .npy files, with the sizes
// of Zip64 where they are needed. The same arrays give the same bytes.
//
//   NpzWriter npz(file);                           // an AtomicFile
//   npz.add("cls_8", npyHeader(type, shape), bytes);
//   npz.finish();
//   return file.commit();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_NPZWRITER_H
#define YARROW_SUPPORT_NPZWRITER_H

#include "support/AtomicFile.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow {

class NpzWriter {
public:
  explicit NpzWriter(AtomicFile &file) : file(file) {}

  /// The array of that name: \p header and \p data of a .npy file. A name that
  /// there is already gets a number.
  void add(std::string name, std::string_view header,
           std::span<const std::byte> data);
  /// Writes the directory, behind all arrays.
  void finish();

private:
  struct Member {
    std::string name;
    uint32_t checksum = 0;
    uint64_t sizeBytes = 0, offset = 0;
  };

  void put(std::string_view bytes);
  std::string headerOf(const Member &member, bool isEntry) const;

  AtomicFile &file;
  uint64_t written = 0;
  std::vector<Member> members;
  std::set<std::string> names;
};

} // namespace yarrow

#endif // YARROW_SUPPORT_NPZWRITER_H
