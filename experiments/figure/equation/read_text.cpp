#include "experiments/figure/equation/read_text.h"

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "core/errors.h"
#include "experiments/figure/equation/parse.h"
#include "experiments/text/marked_text.h"

namespace orrery {
namespace {

constexpr std::size_t most_kept = 512;

EquationNode words_node(std::string_view words, bool bold) {
  EquationNode node{.kind = EquationNode::Kind::symbol};
  node.text = words;
  node.bold = bold;
  node.letters = EquationNode::Letters::words;
  return node;
}

EquationNode node_of(const MarkedPart& part, bool bold) {
  if (!part.is_formula) return words_node(part.text, bold);
  try {
    return parse_equation(part.text);
  } catch (const UsageError&) {
    return words_node("$" + part.text + "$", bold);
  }
}

}  // namespace

EquationNode read_text(std::string_view marked, bool bold) {
  EquationNode row;
  for (const MarkedPart& part : marked_parts(marked)) row.children.push_back(node_of(part, bold));
  return row;
}

const EquationNode& known_text(std::string_view marked, bool bold) {
  thread_local std::map<std::string, EquationNode, std::less<>> rows;
  std::string key(marked);
  key += bold ? 'b' : 'r';
  const auto known = rows.find(key);
  if (known != rows.end()) return known->second;
  if (rows.size() >= most_kept) rows.clear();
  return rows.emplace(std::move(key), read_text(marked, bold)).first->second;
}

bool has_formula(std::string_view marked) {
  if (marked.find('$') == std::string_view::npos) return false;
  for (const MarkedPart& part : marked_parts(marked))
    if (part.is_formula) return true;
  return false;
}

}  // namespace orrery
