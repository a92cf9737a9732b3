//===- GgufBytes.h - GGUF models for tests, byte by byte --------*- C++ -*-===//
//
// Part of Yarrow, under the Apache License v2.0.
//
// Writes GGUF files, and a llama with weights that are made up.
//
//   GgufModel m = GgufModel::llama();
//   m.set("llama.block_count", GgufModel::u32(2));
//   m.tensors["output_norm.weight"].shape = {7};
//   std::string bytes = m.bytes();
//
//===----------------------------------------------------------------------===//
#ifndef YARROW_TEST_GGUFBYTES_H
#define YARROW_TEST_GGUFBYTES_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace yarrow::test {

struct GgufTensor {
  std::vector<std::uint64_t> shape = {}; ///< The last axis lies in a row.
  std::uint32_t type = 0;
  std::string data = {};
};

struct GgufModel {
  std::uint32_t version = 3;
  std::uint64_t alignment = 32;
  /// With the number of the type before them.
  std::map<std::string, std::string> values = {};
  std::map<std::string, GgufTensor> tensors = {};

  template <typename T> static std::string raw(T value) {
    return {reinterpret_cast<const char *>(&value), sizeof value};
  }
  static std::string text(const std::string &letters) {
    return raw(std::uint64_t(letters.size())) + letters;
  }
  static std::string u32(std::uint32_t value) {
    return raw(std::uint32_t(4)) + raw(value);
  }
  static std::string f32(float value) {
    return raw(std::uint32_t(6)) + raw(value);
  }
  static std::string string(const std::string &letters) {
    return raw(std::uint32_t(8)) + text(letters);
  }
  static std::string strings(const std::vector<std::string> &items) {
    std::string value = raw(std::uint32_t(9)) + raw(std::uint32_t(8)) +
                        raw(std::uint64_t(items.size()));
    for (const std::string &item : items)
      value += text(item);
    return value;
  }

  void set(const std::string &key, std::string value) {
    values[key] = std::move(value);
  }
  void addFloats(const std::string &name, std::vector<std::uint64_t> shape) {
    std::uint64_t count = 1;
    for (std::uint64_t length : shape)
      count *= length;
    std::string data;
    for (std::uint64_t i = 0; i < count; ++i)
      data += raw(float(int(i * 7 % 13) - 6) / 16);
    tensors[name] = {std::move(shape), 0, std::move(data)};
  }

  /// One layer of width 8, 4 heads of which 2 share a key, 5 tokens.
  static GgufModel llama() {
    GgufModel m;
    m.set("general.architecture", string("llama"));
    for (auto [key, value] :
         {std::pair<const char *, std::uint32_t>{"context_length", 16},
          {"embedding_length", 8},
          {"feed_forward_length", 6},
          {"block_count", 1},
          {"attention.head_count", 4},
          {"attention.head_count_kv", 2}})
      m.set(std::string("llama.") + key, u32(value));
    m.set("llama.attention.layer_norm_rms_epsilon", f32(1e-5f));
    m.addFloats("token_embd.weight", {5, 8});
    m.addFloats("blk.0.attn_norm.weight", {8});
    m.addFloats("blk.0.attn_q.weight", {8, 8});
    m.addFloats("blk.0.attn_k.weight", {4, 8});
    m.addFloats("blk.0.attn_v.weight", {4, 8});
    m.addFloats("blk.0.attn_output.weight", {8, 8});
    m.addFloats("blk.0.ffn_norm.weight", {8});
    m.addFloats("blk.0.ffn_gate.weight", {6, 8});
    m.addFloats("blk.0.ffn_up.weight", {6, 8});
    m.addFloats("blk.0.ffn_down.weight", {8, 6});
    m.addFloats("output_norm.weight", {8});
    m.addFloats("output.weight", {5, 8});
    return m;
  }

  std::string bytes() const {
    std::string out = "GGUF" + raw(version) +
                      raw(std::uint64_t(tensors.size())) +
                      raw(std::uint64_t(values.size()));
    for (const auto &[key, value] : values)
      out += text(key) + value;
    std::string data;
    auto pad = [&](std::string &bytes) {
      bytes.resize((bytes.size() + alignment - 1) / alignment * alignment);
    };
    for (const auto &[name, tensor] : tensors) {
      pad(data);
      out += text(name) + raw(std::uint32_t(tensor.shape.size()));
      for (std::size_t i = tensor.shape.size(); i > 0; --i)
        out += raw(tensor.shape[i - 1]);
      out += raw(tensor.type) + raw(std::uint64_t(data.size()));
      data += tensor.data;
    }
    pad(out);
    return out + data;
  }
};

} // namespace yarrow::test

#endif // YARROW_TEST_GGUFBYTES_H
