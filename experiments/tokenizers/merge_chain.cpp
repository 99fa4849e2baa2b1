#include "experiments/tokenizers/merge_chain.h"

namespace orrery::tokenizers {

std::vector<Link> chain_of(const std::vector<Subword>& tokens) {
  std::vector<Link> chain;
  std::size_t begin = 0;
  for (const Subword& token : tokens) {
    const auto i = static_cast<std::ptrdiff_t>(chain.size());
    chain.push_back({token.id, begin, token.length, i - 1, i + 1});
    begin += token.length;
  }
  if (!chain.empty()) chain.back().after = -1;
  return chain;
}

}  // namespace orrery::tokenizers
