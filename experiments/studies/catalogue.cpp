#include "experiments/studies/catalogue.h"

#include <algorithm>
#include <array>

#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "core/unknown_name.h"
#include "experiments/studies/experiments.h"

namespace orrery {
namespace {
namespace in_catalogue {

/// Made when it is asked for, because a command needs one of all, and kept until the end, where
/// nothing is gained by taking hundreds of parameters apart.
template <Experiment (*make)()>
const Experiment& made() {
  static const auto* const one = new Experiment(make());
  return *one;
}

template <Experiment (*make)()>
const ParamSet& defaults() {
  static const auto* const set = new ParamSet(made<make>().info.params);
  return *set;
}

struct Entry {
  std::string_view name;
  const Experiment& (*get)();
  const ParamSet& (*get_defaults)();
};

#define ORRERY_ENTRY(name) Entry{#name, &made<name##_experiment>, &defaults<name##_experiment>},
constexpr std::array entries{ORRERY_EXPERIMENTS(ORRERY_ENTRY)};
#undef ORRERY_ENTRY

}  // namespace in_catalogue
}  // namespace

const std::vector<const Experiment*>& experiment_catalogue() {
  static const std::vector<const Experiment*> catalogue = [] {
    std::vector<const Experiment*> all;
    for (const in_catalogue::Entry& entry : in_catalogue::entries) all.push_back(&entry.get());
    return all;
  }();
  return catalogue;
}

const Experiment* known_experiment(std::string_view name) {
  using namespace in_catalogue;
  const auto* const found = std::ranges::find(entries, name, &Entry::name);
  return found == entries.end() ? nullptr : &found->get();
}

const Experiment& find_experiment(std::string_view name) {
  if (const Experiment* known = known_experiment(name)) return *known;
  std::vector<std::string> names;
  for (const in_catalogue::Entry& entry : in_catalogue::entries) names.emplace_back(entry.name);
  throw_unknown_name(name, "an experiment", names);
}

const ParamSet& default_params(const Experiment& experiment) {
  using namespace in_catalogue;
  const auto* const found = std::ranges::find(entries, experiment.info.name, &Entry::name);
  return entries.at(static_cast<std::size_t>(found - entries.begin())).get_defaults();
}

namespace {
namespace in_formulas {

// clang-format off
/// Symbols that mean the same in all formulas.
constexpr std::array common_symbols{
    SymbolMeaning{"m", "position of the query"},
    SymbolMeaning{"n", "position of the key"},
    SymbolMeaning{"r", "relative distance $m − n$"},
    SymbolMeaning{"d", "channels of a head"},
    SymbolMeaning{"N", "length of the sequence"},
    SymbolMeaning{"q_m", "query of the token at $m$"},
    SymbolMeaning{"k_n", "key of the token at $n$"},
    SymbolMeaning{"v_n", "value of the token at $n$"},
    SymbolMeaning{"o_m", "output at $m$"},
    SymbolMeaning{"x_m", "content of the token at $m$"},
    SymbolMeaning{"x_n", "content of the token at $n$"},
    SymbolMeaning{"a_m,n", "how much of token $n$ goes into the output at $m$"},
    SymbolMeaning{"ℓ_m,n", "logit of query $m$ and key $n$"},
    SymbolMeaning{"W_q", "projection to queries"},
    SymbolMeaning{"W_k", "projection to keys"},
    SymbolMeaning{"e", "Euler's number"},
    SymbolMeaning{"i", "imaginary unit"},
    SymbolMeaning{"t", "index of a pair of channels"}};
// clang-format on

/// "sinusoidal+rope" to its words.
std::vector<std::string> split_at_plus(std::string_view value) {
  std::vector<std::string> words;
  while (!value.empty()) {
    words.emplace_back(value.substr(0, value.find('+')));
    value.remove_prefix(std::min<std::size_t>(value.size(), words.back().size() + 1));
  }
  return words;
}

/// Those of the figure, or those that its result was asked for.
std::vector<const EncodingInfo*> encodings_of(const FormulaSubject& subject) {
  std::vector<std::string> names = subject.role.encodings;
  for (const auto& [key, value] : subject.params)
    if (key == "encoding" && subject.role.encodings.empty()) names = split_at_plus(value);
  std::vector<const EncodingInfo*> encodings;
  for (const EncodingEntry& entry : encoding_catalogue())
    if (std::ranges::find(names, entry.info.name) != names.end()) encodings.push_back(&entry.info);
  return encodings;
}

const std::vector<Formula>& own_formulas(const ExperimentInfo& info,
                                         const FormulaSubject& subject) {
  for (const FormulasOfChoice& choice : info.formulas_of_choices)
    for (const auto& [key, value] : subject.params)
      if (key == choice.key && value == choice.value) return choice.formulas;
  return info.formulas;
}

/// Those that figures show, each once.
void add_shown(const std::vector<Formula>& formulas, std::vector<Formula>& shown) {
  for (const Formula& formula : formulas) {
    const bool known =
        std::ranges::any_of(shown, [&](const Formula& one) { return one.tex == formula.tex; });
    if (formula.shown == Formula::Shown::everywhere && !known) shown.push_back(formula);
  }
}

std::string_view meaning_in(const auto& symbols, std::string_view symbol) {
  for (const SymbolMeaning& known : symbols)
    if (known.symbol == symbol) return known.words;
  return {};
}

}  // namespace in_formulas
}  // namespace

std::vector<Formula> formulas_of(const FormulaSubject& subject) {
  using namespace in_formulas;
  std::vector<Formula> formulas;
  const Experiment* known = known_experiment(subject.experiment);
  if (!known) return formulas;
  const ExperimentInfo& info = known->info;
  const std::vector<const EncodingInfo*> encodings = encodings_of(subject);
  if (info.formulas_shown == FormulasShown::own || encodings.empty()) {
    add_shown(own_formulas(info, subject), formulas);
    return formulas;
  }
  const bool scores = info.formulas_shown == FormulasShown::scores_of_encodings;
  for (const EncodingInfo* encoding : encodings)
    add_shown(
        scores && !encoding->score_formulas.empty() ? encoding->score_formulas : encoding->formulas,
        formulas);
  return formulas;
}

std::string_view symbol_meaning(const FormulaSubject& subject, std::string_view symbol) {
  using namespace in_formulas;
  const Experiment* known = known_experiment(subject.experiment);
  if (known && known->info.formulas_shown != FormulasShown::own)
    for (const EncodingInfo* encoding : encodings_of(subject))
      if (const auto words = meaning_in(encoding->symbols, symbol); !words.empty()) return words;
  if (known)
    if (const auto words = meaning_in(known->info.symbols, symbol); !words.empty()) return words;
  return meaning_in(common_symbols, symbol);
}

}  // namespace orrery
