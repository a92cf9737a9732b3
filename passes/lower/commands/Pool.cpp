//===- Pool.cpp - Pooling on the tensor engine ----------------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/pool/Pool.h"
#include "kernels/Numeric.h"
#include "passes/lower/commands/Lowering.h"
#include "passes/lower/describe/EngineTypes.h"
#include "passes/lower/describe/Reciprocals.h"

#include <set>

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

/// How many cells of a window lie in the tensor, along an axis.
static std::set<uint32_t> cellCounts(int64_t length, int64_t outputs,
                                     int64_t stride, int64_t pad, int64_t cells,
                                     int64_t dilation) {
  std::set<uint32_t> counts;
  for (int64_t i = 0; i < outputs; ++i) {
    int64_t first = i * stride - pad;
    int64_t begin = first < 0 ? llvm::divideCeil(-first, dilation) : 0;
    int64_t end =
        length > first ? llvm::divideCeil(length - first, dilation) : 0;
    counts.insert(uint32_t(std::max<int64_t>(0, std::min(end, cells) - begin)));
  }
  return counts;
}

/// The areas that windows have: a window without a cell has the sum 0, with
/// whatever multiplier.
static std::set<uint32_t> areasOf(const kernels::PoolShape &s) {
  std::set<uint32_t> areas = {1};
  for (uint32_t rows :
       cellCounts(s.inH, s.outH, s.strideH, s.padTop, s.kernelH, s.dilationH))
    for (uint32_t columns : cellCounts(s.inW, s.outW, s.strideW, s.padLeft,
                                       s.kernelW, s.dilationW))
      areas.insert(s.countIncludePad ? s.kernelH * s.kernelW : rows * columns);
  return areas;
}

/// For every area that a window can have: in the Compass tool chain, the
/// multiplier and shift that the reference derives at run time
/// (docs/operators/pool.md, Pooling). None if the engine cannot do it.
static std::optional<ReciprocalTable>
reciprocalTable(const kernels::PoolIntParams &p) {
  auto [lo, hi] = compass::dtypeRange(p.inType);
  int64_t most = std::max(-lo, hi); // of stored integers
  ReciprocalTable table;
  std::set<uint32_t> areas = areasOf(p.shape);
  for (uint32_t area = 1; area <= p.shape.kernelH * p.shape.kernelW; ++area) {
    if (p.isHalfAway) {
      auto reciprocal = halfAwayReciprocal(area, most);
      if (!reciprocal && areas.contains(area))
        return std::nullopt;
      table.add(areas.contains(area) ? *reciprocal : Reciprocal());
      continue;
    }
    kernels::ScaleShift s = kernels::averageScale(p.scaleRatio, area);
    table.add({s.scale & isa::kMaxNarrowScale, s.shift});
  }
  return table;
}

/// A maximum of rows of windows, then of columns, is that of windows: kernelH +
/// kernelW cells of a window are looked at, not their product. A cell takes a
/// step for as many results as the array has pixels: of a window as large as
/// the image there is one, of its rows there are many.
static bool isSeparable(const kernels::PoolShape &s,
                        const isa::Machine &machine) {
  if (s.method != kernels::PoolMethod::Max)
    return false;
  auto steps = [&](uint64_t cells, uint64_t results) {
    return cells * llvm::divideCeil(results, machine.macArray.pixels);
  };
  uint64_t results = uint64_t(s.outH) * s.outW;
  uint64_t atOnce = steps(uint64_t(s.kernelH) * s.kernelW, results);
  uint64_t apart =
      steps(s.kernelW, uint64_t(s.inH) * s.outW) + steps(s.kernelH, results);
  // A second command, and the rows between, are not for nothing.
  return apart + apart / 8 + machine.engineStartCycles < atOnce;
}

bool Lowering::lowerPool(const Step &step) {
  if (!graph.rows && lowerGlobalAverage(step))
    return true;
  auto p = step.call.paramsOf<kernels::PoolInt>();
  Tensor in = tensorOf(step, "input"), out = tensorOf(step, "output");
  kernels::PoolIntParams across = p, down = p;
  across.shape.outH = across.shape.inH;
  across.shape.kernelH = across.shape.strideH = across.shape.dilationH = 1;
  across.shape.padTop = 0;
  down.shape.inW = down.shape.outW;
  down.shape.kernelW = down.shape.strideW = down.shape.dilationW = 1;
  down.shape.padLeft = 0;
  Tensor between;
  between.inSram = true;
  between.info = in.info;
  between.partBytes = uint64_t(p.shape.batch) * p.shape.inH * p.shape.outW *
                      p.shape.channels * kernels::dtypeBytes(p.inType);
  if (!options.fuseResidual || !isSeparable(p.shape, machine) ||
      isDivided(step.op) || graph.rows || p.inType != p.outType || !in.inSram ||
      !out.inSram || *between.partBytes > freeSramBytes() / 2)
    return emitPool(step, p, in, out);
  between.buffer = newSram(*between.partBytes,
                           compass::layerNameOf(step.op).str() + ".rows");
  return emitPool(step, across, in, between) &&
         emitPool(step, down, between, out);
}

/// How many rows of the output a command computes so that the SRAM holds what
/// it reads and writes, twice if there are several commands; 0 if not even one
/// fits. A row of what already lies in the SRAM has 0 bytes.
static uint32_t rowsInSram(const kernels::PoolShape &s, uint64_t inRowBytes,
                           uint64_t outRowBytes, uint64_t tableBytes,
                           uint64_t freeBytes) {
  for (uint32_t rows = s.outH;; rows = llvm::divideCeil(rows, 2)) {
    unsigned copies = rows < s.outH || s.batch > 1 ? 2 : 1;
    uint64_t heldRows =
        std::min<uint64_t>(uint64_t(rows - 1) * s.strideH +
                               uint64_t(s.kernelH - 1) * s.dilationH + 1,
                           s.inH);
    uint64_t need = tableBytes + 2 * isa::kBufferAlignBytes +
                    copies * heldRows * inRowBytes +
                    copies * rows * outRowBytes;
    if (need <= freeBytes)
      return rows;
    if (rows == 1)
      return 0;
  }
}

/// The table of an average, an empty one of a maximum; none if the engine
/// cannot do it.
static std::optional<ReciprocalTable>
tableOfEngine(const kernels::PoolIntParams &p, const isa::Machine &machine) {
  const kernels::PoolShape &s = p.shape;
  bool isAvg = s.method == kernels::PoolMethod::Avg;
  if ((!isAvg && s.method != kernels::PoolMethod::Max) ||
      !isEngineType(p.inType) || !isEngineType(p.outType) || s.inH > 65535 ||
      s.inW > 65535 || uint64_t(s.kernelH) * s.kernelW > 65536)
    return std::nullopt;
  std::optional<ReciprocalTable> reciprocals = ReciprocalTable();
  if (isAvg)
    reciprocals = reciprocalTable(p);
  if (reciprocals && reciprocals->isWide && !machine.hasWideScales())
    return std::nullopt;
  return reciprocals;
}

bool npu::isPoolOfEngine(const kernels::PoolIntParams &p,
                         const isa::Machine &machine) {
  return tableOfEngine(p, machine).has_value();
}

bool Lowering::emitPool(const Step &step, const kernels::PoolIntParams &p,
                        const Tensor &in, const Tensor &out) {
  const kernels::PoolShape &s = p.shape;
  bool isAvg = s.method == kernels::PoolMethod::Avg;
  std::optional<ReciprocalTable> reciprocals = tableOfEngine(p, machine);
  if (!reciprocals)
    return false;
  uint64_t inElem = kernels::dtypeBytes(p.inType),
           outElem = kernels::dtypeBytes(p.outType);
  uint64_t inRow = uint64_t(s.inW) * s.channels * inElem,
           outRow = uint64_t(s.outW) * s.channels * outElem;
  uint64_t tableBytes = reciprocals->records.size();

  uint32_t rows = rowsInSram(s, in.inSram ? 0 : inRow, out.inSram ? 0 : outRow,
                             tableBytes, freeSramBytes());
  if (rows == 0)
    return false;
  std::string name = compass::layerNameOf(step.op).str();
  Value table;
  auto loadReciprocals = [&] {
    if (!isAvg)
      return;
    std::string what = name + ".reciprocals";
    table = loadConstant(newConstant(reciprocals->records, what), what);
  };
  auto emitRows = [&](uint32_t n, uint32_t begin, uint32_t end) {
    for (uint32_t row = begin; row < end; row += rows) {
      uint32_t count = std::min(rows, end - row);
      isa::Pool d;
      d.method = isAvg ? isa::PoolMethod::Avg : isa::PoolMethod::Max;
      d.countIncludePad = s.countIncludePad;
      d.wideScale = reciprocals->isWide;
      d.inType = p.inType, d.outType = p.outType;
      int64_t top = int64_t(row) * s.strideH - s.padTop;
      int64_t bottom = top + int64_t(count - 1) * s.strideH +
                       int64_t(s.kernelH - 1) * s.dilationH + 1;
      // At least one row is held, although windows may see padding alone.
      int64_t first = std::clamp<int64_t>(top, 0, s.inH - 1),
              last = std::clamp<int64_t>(bottom, first + 1, s.inH);
      d.padTop = int32_t(first - top), d.padLeft = s.padLeft;
      d.inHeight = uint32_t(last - first), d.inWidth = s.inW,
      d.inChannels = s.channels;
      d.inRowStride = inRow, d.inPixelStride = s.channels * inElem;
      d.kernelY = s.kernelH, d.kernelX = s.kernelW, d.strideY = s.strideH,
      d.strideX = s.strideW;
      d.dilationY = s.dilationH, d.dilationX = s.dilationW;
      // A mean of stored integers has the zero point of both.
      d.inZeroPoint = p.isHalfAway ? 0 : p.inZp;
      d.padValue = int32_t(compass::dtypeRange(p.inType).first);
      d.firstRow = int32_t(first), d.tensorHeight = s.inH;
      d.outHeight = count, d.outWidth = s.outW, d.outChannels = s.channels;
      d.outRowStride = outRow, d.outPixelStride = s.channels * outElem;
      d.outZeroPoint = p.isHalfAway ? 0 : p.zp;
      d.outMin = p.lo, d.outMax = p.hi;
      uint64_t from = in.offsetBytes + (uint64_t(n) * s.inH + first) * inRow;
      uint64_t to = out.offsetBytes + (uint64_t(n) * s.outH + row) * outRow;
      SmallVector<FieldBuffer> buffers;
      if (in.inSram) {
        d.input = from;
        buffers.push_back({"input", in.buffer});
      } else {
        Value staged = newSram(d.inHeight * inRow, name + ".input");
        copyBytes(in.buffer, from, staged, 0, d.inHeight * inRow);
        buffers.push_back({"input", staged});
      }
      Value target =
          out.inSram ? out.buffer : newSram(count * outRow, name + ".output");
      d.output = out.inSram ? to : 0;
      buffers.push_back({"output", target});
      if (table)
        buffers.push_back({"reciprocals", table});
      emitAlone(d, buffers);
      if (!out.inSram)
        copyBytes(target, 0, out.buffer, to, count * outRow);
    }
  };
  if (graph.rows) { // of the core that is being emitted
    loadReciprocals();
    emitRows(/*n=*/0, graph.rows->begin, graph.rows->end);
    return true;
  }
  size_t cores = isDivided(step.op) ? std::min(options.cores, s.outH) : 1;
  uint32_t share = llvm::divideCeil(s.outH, uint32_t(cores));
  cores = llvm::divideCeil(s.outH, share); // each has rows
  emitOnCores(cores, [&](size_t core) {
    loadReciprocals();
    for (uint32_t n = 0; n < s.batch; ++n)
      emitRows(n, uint32_t(core) * share,
               std::min(s.outH, uint32_t(core + 1) * share));
  });
  return true;
}
