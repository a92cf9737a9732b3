//===- BuildCache.h - Expensive results, kept in a folder -------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Keeps results for a program's next runs, by the inputs that they are made
// from. The program, or the library that makes a result, is part of every key,
// so another version starts anew. A file that is damaged, or has another key,
// does not count; a result that cannot be written is not kept.
//
//   BuildCache cache("cache", "kernel");
//   std::optional<std::vector<char>> object = cache.find(key);
//   if (!object)
//     cache.store(key, *(object = compile()));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_SUPPORT_BUILDCACHE_H
#define YARROW_SUPPORT_BUILDCACHE_H

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow {

class BuildCache {
public:
  /// \p folder exists; empty: nothing is kept. \p kind is the ending of the
  /// files' names.
  BuildCache(std::string folder, std::string kind)
      : folder(std::move(folder)), kind(std::move(kind)) {}

  bool isOn() const { return !folder.empty(); }
  /// May be called from several threads and processes, as store.
  std::optional<std::vector<char>> find(std::string_view key) const;
  void store(std::string_view key, std::span<const char> bytes) const;

private:
  std::string pathOf(std::string_view key) const;

  std::string folder, kind;
};

} // namespace yarrow

#endif // YARROW_SUPPORT_BUILDCACHE_H
