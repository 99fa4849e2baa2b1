#pragma once

#include <algorithm>
#include <cstring>
#include <functional>
#include <string>

#include "tests/fuzz/harness.h"

// Files with a length word, checksum or index are refused at once when a byte changes alone. These
// mutations change one part and then write the rest so that it fits again.

namespace orrery::fuzz {

/// The part with one mutation of libFuzzer's (or the driver's) kinds.
inline std::string mutated(std::string part, std::size_t most) {
  const std::size_t size = part.size();
  const std::size_t room = std::max<std::size_t>(most, 1);
  part.resize(std::max(size, room));
  part.resize(
      LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(part.data()), std::min(size, room), room));
  return part;
}

/// Puts the bytes where libFuzzer wants them; what does not fit is cut off.
inline std::size_t put(const std::string& bytes, std::uint8_t* data, std::size_t max_size) {
  const std::size_t size = std::min(bytes.size(), max_size);
  std::memcpy(data, bytes.data(), size);
  return size;
}

/// Small numbers that depend on the seed alone.
class Dice {
 public:
  explicit Dice(unsigned seed) : state_(seed * 2654435769U + 1) {}
  unsigned roll(unsigned sides) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return state_ % sides;
  }

 private:
  unsigned state_;
};

inline std::string little_endian(std::uint64_t number, std::size_t bytes) {
  std::string text;
  for (std::size_t i = 0; i < bytes; ++i) text += static_cast<char>(number >> 8 * i & 0xFF);
  return text;
}

inline std::uint64_t little_endian_at(std::string_view text, std::size_t at, std::size_t bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes; i-- > 0;)
    number = number << 8 | static_cast<unsigned char>(text[at + i]);
  return number;
}

/// A file of a fixed beginning, the length of a header, the header, and data.
struct Framed {
  std::string begin{};
  std::string header{};
  std::string data{};
};

/// Mutates header or data; `needed` gives the size of the data that a header asks for, and the data
/// gets it three times of four.
inline void mutate(Framed& file, Dice& dice, std::size_t max_size,
                   const std::function<std::size_t(const Framed&)>& needed) {
  const std::size_t most = max_size > file.begin.size() + 8 ? max_size - file.begin.size() - 8 : 1;
  if (dice.roll(3) > 0)
    file.header = mutated(std::move(file.header), most);
  else
    file.data = mutated(std::move(file.data), most);
  if (dice.roll(4) == 0) return;
  const std::size_t size = needed(file);
  if (size < most) file.data.resize(size, '\1');
}

}  // namespace orrery::fuzz
