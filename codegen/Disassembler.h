//===- Disassembler.h - Executables as text ---------------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Prints the program of the TECs and the descriptors of the engines, each part
// under a line that names its layer or step:
//
//   disassembleTec(std::cout, text, tecElf,
//                  {{step.pcBegin, step.pcEnd, "layer 3 softmax
//                  (net.txt:40)"}});
//
//   step.2.yk_softmax_lut_int:  ; layer 3 softmax (net.txt:40)
//        d8: ff010113   addi    sp, sp, -0x10
//        ...
//       104: 0605200b   npu.wait        tec, a0
//
//   disassembleDescriptors(std::cout, descriptors, {"layer 0 conv1", ...});
//
//   ; layer 0 conv1
//        0: conv inHeight=32 ... wait.load=2
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_CODEGEN_DISASSEMBLER_H
#define YARROW_CODEGEN_DISASSEMBLER_H

#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace yarrow {

/// What a range of bytes of the program belongs to.
struct TextOrigin {
  uint32_t begin = 0, end = 0;
  std::string text;
};

/// \p text is the contents of section .text. \p tecElf (.yarrow.tec; may be
/// empty) has the symbols and tells where constants begin; without it all words
/// are taken for instructions.
void disassembleTec(std::ostream &os, std::string_view text,
                    std::string_view tecElf,
                    const std::vector<TextOrigin> &origins);

/// One line per descriptor. \p origins has a text for each, in the order of
/// the bytes; it is printed where it changes, and may be shorter. False if the
/// bytes are not descriptors all through; what comes first is printed.
bool disassembleDescriptors(std::ostream &os, std::string_view descriptors,
                            const std::vector<std::string> &origins);

} // namespace yarrow

#endif // YARROW_CODEGEN_DISASSEMBLER_H
