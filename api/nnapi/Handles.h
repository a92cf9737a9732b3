//===- Handles.h - What the client's pointers point at ----------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// A handle is the client's share of an object. Objects hold those that they
// use by shares of their own, so handles may be freed in any order.
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_API_NNAPI_HANDLES_H
#define YARROW_API_NNAPI_HANDLES_H

#include <memory>

namespace yarrow::nnapi {
class Burst;
class Compilation;
class Device;
class Event;
class Execution;
class Memory;
class MemoryDesc;
class Model;
} // namespace yarrow::nnapi

struct ANeuralNetworksModel {
  std::shared_ptr<yarrow::nnapi::Model> object;
};
struct ANeuralNetworksCompilation {
  std::shared_ptr<yarrow::nnapi::Compilation> object;
};
struct ANeuralNetworksExecution {
  std::shared_ptr<yarrow::nnapi::Execution> object;
};
struct ANeuralNetworksMemory {
  std::shared_ptr<yarrow::nnapi::Memory> object;
};
struct ANeuralNetworksMemoryDesc {
  std::shared_ptr<yarrow::nnapi::MemoryDesc> object;
};
struct ANeuralNetworksBurst {
  std::shared_ptr<yarrow::nnapi::Burst> object;
};
struct ANeuralNetworksEvent {
  std::shared_ptr<yarrow::nnapi::Event> object;
};
struct ANeuralNetworksDevice {
  std::shared_ptr<yarrow::nnapi::Device> object;
};

#endif // YARROW_API_NNAPI_HANDLES_H
