//===- SoftmaxLut.cpp - Softmax by a table of exponentials ----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/Epilogue.h"
#include "kernels/StripRequant.h"
#include "kernels/activation/Lookup.h"
#include "kernels/norm/Softmax.h"
#include "kernels/norm/SoftmaxLutColumns.h"
#include "kernels/norm/SoftmaxLutRows.h"
#include "kernels/norm/SoftmaxRows.h"
#include "kernels/norm/SoftmaxShortRows.h"
#include "kernels/norm/SoftmaxWideColumns.h"

using namespace yarrow;
using namespace yarrow::kernels;

namespace {

/// Quotient of non-negative numbers; 64-bit division is slow on a 32-bit core.
int64_t divide(int64_t a, int64_t b) {
  if ((uint64_t(a) | uint64_t(b)) >> 32 == 0)
    return uint32_t(a) / uint32_t(b);
  return int64_t(uint64_t(a) / uint64_t(b));
}

Requant outputOf(DType type, int32_t zp, int32_t lo, int32_t hi) {
  Requant r;
  r.outType = type;
  r.zp = zp;
  r.lo = lo;
  r.hi = hi;
  return r;
}

/// Bytes, tables of one entry for each difference, results in 32 bits.
bool areLutStrips(const SoftmaxLutParams &p) {
  int32_t shift = p.shift + p.extraBits;
  bool isUnsigned = p.tableType == DType::U8 || p.tableType == DType::U16 ||
                    dtypeBytes(p.tableType) == 4;
  // What the sum divides; a quotient of an exponential is at most 2^extraBits,
  // rounded up.
  bool isShort = p.shape.axis <= kMostShortRow;
  int64_t greatest = (int64_t(1) << (p.extraBits & 31)) + p.numeratorFirst;
  return isByte(p.inType) && isByte(p.outType) && isUnsigned && p.inBits == 8 &&
         p.log2Size >= 8 && (!p.numeratorFirst || isShort) &&
         p.extraBits >= 0 && p.extraBits < 32 && p.scale >= 0 &&
         greatest * p.scale <= int64_t(1) << 31 && shift >= 1 && shift <= 31;
}

/// A row of E * rev. E is at most S, and so a product at most scale <<
/// extraBits, 2^31.
template <typename Entry>
void lutRow(const SoftmaxLutParams &p, const uint8_t *input, const Entry *table,
            uint8_t *output, uint8_t top) {
  uint32_t axis = p.shape.axis, kept[kKeptRow];
  bool isKept = axis <= kKeptRow;
  auto lookUp = [&](uint32_t i, auto size, Strip<uint32_t> &e) {
    Strip<uint8_t> x;
    loadStrip<uint8_t>(input, i, size, x);
    x += uint8_t(255 - top); // modulo 2^8, also of signed bytes
    gatherStrip(table, __builtin_convertvector(x, Strip<int32_t>), e);
  };
  Strip<uint64_t> sums{};
  forEachStrip(0, axis, [&](uint32_t i, auto size) {
    Strip<uint32_t> e;
    lookUp(i, size, e);
    fillBeyond(e, size, 0u);
    sums += __builtin_convertvector(e, Strip<uint64_t>);
    if (isKept)
      storeStrip<uint32_t>(e, size, kept, i);
  });
  int64_t sum = int64_t(__builtin_reduce_add(sums));
  int64_t divisor = sum > 1 ? sum : 1;
  uint32_t reverse = uint32_t(divide(int64_t(p.scale) << p.extraBits, divisor));
  forEachStrip(0, axis, [&](uint32_t i, auto size) {
    Strip<uint32_t> e;
    if (isKept)
      loadStrip<uint32_t>(kept, i, size, e);
    else
      lookUp(i, size, e);
    e *= reverse;
    roundShift(e, p.shift + p.extraBits);
    auto y = __builtin_convertvector(e, Strip<int32_t>);
    limitStrip(y, p.zp, p.lo, p.hi);
    storeStrip<uint8_t>(y, size, output, i);
  });
}

/// Rows one by one.
void lutRows(const SoftmaxLutParams &p, SoftmaxLutIntBuffers buffers,
             Share share) {
  auto *input = static_cast<const uint8_t *>(buffers.input());
  auto *output = static_cast<uint8_t *>(buffers.output());
  auto rows = [&](auto *table) {
    for (uint32_t i = share.begin; i < share.end; ++i) {
      Row row = rowOf(p.shape, i);
      lutRow(p, input + row.first, table, output + row.first,
             uint8_t(maxOf(p.inType, input, row, p.shape.axis)));
    }
  };
  switch (dtypeBytes(p.tableType)) {
  case 1:
    return rows(static_cast<const uint8_t *>(buffers.table()));
  case 2:
    return rows(static_cast<const uint16_t *>(buffers.table()));
  default:
    return rows(static_cast<const uint32_t *>(buffers.table()));
  }
}

/// Calls fn(In(), Out(), table) with the types of areWideExponentials.
template <typename Fn>
void withWideTypes(const SoftmaxLutParams &p, const void *table, Fn fn) {
  withSmallInt(p.inType, [&](auto in) {
    auto ofTable = [&](auto out) {
      switch (dtypeBytes(p.tableType)) {
      case 1:
        return fn(in, out, static_cast<const uint8_t *>(table));
      case 2:
        return fn(in, out, static_cast<const uint16_t *>(table));
      default:
        return fn(in, out, static_cast<const uint32_t *>(table));
      }
    };
    if (isByte(p.outType))
      ofTable(uint8_t());
    else
      ofTable(uint16_t());
  });
}

/// Rows one by one, of areWideLutRows.
void wideLutRows(const SoftmaxLutParams &p, SoftmaxLutIntBuffers buffers,
                 Share share) {
  withWideTypes(p, buffers.table(), [&](auto in, auto out, auto *table) {
    auto *input = static_cast<const decltype(in) *>(buffers.input());
    auto *output = static_cast<decltype(out) *>(buffers.output());
    for (uint32_t i = share.begin; i < share.end; ++i) {
      Row row = rowOf(p.shape, i);
      wideLutRow(p, input + row.first, table, output + row.first,
                 int32_t(p.shape.inner),
                 maxOf(p.inType, buffers.input(), row, p.shape.axis));
    }
  });
}

/// The same of 32 rows at once.
void wideLutColumns(const SoftmaxLutParams &p, SoftmaxLutIntBuffers buffers,
                    Share share) {
  withWideTypes(p, buffers.table(), [&](auto in, auto out, auto *table) {
    forEachRowsAsLanes(p.shape, share, [&](const RowsAsLanes &rows, auto size) {
      wideLutLanes<decltype(in), decltype(out)>(p, buffers.input(), table,
                                                buffers.output(), rows, size);
    });
  });
}

/// Any rows, begin to end of all.
void lutAnyRows(const SoftmaxLutParams &p, SoftmaxLutIntBuffers buffers,
                uint32_t begin, uint32_t end) {
  const SoftmaxShape &s = p.shape;
  Requant out = outputOf(p.outType, p.zp, p.lo, p.hi);
  int32_t last = int32_t((1u << p.inBits) - 1);
  for (uint32_t r = begin; r < end; ++r) {
    Row row = rowOf(s, r);
    int32_t top = maxOf(p.inType, buffers.input(), row, s.axis);
    int32_t x[kChunk], e[kChunk];
    auto loadExp = [&](uint32_t i, uint32_t n) {
      loadRowChunk(p.inType, buffers.input(), row, i, n, x);
      for (uint32_t k = 0; k < n; ++k)
        x[k] += last - top;
      lookup(x, n, p.tableType, buffers.table(), p.inBits, p.log2Size, e);
    };
    int64_t sum = 0;
    forEachChunk(0, s.axis, [&](uint32_t i, uint32_t n) {
      loadExp(i, n);
      for (uint32_t k = 0; k < n; ++k)
        sum += uint32_t(e[k]);
    });
    int64_t divisor = sum > 1 ? sum : 1;
    int64_t reverse = divide(int64_t(p.scale) << p.extraBits, divisor);
    forEachChunk(0, s.axis, [&](uint32_t i, uint32_t n) {
      int64_t acc[kChunk];
      loadExp(i, n);
      for (uint32_t k = 0; k < n; ++k) {
        int64_t numerator = uint32_t(e[k]);
        acc[k] = p.numeratorFirst
                     ? divide((numerator << p.extraBits) + (sum >> 1), divisor)
                     : numerator * reverse;
      }
      requantizeChunk(acc, n, p.numeratorFirst ? p.scale : 1,
                      p.shift + p.extraBits, out, x);
      storeRowChunk(p.outType, buffers.output(), row, i, n, x);
    });
  }
}

/// Rows side by side, of areLutStrips.
void lutColumns(const SoftmaxLutParams &p, SoftmaxLutIntBuffers buffers,
                uint32_t task, uint32_t taskCount) {
  SoftmaxLutColumns columns(p, buffers.input(), buffers.table(),
                            buffers.output());
  const SoftmaxShape &s = p.shape;
  uint32_t perOuter = (s.inner + kStrip - 1) / kStrip;
  Share share = shareOf(s.outer * perOuter, task, taskCount);
  for (uint32_t i = share.begin; i < share.end; ++i) {
    uint32_t outer = i / perOuter, column = i % perOuter * kStrip;
    uint32_t left = s.inner - column;
    int64_t first = int64_t(outer) * s.axis * s.inner + column;
    bool isDone = left >= kStrip ? columns.apply(first, WholeStrip())
                                 : columns.apply(first, PartOfStrip{left});
    if (!isDone) {
      uint32_t row = outer * s.inner + column;
      lutAnyRows(p, buffers, row, row + (left < kStrip ? left : kStrip));
    }
  }
}

/// Short rows, of areLutStrips, as many at once as a strip has lanes.
void lutShortRows(const SoftmaxLutParams &p, SoftmaxLutIntBuffers buffers,
                  Share share) {
  uint32_t axis = p.shape.axis;
  auto *input = static_cast<const uint8_t *>(buffers.input());
  auto *output = static_cast<uint8_t *>(buffers.output());
  uint8_t rows[kShortRowBytes];
  // What lies behind the columns is read, whatever it is.
  for (uint32_t j = axis; j < axis + 2; ++j)
    storeStrip<uint8_t>(Strip<uint8_t>{}, WholeStrip(), rows, j * kStrip);
  SoftmaxLutParams sideBySide = p;
  sideBySide.shape.inner = kStrip;
  SoftmaxLutColumns columns(sideBySide, rows, buffers.table(), rows);
  while (share.begin < share.end) {
    uint32_t left = share.end - share.begin, n = left < kStrip ? left : kStrip;
    if (2 * n < axis && !p.numeratorFirst) // one by one they take less
      return lutRows(p, buffers, share);
    uint32_t first = share.begin * axis;
    rowsToColumns(input + first, axis, n, rows);
    if (columns.apply(0, WholeStrip()))
      columnsToRows(rows, axis, n, output + first);
    else
      lutAnyRows(p, buffers, share.begin, share.begin + n);
    share.begin += n;
  }
}

} // namespace

YARROW_KERNEL(yk_softmax_lut_int, SoftmaxLutInt) {
  const SoftmaxShape &s = p.shape;
  // Few rows side by side fill no strip.
  constexpr uint32_t kFewColumns = 8;
  Share share = shareOf(s.outer * s.inner, task, taskCount);
  if (areLutStrips(p) && s.inner == 1)
    return s.axis <= kMostShortRow ? lutShortRows(p, buffers, share)
                                   : lutRows(p, buffers, share);
  if (areLutStrips(p) && s.inner >= kFewColumns)
    return lutColumns(p, buffers, task, taskCount);
  if (areWideExponentials(p) && areColumns(s, share.end - share.begin))
    return wideLutColumns(p, buffers, share);
  if (areWideLutRows(p))
    return wideLutRows(p, buffers, share);
  lutAnyRows(p, buffers, share.begin, share.end);
}
