//===- PluginOperator.h - Operators that come with a plugin -----*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A plugin adds operators to the table of records (Records.h), for the life of
// the process; all of them are the op compass.custom. Reader, writer, verifier,
// `yarrow ops` and the rest treat its record like any other. This header has
// what the generic op also needs: the rules of shapes and the calls of kernels.
//
//   const PluginOperator *plugin = recordOf(op)->plugin; // null of others
//   std::vector<char> params = customParams(*plugin, op, inputs, outputs);
//   plugin->floatKernel->fn(params.data(), buffers, 0, 1);
//
// compiler/plugin reads the files and compiles the kernels.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_DIALECTS_COMPASS_CUSTOM_PLUGINOPERATOR_H
#define YARROW_DIALECTS_COMPASS_CUSTOM_PLUGINOPERATOR_H

#include "dialects/compass/Records.h"
#include "dialects/compass/Tensors.h"
#include "kernels/registry/Registry.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/SmallVector.h"
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace yarrow::compass {

/// How a plugin's operator is quantized.
enum class PluginQuantization {
  Table,      ///< One input: a table, filled by the float kernel.
  Multiplier, ///< An integer kernel; one multiplier, of the inputs' product.
  MultiplierEach, ///< The same; one multiplier for each input.
  None,           ///< It has no integer form.
};

/// Of what shape a tensor is: that of input `like`, or of `axes`, each of which
/// has a number or the length that inputs give to a name; or any (neither).
struct PluginShape {
  std::optional<unsigned> like;
  std::optional<std::vector<std::string>> axes;
};

/// Bounds of a key of decimals; Int keys have theirs in the record.
struct FloatBounds {
  double least, most;
};

struct PluginOperator {
  OperatorRecord record; ///< Its texts and lists are held below.
  /// As many of the record's keys are the plugin's; others are those that the
  /// quantizer makes.
  unsigned numKeys = 0;
  std::vector<std::optional<FloatBounds>> keyBounds;
  std::vector<PluginShape> inputShapes, outputShapes;
  PluginQuantization quantization = PluginQuantization::None;
  bool isSigned = true; ///< Whether results of integers are of a signed type.
  std::string onnxType, onnxDomain; ///< Empty: no operator of ONNX.
  kernels::DTypeSet floatTypes = 0, intTypes = 0;
  std::string floatSymbol, intSymbol; ///< intSymbol is empty of a table.
  const kernels::KernelInfo *floatKernel = nullptr, *intKernel = nullptr;
  std::string file; ///< The record's.
  unsigned line = 0;

  /// One even if nothing multiplies: it does nothing then.
  unsigned numMultipliers() const {
    return quantization == PluginQuantization::MultiplierEach
               ? unsigned(inputShapes.size())
               : 1;
  }
  uint32_t paramsBytes() const;

  std::deque<std::string> texts;
  std::vector<KeyRecord> keys;
  std::vector<TensorRecord> inputs, outputs;
  std::deque<std::vector<llvm::StringRef>> lists;
  llvm::StringRef text(llvm::StringRef s) { return texts.emplace_back(s); }
};

/// Adds an operator; false if there are too many (AddOperator.h). Before
/// modules are made, and not while other threads read the table.
bool addPluginOperator(std::unique_ptr<PluginOperator> plugin);
llvm::ArrayRef<std::unique_ptr<const PluginOperator>> pluginOperators();
/// The operator that a node of ONNX becomes, or null.
const PluginOperator *findOnnxPlugin(llvm::StringRef type,
                                     llvm::StringRef domain);

/// Gives an op that is made of \p record what tells its operator, if its class
/// does not.
void setLayerType(mlir::OperationState &state, const OperatorRecord &record);

/// The parameters of the kernels (kernels/custom/Custom.h): tensors,
/// multipliers and keys of \p op.
std::vector<char> customParams(const PluginOperator &plugin,
                               mlir::Operation *op,
                               llvm::ArrayRef<TensorInfo> inputs,
                               llvm::ArrayRef<TensorInfo> outputs);

} // namespace yarrow::compass

#endif // YARROW_DIALECTS_COMPASS_CUSTOM_PLUGINOPERATOR_H
