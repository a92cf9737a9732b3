//===- BuildCache.cpp - What takes long to make, kept in a folder ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A file: the length of the key, the key, the digest of the bytes, the bytes.
// Numbers have the order of bytes of the host: files stay on it. It is written
// under another name first (support/AtomicFile.h), so nobody reads half of one.
//
//===----------------------------------------------------------------------===//
#include "support/BuildCache.h"

#include "support/AtomicFile.h"
#include "support/CodeFile.h"
#include "support/Digest.h"

#include <cstdint>
#include <cstring>
#include <fstream>

using namespace yarrow;

/// Calls \p use with the bytes of a file, piece by piece; false if there is
/// none. Not mapped: another process may put a new file in its place at any
/// time.
template <typename Fn> static bool readFile(const std::string &path, Fn use) {
  std::ifstream file(path, std::ios::binary);
  std::vector<char> piece(1 << 20);
  if (!file)
    return false;
  while (file.read(piece.data(), std::streamsize(piece.size())),
         file.gcount() > 0)
    use(std::string_view(piece.data(), size_t(file.gcount())));
  return true;
}

/// Of the file that this code is in, and so whatever makes things: a program,
/// or a library that many programs use. Nullopt if it cannot be read.
static std::optional<uint64_t> codeDigest() {
  static const std::optional<uint64_t> value = []() -> std::optional<uint64_t> {
    auto path = codeFile(reinterpret_cast<const void *>(&codeDigest));
    Digest digest;
    if (!path ||
        !readFile(*path, [&](std::string_view piece) { digest.add(piece); }))
      return std::nullopt;
    return digest.value();
  }();
  return value;
}

/// Only if it is known what makes things.
static std::optional<std::string> fullKey(std::string_view key) {
  auto digest = codeDigest();
  return digest ? std::optional(digestText(*digest) + "/" + std::string(key))
                : std::nullopt;
}

std::string BuildCache::pathOf(std::string_view key) const {
  std::string digest = digestText(digestOf(key));
  return folder + "/" + digest.substr(digest.find(':') + 1) + "." + kind;
}

std::optional<std::vector<char>>
BuildCache::find(std::string_view shortKey) const {
  auto key = isOn() ? fullKey(shortKey) : std::nullopt;
  std::string file;
  if (!key ||
      !readFile(pathOf(*key), [&](std::string_view piece) { file += piece; }))
    return std::nullopt;
  std::string_view bytes = file;
  auto read = [&](uint64_t &number) {
    if (bytes.size() < sizeof(number))
      return false;
    std::memcpy(&number, bytes.data(), sizeof(number));
    bytes.remove_prefix(sizeof(number));
    return true;
  };
  uint64_t keyBytes = 0, digest = 0;
  if (!read(keyBytes) || keyBytes != key->size() || !bytes.starts_with(*key))
    return std::nullopt;
  bytes.remove_prefix(key->size());
  if (!read(digest) || digest != digestOf(bytes))
    return std::nullopt;
  return std::vector<char>(bytes.begin(), bytes.end());
}

void BuildCache::store(std::string_view shortKey,
                       std::span<const char> bytes) const {
  auto key = isOn() ? fullKey(shortKey) : std::nullopt;
  if (!key)
    return;
  std::string_view text(bytes.data(), bytes.size());
  uint64_t keyBytes = key->size(), digest = digestOf(text);
  auto number = [](const uint64_t &n) {
    return std::as_bytes(std::span(&n, 1));
  };
  DiagnosticEngine unheard;
  AtomicFile file(pathOf(*key), unheard);
  file.append(number(keyBytes));
  file.append(*key);
  file.append(number(digest));
  file.append(text);
  file.commit();
}
