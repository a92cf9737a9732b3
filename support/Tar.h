//===- Tar.h - Archives of tar ----------------------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Archives as POSIX (ustar, pax) and GNU tar write them, read from bytes that
// may be anything: every checksum is compared, every offset checked before it
// is followed. What is written has no times, owners or modes of this machine:
// the same members give the same bytes.
//
//   auto members = readTar(file->bytes(), path, diag::QnnWeights, diags);
//   for (const TarMember &member : *members)
//     use(member.name, member.bytes);        // views of the file
//
//   AtomicFile file("net.bin", diags);
//   appendTarMember(file, "conv1.raw", bytes);
//   appendTarEnd(file);
//   return file.commit();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_TAR_H
#define YARROW_SUPPORT_TAR_H

#include "support/AtomicFile.h"
#include "support/Diagnostics.h"
#include "support/diagnostics/Import.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow {

struct TarMember {
  std::string name; ///< Without "./" before it.
  std::span<const std::byte> bytes;
};

/// The regular files among the members, in the order of the archive. nullopt,
/// and \p id reported, if it is damaged.
std::optional<std::vector<TarMember>> readTar(std::span<const std::byte> bytes,
                                              const std::string &path,
                                              DiagId id,
                                              DiagnosticEngine &diags);

/// False after the first failure, which \p file reports.
bool appendTarMember(AtomicFile &file, std::string_view name,
                     std::span<const std::byte> bytes);
/// What no archive ends without.
bool appendTarEnd(AtomicFile &file);

} // namespace yarrow

#endif // YARROW_SUPPORT_TAR_H
