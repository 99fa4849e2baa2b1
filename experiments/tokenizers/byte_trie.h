#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace orrery {

/// Finds which of many texts a text begins with, in one step per byte.
class ByteTrie {
 public:
  using Entry = std::pair<std::string_view, std::int32_t>;

  ByteTrie() : ByteTrie(std::vector<Entry>{}) {}
  /// Texts that are not empty, each with its value; of equal ones the first counts.
  /// Memory: 12 bytes per byte of the texts at most.
  explicit ByteTrie(std::vector<Entry> entries);

  /// Calls visit(length, value) for each entry that the text begins with, the shortest first.
  template <class Visit>
  void each_prefix(std::string_view text, const Visit& visit) const {
    std::uint32_t node = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      node = child(node, static_cast<unsigned char>(text[i]));
      if (node == 0) return;
      if (nodes_[node].value >= 0) visit(i + 1, nodes_[node].value);
    }
  }

  struct Match {
    std::size_t length{};
    std::int32_t value{};
  };
  /// The longest entry that the text begins with.
  std::optional<Match> longest(std::string_view text) const;

 private:
  struct Node {
    std::uint32_t first_child{};  // of those that lie side by side, by label
    std::int32_t value{-1};
    std::uint16_t children{};
    unsigned char label{};
  };

  std::uint32_t child(std::uint32_t node, unsigned char label) const;

  std::vector<Node> nodes_;
  std::array<std::uint32_t, 256> roots_{};  // children of the root by label, 0 for none
};

}  // namespace orrery
