//===- OnnxBytes.h - ONNX models for tests, byte by byte --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Writes messages of protobuf as ONNX has them.
//
//   Message graph;
//   graph.add(1, nodeOf("Relu", {"x"}, {"y"}));
//   graph.add(11, valueOf("x", {1, 3}));
//   std::string model = modelOf(graph);
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_ONNXBYTES_H
#define YARROW_TEST_ONNXBYTES_H

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace yarrow::test {

class Message {
public:
  Message &add(unsigned field, std::uint64_t value) {
    varint(std::uint64_t(field) << 3);
    varint(value);
    return *this;
  }
  Message &add(unsigned field, const std::string &text) {
    varint(std::uint64_t(field) << 3 | 2);
    varint(text.size());
    bytes += text;
    return *this;
  }
  Message &add(unsigned field, const Message &message) {
    return add(field, message.bytes);
  }
  Message &addFloat(unsigned field, float value) {
    varint(std::uint64_t(field) << 3 | 5);
    bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
    return *this;
  }

  std::string bytes;

private:
  void varint(std::uint64_t value) {
    for (; value > 127; value >>= 7)
      bytes += char((value & 127) | 128);
    bytes += char(value);
  }
};

inline Message nodeOf(const std::string &op,
                      const std::vector<std::string> &inputs,
                      const std::vector<std::string> &outputs,
                      const std::string &name = "") {
  Message node;
  for (const std::string &input : inputs)
    node.add(1, input);
  for (const std::string &output : outputs)
    node.add(2, output);
  node.add(3, name);
  node.add(4, op);
  return node;
}

inline Message intAttribute(const std::string &name, std::int64_t value) {
  return Message().add(1, name).add(3, std::uint64_t(value)).add(20, 2);
}
inline Message floatAttribute(const std::string &name, float value) {
  return Message().add(1, name).addFloat(2, value).add(20, 1);
}
inline Message stringAttribute(const std::string &name,
                               const std::string &value) {
  return Message().add(1, name).add(4, value).add(20, 3);
}
inline Message intsAttribute(const std::string &name,
                             const std::vector<std::int64_t> &values) {
  Message a;
  a.add(1, name).add(20, 7);
  for (std::int64_t value : values)
    a.add(8, std::uint64_t(value));
  return a;
}

/// A tensor of floats; lengths below 0 are open, with the symbol "N".
inline Message valueOf(const std::string &name,
                       const std::vector<std::int64_t> &shape,
                       std::uint64_t type = 1) {
  Message lengths;
  for (std::int64_t length : shape)
    lengths.add(1, length < 0 ? Message().add(2, std::string("N"))
                              : Message().add(1, std::uint64_t(length)));
  Message tensor;
  tensor.add(1, type).add(2, lengths);
  return Message().add(1, name).add(2, Message().add(1, tensor));
}

inline Message floatsOf(const std::string &name,
                        const std::vector<std::int64_t> &shape,
                        const std::vector<float> &values) {
  Message tensor;
  for (std::int64_t length : shape)
    tensor.add(1, std::uint64_t(length));
  std::string raw(reinterpret_cast<const char *>(values.data()),
                  values.size() * sizeof(float));
  return tensor.add(2, 1).add(8, name).add(9, raw);
}

inline Message integersOf(const std::string &name,
                          const std::vector<std::int64_t> &values) {
  Message tensor;
  tensor.add(1, values.size()).add(2, 7).add(8, name);
  for (std::int64_t value : values)
    tensor.add(7, std::uint64_t(value));
  return tensor;
}

inline std::string modelOf(const Message &graph, std::uint64_t opset = 17,
                           std::uint64_t irVersion = 8) {
  return Message()
      .add(1, irVersion)
      .add(8, Message().add(1, std::string()).add(2, opset))
      .add(7, graph)
      .bytes;
}

} // namespace yarrow::test

#endif // YARROW_TEST_ONNXBYTES_H
