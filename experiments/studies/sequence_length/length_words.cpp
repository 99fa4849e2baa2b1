#include "experiments/studies/sequence_length/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/analysis/largest.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {
namespace in_length_words {

constexpr double same_value = 1e-12;  // logits that differ by less are the same table row
constexpr double same_width = 0.1;    // bits per doubling: less is the same width
constexpr double within = 0.01;       // of the range seen: less is within it

using Names = std::vector<std::string>;

std::string trained(const ParamSet& params) {
  return grouped_number(static_cast<double>(params.integer("train_length")));
}

std::string verb(const Names& names, const char* one, const char* several) {
  return fmt::format("{} {}", listed(names), names.size() == 1 ? one : several);
}

void add(std::string& title, const std::string& words) {
  title += (title.empty() ? "" : "; ") + words;
}

}  // namespace in_length_words
}  // namespace

std::string logit_title(const LengthStudy& of, const ParamSet& params) {
  using namespace in_length_words;
  const std::string name = of.name == "none" ? "No encoding" : encoding_label(of.name);
  if (of.last_position < params.integer("max_length") - 1)
    return fmt::format("{} ends at {}", name, of.last_position);
  const Positions distances = distances_of(params);
  const auto train = static_cast<std::size_t>(
      std::ranges::lower_bound(distances, params.integer("train_length")) - distances.begin());
  const std::vector<double>& change = of.mean_change;
  const auto from = constant_from(change, same_value);
  if (from && *from == 0) return fmt::format("{}: the same throughout", name);
  if (from)
    return fmt::format("{} stands still from {} on", name,
                       grouped_number(static_cast<double>(distances[*from])));
  Smallest least(change.front());
  Largest most(change.front());
  for (std::size_t i = 0; i < train; ++i) {
    least.see(change[i]);
    most.see(change[i]);
  }
  const double leaves = beyond_seen(change, train);
  if (leaves <= within * (most.value() - least.value()))
    return fmt::format("{}: not beyond training", name);
  return fmt::format("{}: {:.2g} beyond training", name, leaves);
}

std::string entropy_title(const std::vector<LengthStudy>& all, const ParamSet& params) {
  using namespace in_length_words;
  const Positions lengths = lengths_of(params);
  const auto train = static_cast<std::size_t>(
      std::ranges::find(lengths, params.integer("train_length")) - lengths.begin());
  const double doublings =
      std::log2(static_cast<double>(lengths.back()) / static_cast<double>(lengths[train]));
  Names wider, same, narrower, ended;
  Largest most;
  for (const LengthStudy& of : all) {
    const double change = of.entropy.back() - of.entropy[train];
    const std::string name = label_in_sentence(of.name);
    if (std::isnan(change))
      ended.push_back(name);
    else if (std::abs(change) <= same_width * doublings)
      same.push_back(name);
    else
      (change > 0 ? wider : narrower).push_back(name);
    if (change > 0) most.see(change);
  }
  std::string title;
  if (!wider.empty())
    add(title, fmt::format("the attention of {} widens, by up to {:.2g} bits", listed(wider),
                           most.value()));
  if (!narrower.empty()) add(title, fmt::format("that of {} narrows", listed(narrower)));
  if (!same.empty()) add(title, fmt::format("that of {} stays as wide", listed(same)));
  if (!ended.empty()) add(title, verb(ended, "ends", "end"));
  return fmt::format("Past {} tokens {}", trained(params), title);
}

std::string recent_title(const std::vector<LengthStudy>& all, const ParamSet& params) {
  using namespace in_length_words;
  const LengthStudy *most = nullptr, *least = nullptr;
  for (const LengthStudy& of : all) {
    const double share = of.recent.back();
    if (std::isnan(share)) continue;
    if (!most || share > most->recent.back()) most = &of;
    if (!least || share < least->recent.back()) least = &of;
  }
  const std::string length = grouped_number(static_cast<double>(params.integer("max_length")));
  if (!most) return fmt::format("No encoding here has a position at {} tokens", length);
  const auto share = [](const LengthStudy& of) {
    return fmt::format("{:.2g} % of the attention with {}", 100 * of.recent.back(),
                       label_in_sentence(of.name));
  };
  std::string title = fmt::format("At {} tokens the last {} hold {}", length,
                                  params.integer("window"), share(*most));
  if (least != most)
    title += fmt::format(", {:.2g} % with {}", 100 * least->recent.back(),
                         label_in_sentence(least->name));
  return title;
}

std::string offset_title(const std::vector<LengthStudy>& all, const ParamSet& params) {
  using namespace in_length_words;
  Names kept, moved, ended;
  Largest most;
  for (const LengthStudy& of : all) {
    const std::string name = label_in_sentence(of.name);
    if (of.known_offsets == 0) {
      ended.push_back(name);
    } else if (of.largest_offset_change() <= of.rounding) {
      kept.push_back(name);
    } else {
      moved.push_back(name);
      most.see(of.largest_offset_change());
    }
  }
  std::string title;
  if (!kept.empty()) add(title, verb(kept, "keeps its weights", "keep their weights"));
  if (!moved.empty())
    add(title,
        fmt::format("{} up to {:.2g} % of them", verb(moved, "moves", "move"), 100 * most.value()));
  if (!ended.empty()) add(title, fmt::format("{} cannot be shifted", listed(ended)));
  return fmt::format("The same {} tokens further down: {}", params.integer("window"), title);
}

}  // namespace orrery
