//===- MappingGuard.h - Mapped files that lose their bytes ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A page of a mapped file that cannot be read, because the file was truncated
// or its server is gone, ends a process by SIGBUS. The guard puts zeros in the
// place of what is missing and remembers that it did, so that the work ends
// with a message (checkReadFiles of support/MappedFile.h) before any result is
// published. It is a program's decision, as handlers of signals are.
//
//   int main() {
//     guardMappings();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_MAPPINGGUARD_H
#define YARROW_SUPPORT_MAPPINGGUARD_H

#include <cstddef>

namespace yarrow {

/// Handles SIGBUS from now on, for addresses in mappings; others go to the
/// handler that was there before.
void guardMappings();
bool areMappingsGuarded();

/// Whether all these bytes are in one guarded range.
bool isGuarded(const void *begin, std::size_t sizeBytes);

/// A range of addresses that is guarded.
class GuardedRange {
public:
  GuardedRange(const void *begin, std::size_t sizeBytes);
  ~GuardedRange();
  GuardedRange(const GuardedRange &) = delete;
  GuardedRange &operator=(const GuardedRange &) = delete;

  /// Whether bytes had to be replaced.
  bool isDamaged() const;

  struct Entry;

private:
  Entry *entry;
};

} // namespace yarrow

#endif // YARROW_SUPPORT_MAPPINGGUARD_H
