#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/errors.h"
#include "experiments/text/utf8.h"

// What every harness defines, and what libFuzzer or plain_driver.cpp provides.
extern "C" {
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
}

namespace orrery::fuzz {

/// A property that the program under test does not have. Nothing catches it but a driver.
class Finding : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

inline void require(bool holds, const std::string& property) {
  if (!holds) throw Finding(property);
}

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};  // char may alias any type
}

/// What `read` returns; empty when it throws one of the documented errors. Any other exception is a
/// finding.
template <class... Errors, class Read>
auto accepted(Read read) -> std::optional<decltype(read())> {
  std::optional<decltype(read())> value;
  const auto guarded = [&](auto& self, auto* error, auto*... others) -> void {
    using Caught = std::remove_pointer_t<decltype(error)>;
    try {
      if constexpr (sizeof...(others) > 0)
        self(self, others...);
      else
        value.emplace(read());
    } catch (const Caught& refusal) {
      require(*refusal.what() != '\0', "a refusal says why");
    }
  };
  guarded(guarded, static_cast<Errors*>(nullptr)...);
  return value;
}

/// The same for files of foreign bytes: the message can be printed whatever is in the file.
template <class Read>
auto accepted_file(Read read) -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const DataError& refusal) {
    const std::string_view message = refusal.what();
    require(is_utf8(message), "a refusal is UTF-8");
    for (const char c : message)
      require(static_cast<unsigned char>(c) >= 0x20 && c != 0x7F, "a refusal has no control code");
    return std::nullopt;
  }
}

}  // namespace orrery::fuzz
