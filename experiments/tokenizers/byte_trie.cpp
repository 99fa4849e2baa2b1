#include "experiments/tokenizers/byte_trie.h"

#include <algorithm>
#include <cstddef>

namespace orrery {
namespace {

/// The entries below a node: those in [begin, end) agree in their first `depth` bytes.
struct Group {
  std::size_t begin, end, depth;
};

}  // namespace

ByteTrie::ByteTrie(std::vector<Entry> entries) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.first < b.first; });
  nodes_.emplace_back();
  std::vector<Group> groups{{0, entries.size(), 0}};  // of each node, in the order of nodes_
  for (std::size_t node = 0; node < nodes_.size(); ++node) {
    auto [begin, end, depth] = groups[node];
    while (begin < end && entries[begin].first.size() == depth) {
      if (nodes_[node].value < 0 && depth > 0) nodes_[node].value = entries[begin].second;
      ++begin;
    }
    nodes_[node].first_child = static_cast<std::uint32_t>(nodes_.size());
    while (begin < end) {
      const char label = entries[begin].first[depth];
      std::size_t next = begin;
      while (next < end && entries[next].first[depth] == label) ++next;
      nodes_.push_back({.label = static_cast<unsigned char>(label)});
      ++nodes_[node].children;
      groups.push_back({begin, next, depth + 1});
      begin = next;
    }
  }
  for (std::uint32_t i = 0; i < nodes_[0].children; ++i)
    roots_[nodes_[nodes_[0].first_child + i].label] = nodes_[0].first_child + i;
}

std::uint32_t ByteTrie::child(std::uint32_t node, unsigned char label) const {
  if (node == 0) return roots_[label];
  const auto first = nodes_.begin() + nodes_[node].first_child;
  const auto end = first + nodes_[node].children;
  const auto found =
      std::find_if(first, end, [&](const Node& each) { return each.label == label; });
  return found == end ? 0 : static_cast<std::uint32_t>(found - nodes_.begin());
}

std::optional<ByteTrie::Match> ByteTrie::longest(std::string_view text) const {
  std::optional<Match> found;
  each_prefix(text, [&](std::size_t length, std::int32_t value) { found = Match{length, value}; });
  return found;
}

}  // namespace orrery
