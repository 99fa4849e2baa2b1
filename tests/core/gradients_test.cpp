// The derivative of every encoding of the catalogue, in every setting, against differences of what
// it computes.
#include <catch2/catch.hpp>

#include <cmath>
#include <numbers>
#include <set>
#include <string>

#include "core/analysis/encoding_gradients.h"
#include "core/encodings/pope.h"
#include "tests/support/catalogue_cases.h"
#include "tests/support/golden.h"

using namespace orrery;
using namespace orrery::test;

namespace {

constexpr Index gradient_width = 8, gradient_d_model = 12;
constexpr int gradient_heads = 3;

/// Settings that no single parameter makes.
const std::vector<CatalogueCase>& gradient_pairs() {
  static const std::vector<CatalogueCase> pairs{
      {"path", {{"path.convolution", "3"}}},
      {"path", {{"path.reads", "input"}, {"path.convolution", "2"}, {"path.forget", "true"}}},
      {"tupe", {{"tupe.variant", "released"}, {"tupe.untie_cls", "false"}}},
      {"tupe", {{"tupe.variant", "released"}, {"tupe.relative_bias", "false"}}},
      {"deberta", {{"deberta.version", "v2"}, {"deberta.norm", "layer_norm"}}},
      {"deberta", {{"deberta.p2c", "code"}, {"deberta.terms", "p2c"}}},
      {"transformer_xl",
       {{"transformer_xl.biases", "roformer"}, {"transformer_xl.clamp_len", "3"}}},
      {"rope",
       {{"rope.rotary_value", "counter_rotated"},
        {"rope.scaling", "yarn"},
        {"rope.pairing", "half_split"}}}};
  return pairs;
}

/// The encoding of a case made of the tables in `point`; those it is made of go to `made`.
template <class T>
std::unique_ptr<Encoding> made_of(const CatalogueCase& c, const Tables& point,
                                  Tables* made = nullptr, const StageRounding& rounding = {}) {
  const ParamSet params = params_of(c);
  return make_encoding<T>(c.name, {.d_model = gradient_d_model,
                                   .d_head = gradient_width,
                                   .heads = gradient_heads,
                                   .params = params,
                                   .rounding = rounding,
                                   .tables = &point,
                                   .made = made});
}

/// Numbers of the size of 1/2 in the ranges of their tables: KERPLE's are positive, and PoPE's
/// phases lie where they are not clamped.
Matrix<double> drawn_table(const std::string& name, const Matrix<double>& like) {
  Random random(5, "point " + name);
  Matrix<double> table = 0.5 * normal_matrix<double>(random, like.rows(), like.cols());
  if (name.starts_with("kerple.")) table = (table.array().abs() + 0.3).matrix();
  if (name == "pope.phases") table = (-table.array().abs() - 0.3).matrix();
  return table;
}

struct GradientCase {
  GradientScene scene;
  Tables point;
};

/// Keys behind, at and ahead of each query, two of them at one place; or a text from 0 on. The seed
/// is one at which no floor, clamp or kink of a network lies within a step of the point.
GradientCase gradient_case(const CatalogueCase& c, bool consecutive) {
  GradientCase out;
  GradientScene& scene = out.scene;
  scene.m = consecutive ? consecutive_positions(6) : Positions{3, 0, 7, 12, 5, 2};
  scene.n = consecutive ? consecutive_positions(6) : Positions{0, 2, 5, 7, 5, 12, 9};
  scene.head = 1;
  const auto queries = static_cast<Index>(scene.m.size()),
             keys = static_cast<Index>(scene.n.size());
  Random random(consecutive ? 3 : 4, "gradients");
  const auto draw = [&](Index rows, Index columns) {
    return normal_matrix<double>(random, rows, columns);
  };
  made_of<double>(c, {}, &out.point);
  for (auto& [name, table] : out.point) table = drawn_table(name, table);
  out.point["x"] = draw(keys, gradient_d_model);
  out.point["q"] = draw(queries, gradient_width);
  out.point["k"] = draw(keys, gradient_width);
  out.point["v"] = draw(keys, gradient_width);
  out.point["weights"] = draw(queries, keys);
  scene.d_input = draw(keys, gradient_d_model);
  scene.d_logits = draw(queries, keys);
  scene.d_output = draw(queries, gradient_width);
  return out;
}

/// Checks a law for each case and pair of the catalogue, at both kinds of positions.
template <class Law>
void for_all_gradients(const Law& law) {
  std::vector<CatalogueCase> cases = catalogue_cases();
  cases.insert(cases.end(), gradient_pairs().begin(), gradient_pairs().end());
  for (const CatalogueCase& c : cases)
    for (const bool consecutive : {false, true}) {
      INFO(c.title() << (consecutive ? ", a text" : ", apart"));
      law(c, gradient_case(c, consecutive));
    }
}

/// The derivative along a direction by central differences in fp64, of error about step² and
/// 2^-53/step.
double difference_along(const CatalogueCase& c, const GradientCase& at, const std::string& name,
                        const Matrix<double>& direction) {
  constexpr double step = 1e-6;
  const auto loss_at = [&](double by) {
    Tables moved = at.point;
    moved[name] += by * direction;
    return loss_of<double>(*made_of<double>(c, moved), at.scene, moved);
  };
  return (loss_at(step) - loss_at(-step)) / (2 * step);
}

/// By each name of the point. The bound is relative to the sum of sizes of what adds up, and above
/// the rounding of a loss of about 100.
void check_differences(const CatalogueCase& c, const GradientCase& at) {
  const Tables d = gradients_of<double>(*made_of<double>(c, at.point), at.scene, at.point);
  for (const auto& [name, value] : at.point) {
    INFO("by " << name);
    Random random(7, "direction " + name);
    const Matrix<double> direction = normal_matrix<double>(random, value.rows(), value.cols());
    const auto found = d.find(name);
    const Matrix<double> gradient =
        found == d.end() ? Matrix<double>::Zero(value.rows(), value.cols()) : found->second;
    REQUIRE(gradient.rows() == value.rows());
    REQUIRE(gradient.cols() == value.cols());
    const Matrix<double> parts = gradient.cwiseProduct(direction);
    const double expected = difference_along(c, at, name, direction);
    CHECK(std::abs(parts.sum() - expected) < 1e-6 * parts.cwiseAbs().sum() + 3e-7);
  }
  for (const auto& [name, gradient] : d) CHECK(at.point.contains(name));
}

}  // namespace

TEST_CASE("The derivative of an encoding is the limit of its differences") {
  for_all_gradients(check_differences);
}

TEST_CASE("So it is with a scale that is given, and with segments") {
  const std::vector<std::int32_t> of_queries{0, 0, 1, 1, 2, 0}, of_keys{0, 1, 1, 0, 2, 2, 0};
  for_all_gradients([&](const CatalogueCase& c, GradientCase at) {
    at.scene.scoring.scale = 0.7;
    if (made_of<double>(c, at.point)->traits().reads_segments)
      at.scene.segments = {of_queries,
                           std::span<const std::int32_t>(of_keys).first(at.scene.n.size())};
    check_differences(c, at);
  });
}

TEST_CASE("The derivative in fp32, and with roundings to fp32, is that in fp64") {
  StageRounding fp32;
  for (std::size_t stage = 0; stage < stage_count; ++stage)
    fp32.set(static_cast<Stage>(stage), Precision::fp32);
  for_all_gradients([&](const CatalogueCase& c, const GradientCase& at) {
    const Tables exact = gradients_of<double>(*made_of<double>(c, at.point), at.scene, at.point);
    const Tables in_fp32 = gradients_of<float>(*made_of<float>(c, at.point), at.scene, at.point);
    const Tables rounded =
        gradients_of<double>(*made_of<double>(c, at.point, nullptr, fp32), at.scene, at.point);
    REQUIRE(in_fp32.size() == exact.size());
    for (const auto& [name, gradient] : exact) {
      INFO("by " << name);
      const double size = std::sqrt(gradient.squaredNorm()) + 1;
      CHECK(largest_difference(in_fp32.at(name), gradient) < 1e-4 * size);
      CHECK(largest_difference(rounded.at(name), gradient) < 1e-4 * size);
    }
  });
}

TEST_CASE("A derivative is added to what is there") {
  for_all_gradients([](const CatalogueCase& c, const GradientCase& at) {
    const auto encoding = made_of<double>(c, at.point);
    const auto* scores = dynamic_cast<const ScoreTerms<double>*>(encoding.get());
    if (!scores) return;
    const GradientContents<double> contents(at.point);
    Matrix<double> d_q = Matrix<double>::Zero(contents.q.rows(), contents.q.cols());
    Matrix<double> d_k = Matrix<double>::Zero(contents.k.rows(), contents.k.cols());
    Matrix<double> d_x = Matrix<double>::Zero(contents.x.rows(), contents.x.cols());
    Tables d_tables;
    const auto add = [&] {
      scores->add_score_gradients(contents.scored(at.scene), at.scene.d_logits,
                                  {d_q, d_k, &d_x, d_tables});
    };
    add();
    const Matrix<double> q = d_q, k = d_k, x = d_x;
    const Tables tables = d_tables;
    add();
    CHECK(largest_difference(d_q, 2 * q) < 1e-12);
    CHECK(largest_difference(d_k, 2 * k) < 1e-12);
    CHECK(largest_difference(d_x, 2 * x) < 1e-12);
    for (const auto& [name, once] : tables)
      CHECK(largest_difference(d_tables.at(name), 2 * once) < 1e-11);
  });
}

TEST_CASE("Terms of a bias do not depend on contents, and it is these encodings that have them") {
  std::set<std::string> biases;
  for_all_gradients([&](const CatalogueCase& c, const GradientCase& at) {
    const auto encoding = made_of<double>(c, at.point);
    const auto* scores = dynamic_cast<const ScoreTerms<double>*>(encoding.get());
    if (!scores || !scores->is_bias()) return;
    biases.insert(c.name);
    const GradientContents<double> contents(at.point);
    GradientContents<double> others = contents;
    others.q *= -3;
    others.k = others.k.array() + 1;
    const auto terms = scores->score_terms(contents.scored(at.scene)),
               of_others = scores->score_terms(others.scored(at.scene));
    for (std::size_t t = 1; t < terms.size(); ++t) CHECK(terms[t].logits == of_others[t].logits);
  });
  CHECK(biases == std::set<std::string>{"alibi", "fire", "kerple", "sandwich", "t5", "tupe"});
}

TEST_CASE("A phase of PoPE that is clamped has no derivative, and one at the edge has") {
  constexpr double turn = 2 * std::numbers::pi;
  Matrix<double> phases(1, 4);
  phases << 0.5, -turn - 0.5, -1.0, 0.0;
  const Pope<double> pope(10000.0, phases);
  const Matrix<double> x = Matrix<double>::Ones(1, 4);
  const Positions m{3}, n{1};
  Matrix<double> d_q = Matrix<double>::Zero(1, 4), d_k = d_q;
  Tables d;
  pope.add_score_gradients({.q = x, .k = x, .m = m, .n = n}, Matrix<double>::Ones(1, 1),
                           {.q = d_q, .k = d_k, .tables = d});
  const Matrix<double>& d_phases = d.at("pope.phases");
  CHECK(d_phases(0, 0) == 0);
  CHECK(d_phases(0, 1) == 0);
  CHECK(std::abs(d_phases(0, 2)) > 0.1);
  CHECK(std::abs(d_phases(0, 3)) > 1e-3);
}
