// Laws that every encoding of the catalogue obeys, in every setting.
#include <catch2/catch.hpp>

#include <algorithm>
#include <numeric>

#include "core/analysis/invariance.h"
#include "core/encodings/relative_index.h"
#include "tests/support/catalogue_cases.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;

namespace {

constexpr Index law_width = 8;
constexpr Index law_tokens = 9;

template <class T>
constexpr double tolerance = sizeof(T) == 8 ? 1e-13 : 1e-5;

/// Checks a law for every case of the catalogue.
template <class T, class Law>
void for_all(const Law& law) {
  for (const CatalogueCase& c : catalogue_cases()) {
    INFO(c.title());
    for (const std::int64_t seed : {1, 2, 3})
      law(*make_case<T>(c, law_width), Scene<T>(law_tokens, law_width, seed));
  }
}

template <class T>
AttentionOutput<T> decode_row(const Encoding& encoding, const Scene<T>& scene, Index row) {
  const Positions at = scene.positions;
  const auto seen = static_cast<std::size_t>(row + 1);
  const Positions m{at[seen - 1]};
  const Positions keys(at.begin(), at.begin() + static_cast<std::ptrdiff_t>(seen));
  const Matrix<T> x_q = scene.x.row(row);
  const Matrix<T> x_k = scene.x.topRows(row + 1);
  return attention_head<T>(encoding, scene.projections, {x_q, x_k, m, keys, 1},
                           Mask::causal(m, keys));
}

}  // namespace

TEMPLATE_TEST_CASE("The named terms sum to the logits", "", float, double) {
  for_all<TestType>([](const Encoding& encoding, const Scene<TestType>& scene) {
    const auto out = scene.attend(encoding);
    Matrix<TestType> sum = Matrix<TestType>::Zero(law_tokens, law_tokens);
    for (const auto& term : out.terms) sum += term.logits;
    CHECK(out.terms.front().name == "content");
    CHECK(largest_difference(sum, out.logits) < 30 * tolerance<TestType>);
  });
}

TEMPLATE_TEST_CASE("Weights are a distribution over the keys a query sees", "", float, double) {
  for_all<TestType>([](const Encoding& encoding, const Scene<TestType>& scene) {
    const Mask mask = Mask::causal(scene.positions, scene.positions);
    const auto out = scene.attend(encoding, mask);
    for (Index i = 0; i < law_tokens; ++i) {
      CHECK(std::abs(static_cast<double>(out.weights.row(i).sum()) - 1) < tolerance<TestType>);
      for (Index j = 0; j < law_tokens; ++j)
        if (!mask.allows(i, j)) CHECK(out.weights(i, j) == 0);
    }
  });
}

TEMPLATE_TEST_CASE("Permuting tokens with their positions permutes the output", "", float, double) {
  for_all<TestType>([](const Encoding& encoding, const Scene<TestType>& scene) {
    Scene<TestType> moved = scene;
    std::vector<Index> order(static_cast<std::size_t>(law_tokens));
    std::iota(order.begin(), order.end(), 0);
    std::rotate(order.begin(), order.begin() + 4, order.end());
    for (std::size_t i = 0; i < order.size(); ++i) {
      moved.x.row(static_cast<Index>(i)) = scene.x.row(order[i]);
      moved.positions[i] = scene.positions[static_cast<std::size_t>(order[i])];
    }
    const auto straight = scene.attend(encoding);
    const auto permuted = moved.attend(encoding);
    for (std::size_t i = 0; i < order.size(); ++i)
      CHECK(largest_difference(permuted.output.row(static_cast<Index>(i)),
                               straight.output.row(order[i])) < 30 * tolerance<TestType>);
  });
}

TEMPLATE_TEST_CASE("Relative encodings do not feel a common shift, absolute ones do", "", float,
                   double) {
  for_all<TestType>([](const Encoding& encoding, const Scene<TestType>& scene) {
    const auto here = scene.attend(encoding);
    const auto there = scene.attend_at(encoding, shifted(scene.positions, 1237));
    const double change = largest_difference(here.logits, there.logits);
    if (encoding.traits().relative)
      CHECK(change < 30 * tolerance<TestType>);
    else
      CHECK(change > 1e-3);  // far above rounding, also with tables drawn at 0.02
  });
}

TEST_CASE("Relative weights do not depend on a common shift, other weights do") {
  for_all<double>([](const Encoding& encoding, const Scene<double>& scene) {
    const auto here = scene.attend(encoding);
    const auto there = scene.attend_at(encoding, shifted(scene.positions, 1237));
    const double change = largest_difference(here.weights, there.weights);
    if (encoding.traits().relative_weights)
      CHECK(change < 1e-13);
    else
      CHECK(change > 1e-6);  // far above rounding
  });
}

TEMPLATE_TEST_CASE("Relative encodings keep fp64 invariance at any position", "", double) {
  for_all<TestType>([](const Encoding& encoding, const Scene<TestType>& scene) {
    if (!encoding.traits().relative) return;
    const auto here = scene.attend(encoding);
    for (const Position s : {Position{1} << 24, (Position{1} << 40) + 1}) {
      if (s > encoding.traits().last_position) continue;
      const auto there = scene.attend_at(encoding, shifted(scene.positions, s));
      CHECK(largest_difference(here.logits, there.logits) < 2e-14);
    }
  });
}

TEMPLATE_TEST_CASE("Causal prefill equals decoding step by step", "", float, double) {
  for_all<TestType>([](const Encoding& encoding, const Scene<TestType>& unsorted) {
    Scene<TestType> scene = unsorted;
    std::sort(scene.positions.begin(), scene.positions.end());
    scene.positions.erase(std::unique(scene.positions.begin(), scene.positions.end()),
                          scene.positions.end());
    const auto length = static_cast<Index>(scene.positions.size());
    scene.x = Matrix<TestType>(scene.x.topRows(length));
    const auto whole = scene.attend(encoding, Mask::causal(scene.positions, scene.positions));
    for (Index i = 0; i < length; ++i) {
      const auto step = decode_row(encoding, scene, i);
      CHECK(largest_difference(step.output, whole.output.row(i)) < 30 * tolerance<TestType>);
    }
  });
}

TEMPLATE_TEST_CASE("The same call gives the same bits", "", float, double) {
  for_all<TestType>([](const Encoding& encoding, const Scene<TestType>& scene) {
    CHECK(scene.attend(encoding).output == scene.attend(encoding).output);
  });
}

TEST_CASE("fp32 agrees with fp64 to fp32's precision") {
  for (const CatalogueCase& c : catalogue_cases()) {
    INFO(c.title());
    const auto wide =
        Scene<double>(law_tokens, law_width, 5).attend(*make_case<double>(c, law_width));
    const auto narrow =
        Scene<float>(law_tokens, law_width, 5).attend(*make_case<float>(c, law_width));
    CHECK(largest_difference<double>(narrow.logits.cast<double>(), wide.logits) < 3e-5);
  }
}

TEST_CASE("Parameters of the catalogue read back from their own text") {
  for (const CatalogueCase& c : catalogue_cases()) {
    INFO(c.title());
    const ParamSet params = params_of(c);
    ParamSet copy = params_of({c.name, {}});
    for (const ParamSpec& spec : params.specs()) copy.set(spec.key, params.to_text(spec.key));
    CHECK(copy == params);
  }
}

TEST_CASE("The doors in the catalogue are those of the type") {
  for (const EncodingEntry& entry : encoding_catalogue()) {
    const auto encoding = make_case<double>({entry.info.name, {}}, law_width);
    std::vector<Door> doors;
    if (dynamic_cast<const InputTerm<double>*>(encoding.get())) doors.push_back(Door::input_term);
    if (dynamic_cast<const QkTransform<double>*>(encoding.get()))
      doors.push_back(Door::qk_transform);
    if (dynamic_cast<const ScoreTerms<double>*>(encoding.get())) doors.push_back(Door::score_terms);
    if (dynamic_cast<const ValueTerm<double>*>(encoding.get())) doors.push_back(Door::value_term);
    CHECK(doors == entry.doors);
  }
}

TEST_CASE("A table index names rows of its table, one of them from the stated reach on") {
  std::size_t stated = 0;
  for (const CatalogueCase& c : catalogue_cases()) {
    INFO(c.title());
    const auto encoding = make_case<double>(c, law_width);
    const auto* table = dynamic_cast<const TableIndex*>(encoding.get());
    if (!table) continue;
    const Positions at{0, 1, 2, 5, 8, 13, 40, 1000};
    const IndexMatrix index = table->table_index(at, at);
    for (Index i = 0; i < index.size(); ++i)
      CHECK((index.data()[i] >= -1 && index.data()[i] < table->table_rows()));
    const std::optional<Position> reach = table->stated_reach();
    if (!reach) continue;
    ++stated;
    const Positions here{10 * *reach + 1};
    const IndexMatrix behind = table->table_index(here, Positions{here[0] - *reach, 1});
    const IndexMatrix ahead = table->table_index(Positions{1}, Positions{1 + *reach, here[0]});
    CHECK(behind(0, 0) == behind(0, 1));
    CHECK(ahead(0, 0) == ahead(0, 1));
  }
  CHECK(stated > 3);
}

TEST_CASE("Each encoding states where its table ends") {
  const std::int64_t length = GENERATE(1, 77);
  for (const EncodingEntry& entry : encoding_catalogue()) {
    INFO(entry.info.name);
    ParamSet params = params_of({entry.info.name, {}});
    const std::string& key = entry.info.length_param;
    if (!key.empty()) params.set_value(key, length);
    const auto encoding =
        make_encoding<double>(entry.info.name, {.d_model = 4, .d_head = 4, .params = params});
    if (entry.info.name == "xpos")  // its factors end where numbers do
      CHECK((encoding->traits().last_position > 100000 &&
             encoding->traits().last_position < max_position));
    else
      CHECK(encoding->traits().last_position == (key.empty() ? max_position : length - 1));
  }
}
