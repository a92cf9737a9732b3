//===- FuzzNpy.cpp - Broken .npy files ------------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Whatever the bytes: no crash, an array exactly if there is no error, all of
// its elements within the input, and what is written of it reads as the same.
//
//===----------------------------------------------------------------------===//
#include "support/Npy.h"
#include "test/fuzz/Fuzz.h"

#include <cstring>

using namespace yarrow;
using fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data,
                                      std::size_t size) {
  // A block of its own size, so that a read beyond it is seen.
  std::shared_ptr<std::byte[]> block(new std::byte[size]);
  if (size)
    std::memcpy(block.get(), data, size);
  std::span<const std::byte> bytes(block.get(), size);
  DiagnosticEngine diags;
  std::optional<NpyView> view = parseNpy(bytes, block, "fuzz.npy", diags);
  require(view.has_value() == !diags.hasErrors(),
          "an array exactly if there is no error", &diags);
  if (!view)
    return 0;
  ++fuzz::numAccepted;
  require(view->sizeBytes() <= size, "no more elements than bytes");
  require(reinterpret_cast<std::uintptr_t>(view->data) %
                  npyTypeBytes(view->type) ==
              0,
          "elements are aligned");
  require(view->toFloats().size() == view->numElements,
          "a float for each element");
  std::string again = npyHeader(view->type, view->shape);
  std::span<const std::byte> elements = view->bytes();
  again.append(reinterpret_cast<const char *>(elements.data()),
               elements.size());
  std::optional<NpyView> copy =
      parseNpy(std::as_bytes(std::span(again)), nullptr, "again.npy", diags);
  require(copy.has_value(), "what is written can be read", &diags);
  require(copy->type == view->type && copy->shape == view->shape &&
              std::ranges::equal(copy->bytes(), elements),
          "what is written reads as the same");
  return 0;
}
