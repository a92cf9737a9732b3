//===- Stored.h - Integers of models that are quantized ---------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A graph with quantization (Quantization.h) is emitted as layers of real
// numbers. Then the tensors that the model stores get the model's types. The
// module has the header compat_quantized_model, as the Compass Parser writes
// it: scales are steps, real = scale * (stored - zero point), and layers have
// no multipliers; quantizer/prequantized chooses them.
//
//   emitGraph(graph, "main", state);
//   storeTensors(state, CastReads::Numbers);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_PARSER_GRAPH_STORED_H
#define YARROW_PARSER_GRAPH_STORED_H

#include "parser/graph/Emitter.h"

namespace yarrow::graph {

/// What a Cast of a stored tensor reads: its numbers (ONNX), or the integers
/// themselves (TFLite, QNN, NNAPI).
enum class CastReads { Numbers, Integers };

/// Gives the values of state.stored their types; what only moves them has the
/// same. Nothing if there are none.
void storeTensors(ImportState &state, CastReads casts);

} // namespace yarrow::graph

#endif // YARROW_PARSER_GRAPH_STORED_H
