//===- LayerOrder.cpp - Layers in the order of their data -----------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "parser/compass/LayerOrder.h"
#include "parser/compass/CompassLayerReader.h"
#include "support/diagnostics/Ir.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

using namespace yarrow;
using namespace yarrow::compass;

namespace {

class Sorter {
public:
  Sorter(const std::vector<IrSection> &layers, const std::string &fileName,
         yarrow::DiagnosticEngine &diags)
      : layers(layers), fileName(fileName), diags(diags) {}

  std::vector<const IrSection *> sort() {
    findProducers();
    for (const IrSection &root : layers)
      visit(root);
    return std::move(order);
  }

private:
  enum class State { Unseen, Open, Done };
  struct Frame {
    const IrSection *layer;
    std::vector<std::string> reads;
    size_t next = 0;
  };

  void findProducers();
  void visit(const IrSection &root);
  void reportCycle(const std::vector<Frame> &path, const std::string &tensor,
                   const IrSection *producer);

  const std::vector<IrSection> &layers;
  const std::string &fileName;
  yarrow::DiagnosticEngine &diags;
  llvm::StringMap<const IrSection *> producers;
  llvm::DenseMap<const IrSection *, State> states;
  std::vector<const IrSection *> order;
};

void Sorter::findProducers() {
  for (const IrSection &layer : layers) {
    const IrEntry *top = layer.find("layer_top");
    if (!top)
      continue;
    for (const std::string &name : topNames(layer)) {
      auto [it, isNew] = producers.try_emplace(name, &layer);
      if (!isNew)
        diags
            .report(diag::IrDuplicateTensor,
                    {fileName, top->line, layer.layerName(), name},
                    "tensor " + name + " has two producers")
            .found("also written by layer " + it->second->layerName() +
                   " at line " + std::to_string(it->second->line));
    }
  }
}

/// Depth first with an explicit stack: chains may be as long as the file.
void Sorter::visit(const IrSection &root) {
  if (states[&root] != State::Unseen)
    return;
  std::vector<Frame> path;
  auto enter = [&](const IrSection *layer) {
    states[layer] = State::Open;
    path.push_back({layer, bottomNames(*layer)});
  };
  enter(&root);
  while (!path.empty()) {
    Frame &frame = path.back();
    if (frame.next == frame.reads.size()) {
      states[frame.layer] = State::Done;
      order.push_back(frame.layer);
      path.pop_back();
      continue;
    }
    std::string tensor = frame.reads[frame.next++];
    const IrSection *producer = producers.lookup(tensor);
    if (!producer || states[producer] == State::Done)
      continue;
    if (states[producer] == State::Open)
      reportCycle(path, tensor, producer);
    else
      enter(producer);
  }
}

void Sorter::reportCycle(const std::vector<Frame> &path,
                         const std::string &tensor, const IrSection *producer) {
  constexpr size_t kMostShown = 8;
  std::string chain;
  size_t shown = 0;
  for (auto it = path.rbegin(); it != path.rend(); ++it) {
    if (++shown <= kMostShown)
      chain += it->layer->layerName() + " reads ";
    if (it->layer == producer)
      break;
  }
  if (shown > kMostShown)
    chain += "... ";
  const IrSection &layer = *path.back().layer;
  const IrEntry *bottom = layer.find("layer_bottom");
  diags
      .report(diag::IrCycle,
              {fileName, bottom ? bottom->line : layer.line, layer.layerName(),
               tensor},
              "the layer reads a tensor that is computed from its own result")
      .found(chain + layer.layerName())
      .expected("a graph without cycles; write a loop as a Loop layer with a "
                "sub-graph");
}

} // namespace

std::vector<const IrSection *>
compass::topologicalOrder(const std::vector<IrSection> &layers,
                          const std::string &fileName,
                          yarrow::DiagnosticEngine &diags) {
  return Sorter(layers, fileName, diags).sort();
}
