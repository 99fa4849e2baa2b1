// The paper's encodings as settings make them: parameters, tables that are given, tables that are
// drawn.
#include "core/encodings/catalogue.h"
#include "experiments/verify/setting_cases.h"

namespace orrery::verify {
namespace {

const Paper from_settings{ClaimKind::property, "", "Encodings from settings"};

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

template <class T>
class SettingsOf {
 public:
  SettingsOf(Ledger<T>& ledger, std::int64_t seed) : ledger_(ledger), seed_(seed) {}

  void see(const Setting& setting) {
    for (const bool given : {true, false}) {
      if (given && setting.tables.empty()) continue;
      const Given tables = tables_of<T>(setting, seed_, given);
      const Tables own(tables.begin(), tables.end());
      const ParamSet params = params_of(setting.encoding, setting.words);
      const auto encoding = make_encoding<T>(
          setting.encoding,
          {d_model, d, heads, params, {}, seed_, given && !own.empty() ? &own : nullptr});
      const std::string name = setting.name + (given ? "_given" : "");
      const std::string label = setting.label + (setting.tables.empty() ? ""
                                                 : given                ? ", tables given"
                                                                        : ", tables drawn");
      if (setting.added)
        see_added(setting, name, label, *encoding, tables);
      else
        see_logits(setting, name, label, *encoding, tables);
      if (given && !setting.added && setting.query_segments.empty())
        see_alone(setting, name, label, *encoding, tables);
    }
  }

 private:
  void see_added(const Setting& setting, const std::string& name, const std::string& label,
                 const Encoding& encoding, const Given& tables) {
    Matrix<T> x = Matrix<T>::Zero(static_cast<Index>(keys_at.size()), d_model);
    dynamic_cast<const InputTerm<T>&>(encoding).add_to_input(keys_at, x);
    ledger_.compare(from_settings, name, label, x, setting.added(keys_at, tables),
                    rounding_bound<T>(4) + setting.angle);
  }

  void see_logits(const Setting& setting, const std::string& name, const std::string& label,
                  const Encoding& encoding, const Given& tables) {
    const double bound = 2 * rounding_bound<T>(roundings_of(d_model));
    Random random(seed_, "contents of settings");
    const auto draw = [&](const Positions& at) {
      return normal_matrix<T>(random, static_cast<Index>(at.size()), d);
    };
    for (int h = 0; h < heads; ++h) {
      const Matrix<T> q = draw(queries_at), k = draw(keys_at), v = draw(keys_at);
      const literal::Head head{wide(q), wide(k), wide(v), queries_at, keys_at};
      const auto out = attention_from_qkv<T>(
          encoding,
          {q, k, v, queries_at, keys_at, h, {setting.query_segments, setting.key_segments}});
      const Rows logits = literal::sum_of(setting.terms(head, h, tables));
      ledger_.compare(from_settings, name + "_logits", label + ": logits", out.logits, logits,
                      bound + setting.angle);
      if (!setting.output) continue;
      const Rows weights = literal::softmax(logits);
      ledger_.compare(from_settings, name + "_output", label + ": output", out.output,
                      setting.output(head, weights, tables),
                      softmax_bound(logits, bound + 2 * setting.angle));
    }
  }

  /// Consecutive tokens from 0 on, over two tiles of queries: the output without a map.
  void see_alone(const Setting& setting, const std::string& name, const std::string& label,
                 const Encoding& encoding, const Given& tables) {
    Random random(seed_, "consecutive contents of settings");
    const Positions m = consecutive_positions(50), n = consecutive_positions(53);
    const auto draw = [&](const Positions& at) {
      return normal_matrix<T>(random, static_cast<Index>(at.size()), d);
    };
    for (int h = 0; h < heads; ++h) {
      const Matrix<T> q = draw(m), k = draw(n), v = draw(n);
      const literal::Head head{wide(q), wide(k), wide(v), m, n};
      const Rows logits = literal::sum_of(setting.terms(head, h, tables));
      const Rows weights = literal::softmax(logits);
      const Rows expected = setting.output ? setting.output(head, weights, tables)
                                           : literal::product(weights, head.v);
      const double bound = 2 * rounding_bound<T>(roundings_of(d_model)) + 2 * setting.angle;
      ledger_.compare(from_settings, name + "_alone", label + ": output without a map",
                      attention_output<T>({q, k, v, m, n, h}, SoftmaxDoors<T>::of(encoding)).output,
                      expected, softmax_bound(logits, bound));
    }
  }

  Ledger<T>& ledger_;
  std::int64_t seed_;
};

}  // namespace

ParamSet params_of(const std::string& encoding, const Words& words) {
  ParamSet params(find_encoding(encoding).info.params);
  for (const auto& [key, value] : words) params.set(key, value);
  return params;
}

void setting_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  const std::string over = "2 heads, d = 8, d_model = 12, 5 queries, 9 keys to position 511";
  Ledger<double> fp64(over, claims);
  Ledger<float> fp32(over, claims);
  for (const Setting& setting : setting_cases()) {
    SettingsOf<double>(fp64, options.seed).see(setting);
    SettingsOf<float>(fp32, options.seed).see(setting);
  }
  refused_setting_claims(claims);
  trait_claims(claims);
}

}  // namespace orrery::verify
