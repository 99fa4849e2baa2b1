#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

// Small files of weights, right or wrong, byte by byte.

namespace orrery::test {

/// The entry of a tensor in a safetensors file; its bytes follow those of the one before.
struct SafetensorsPart {
  std::string name{};
  std::string dtype{};
  std::vector<std::uint64_t> shape{};
  std::uint64_t bytes{};
};

inline std::string gguf_word(std::uint64_t value, int bytes = 8) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 0xFF);
  return text;
}

/// Header alone; the data's length is in `bytes`.
inline std::string safetensors_head(const std::vector<SafetensorsPart>& parts,
                                    std::uint64_t& bytes) {
  std::string header;
  bytes = 0;
  for (const SafetensorsPart& part : parts) {
    header += fmt::format(R"({}"{}":{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})",
                          header.empty() ? "{" : ",", part.name, part.dtype,
                          fmt::join(part.shape, ","), bytes, bytes + part.bytes);
    bytes += part.bytes;
  }
  header += "}";
  return gguf_word(header.size()) + header;
}

inline std::string safetensors_file(const std::vector<SafetensorsPart>& parts) {
  std::uint64_t bytes = 0;
  const std::string head = safetensors_head(parts, bytes);
  return head + std::string(bytes, '\0');
}

inline std::string gguf_name(const std::string& text) { return gguf_word(text.size()) + text; }

/// @param shape  fastest dimension first
inline std::string gguf_entry(const std::string& name, const std::vector<std::uint64_t>& shape,
                              std::uint32_t type, std::uint64_t offset) {
  std::string entry = gguf_name(name) + gguf_word(shape.size(), 4);
  for (const std::uint64_t d : shape) entry += gguf_word(d);
  return entry + gguf_word(type, 4) + gguf_word(offset);
}

/// A GGUF of these entries and keys, aligned, with so many bytes of data.
inline std::string gguf_file(const std::vector<std::string>& entries, std::size_t data,
                             const std::vector<std::string>& keys = {}) {
  std::string bytes = "GGUF" + gguf_word(3, 4) + gguf_word(entries.size()) + gguf_word(keys.size());
  for (const std::string& key : keys) bytes += key;
  for (const std::string& entry : entries) bytes += entry;
  bytes.resize((bytes.size() + 31) / 32 * 32);
  return bytes + std::string(data, '\0');
}

}  // namespace orrery::test
