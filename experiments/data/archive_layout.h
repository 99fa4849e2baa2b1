#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/model/figure.h"

namespace orrery::data {

/// Where everything lies in a file of arrays, which follows from their names, shapes and types.
class ArchiveLayout {
 public:
  virtual ~ArchiveLayout() = default;
  /// Of the whole file.
  virtual std::uint64_t bytes() const = 0;
  /// Where the values of an array begin.
  virtual std::uint64_t values_at(std::size_t array) const = 0;
  /// Told the values of each array from the first to the last, as a checksum needs them.
  virtual void see(std::size_t array, std::string_view values) = 0;

  using Put = std::function<void(std::uint64_t offset, std::string_view bytes)>;
  /// Writes all but the values, once these have been seen.
  virtual void put_frame(const Put& put) const = 0;
};

/// The file with the arrays in it, held in memory.
std::string filled(ArchiveLayout& layout, std::span<const Array* const> arrays);

}  // namespace orrery::data
