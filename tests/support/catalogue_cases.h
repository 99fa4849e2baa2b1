#pragma once

#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "core/attention/head.h"
#include "core/encodings/catalogue.h"
#include "core/random.h"

namespace orrery::test {

/// One setting of one encoding: "rope rope.pairing=half_split".
struct CatalogueCase {
  std::string name;
  std::vector<std::pair<std::string, std::string>> params;

  std::string title() const {
    std::string text = name;
    for (const auto& [key, value] : params) text += " " + key + "=" + value;
    return text;
  }
};

/// Sizes of tables that are small enough for tests and cover the positions they use.
inline constexpr std::pair<const char*, const char*> test_sizes[] = {
    {"learned.length", "2000"}, {"tupe.length", "2000"},        {"shaw.clip", "5"},
    {"deberta.span", "6"},      {"deberta.max_distance", "20"}, {"cope.positions", "5"},
    {"inkling.extent", "30"}};

/// Values that switch on features which are off by default, or that suit the other parameters.
inline constexpr std::pair<const char*, const char*> telling_values[] = {
    {"shaw.clip_ahead", "2"},     {"transformer_xl.clamp_len", "7"}, {"base", "500000"},
    {"rope.factor", "8"},         {"rope.original_length", "16"},    {"rope.length", "64"},
    {"rope.beta_fast", "16"},     {"rope.high_freq_factor", "8"},    {"rope.mscale", "0.5"},
    {"rope.mscale_all_dim", "2"}, {"fire.threshold", "9"},           {"fox.bias", "3"},
    {"path.bias", "1"},           {"xpos.scale_base", "200"},        {"inkling.profiles", "3"}};

/// One parameter set, and before it what it is read with.
inline CatalogueCase with(const EncodingInfo& info, const ParamSpec& spec,
                          const std::string& value) {
  CatalogueCase c{info.name, {{spec.key, value}}};
  const ParamSpec* at = &spec;
  while (at->used_when) {
    const std::string& key = at->used_when->key;
    const auto& any_of = at->used_when->any_of;
    c.params.insert(c.params.begin(), {key, any_of.front()});
    const auto deciding = std::find_if(info.params.begin(), info.params.end(),
                                       [&](const ParamSpec& other) { return other.key == key; });
    at = &*deciding;
  }
  return c;
}

inline ParamSet params_of(const CatalogueCase& c) {
  ParamSpec selector{.key = "encoding",
                     .kind = ParamKind::choice,
                     .default_value = c.name,
                     .choices = encoding_choices()};
  std::vector<ParamSpec> specs{selector};
  for (ParamSpec& spec : encoding_params("encoding")) specs.push_back(std::move(spec));
  ParamSet params(specs);
  for (const auto& [key, value] : test_sizes) params.set(key, value);
  for (const auto& [key, value] : c.params) params.set(key, value);
  return params;
}

/// Every encoding with every choice of each of its parameters and the other parameters at their
/// defaults.
inline std::vector<CatalogueCase> catalogue_cases() {
  std::vector<CatalogueCase> cases;
  for (const EncodingEntry& entry : encoding_catalogue()) {
    cases.push_back({entry.info.name, {}});
    for (const ParamSpec& spec : entry.info.params) {
      for (const Choice& choice : spec.choices)
        cases.push_back(with(entry.info, spec, choice.name));
      if (spec.kind == ParamKind::boolean)
        cases.push_back(
            with(entry.info, spec, spec.default_value == ParamValue(true) ? "false" : "true"));
      const auto* telling =
          std::find_if(std::begin(telling_values), std::end(telling_values),
                       [&](const auto& value) { return value.first == spec.key; });
      if (telling != std::end(telling_values))
        cases.push_back(with(entry.info, spec, telling->second));
      else if (spec.kind == ParamKind::real)
        cases.push_back(with(entry.info, spec, "0.5"));
    }
  }
  return cases;
}

template <class T>
std::unique_ptr<Encoding> make_case(const CatalogueCase& c, Index d, int heads = 4) {
  const ParamSet params = params_of(c);
  return make_encoding<T>(c.name, {.d_model = d, .d_head = d, .heads = heads, .params = params});
}

/// Seeded contents and projections of a small head.
template <class T>
struct Scene {
  Matrix<T> x;
  Positions positions;
  Projections<T> projections;

  Scene(Index n, Index d, std::int64_t seed) : projections(random_projections<T>(seed, 1, d, d)) {
    Random random(seed, "test scene");
    x = normal_matrix<T>(random, n, d);
    for (Index i = 0; i < n; ++i) positions.push_back(random.integer(40));
  }

  AttentionOutput<T> attend(const Encoding& encoding, const Mask& mask = {}) const {
    return attend_at(encoding, positions, mask);
  }
  AttentionOutput<T> attend_at(const Encoding& encoding, const Positions& at,
                               const Mask& mask = {}) const {
    return attention_head<T>(encoding, projections, {x, x, at, at, 1}, mask);
  }
};

}  // namespace orrery::test
