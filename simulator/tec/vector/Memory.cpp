//===- Memory.cpp - Vector loads and stores -------------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Unmasked unit-stride accesses are copies; all else goes element by element,
// upwards, and the fields of a segment in order. An access that is not allowed
// faults with the address of the element, and vstart is its number; all before
// it has been transferred.
//
//===----------------------------------------------------------------------===//
#include "simulator/tec/vector/Lanes.h"

#include <algorithm>

namespace yarrow::sim::tec::YARROW_TEC_SIMD {

namespace {
enum class Result { Done, Illegal, NotAllowed };
} // namespace

/// The host address, or null with an access fault set.
template <bool Stores>
[[gnu::always_inline]] static inline uint8_t *hostOf(Core *c, uint32_t address,
                                                     unsigned bytes) {
  uint8_t *host = (Stores ? c->writable : c->readable).find(address, bytes);
  if (!host) [[unlikely]]
    c->setAccessFault(Stores ? Access::Write : Access::Read, address, bytes);
  return host;
}

#define TEC_VECTOR_MEMORY(NAME, ...)                                           \
  TEC_EXEC(NAME) {                                                             \
    c->work += c->vl;                                                          \
    Result result = __VA_ARGS__;                                               \
    if (result == Result::Done) [[likely]]                                     \
      TEC_NEXT;                                                                \
    if (result == Result::Illegal) [[clang::musttail]]                         \
      return illegalOrResume(c, i, block, left);                               \
    [[clang::musttail]] return stopAtFault(c, i, block, left);                 \
  }

/// log2 of the registers that elements of \p widthLog2 take.
static int groupLog2(const Core *c, unsigned widthLog2) {
  return int(widthLog2) - int(c->sew) + c->lmul;
}
static unsigned groupRegs(int log2) { return log2 > 0 ? 1u << log2 : 1; }

/// False if a group of \p fields groups is not allowed at v\p first (V 7.8).
static bool isGroup(const Core *c, unsigned widthLog2, unsigned fields,
                    unsigned first) {
  int log2 = groupLog2(c, widthLog2);
  if (c->sew == kNoSew || log2 < -3 || log2 > 3)
    return false;
  unsigned regs = groupRegs(log2);
  return first % regs == 0 && fields * regs <= 8 && first + fields * regs <= 32;
}

/// Transfers element by element: field f of element k is at addressOf(k) + f *
/// sizeof(T). Returns the element that faults, or vl.
template <class T, bool Stores, class F>
static inline unsigned transfer(Core *c, const Inst *i, unsigned fields,
                                F addressOf) {
  unsigned regs = groupRegs(groupLog2(c, __builtin_ctz(sizeof(T))));
  uint8_t *first = reg(c, i->rd);
  for (unsigned k = 0; k < c->vl; ++k) {
    if (!isActive(c, i, k))
      continue;
    uint32_t address = addressOf(k);
    uint8_t *lane = first + k * sizeof(T);
    for (unsigned f = 0; f < fields; ++f) {
      uint8_t *host = hostOf<Stores>(c, address, sizeof(T));
      if (!host) [[unlikely]]
        return k;
      if (Stores)
        std::memcpy(host, lane, sizeof(T));
      else
        std::memcpy(lane, host, sizeof(T));
      address += sizeof(T);
      lane += regs * kVlenBytes;
    }
  }
  return c->vl;
}

/// Result::Done if all \p elements up to vl have been transferred.
static Result done(Core *c, unsigned elements) {
  if (elements == c->vl) [[likely]]
    return Result::Done;
  c->setVstart(elements);
  return Result::NotAllowed;
}

/// A masked load must not write v0.
template <bool Stores> static bool mayTransfer(const Inst *i) {
  return Stores || !i->overwritesMask();
}

template <class F> static Result byWidth(unsigned widthLog2, F f) {
  switch (widthLog2) {
  case 0:
    return f.template operator()<uint8_t>();
  case 1:
    return f.template operator()<uint16_t>();
  case 2:
    return f.template operator()<uint32_t>();
  default:
    return f.template operator()<uint64_t>();
  }
}

/// memcpy that does not call the library for the sizes of whole registers.
static inline void copyBytes(uint8_t *to, const uint8_t *from, unsigned bytes) {
  _Pragma("clang loop unroll(disable)") for (; bytes >= 32;
                                             bytes -= 32, to += 32, from += 32)
      __builtin_memcpy(to, from, 32);
  if (bytes & 16) {
    __builtin_memcpy(to, from, 16);
    to += 16, from += 16;
  }
  if (bytes & 8) {
    __builtin_memcpy(to, from, 8);
    to += 8, from += 8;
  }
  for (unsigned k = 0; k < (bytes & 7); ++k)
    to[k] = from[k];
}

// Unit stride.

template <bool Stores, class T>
static unsigned transferUnit(Core *c, const Inst *i, unsigned fields) {
  uint32_t base = c->x[i->rs1];
  return transfer<T, Stores>(c, i, fields, [=](unsigned k) {
    return base + uint32_t(k * fields * sizeof(T));
  });
}
template <bool Stores>
static Result unitFields(Core *c, const Inst *i, unsigned fields) {
  if (!isGroup(c, i->eewLog2(), fields, i->rd) || !mayTransfer<Stores>(i))
    return Result::Illegal;
  return byWidth(i->eewLog2(), [&]<class T>() {
    return done(c, transferUnit<Stores, T>(c, i, fields));
  });
}
template <bool Stores> static inline Result unit(Core *c, const Inst *i) {
  unsigned bytes = c->vl << i->eewLog2();
  uint8_t *host = hostOf<Stores>(c, c->x[i->rs1], bytes);
  if (!i->vm || !host || !Core::isAligned(i->rd, c->widthMask[i->eewLog2()]))
      [[unlikely]]
    return unitFields<Stores>(c, i, 1);
  if (Stores)
    copyBytes(host, reg(c, i->rd), bytes);
  else
    copyBytes(reg(c, i->rd), host, bytes);
  return Result::Done;
}
TEC_VECTOR_MEMORY(vle, unit<false>(c, i))
TEC_VECTOR_MEMORY(vse, unit<true>(c, i))
TEC_VECTOR_MEMORY(vlseg, unitFields<false>(c, i, i->fields()))
TEC_VECTOR_MEMORY(vsseg, unitFields<true>(c, i, i->fields()))

/// Fault-only-first: a fault past element 0 shortens vl instead.
static Result unitFirst(Core *c, const Inst *i, unsigned fields) {
  if (!isGroup(c, i->eewLog2(), fields, i->rd) || i->overwritesMask())
    return Result::Illegal;
  return byWidth(i->eewLog2(), [&]<class T>() {
    unsigned elements = transferUnit<false, T>(c, i, fields);
    if (elements == 0 && c->vl != 0)
      return Result::NotAllowed; // of element 0: vstart stays 0
    c->vl = elements;
    return Result::Done;
  });
}
TEC_VECTOR_MEMORY(vleff, unitFirst(c, i, 1))
TEC_VECTOR_MEMORY(vlsegff, unitFirst(c, i, i->fields()))

// What does not depend on vtype, or on no more than that it is legal, looks at
// vstart itself.

/// \p bytes between memory and the registers from vd on, as elements of the
/// encoded width, from vstart on.
template <bool Stores>
static Result whole(Core *c, const Inst *i, unsigned bytes) {
  uint32_t base = c->x[i->rs1];
  unsigned begin = std::min(c->vstart << i->eewLog2(), bytes);
  unsigned end = bytes;
  if (!hostOf<Stores>(c, base + begin, bytes - begin)) [[unlikely]] {
    unsigned each = 1u << i->eewLog2();
    for (end = begin; end < bytes && hostOf<Stores>(c, base + end, each);)
      end += each;
  }
  if (begin < end) {
    uint8_t *host = hostOf<Stores>(c, base + begin, end - begin);
    if (Stores)
      copyBytes(host, reg(c, i->rd) + begin, end - begin);
    else
      copyBytes(reg(c, i->rd) + begin, host, end - begin);
  }
  if (end < bytes) [[unlikely]] {
    c->setVstart(end >> i->eewLog2());
    return Result::NotAllowed;
  }
  if (c->vstart) [[unlikely]]
    c->setVstart(0);
  return Result::Done;
}
/// vl bits, in bytes (V 7.4).
template <bool Stores> static Result maskOnly(Core *c, const Inst *i) {
  return c->vtype >> 31 ? Result::Illegal
                        : whole<Stores>(c, i, (c->vl + 7) / 8);
}
/// 1, 2, 4 or 8 registers, whatever vtype is (V 7.9).
template <bool Stores> static Result registers(Core *c, const Inst *i) {
  return i->rd & (i->fields() - 1)
             ? Result::Illegal
             : whole<Stores>(c, i, i->fields() * kVlenBytes);
}
TEC_VECTOR_MEMORY(vlm, maskOnly<false>(c, i))
TEC_VECTOR_MEMORY(vsm, maskOnly<true>(c, i))
TEC_VECTOR_MEMORY(vlr, registers<false>(c, i))
TEC_VECTOR_MEMORY(vsr, registers<true>(c, i))

// Strided.

template <bool Stores>
static Result strided(Core *c, const Inst *i, unsigned fields) {
  if (!isGroup(c, i->eewLog2(), fields, i->rd) || !mayTransfer<Stores>(i))
    return Result::Illegal;
  uint32_t base = c->x[i->rs1], strideBytes = c->x[i->rs2];
  return byWidth(i->eewLog2(), [&]<class T>() {
    auto addressOf = [=](unsigned k) { return base + k * strideBytes; };
    return done(c, transfer<T, Stores>(c, i, fields, addressOf));
  });
}
TEC_VECTOR_MEMORY(vlse, strided<false>(c, i, 1))
TEC_VECTOR_MEMORY(vsse, strided<true>(c, i, 1))
TEC_VECTOR_MEMORY(vlsseg, strided<false>(c, i, i->fields()))
TEC_VECTOR_MEMORY(vssseg, strided<true>(c, i, i->fields()))

// Indexed: indices have the encoded width, data has SEW. The ordered and the
// unordered forms both go upwards.

/// False if a load into vd may not overwrite its indices so (V 5.2, 7.8.3).
static bool mayOverlapIndices(const Core *c, const Inst *i, unsigned fields) {
  int dataLog2 = c->lmul, indexLog2 = groupLog2(c, i->eewLog2());
  unsigned dataRegs = groupRegs(dataLog2), indexRegs = groupRegs(indexLog2);
  unsigned end = i->rd + fields * dataRegs, indexEnd = i->rs2 + indexRegs;
  if (i->rd >= indexEnd || i->rs2 >= end)
    return true;
  if (fields > 1)
    return false;
  if (i->eewLog2() == c->sew)
    return true;
  return i->eewLog2() > c->sew ? i->rd == i->rs2
                               : indexLog2 >= 0 && indexEnd == end;
}

template <bool Stores>
static Result indexed(Core *c, const Inst *i, unsigned fields) {
  if (!isGroup(c, i->eewLog2(), 1, i->rs2) ||
      !isGroup(c, c->sew, fields, i->rd) || !mayTransfer<Stores>(i) ||
      !(Stores || mayOverlapIndices(c, i, fields)))
    return Result::Illegal;
  uint32_t base = c->x[i->rs1];
  // A load may overwrite its own indices.
  uint8_t indices[8 * kVlenBytes];
  std::memcpy(indices, reg(c, i->rs2), c->vl << i->eewLog2());
  return byWidth(i->eewLog2(), [&]<class I>() {
    auto addressOf = [&](unsigned k) {
      I index;
      std::memcpy(&index, indices + k * sizeof(I), sizeof index);
      return base + uint32_t(index);
    };
    return byWidth(c->sew, [&]<class T>() {
      return done(c, transfer<T, Stores>(c, i, fields, addressOf));
    });
  });
}
TEC_VECTOR_MEMORY(vlxei, indexed<false>(c, i, 1))
TEC_VECTOR_MEMORY(vsxei, indexed<true>(c, i, 1))
TEC_VECTOR_MEMORY(vlxseg, indexed<false>(c, i, i->fields()))
TEC_VECTOR_MEMORY(vsxseg, indexed<true>(c, i, i->fields()))

} // namespace yarrow::sim::tec::YARROW_TEC_SIMD
