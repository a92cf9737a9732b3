//===- Descriptors.cpp - Decoding and printing of engine commands ---------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "isa/Descriptors.h"

using namespace yarrow::isa;

#define GET_DESCRIPTOR_DEFINITIONS
#include "isa/Descriptors.inc"

std::optional<AnyDescriptor>
yarrow::isa::decode(std::span<const uint32_t> words) {
  if (words.empty() || (words[0] >> 16) != 0 ||
      (words[0] >> 8 & 0xff) > words.size())
    return std::nullopt;
  return decodeByOpcode(words);
}

std::string yarrow::isa::disassemble(const AnyDescriptor &descriptor) {
  return std::visit(
      [](const auto &d) {
        using D = std::decay_t<decltype(d)>;
        std::string text{D::kMnemonic};
        d.forEachField([&](std::string_view field, int64_t value,
                           std::string_view spelled) {
          if (value == 0 && spelled.empty())
            return;
          text += ' ';
          text += field;
          text += '=';
          text +=
              spelled.empty() ? std::to_string(value) : std::string(spelled);
        });
        for (unsigned i = 0; i < kNumCounters; ++i)
          if (d.waits[i])
            text += " wait." + std::string(kUnits[i].mnemonic) + "=" +
                    std::to_string(d.waits[i]);
        return text;
      },
      descriptor);
}
