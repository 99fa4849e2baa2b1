#include "experiments/setup/model_edits.h"

#include <fmt/format.h>

#include <sstream>
#include <utility>

#include "experiments/identify/defects.h"
#include "experiments/setup/common_params.h"

namespace orrery {
namespace {

ParamSpec of_edit(ParamSpec spec, std::vector<std::string> edits) {
  spec.used_when = Condition{"edits", std::move(edits)};
  spec.group = "What if";
  return spec;
}

ParamSpec number_param(const char* key, const char* description, double value, double min,
                       double max) {
  return {.key = key,
          .description = description,
          .kind = ParamKind::real,
          .default_value = value,
          .min = min,
          .max = max,
          .logarithmic = true};
}

ParamSpec edits_param() {
  return {.key = "edits",
          .description = "What is changed in the model, in this order.",
          .kind = ParamKind::choice_list,
          .default_value = std::vector<std::string>{},
          .choices = {{"base", "RoPE turns by another base"},
                      {"still", "a pair of RoPE does not turn"},
                      {"mute", "a pair of RoPE gives nothing to the logits"},
                      {"sign", "RoPE turns the other way"},
                      {"pairing", "RoPE pairs channels the other way"},
                      {"defect", "q and k turn as in a program with a mistake"},
                      {"shift", "positions begin later"},
                      {"compress", "positions are divided"},
                      {"no_position", "layers have no positions"},
                      {"window", "queries see the last keys alone"},
                      {"silence", "the chosen head gives zero"}},
          .may_be_empty = true,
          .group = "What if"};
}

ParamSpec defect_param() {
  ParamSpec spec{.key = "defect",
                 .description = "The mistake.",
                 .kind = ParamKind::choice,
                 .default_value = std::string("wrong_pairing")};
  for (const RopeDefect& defect : rope_defects())
    spec.choices.push_back({defect.name, defect.description});
  return spec;
}

/// The pairing that the model does not have.
std::string other_pairing(const PositionPlan& plan) {
  for (const LayerPlan& layer : plan.layers)
    if (layer.encoding == "rope")
      return std::string(name(layer.rope.pairing == RopePairing::interleaved
                                  ? RopePairing::half_split
                                  : RopePairing::interleaved));
  return std::string(name(RopePairing::half_split));
}

std::string edit_of(const std::string& kind, const ParamSet& params, const PositionPlan& plan) {
  if (kind == "base") return "base:" + number_text(params.real("new_base"));
  if (kind == "still" || kind == "mute") return fmt::format("{}:{}", kind, params.integer("pair"));
  if (kind == "pairing") return "pairing:" + other_pairing(plan);
  if (kind == "defect") return "defect:" + params.text("defect");
  if (kind == "shift") return fmt::format("positions:shift={}", params.integer("shift"));
  if (kind == "compress") return "positions:compress=" + number_text(params.real("compress"));
  if (kind == "window") return fmt::format("window:{}", params.integer("new_window"));
  return kind;
}

}  // namespace

std::vector<ParamSpec> edit_params(EditedHead head) {
  ParamSpec layer = count_param({"edited_layer", "$l'$"},
                                "The layer that is changed; −1 changes all. Positions are those of "
                                "all layers.",
                                -1, -1, 255);
  std::vector<ParamSpec> specs{
      edits_param(),
      {.key = "edit",
       .description = "More changes in words, one after another: base:500@3 zero:1.0+1.2; the "
                      "topic heads lists them.",
       .kind = ParamKind::text,
       .default_value = std::string(),
       .group = "What if",
       .stated_if_set = true},
      of_edit(number_param("new_base", "The base that RoPE turns by.", 500, 2, 1e9), {"base"}),
      of_edit(count_param({"pair", "$t$"}, "The pair, from the fastest on.", 0, 0, 255),
              {"still", "mute"}),
      of_edit(defect_param(), {"defect"}),
      of_edit(log_count_param({"shift", "", "tokens"}, "By how much positions are raised.", 1000, 1,
                              1e7),
              {"shift"}),
      of_edit(number_param("compress", "By what positions are divided.", 4, 1, 100), {"compress"}),
      of_edit(
          log_count_param({"new_window", "", "tokens"}, "Keys that a query sees.", 8, 1, 131072),
          {"window"}),
      of_edit(std::move(layer),
              {"base", "still", "mute", "sign", "pairing", "defect", "no_position", "window"})};
  if (head == EditedHead::declared)
    for (const char* place : {"layer", "head"})
      specs.push_back(of_edit(
          count_param(place, fmt::format("The {} of the head that gives zero.", place), 0, 0, 255),
          {"silence"}));
  return specs;
}

std::vector<ValueInUse> edit_limits(int layers, int heads, const PositionPlan& plan) {
  std::size_t pairs = 0;
  for (const LayerPlan& layer : plan.layers)
    pairs = pairs < layer.inv_freq.size() ? layer.inv_freq.size() : pairs;
  const auto last = [](const char* key, double count) {
    return ValueInUse{.key = key, .most = count - 1};
  };
  std::vector<ValueInUse> limits{last("layer", layers), last("head", heads),
                                 last("edited_layer", layers)};
  if (pairs > 0) limits.push_back(last("pair", static_cast<double>(pairs)));
  return limits;
}

std::vector<std::string> edits_in(const ParamSet& params, const PositionPlan& plan,
                                  const std::string& marked) {
  std::vector<std::string> edits;
  for (const std::string& kind : params.list("edits")) {
    if (kind == "silence") {
      edits.push_back(fmt::format("zero:{}.{}", params.integer("layer"), params.integer("head")));
      continue;
    }
    if (kind == "silence_marked") {
      edits.push_back("zero:" + marked);
      continue;
    }
    edits.push_back(edit_of(kind, params, plan));
    const bool of_positions = kind == "shift" || kind == "compress";
    if (!of_positions && params.integer("edited_layer") >= 0)
      edits.back() += fmt::format("@{}", params.integer("edited_layer"));
  }
  std::istringstream words(params.text("edit"));
  for (std::string word; words >> word;) edits.push_back(std::move(word));
  return edits;
}

}  // namespace orrery
