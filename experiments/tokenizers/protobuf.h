#pragma once

#include <cstdint>
#include <string_view>

namespace orrery {

/// A field of a message in Protocol Buffers' encoding.
struct ProtoField {
  std::uint64_t number{};
  std::uint64_t value{};     ///< of a number; for a float its 4 bytes
  std::string_view bytes{};  ///< of a text or a message
  bool is_bytes{};
};

/// Reads the fields of a message one after another.
class ProtoReader {
 public:
  ProtoReader(std::string_view message, std::string_view file) : rest_(message), file_(file) {}

  /// False at the end. Throws DataError: cut off, a number of more than 10 bytes, or a group.
  bool next(ProtoField& field);

  [[noreturn]] void refuse(std::string_view what) const;

 private:
  std::uint64_t varint();
  std::uint64_t little_endian(std::size_t bytes);
  std::string_view take(std::uint64_t count);

  std::string_view rest_;
  std::string_view file_;
};

}  // namespace orrery
