//===- Program.h - Small TEC programs, assembled by hand --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Just enough of an assembler to start engines and wait for them:
//
//   Program p;
//   p.endUnlessTask0();
//   p.setBase(3, 0x8000);
//   p.submit(isa::Unit::DmaLoad, address, sizeBytes);
//   p.wait(1, 1);
//   p.end();
//   std::vector<uint32_t> text = p.text();   // with our header
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_UNIT_SIMULATOR_PROGRAM_H
#define YARROW_TEST_UNIT_SIMULATOR_PROGRAM_H

#include "isa/Descriptors.h"
#include "isa/ElfLayout.h"
#include "isa/Types.h"
#include <cstring>
#include <vector>

namespace yarrow {

/// A run of bytes from one place to another.
inline isa::Copy copyBytes(uint32_t bytes, uint32_t srcRegion, uint32_t src,
                           uint32_t dstRegion, uint32_t dst) {
  isa::Copy c;
  c.elementBytes = 1;
  c.srcRegion = srcRegion, c.src = src;
  c.dstRegion = dstRegion, c.dst = dst;
  c.size0 = bytes;
  c.size1 = c.size2 = c.size3 = c.size4 = 1;
  c.srcStride0 = c.dstStride0 = 1;
  return c;
}

class Program {
public:
  enum Reg : uint32_t {
    Zero = 0,
    Sp = 2,
    T0 = 5,
    T1 = 6,
    T2 = 7,
    A0 = 10,
    A3 = 13
  };

  void word(uint32_t w) { code.push_back(w); }
  void addi(uint32_t rd, uint32_t rs1, int32_t imm) {
    word(uint32_t(imm) << 20 | rs1 << 15 | rd << 7 | 0x13);
  }
  void load(uint32_t rd, uint32_t base, int32_t offset) {
    word(uint32_t(offset) << 20 | base << 15 | 2 << 12 | rd << 7 | 0x03);
  }
  void store(uint32_t value, uint32_t base, uint32_t offset) {
    word(offset >> 5 << 25 | value << 20 | base << 15 | 2 << 12 |
         (offset & 31) << 7 | 0x23);
  }
  void constant(uint32_t rd, uint32_t value) {
    uint32_t low = value & 0xfff;
    word((value + 0x800) >> 12 << 12 | rd << 7 | 0x37);
    addi(rd, rd, int32_t(low << 20) >> 20);
  }
  void npu(uint32_t funct3, uint32_t funct7, uint32_t rs1, uint32_t rs2) {
    word(funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | 0x0b);
  }

  void setBase(uint32_t region, uint32_t address) {
    constant(T0, region);
    constant(T1, address);
    npu(1, 0, T0, T1);
  }
  void submit(isa::Unit queue, uint32_t address, uint32_t sizeBytes) {
    constant(T0, address);
    constant(T1, sizeBytes);
    npu(0, uint32_t(queue), T0, T1);
  }
  void wait(uint32_t counter, uint32_t count) {
    constant(T0, count);
    npu(2, counter, T0, 0);
  }
  void setOrigin(uint32_t counter, uint32_t count) {
    constant(T0, count);
    npu(5, counter, T0, 0);
  }
  void signal() { npu(3, 0, 0, 0); }
  /// csrwi step, number
  void beginStep(uint32_t number) { word(0x80005073 | number << 15); }
  void end() { npu(4, 0, 0, 0); }
  void loopForever() { word(0x6f); }
  /// bne rs1, x0, offset
  void branchUnlessZero(uint32_t rs1, int32_t offsetBytes) {
    auto o = uint32_t(offsetBytes);
    word((o >> 12 & 1) << 31 | (o >> 5 & 63) << 25 | rs1 << 15 | 1 << 12 |
         (o >> 1 & 15) << 8 | (o >> 11 & 1) << 7 | 0x63);
  }
  /// Jumps to the instruction at \p index (from here()) unless \p rs1 is 0.
  void loopUnlessZero(uint32_t rs1, size_t index) {
    branchUnlessZero(rs1, (int32_t(index) - int32_t(here())) * 4);
  }
  /// What \p part does, on task 0 only.
  void onTask0(const Program &part) {
    branchUnlessZero(A3, int32_t(part.here() + 1) * 4);
    code.insert(code.end(), part.code.begin(), part.code.end());
  }
  size_t here() const { return code.size(); }
  void add(uint32_t rd, uint32_t rs1, uint32_t rs2) {
    word(rs2 << 20 | rs1 << 15 | rd << 7 | 0x33);
  }
  void shiftLeft(uint32_t rd, uint32_t rs1, uint32_t bits) {
    word(bits << 20 | rs1 << 15 | 1 << 12 | rd << 7 | 0x13);
  }
  /// beq a3, x0, +8; npu.end
  void endUnlessTask0() {
    word(A3 << 15 | 0x463);
    end();
  }

  /// Of the header, the sizes of code and image are filled in if `guarded`.
  isa::TextHeader header{};
  bool guarded = false;

  std::vector<uint32_t> text() const {
    std::vector<uint32_t> words(isa::kTextHeaderBytes / 4);
    isa::TextHeader h = header;
    std::memcpy(h.magic, isa::kTextMagic, sizeof h.magic);
    if (guarded)
      h.imageBytes = h.codeBytes =
          uint32_t(sizeof h + code.size() * sizeof code[0]);
    std::memcpy(words.data(), &h, sizeof h);
    words.insert(words.end(), code.begin(), code.end());
    return words;
  }

private:
  std::vector<uint32_t> code;
};

} // namespace yarrow

#endif // YARROW_TEST_UNIT_SIMULATOR_PROGRAM_H
