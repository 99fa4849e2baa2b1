#pragma once

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
    {"learned.length", "2000"},
    {"tupe.length", "2000"},
    {"shaw.clip", "5"},
    {"deberta.span", "6"},
    {"deberta.max_distance", "20"}};

/// Values that switch on features which are off by default.
inline constexpr std::pair<const char*, const char*> telling_integers[] = {
    {"shaw.clip_ahead", "2"}, {"transformer_xl.clamp_len", "7"}};

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
        cases.push_back({entry.info.name, {{spec.key, choice.name}}});
      if (spec.kind == ParamKind::boolean)
        cases.push_back({entry.info.name,
                         {{spec.key, spec.default_value == ParamValue(true) ? "false" : "true"}}});
      if (spec.kind == ParamKind::real && spec.key != "base")
        cases.push_back({entry.info.name, {{spec.key, "0.5"}}});
      if (spec.key == "base") cases.push_back({entry.info.name, {{spec.key, "500000"}}});
      for (const auto& [key, value] : telling_integers)
        if (spec.key == key) cases.push_back({entry.info.name, {{key, value}}});
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
