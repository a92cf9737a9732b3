//===- KernelCache.h - Specialized kernels, kept in a folder ----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// LLVM takes some 20 ms for a kernel, most of what a network with many of them
// takes to be compiled. Objects are kept by what they are made of: the kernel,
// its parameters, the number of TECs, and the program that made them, so that
// another version of it begins anew. A file that is damaged is none.
//
//   KernelCache cache("kernels");
//   std::optional<std::vector<char>> object = cache.find(key);
//   if (!object)
//     cache.store(key, *(object = compile()));
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CODEGEN_KERNELCACHE_H
#define YARROW_CODEGEN_KERNELCACHE_H

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow {

class KernelCache {
public:
  /// An existing folder; empty: nothing is kept.
  explicit KernelCache(std::string folder) : folder(std::move(folder)) {}

  /// May be called from several threads and processes, as store.
  std::optional<std::vector<char>> find(std::string_view key) const;
  /// What cannot be written is not kept; the object is there anyway.
  void store(std::string_view key, std::span<const char> object) const;

private:
  std::string pathOf(std::string_view key) const;

  std::string folder;
};

} // namespace yarrow

#endif // YARROW_CODEGEN_KERNELCACHE_H
