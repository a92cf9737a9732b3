//===- KernelCache.cpp - Specialized kernels, kept in a folder ------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A file: the length of the key, the key, the digest of the object, the object.
// Numbers have the order of bytes of the host: files stay on it.
//
//===----------------------------------------------------------------------===//
#include "codegen/KernelCache.h"

#include "support/AtomicFile.h"
#include "support/Digest.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>

using namespace yarrow;

/// Of the program that runs: whatever makes objects is a part of it.
static uint64_t programDigest() {
  static const uint64_t digest = [] {
    static int here;
    std::string path = llvm::sys::fs::getMainExecutable(nullptr, &here);
    auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
    return file ? digestOf((*file)->getBuffer()) : 0;
  }();
  return digest;
}

static std::string fullKey(std::string_view key) {
  return llvm::utohexstr(programDigest()) + "/" LLVM_VERSION_STRING "/" +
         std::string(key);
}

std::string KernelCache::pathOf(std::string_view key) const {
  return folder + "/" +
         llvm::utohexstr(digestOf(key), /*LowerCase=*/true, /*Width=*/16) +
         ".kernel";
}

std::optional<std::vector<char>>
KernelCache::find(std::string_view shortKey) const {
  if (folder.empty())
    return std::nullopt;
  std::string key = fullKey(shortKey);
  auto file = llvm::MemoryBuffer::getFile(pathOf(key), /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return std::nullopt;
  llvm::StringRef bytes = (*file)->getBuffer();
  uint64_t keyBytes = 0, digest = 0;
  auto read = [&](uint64_t &number) {
    if (bytes.size() < sizeof(number))
      return false;
    std::memcpy(&number, bytes.data(), sizeof(number));
    bytes = bytes.drop_front(sizeof(number));
    return true;
  };
  if (!read(keyBytes) || keyBytes != key.size() || !bytes.consume_front(key) ||
      !read(digest) || digest != digestOf(bytes))
    return std::nullopt;
  return std::vector<char>(bytes.begin(), bytes.end());
}

void KernelCache::store(std::string_view shortKey,
                        std::span<const char> object) const {
  if (folder.empty())
    return;
  std::string key = fullKey(shortKey);
  std::string_view bytes(object.data(), object.size());
  uint64_t keyBytes = key.size(), digest = digestOf(bytes);
  auto number = [](const uint64_t &n) {
    return std::as_bytes(std::span(&n, 1));
  };
  DiagnosticEngine unheard;
  AtomicFile file(pathOf(key), unheard);
  file.append(number(keyBytes));
  file.append(key);
  file.append(number(digest));
  file.append(bytes);
  file.commit();
}
