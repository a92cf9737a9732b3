//===- Resize.cpp - Resized images on the tensor engine -------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "kernels/image/Resize.h"
#include "passes/lower/choose/ResizePlan.h"
#include "passes/lower/commands/Lowering.h"
#include "passes/lower/describe/EngineTypes.h"

using namespace yarrow;
using namespace yarrow::npu;
using namespace mlir;

static bool isEngineShape(const kernels::ResizeShape &s) {
  return llvm::all_of(
      llvm::ArrayRef{s.inH, s.inW, s.outH, s.outW},
      [](uint32_t length) { return length > 0 && length <= UINT16_MAX; });
}

/// A resize of rows alone, as one of columns: all pixels of a row are the
/// channels of one. So a product makes many rows, not a command each.
static std::optional<kernels::ResizeIntParams>
rowsAsColumns(const kernels::ResizeIntParams &p, const ResizeGrid &grid) {
  uint64_t channels = uint64_t(p.shape.inW) * p.shape.channels;
  bool areColumnsKept =
      llvm::all_of(llvm::enumerate(grid.columns), [&](const auto &column) {
        return column.value().low == column.index() &&
               column.value().span == 0 && column.value().kind == 0;
      });
  if (p.shape.inW != p.shape.outW || p.shape.inH == 1 || !areColumnsKept ||
      channels > UINT16_MAX)
    return std::nullopt;
  kernels::ResizeIntParams turned = p;
  kernels::ResizeShape &s = turned.shape;
  s.inW = s.inH, s.outW = s.outH, s.channels = uint32_t(channels);
  s.inH = s.outH = 1;
  return turned;
}

bool Lowering::lowerResize(const Step &step) {
  auto p = step.call.paramsOf<kernels::ResizeInt>();
  if (!isEngineType(p.inType) || !isEngineType(p.outType) ||
      !isEngineShape(p.shape))
    return false;
  std::optional<ResizeGrid> grid = ResizeGrid::of(p);
  if (!grid)
    return false;
  ResizeLayer layer{p, *grid};
  ResizeResidents resident{tensorOf(step, "input").inSram,
                           tensorOf(step, "output").inSram};
  std::optional<ResizePlan> plan =
      planResize(layer, resident, freeSramBytes(), machine);
  if (auto turned = rowsAsColumns(p, *grid))
    if (auto turnedGrid = ResizeGrid::of(*turned)) {
      ResizeLayer columns{*turned, *turnedGrid};
      auto other = planResize(columns, resident, freeSramBytes(), machine);
      if (other && (!plan || other->cycles < plan->cycles)) {
        emitResize(step, columns, *other);
        return true;
      }
    }
  if (!plan)
    return false;
  emitResize(step, layer, *plan);
  return true;
}

namespace {

/// Emits bands whose tensors lie in these buffers.
class BandEmitter {
public:
  BandEmitter(Lowering &lowering, const ResizeLayer &layer, std::string name)
      : lowering(lowering), layer(layer), name(std::move(name)) {}

  /// From and to the places of the band's first rows.
  Value source, target, constants;
  uint64_t from = 0, to = 0;

  void emit(const isa::Conv &command) const {
    isa::Conv d = command;
    d.input += from, d.output += to;
    lowering.emitAlone(d, {{"input", source},
                           {"output", target},
                           {"weights", constants},
                           {"bias", constants}});
  }
  void emit(const ResizeRow &row) {
    if (row.pairs) {
      // Within SRAM: loads of what is to come must not wait behind it.
      isa::Copy copy = *row.pairs;
      copy.src += from;
      pairs = lowering.newSram(pairBytes(layer), name + ".pairs");
      lowering.emitCopy(copy, source, pairs, isa::Unit::DmaStore);
    }
    for (isa::MatMul d : row.products) {
      d.b += row.readsPairs ? 0 : from;
      d.output += to;
      lowering.emitAlone(d, {{"a", constants},
                             {"b", row.readsPairs ? pairs : source},
                             {"output", target}});
    }
  }
  Value load(const std::vector<char> &bytes) const {
    std::string what = name + ".weights";
    return lowering.loadConstant(lowering.newConstant(bytes, what), what);
  }

private:
  Lowering &lowering;
  const ResizeLayer &layer;
  std::string name;
  Value pairs;
};

} // namespace

void Lowering::emitResize(const Step &step, const ResizeLayer &layer,
                          const ResizePlan &plan) {
  const kernels::ResizeShape &s = layer.params.shape;
  Tensor in = tensorOf(step, "input"), out = tensorOf(step, "output");
  std::string name = compass::layerNameOf(step.op).str();
  BandEmitter emitter(*this, layer, name);
  if (!plan.constants.empty())
    emitter.constants = emitter.load(plan.constants);
  auto emitBand = [&](uint32_t image, const ResizePlan::Band &band) {
    auto placeOf = [&](const Tensor &tensor, uint32_t height, uint32_t row,
                       uint64_t rowBytes) {
      return tensor.offsetBytes + (uint64_t(image) * height + row) * rowBytes;
    };
    uint64_t from = placeOf(in, s.inH, band.input.begin, layer.inRowBytes());
    uint64_t to = placeOf(out, s.outH, band.rows.begin, layer.outRowBytes());
    uint64_t inBytes = band.input.rows() * layer.inRowBytes(),
             outBytes = band.rows.rows() * layer.outRowBytes();
    emitter.source = in.buffer, emitter.from = from;
    emitter.target = out.buffer, emitter.to = to;
    if (!band.constants.empty())
      emitter.constants = emitter.load(band.constants);
    if (!in.inSram) {
      emitter.source = newSram(inBytes, name + ".input"), emitter.from = 0;
      copyBytes(in.buffer, from, emitter.source, 0, inBytes);
    }
    if (!out.inSram)
      emitter.target = newSram(outBytes, name + ".output"), emitter.to = 0;
    for (const isa::Conv &command : band.commands)
      emitter.emit(command);
    for (const ResizeRow &row : band.products)
      emitter.emit(row);
    if (!out.inSram)
      copyBytes(emitter.target, 0, out.buffer, to, outBytes);
  };
  for (uint32_t image = 0; image < s.batch; ++image)
    for (const ResizePlan::Band &band : plan.bands)
      emitBand(image, band);
}
