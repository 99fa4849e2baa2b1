#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>

#include "experiments/model/experiment.h"

namespace orrery {

/// The memory that a result takes, without what is small: its arrays, curves, tables and arrows.
std::size_t bytes_of(const Result& result);

/// Results by experiment and settings, those used last, as many as fit. Not thread-safe.
class ResultMemo {
 public:
  struct Entry {
    std::shared_ptr<const Result> result{};
    std::shared_ptr<const Inputs> inputs{};  ///< that it was computed with; null without files
    double seconds{};                        ///< that it took
  };

  explicit ResultMemo(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Null where the result is not kept, or is of other inputs: of a file as it was before.
  const Entry* find(const std::string& key, const std::shared_ptr<const Inputs>& inputs);
  /// Keeps it in place of what was kept under this key, unless it is larger than all that fits.
  void keep(const std::string& key, Entry entry);

  std::size_t size() const { return entries_.size(); }
  std::size_t bytes() const { return bytes_; }

 private:
  struct Kept {
    std::string key{};
    Entry entry{};
    std::size_t bytes{};
  };
  void drop(std::list<Kept>::iterator kept);

  const std::size_t max_bytes_;
  std::size_t bytes_{0};
  std::list<Kept> entries_{};  ///< the one used last comes first
  std::unordered_map<std::string, std::list<Kept>::iterator> by_key_{};
};

}  // namespace orrery
