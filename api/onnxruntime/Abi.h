//===- Abi.h - What is shared with ONNX Runtime -----------------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// The few things of ONNX Runtime's interface for providers in libraries of
// their own that this library uses, declared here from the public
// documentation: handles without content, the structs that a provider fills
// with functions, and numbers. Functions of ONNX Runtime are in Functions.def.
//
// Structs and tables only ever grow at their end: a later version of ONNX
// Runtime has everything of an earlier one at the same place. A struct begins
// with the version that it was filled for, and ONNX Runtime looks at nothing
// that came later.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_ONNXRUNTIME_ABI_H
#define YARROW_API_ONNXRUNTIME_ABI_H

#include <cstddef>
#include <cstdint>

namespace yarrow::ort {

/// The first version that has everything that is needed: that of ONNX Runtime
/// 1.23.
inline constexpr std::uint32_t kNeededVersion = 23;
/// The first one that takes events of a provider into its profile.
inline constexpr std::uint32_t kProfilerVersion = 25;

// Handles.
struct Status;
struct Graph;
struct Node;
struct ValueInfo;
struct TypeInfo;
struct ShapeInfo;
struct Value;
struct Attribute;
struct KeyValues;
struct Logger;
struct Env;
struct RunSession; ///< A session that runs a model.
struct SessionOptions;
struct RunOptions;
struct HardwareDevice;
struct EpDevice;
struct SupportInfo;
struct KernelContext;
struct ComputeContext;
struct MemoryInfo;
struct Allocator;
struct ProfilingEvent;
struct ProfilingEvents;

/// A table of functions, whose places Functions.def has.
using Function = void (*)();
struct Table {
  Function functions[1]; ///< And those that follow.
};
struct ApiBase {
  /// Null if the library has no such version.
  const Table *(*getApi)(std::uint32_t version);
  const char *(*getVersion)();
};

enum StatusCode : int {
  kFail = 1,
  kInvalidArgument = 2,
  kNotImplemented = 9,
  kInvalidGraph = 10,
  kProviderFail = 11
};
enum LogLevel : int { kVerbose, kInfo, kWarning, kError };
enum DeviceKind : int { kCpuDevice = 0 };
enum AttributeKind : int {
  kNoAttribute,
  kInteger,
  kIntegers,
  kNumber,
  kNumbers,
  kText,
  kTexts,
  kGraph,
  kTensor
};
/// The numbers of element types are ONNX's.
enum ElementKind : int {
  kFloat32 = 1,
  kUInt8 = 2,
  kInt8 = 3,
  kUInt16 = 4,
  kInt16 = 5,
  kInt32 = 6,
  kInt64 = 7,
  kString = 8,
  kBool = 9,
  kFloat16 = 10,
  kFloat64 = 11,
  kUInt32 = 12,
  kUInt64 = 13,
  kBFloat16 = 16
};

//===----------------------------------------------------------------------===//
// Structs that a provider fills. ONNX Runtime does not call functions that are
// null.
//===----------------------------------------------------------------------===//

struct FusionOptions {
  std::uint32_t version;
  /// The part keeps its constants, so that they are not inputs of the node.
  bool keepsConstants;
};

/// How a node that stands for a part is computed.
struct NodeCompute {
  std::uint32_t version;
  Status *(*createState)(NodeCompute *, ComputeContext *, void **state);
  Status *(*compute)(NodeCompute *, void *state, KernelContext *);
  void (*releaseState)(NodeCompute *, void *state);
};

struct Profiler {
  std::uint32_t version;
  void (*release)(Profiler *);
  /// \p offset: nanoseconds since the profile began.
  Status *(*start)(Profiler *, std::int64_t offset);
  Status *(*startEvent)(Profiler *, std::uint64_t event);
  Status *(*stopEvent)(Profiler *, std::uint64_t event, const ProfilingEvent *);
  Status *(*end)(Profiler *, ProfilingEvents *);
};

/// The provider of one session.
struct Ep {
  std::uint32_t version;
  const char *(*getName)(const Ep *);
  Status *(*getCapability)(Ep *, const Graph *, SupportInfo *);
  Status *(*compile)(Ep *, const Graph **, const Node **fused,
                     std::size_t count, NodeCompute **, Node **contexts);
  void (*releaseNodeComputes)(Ep *, NodeCompute **, std::size_t count);
  Function preferredLayout, convertLayout, setDynamicOptions;
  Function onRunStart, onRunEnd, createAllocator, createStream;
  const char *(*getCompatibility)(Ep *, const Graph *);
  // Version 24.
  Function kernelRegistry;
  Status *(*runsSideBySide)(Ep *, bool *);
  // Version 25.
  Function sync;
  Status *(*createProfiler)(Ep *, Profiler **);
};

/// Makes the providers of all sessions.
struct EpFactory {
  std::uint32_t version;
  const char *(*getName)(const EpFactory *);
  const char *(*getVendor)(const EpFactory *);
  Status *(*getSupportedDevices)(EpFactory *, const HardwareDevice *const *,
                                 std::size_t numDevices, EpDevice **,
                                 std::size_t most, std::size_t *count);
  Status *(*createEp)(EpFactory *, const HardwareDevice *const *,
                      const KeyValues *const *metadata, std::size_t numDevices,
                      const SessionOptions *, const Logger *, Ep **);
  void (*releaseEp)(EpFactory *, Ep *);
  std::uint32_t (*getVendorId)(const EpFactory *);
  const char *(*getVersion)(const EpFactory *);
  Function validateCompatibility;
  Status *(*createAllocator)(EpFactory *, const MemoryInfo *, const KeyValues *,
                             Allocator **);
  void (*releaseAllocator)(EpFactory *, Allocator *);
  Status *(*createDataTransfer)(EpFactory *, void **);
  bool (*isStreamAware)(const EpFactory *);
  Function createStream;
};

} // namespace yarrow::ort

#endif // YARROW_API_ONNXRUNTIME_ABI_H
