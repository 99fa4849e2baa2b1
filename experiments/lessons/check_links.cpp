#include "experiments/lessons/check_links.h"

#include <algorithm>
#include <vector>

#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/figure/equation/parse.h"
#include "experiments/lessons/library.h"
#include "experiments/lessons/paper_card.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/sweep_spec.h"
#include "experiments/text/printable.h"

namespace orrery {
namespace {

std::vector<std::string> names_of(const std::string& kind) {
  std::vector<std::string> names;
  if (kind == "lesson")
    for (const auto& file : bundled_lessons()) names.push_back(file.stem().string());
  if (kind == "experiment")
    for (const Experiment* one : experiment_catalogue()) names.push_back(one->info.name);
  if (kind == "encoding")
    for (const EncodingSummary& one : encoding_list()) names.push_back(one.name);
  if (kind == "preset") names = preset_names();
  if (kind == "card")
    for (const PaperCard& card : paper_cards()) names.push_back(card.name);
  return names;
}

void add_names(const EquationNode& node, std::vector<std::string>& names) {
  const std::string name = equation_name(node);
  if (!name.empty()) names.push_back(name);
  for (const EquationNode& child : node.children) add_names(child, names);
}

}  // namespace

void check_link(const std::string& target) {
  const std::size_t colon = target.find(':');
  const std::string kind = target.substr(0, colon);
  const std::vector<std::string> names = names_of(kind);
  if (colon == std::string::npos || names.empty())
    throw UsageError(in_quotes(target), "is not a link of a lesson",
                     "write lesson:, experiment:, encoding:, preset: or card: and a name");
  const std::string name = target.substr(colon + 1);
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw_unknown_name(name, "the name of a " + kind, names);
}

std::vector<std::string> symbols_of(const LessonStep& step) {
  std::vector<std::string> names;
  for (const Equation& formula : step.formulas) add_names(parse_equation(formula.tex), names);
  for (const Prose& prose : step.prose)
    for (const Span& span : prose.spans)
      if (span.kind == Span::Kind::formula) add_names(parse_equation(span.text), names);
  return names;
}

void check_symbol(const std::string& symbol, const LessonStep& step) {
  const std::vector<std::string> names = symbols_of(step);
  if (std::find(names.begin(), names.end(), symbol) == names.end())
    throw_unknown_name(symbol, "a symbol of the step's formulas", names);
}

}  // namespace orrery
