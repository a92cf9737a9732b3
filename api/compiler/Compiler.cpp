//===- Compiler.cpp - The C interface of the compiler ---------------------===//
//
// Part of Yarrow, under the Apache License v2.0.
//
//===----------------------------------------------------------------------===//
#include "api/compiler/Log.h"
#include "compiler/config/Recipes.h"
#include "compiler/eval/NetworkTensors.h"
#include "compiler/session/Compile.h"
#include "compiler/session/Quantize.h"
#include "dialects/compass/graph/Graphs.h"
#include "runtime/CHandles.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

using namespace yarrow;
using namespace yarrow::capi;

struct yarrow_model {
  std::shared_ptr<const session::Network> network;
  /// Names stay where they are.
  std::vector<yarrow_tensor> inputs = {}, outputs = {};
  std::vector<std::string> names = {};
};

using Settings = std::vector<std::pair<std::string, std::string>>;

/// Those of an object of JSON. False, and told, if it is not one.
static bool addJson(std::string_view text, Settings &settings, LogCall &call) {
  auto keys = session::keysOfJson(std::string(text), call.diags);
  if (keys)
    settings.insert(settings.end(), keys->begin(), keys->end());
  return keys.has_value();
}

/// "key=value" each, or objects. Nullopt, and told, of others.
static std::optional<Settings> settingsOf(const char *const *texts,
                                          size_t count, LogCall &call) {
  Settings settings;
  if (count && !texts) {
    call.wrongArgument("settings are NULL");
    return std::nullopt;
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::string_view text = texts[i] ? texts[i] : "";
    if (text.starts_with('{')) {
      if (!addJson(text, settings, call))
        return std::nullopt;
      continue;
    }
    std::size_t equals = text.find('=');
    if (equals == text.npos || equals == 0) {
      call.wrongArgument("setting " + std::to_string(i) +
                         " is not key=value: " + std::string(text));
      return std::nullopt;
    }
    settings.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return settings;
}

static constexpr std::pair<yarrow_type, NpyType> kTypes[] = {
    {YARROW_BOOL, NpyType::Bool},       {YARROW_UINT8, NpyType::UInt8},
    {YARROW_INT8, NpyType::Int8},       {YARROW_UINT16, NpyType::UInt16},
    {YARROW_INT16, NpyType::Int16},     {YARROW_UINT32, NpyType::UInt32},
    {YARROW_INT32, NpyType::Int32},     {YARROW_UINT64, NpyType::UInt64},
    {YARROW_INT64, NpyType::Int64},     {YARROW_FLOAT16, NpyType::Float16},
    {YARROW_FLOAT32, NpyType::Float32},
};

/// Nullopt if \p type is not a value of the enum: C passes any number.
static std::optional<NpyType> elementType(yarrow_type type) {
  for (const auto &[known, element] : kTypes)
    if (known == type)
      return element;
  return std::nullopt;
}
static yarrow_type typeOf(NpyType element) {
  for (const auto &[type, known] : kTypes)
    if (known == element)
      return type;
  return YARROW_FLOAT32; // float64 is in no network
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

/// Of values in the order of the network.
static std::vector<yarrow_tensor>
describe(llvm::ArrayRef<mlir::Value> values,
         const std::vector<NetworkTensor> &tensors,
         std::vector<std::string> &names) {
  std::vector<yarrow_tensor> list;
  for (mlir::Value value : values) {
    auto tensor = std::ranges::find_if(
        tensors, [&](const NetworkTensor &t) { return t.value == value; });
    if (tensor == tensors.end())
      continue;
    yarrow_tensor &to = list.emplace_back();
    names.push_back(tensor->bestName());
    to.name = names.back().c_str();
    to.type = typeOf(npyTypeOf(tensor->info.dtype));
    std::vector<int64_t> shape = tensor->shape();
    if (shape.size() <= YARROW_MAX_RANK) {
      to.rank = uint32_t(shape.size());
      std::ranges::copy(shape, to.shape);
    }
    to.size_bytes = tensor->info.sizeBytes();
    to.scale = tensor->info.scale;
    to.zero_point = int32_t(tensor->info.zp);
  }
  return list;
}

static yarrow_model *
newModel(const std::shared_ptr<const session::Network> &network) {
  auto model = std::make_unique<yarrow_model>(yarrow_model{network});
  mlir::func::FuncOp graph = compass::mainGraph(network->module());
  std::vector<NetworkTensor> tensors =
      tensorsOf(network->module(), network->imported());
  llvm::SmallVector<mlir::Value> inputs = compass::graphInputs(graph),
                                 outputs(compass::graphOutputs(graph));
  model->names.reserve(inputs.size() + outputs.size());
  model->inputs = describe(inputs, tensors, model->names);
  model->outputs = describe(outputs, tensors, model->names);
  return model.release();
}

/// False, and told, of a key that there is not.
static bool applySettings(const Settings &settings,
                          session::ModelSource &source, LogCall &call) {
  for (const auto &[key, value] : settings) {
    if (key == "weights") {
      source.weights = value;
    } else if (key == "input_shape") {
      source.shapes.push_back(value);
    } else if (key == "input_shape_range") {
      source.shapeRanges.push_back(value);
    } else if (key == "rounding" && value == "reference") {
      source.given.rounding = PrequantizedRounding::Reference;
    } else if (key != "rounding" || value != "once") {
      call.wrongArgument(
          "a model cannot be opened with setting " + key + "=" + value +
          "; settings are weights, input_shape, input_shape_range, "
          "rounding=once and rounding=reference");
      return false;
    }
  }
  return true;
}

static yarrow_status openModel(LogCall &call, session::ModelSource source,
                               const char *const *settings, size_t count,
                               yarrow_model **model) {
  auto given = settingsOf(settings, count, call);
  if (!given || !applySettings(*given, source, call))
    return YARROW_ERROR_ARGUMENT;
  auto network = session::load(source, call.call());
  if (!network)
    return call.failed(YARROW_ERROR_FILE);
  *model = newModel(network);
  return YARROW_OK;
}

yarrow_status yarrow_model_open(yarrow_log *log, const char *path,
                                const char *const *settings, size_t count,
                                yarrow_model **model) try {
  LogCall call(log);
  if (!path || !model)
    return call.wrongArgument("an argument is NULL");
  *model = nullptr;
  return openModel(call, {path}, settings, count, model);
} catch (...) {
  return YARROW_ERROR_RESOURCES;
}

static std::span<const std::byte> bytesOf(const void *data, size_t sizeBytes) {
  return {static_cast<const std::byte *>(data), sizeBytes};
}

yarrow_status yarrow_model_open_memory(yarrow_log *log, const char *name,
                                       const void *data, size_t size_bytes,
                                       const void *weights,
                                       size_t weights_size_bytes,
                                       const char *const *settings,
                                       size_t count, yarrow_model **model) try {
  LogCall call(log);
  if (!data || !model || (!weights && weights_size_bytes))
    return call.wrongArgument("an argument is NULL");
  *model = nullptr;
  session::ModelSource source{name ? name : "the model"};
  source.bytes = bytesOf(data, size_bytes);
  if (weights)
    source.weightBytes = bytesOf(weights, weights_size_bytes);
  return openModel(call, std::move(source), settings, count, model);
} catch (...) {
  return YARROW_ERROR_RESOURCES;
}

void yarrow_model_close(yarrow_model *model) { delete model; }

const char *yarrow_model_name(const yarrow_model *model) {
  return model ? model->network->name().c_str() : "";
}
int yarrow_model_is_quantized(const yarrow_model *model) {
  return model && model->network->isQuantized();
}
size_t yarrow_model_num_inputs(const yarrow_model *model) {
  return model ? model->inputs.size() : 0;
}
size_t yarrow_model_num_outputs(const yarrow_model *model) {
  return model ? model->outputs.size() : 0;
}

static yarrow_status take(const std::vector<yarrow_tensor> &list, size_t index,
                          yarrow_tensor *tensor) {
  if (!tensor || index >= list.size())
    return YARROW_ERROR_ARGUMENT;
  *tensor = list[index];
  return YARROW_OK;
}
yarrow_status yarrow_model_input(const yarrow_model *model, size_t index,
                                 yarrow_tensor *tensor) {
  return model ? take(model->inputs, index, tensor) : YARROW_ERROR_ARGUMENT;
}
yarrow_status yarrow_model_output(const yarrow_model *model, size_t index,
                                  yarrow_tensor *tensor) {
  return model ? take(model->outputs, index, tensor) : YARROW_ERROR_ARGUMENT;
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// False, and told, of an array that is wrong by itself.
static bool addArray(const yarrow_array &array, std::size_t index,
                     session::Data &data, LogCall &call) {
  std::string name = array.name ? array.name : "";
  NpyView view;
  view.name =
      name.empty() ? "array " + std::to_string(index) : "the array " + name;
  auto type = elementType(array.type);
  if (!type || (array.rank && !array.shape)) {
    call.wrongArgument(view.name + " has no type or no shape");
    return false;
  }
  view.type = *type;
  view.numElements = 1;
  for (uint32_t axis = 0; axis < array.rank; ++axis) {
    int64_t length = array.shape[axis];
    std::size_t elements = 0;
    if (length < 0 || __builtin_mul_overflow(view.numElements,
                                             std::size_t(length), &elements)) {
      call.wrongArgument(view.name + " has an invalid length");
      return false;
    }
    view.numElements = elements;
    view.shape.push_back(length);
  }
  view.data = array.data;
  if (view.numElements && !array.data) {
    call.wrongArgument(view.name + " has no data");
    return false;
  }
  data.parts.push_back({std::move(name), std::move(view)});
  return true;
}

yarrow_status yarrow_quantize(yarrow_log *log, const yarrow_model *model,
                              const yarrow_array *arrays, size_t num_arrays,
                              const char *const *settings, size_t count,
                              yarrow_model **quantized) try {
  LogCall call(log);
  if (!model || !quantized || (!arrays && num_arrays))
    return call.wrongArgument("an argument is NULL");
  *quantized = nullptr;
  auto given = settingsOf(settings, count, call);
  if (!given)
    return YARROW_ERROR_ARGUMENT;
  session::QuantizeSettings how;
  how.recipe = config::kAutoRecipe;
  how.target = session::CompileSettings().target;
  for (const auto &[key, value] : *given)
    if (!session::setQuantize(key, value, how, call.diags))
      return YARROW_ERROR_ARGUMENT;
  session::Data data;
  for (std::size_t i = 0; i < num_arrays; ++i)
    if (!addArray(arrays[i], i, data, call))
      return YARROW_ERROR_ARGUMENT;
  auto result = session::quantize(model->network, data, how, call.call());
  if (!result)
    return call.failed(YARROW_ERROR_MODEL);
  *quantized = newModel(result->network);
  return YARROW_OK;
} catch (...) {
  return YARROW_ERROR_RESOURCES;
}

yarrow_status yarrow_compile(yarrow_log *log, const yarrow_model *model,
                             const char *const *settings, size_t count,
                             yarrow_executable **executable) try {
  LogCall call(log);
  if (!model || !executable)
    return call.wrongArgument("an argument is NULL");
  *executable = nullptr;
  auto given = settingsOf(settings, count, call);
  if (!given)
    return YARROW_ERROR_ARGUMENT;
  session::CompileSettings how;
  for (const auto &[key, value] : *given)
    if (!session::setCompile(key, value, how, call.diags))
      return YARROW_ERROR_ARGUMENT;
  auto result = session::compile(*model->network, how, call.call());
  if (!result)
    return call.failed(YARROW_ERROR_MODEL);
  *executable = new yarrow_executable{result->program()};
  return YARROW_OK;
} catch (...) {
  return YARROW_ERROR_RESOURCES;
}

const char *yarrow_compiler_version(void) { return YARROW_VERSION; }
