// The paper's encodings as settings make them: parameters, tables that are given, tables that are
// drawn.
#include <catch2/catch.hpp>

#include <memory>
#include <utility>

#include "core/encodings/catalogue.h"
#include "experiments/verify/cases.h"
#include "tests/verify/setting_cases.h"

using namespace orrery;
using namespace orrery::test;

namespace {
namespace in_settings {

constexpr Index d = setting_d, d_model = setting_d_model;
constexpr int heads = setting_heads;

/// Positions within the tables of 512 that are the default, the last among them.
const Positions queries_at{0, 3, 47, 130, 500}, keys_at{0, 33, 1, 128, 3, 8, 300, 50, 511};

/// Tables of T by their shapes; `given` ones differ from what is drawn or constant otherwise.
template <class T>
Given tables_of(const Setting& setting, std::int64_t seed, bool given) {
  Given out;
  for (const TableShape& table : setting.tables) {
    Random random(seed, (given ? "a given " : "table ") + table.name);
    const double deviation = given ? 0.5 : table.deviation;
    out[table.name] = deviation > 0
                          ? wide(normal_matrix<T>(random, table.rows, table.columns, deviation))
                          : Rows(Rows::Constant(table.rows, table.columns, table.value));
  }
  return out;
}

/// An encoding as one setting makes it, with the tables that it has.
struct Made {
  const Setting& setting;
  bool given{};
  std::unique_ptr<Encoding> encoding;
  Given tables;

  std::string label() const {
    return setting.label + (given ? ", tables given" : ", tables drawn");
  }
};

template <class T>
Made made(const Setting& setting, std::int64_t seed, bool given) {
  Given tables = tables_of<T>(setting, seed, given);
  const Tables own(tables.begin(), tables.end());
  const ParamSet params = params_with(setting.encoding, setting.words);
  return {setting, given,
          make_encoding<T>(setting.encoding,
                           {d_model, d, heads, params, {}, seed, given ? &own : nullptr}),
          std::move(tables)};
}

/// Contents of a head at some positions, and what must come of them.
template <class T>
struct Scene {
  Matrix<T> q, k, v;
  Rows logits, output;
  double bound;  ///< of the output

  Scene(Random& random, const Made& made, const Positions& m, const Positions& n, int h)
      : q(drawn(random, m)), k(drawn(random, n)), v(drawn(random, n)) {
    const Setting& setting = made.setting;
    const literal::Head head{wide(q), wide(k), wide(v), m, n};
    logits = literal::sum_of(setting.terms(head, h, made.tables));
    const Rows weights = literal::softmax(logits);
    output = setting.output ? setting.output(head, weights, made.tables)
                            : literal::product(weights, head.v);
    bound = softmax_bound(logits, plain_bound() + 2 * setting.angle);
  }
  static double plain_bound() { return 2 * rounding_bound<T>(roundings_of(d_model)); }

 private:
  static Matrix<T> drawn(Random& random, const Positions& at) {
    return normal_matrix<T>(random, static_cast<Index>(at.size()), d);
  }
};

template <class T>
void check_added(const Made& made) {
  Matrix<T> x = Matrix<T>::Zero(static_cast<Index>(keys_at.size()), d_model);
  dynamic_cast<const InputTerm<T>&>(*made.encoding).add_to_input(keys_at, x);
  check_agreement(made.label(), x, made.setting.added(keys_at, made.tables),
                  rounding_bound<T>(4) + made.setting.angle);
}

template <class T>
void check_logits(const Made& made, std::int64_t seed) {
  const Setting& setting = made.setting;
  Random random(seed, "contents of settings");
  for (int h = 0; h < heads; ++h) {
    const Scene<T> scene(random, made, queries_at, keys_at, h);
    const auto out =
        attention_from_qkv<T>(*made.encoding, {scene.q,
                                               scene.k,
                                               scene.v,
                                               queries_at,
                                               keys_at,
                                               h,
                                               {setting.query_segments, setting.key_segments}});
    check_agreement(made.label() + ": logits", out.logits, scene.logits,
                    scene.plain_bound() + setting.angle);
    if (setting.output)
      check_agreement(made.label() + ": output", out.output, scene.output, scene.bound);
  }
}

/// Consecutive tokens from 0 on, over two tiles of queries: the output without a map.
template <class T>
void check_alone(const Made& made, std::int64_t seed) {
  Random random(seed, "consecutive contents of settings");
  const Positions m = consecutive_positions(50), n = consecutive_positions(53);
  const auto doors = SoftmaxDoors<T>::of(*made.encoding);
  for (int h = 0; h < heads; ++h) {
    const Scene<T> scene(random, made, m, n, h);
    check_agreement<T>(made.label() + ": output without a map",
                       attention_output<T>({scene.q, scene.k, scene.v, m, n, h}, doors).output,
                       scene.output, scene.bound);
  }
}

TEMPLATE_TEST_CASE("Settings and tables make the encodings that the papers define", "", float,
                   double) {
  const std::int64_t seed = drawn_seed();
  for (const Setting& setting : setting_cases())
    for (const bool given : {true, false}) {
      if (given && setting.tables.empty()) continue;
      const Made as_set = made<TestType>(setting, seed, given);
      if (setting.added) {
        check_added<TestType>(as_set);
        continue;
      }
      check_logits<TestType>(as_set, seed);
      if (given && setting.query_segments.empty()) check_alone<TestType>(as_set, seed);
    }
}

}  // namespace in_settings
}  // namespace
