#include "experiments/studies/sequence_length/study.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/analysis/largest.h"
#include "core/product.h"
#include "experiments/model/sub_progress.h"

namespace orrery::studies {
namespace {
namespace in_study {

constexpr Index shortest = 16;           // of the lengths measured
constexpr int lengths_measured = 28;     // spaced by ratios
constexpr int distances_measured = 320;  // likewise

double largest_value(const LengthInputs& in, Index window) {
  return largest_magnitude<double>(product<double>(in.keys.topRows(window), in.projections.W_v));
}

}  // namespace in_study
}  // namespace

Positions lengths_of(const ParamSet& params) {
  using namespace in_study;
  const auto most = static_cast<double>(params.integer("max_length"));
  Positions lengths{params.integer("train_length"), params.integer("train_length") + 1};
  for (int i = 0; i <= lengths_measured; ++i)
    lengths.push_back(static_cast<Position>(std::lround(
        shortest * std::pow(most / shortest, static_cast<double>(i) / lengths_measured))));
  std::sort(lengths.begin(), lengths.end());
  lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
  return lengths;
}

Positions offsets_of(const ParamSet& params) {
  Positions offsets;
  for (Position s = 1; s <= params.integer("max_length"); s *= 2) offsets.push_back(s);
  return offsets;
}

Positions distances_of(const ParamSet& params) {
  using namespace in_study;
  const auto last = static_cast<double>(params.integer("max_length") - 1);
  Positions distances{params.integer("train_length") - 1, params.integer("train_length")};
  for (int i = 0; i <= distances_measured; ++i)
    distances.push_back(std::lround(std::pow(last, static_cast<double>(i) / distances_measured)));
  std::sort(distances.begin(), distances.end());
  distances.erase(std::unique(distances.begin(), distances.end()), distances.end());
  return distances;
}

double LengthStudy::largest_offset_change() const {
  if (known_offsets == 0) return std::numeric_limits<double>::quiet_NaN();
  Largest largest;
  for (std::size_t i = 0; i < known_offsets; ++i) largest.see(offsets[i]);
  return largest.value();
}

LengthStudy study_lengths(const std::string& name, const ParamSet& params, Progress& progress) {
  using namespace in_study;
  const LengthInputs in = length_inputs(name, params);
  const Index window = params.integer("window");
  const EncodingTraits traits = in.encoding->traits();
  LengthStudy measured{.name = name,
                       .relative = traits.relative_weights_up_to(offsets_of(params).back() +
                                                                 params.integer("window")),
                       .last_position = traits.last_position,
                       .rounding = length_rounding(in, window),
                       .largest_value = largest_value(in, window)};
  const Positions lengths = lengths_of(params);
  SubProgress at_lengths(progress, 0.0, 0.8);
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    checkpoint(at_lengths, i, lengths.size(), "lengths with " + name);
    measured.lengths.push_back(attention_at_length(in, lengths[i], window));
  }
  checkpoint(progress, 0.8, "distances with " + name);
  measured.change = logit_change(in, params.integer("max_length"));
  const double match =
      params.real("spread") * std::sqrt(static_cast<double>(params.integer("dim")));
  measured.mean_change = mean_logit_change(in, match, distances_of(params));
  checkpoint(progress, 0.85, "offsets with " + name);
  Largest ratio_change;
  for (const Position s : offsets_of(params)) {
    measured.offsets.push_back(change_under_offset(in, window, s));
    if (!knows_offset(in, window, s)) continue;
    ++measured.known_offsets;  // they are ascending
    if (!measured.relative) ratio_change.see(log_ratio_change(in, window, s));
  }
  measured.ratio_change = ratio_change.value();
  checkpoint(progress, 0.9, "decoding with " + name);
  const Position past = params.integer("train_length") - window / 2;
  const Position first = std::min<Position>(past, traits.last_position + 1 - window);
  measured.decoding = decoding_gap(in, window, first);
  return measured;
}

}  // namespace orrery::studies
