#include "experiments/heads/open_question.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/encodings/rope_settings.h"
#include "core/transformer/design.h"
#include "core/unknown_name.h"
#include "experiments/model_files/position_plan.h"

namespace orrery {
namespace {

using Edits = std::vector<std::string>;

struct AskedQuestion {
  const char* name;
  const char* words;
};

constexpr AskedQuestion all_questions[] = {
    {"pairing", "which channels of RoPE turn together"},
    {"base", "the base of RoPE"},
    {"scaling", "how RoPE's frequencies are scaled"},
    {"fraction", "the share of a head's channels that turn"},
    {"direction", "which way RoPE turns"},
    {"norm_plus_one", "whether norms multiply by their weight or by 1 more"},
    {"softcap", "whether logits are capped"},
    {"scale", "by what logits are multiplied"},
    {"window", "how far back layers see"}};

constexpr const char* rope_questions[] = {"pairing", "base", "scaling", "fraction", "direction"};

Hypothesis alternative(std::string label, Edits edits) {
  return {.label = std::move(label), .edits = std::move(edits)};
}

std::vector<Hypothesis> base_hypotheses(const ModelFacts& facts) {
  std::vector<double> bases = {1e4, 1e5, 5e5, 1e6};
  if (std::find(bases.begin(), bases.end(), facts.rope->rope.base) == bases.end())
    bases.push_back(facts.rope->rope.base);
  std::vector<Hypothesis> all;
  for (const double base : bases)
    all.push_back(alternative(number_text(base), {"base:" + number_text(base)}));
  return all;
}

std::vector<Hypothesis> scaling_hypotheses() {
  std::vector<Hypothesis> all = {alternative("none", {"scaling:none"})};
  for (const char* factor : {"2", "4", "8"})
    all.push_back(alternative(fmt::format("linear, factor {}", factor),
                              {"scaling:linear", fmt::format("factor:{}", factor)}));
  return all;
}

std::vector<Hypothesis> fraction_hypotheses(const ModelFacts& facts) {
  std::vector<Hypothesis> all;
  for (const double share : {1.0, 0.5, 0.25}) {
    const double channels = share * static_cast<double>(facts.rope->rope.d_head);
    if (channels < 2 || std::fmod(channels, 2) != 0) continue;
    all.push_back(alternative(number_text(share), {"fraction:" + number_text(share)}));
  }
  return all;
}

std::vector<Hypothesis> scale_hypotheses(const ModelFacts& facts) {
  const auto d = static_cast<double>(facts.design.attention.d_head);
  const double of_width =
      static_cast<double>(facts.d_model) / static_cast<double>(facts.design.attention.heads);
  std::vector<Hypothesis> all;
  const auto add = [&](const char* label, double scale) {
    all.push_back(alternative(label, {"scale:" + number_text(scale)}));
  };
  add("1/√d_head", 1 / std::sqrt(d));
  add("1", 1);
  add("1/d_head", 1 / d);
  if (of_width != d) add("1/√(d_model/heads)", 1 / std::sqrt(of_width));
  return all;
}

std::vector<Hypothesis> window_hypotheses(const ModelFacts& facts, Index tokens) {
  std::vector<Position> windows = {0};
  // Beyond the length that it learned from, a window helps any model.
  if (facts.longest == 0 || tokens <= facts.longest)
    windows.push_back(static_cast<Position>(tokens / 2));
  for (const LayerDesign& layer : facts.design.layers)
    if (layer.window > 0 &&
        std::find(windows.begin(), windows.end(), layer.window) == windows.end())
      windows.push_back(layer.window);
  std::vector<Hypothesis> all;
  for (const Position window : windows)
    all.push_back(alternative(window == 0 ? "none" : fmt::format("{} in all layers", window),
                              {fmt::format("window:{}", window)}));
  return all;
}

}  // namespace

std::vector<Hypothesis> hypotheses_of(const std::string& question, const ModelFacts& facts,
                                      std::ptrdiff_t tokens) {
  if (question == "norm_plus_one") {
    if (facts.design.norm.kind != NormKind::rms) return {};
    return {alternative("gain", {"adds_one:no"}), alternative("1 + gain", {"adds_one:yes"})};
  }
  if (question == "softcap")
    return {alternative("none", {"softcap:0"}), alternative("30", {"softcap:30"}),
            alternative("50", {"softcap:50"})};
  if (question == "scale") return scale_hypotheses(facts);
  if (question == "window") return window_hypotheses(facts, tokens);
  if (!facts.rope) return {};
  if (question == "pairing")
    return {alternative("half_split", {"pairing:half_split"}),
            alternative("interleaved", {"pairing:interleaved"})};
  if (question == "base") return base_hypotheses(facts);
  if (question == "scaling") return scaling_hypotheses();
  if (question == "fraction") return fraction_hypotheses(facts);
  return {alternative("the other way", {"sign"})};
}

std::vector<std::vector<std::string>> neighbours_of(const std::vector<std::string>& edits,
                                                    const ModelFacts& facts) {
  constexpr double more = 1.25, added = 0.2;
  std::vector<std::vector<std::string>> near;
  for (const std::string& edit : edits) {
    const std::size_t colon = edit.find(':');
    if (colon == std::string::npos) continue;
    const std::string name = edit.substr(0, colon + 1), value = edit.substr(colon + 1);
    if (name == "adds_one:") {
      const double one = value == "yes" ? 1 : 0;
      for (const double other : {one - added, one + added})
        near.push_back({name + number_text(other)});
      const std::string others = value == "yes" ? "no" : "yes";
      const std::string of_layers = fmt::format("@0..{}", facts.design.layers.size() - 1);
      near.push_back({name + others + of_layers});
      near.push_back({name + others, name + value + of_layers});
    } else if (name == "scale:" || name == "softcap:" || name == "base:" || name == "factor:") {
      const double number = std::stod(value);
      if (number == 0) continue;
      const double times = name == "base:" ? 2 : more;
      for (const double other : {number / times, number * times})
        near.push_back({name + number_text(other)});
    }
  }
  return near;
}

bool is_of_rope(const std::string& question) {
  return std::find(std::begin(rope_questions), std::end(rope_questions), question) !=
         std::end(rope_questions);
}

void require_question(const std::string& name) {
  const std::vector<std::string> names = question_names();
  if (std::find(names.begin(), names.end(), name) == names.end())
    throw_unknown_name(name, "a question", names);
}

const char* verdict_name(LossVerdict verdict) {
  switch (verdict) {
    case LossVerdict::confirmed:
      return "confirmed";
    case LossVerdict::contradicted:
      return "contradicted";
    case LossVerdict::undecided:
      break;
  }
  return "undecided";
}

const char* outside_questions() {
  return "an epsilon or the kind of norms, an activation, a scale of embeddings, the tokenizer";
}

std::vector<std::string> question_names() {
  std::vector<std::string> names;
  for (const AskedQuestion& question : all_questions) names.emplace_back(question.name);
  return names;
}

ParamSpec questions_param(std::string description, std::vector<std::string> usual) {
  ParamSpec spec{.key = "questions",
                 .description = std::move(description),
                 .kind = ParamKind::choice_list,
                 .default_value = std::move(usual)};
  for (const auto& [name, words] : all_questions) spec.choices.push_back({name, words});
  return spec;
}

}  // namespace orrery
