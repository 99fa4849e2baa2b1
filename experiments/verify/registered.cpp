// The laws that every encoding obeys, of those that others have registered; tests hold the library's
// own to them. And the derivatives of all, on which training rests.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/analysis/encoding_gradients.h"
#include "core/analysis/largest.h"
#include "core/attention/head.h"
#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "experiments/verify/cases.h"

namespace orrery {
namespace {
namespace in_registered {

constexpr Index d = 8, d_model = 12, tokens = 24;
constexpr int layer_heads = 2, head = 1;
constexpr Position farthest = 1000, farthest_shift = 1237;

/// One registered encoding with one setting.
struct Subject {
  const EncodingEntry& entry;
  ParamSet params;
  std::string setting{};  ///< "rhythm.form=causal"; empty for the defaults

  template <class T>
  std::unique_ptr<Encoding> made(const Tables* tables = nullptr, Tables* made_of = nullptr) const {
    return make_encoding<T>(entry.info.name, {.d_model = d_model,
                                              .d_head = d,
                                              .heads = layer_heads,
                                              .params = params,
                                              .tables = tables,
                                              .made = made_of});
  }
  Paper paper() const { return {ClaimKind::property, "", entry.info.label}; }
  std::string name(std::string_view law) const {
    return fmt::format("{}{}{}_{}", entry.info.name, setting.empty() ? "" : "_", setting, law);
  }
  std::string statement(std::string_view law) const {
    return setting.empty() ? std::string(law) : fmt::format("{}: {}", setting, law);
  }
};

/// Sets a parameter, and before it what it is read with.
void set_with_conditions(ParamSet& params, const std::string& key, const std::string& value) {
  if (const ParamSpec spec = params.spec(key); !params.is_used(key) && spec.used_when)
    set_with_conditions(params, spec.used_when->key, spec.used_when->any_of.front());
  params.set(key, value);
}

/// The defaults, and each choice and switch that is another.
std::vector<Subject> subjects_of(const EncodingEntry& entry) {
  const ParamSet defaults(entry.info.params);
  std::vector<Subject> subjects{{entry, defaults}};
  for (const ParamSpec& spec : entry.info.params) {
    std::vector<std::string> values;
    for (const Choice& choice : spec.choices) values.push_back(choice.name);
    if (spec.kind == ParamKind::boolean) values = {"true", "false"};
    for (const std::string& value : values) {
      Subject other{entry, defaults, fmt::format("{}={}", spec.key, value)};
      set_with_conditions(other.params, spec.key, value);
      if (!other.params.is_default(spec.key)) subjects.push_back(std::move(other));
    }
  }
  return subjects;
}

/// Tokens with their projections and positions that the encoding has, in the given precision.
template <class T>
struct Tokens {
  Matrix<T> x;
  Positions at;
  Projections<T> w;

  AttentionOutput<T> attend(const Encoding& encoding, const Mask& mask = {},
                            Position by = 0) const {
    const Positions there = moved(at, by);
    return attention_head<T>(encoding, w, {x, x, there, there, head}, mask);
  }
};

template <class T>
Tokens<T> tokens_of(const VerifyOptions& options, const Encoding& encoding, int draw) {
  Random random(options.seed, fmt::format("registered, draw {}", draw));
  // In fp32, so that both precisions begin with the same numbers.
  Tokens<T> out{normal_matrix<float>(random, tokens, d_model).cast<T>(), {}, {}};
  for (Matrix<T>* w : {&out.w.W_q, &out.w.W_k, &out.w.W_v})
    *w = weights<float>(random, d_model, d).cast<T>();
  // Half of a table that ends, so that there is room for a shift.
  const Position last = std::min(farthest, encoding.traits().last_position / 2);
  for (Index i = 0; i < tokens; ++i) out.at.push_back(random.integer(last + 1));
  std::sort(out.at.begin(), out.at.end());
  out.at.erase(std::unique(out.at.begin(), out.at.end()), out.at.end());
  out.x = Matrix<T>(out.x.topRows(static_cast<Index>(out.at.size())));
  return out;
}

template <class T>
void shift_claims(Ledger<T>& ledger, const Subject& subject, const Encoding& encoding,
                  const Tokens<T>& of, double bound) {
  const EncodingTraits traits = encoding.traits();
  const Position shift = std::min(farthest_shift, traits.last_position - of.at.back());
  if (traits.relative_from || shift == 0) return;
  const AttentionOutput<T> here = of.attend(encoding), there = of.attend(encoding, {}, shift);
  if (traits.relative)
    ledger.compare(subject.paper(), subject.name("shift"),
                   subject.statement("logits do not change when all positions are shifted"),
                   there.logits, wide(here.logits), bound);
  if (traits.relative_weights)
    ledger.compare(subject.paper(), subject.name("weights_shift"),
                   subject.statement("weights do not change when all positions are shifted"),
                   there.weights, wide(here.weights), softmax_bound(wide(here.logits), bound));
}

/// A query with the keys up to its own makes what it makes among all the others.
template <class T>
void step_claims(Ledger<T>& ledger, const Subject& subject, const Encoding& encoding,
                 const Tokens<T>& of, double bound) {
  const AttentionOutput<T> whole = of.attend(encoding, Mask::causal(of.at, of.at));
  Matrix<T> steps(whole.output.rows(), whole.output.cols());
  for (Index i = 0; i < steps.rows(); ++i) {
    const Positions m{of.at[static_cast<std::size_t>(i)]}, n(of.at.begin(), of.at.begin() + i + 1);
    const Matrix<T> x_q = of.x.row(i), x_k = of.x.topRows(i + 1);
    steps.row(i) =
        attention_head<T>(encoding, of.w, {x_q, x_k, m, n, head}, Mask::causal(m, n)).output;
  }
  ledger.compare(subject.paper(), subject.name("steps"),
                 subject.statement("a causal text at once is the text token by token"), steps,
                 wide(whole.output), softmax_bound(wide(whole.logits), bound));
}

/// Tokens in another order make the same, each with its own position.
template <class T>
void order_claims(Ledger<T>& ledger, const Subject& subject, const Encoding& encoding,
                  const Tokens<T>& of, double bound) {
  if (encoding.traits().reads_other_keys) return;
  const AttentionOutput<T> straight = of.attend(encoding);
  Tokens<T> turned = of;
  std::reverse(turned.at.begin(), turned.at.end());
  turned.x = Matrix<T>(of.x.colwise().reverse());
  const Matrix<T> back = turned.attend(encoding).output.colwise().reverse();
  ledger.compare(subject.paper(), subject.name("order"),
                 subject.statement("the order in which tokens are given does not matter"), back,
                 wide(straight.output), softmax_bound(wide(straight.logits), bound));
}

/// What logit_factors and value_vectors say is what the terms say: of more queries than a tile has,
/// and more keys than queries, as with a cache.
template <class T>
void way_claims(Ledger<T>& ledger, const Subject& subject, const Encoding& encoding,
                const Tokens<T>& of, Random& random, double bound) {
  const Index keys = std::min<Position>(70, encoding.traits().last_position + 1), cached = keys / 7;
  const Positions n = consecutive_positions(keys), m = consecutive_positions(keys - cached, cached);
  const Matrix<T> x_k = normal_matrix<float>(random, keys, d_model).cast<T>(),
                  x_q = x_k.bottomRows(keys - cached);
  const LayerProjections<T> w{of.w.W_q, of.w.W_k, of.w.W_v, HeadGroups(1, 1)};
  Matrix<T> by_map(x_q.rows(), d), alone(x_q.rows(), d);
  Rows logits = Rows::Zero(x_q.rows(), keys);
  for (const bool map : {true, false})
    multi_head_by_rows<T>(encoding, w, {x_q, x_k, m, n, head}, {.causal = true}, {},
                          {[&](int, Index first, AttentionOutput<T>& part) {
                             Matrix<T>& whole = map ? by_map : alone;
                             whole.middleRows(first, part.output.rows()) = part.output;
                             if (map)
                               logits.middleRows(first, part.logits.rows()) = wide(part.logits);
                           },
                           tile_queries, map});
  ledger.compare(subject.paper(), subject.name("output_alone"),
                 subject.statement("output without a map is that of a map"), alone, wide(by_map),
                 softmax_bound(logits, bound));
}

void precision_claims(Ledger<float>& ledger, const Subject& subject, const VerifyOptions& options,
                      int draw, double bound) {
  const auto narrow = subject.made<float>();
  const auto precise = subject.made<double>();
  const AttentionOutput<float> of_narrow = tokens_of<float>(options, *narrow, draw).attend(*narrow);
  const AttentionOutput<double> of_precise =
      tokens_of<double>(options, *precise, draw).attend(*precise);
  ledger.compare(subject.paper(), subject.name("precision"),
                 subject.statement("logits in fp32 are those in fp64"), of_narrow.logits,
                 of_precise.logits, bound);
}

/// The derivative along a drawn direction, by what each door says and by central differences.
/// Returns the largest difference, in units of the sum of sizes of what adds up.
double derivative_error(const Subject& subject, const VerifyOptions& options, int draw) {
  Random random(options.seed, fmt::format("registered, derivative {}", draw));
  GradientScene scene;
  scene.m = {3, 0, 7, 12, 5, 2};
  scene.n = {0, 2, 5, 7, 5, 12, 9};
  scene.head = head;
  const Position last = subject.made<double>()->traits().last_position;
  for (Positions* at : {&scene.m, &scene.n})
    for (Position& p : *at) p = std::min(p, last);
  const auto queries = static_cast<Index>(scene.m.size()),
             keys = static_cast<Index>(scene.n.size());
  const auto drawn = [&](Index rows, Index columns) {
    return normal_matrix<double>(random, rows, columns);
  };
  const std::vector<std::int32_t> of_queries{0, 0, 1, 1, 2, 0}, of_keys{0, 1, 1, 0, 2, 2, 0};
  Tables point;
  if (subject.made<double>(nullptr, &point)->traits().reads_segments)
    scene.segments = {of_queries, of_keys};
  // They begin at an end of their range, where there is no derivative.
  if (const auto phases = point.find("pope.phases"); phases != point.end())
    phases->second.array() -= 0.5;
  point["x"] = drawn(keys, d_model);
  point["q"] = drawn(queries, d);
  point["k"] = drawn(keys, d);
  point["v"] = drawn(keys, d);
  point["weights"] = drawn(queries, keys);
  scene.d_input = drawn(keys, d_model);
  scene.d_logits = drawn(queries, keys);
  scene.d_output = drawn(queries, d);
  const Tables gradients = gradients_of<double>(*subject.made<double>(&point), scene, point);
  Largest error;
  for (const auto& [name, value] : point) {
    constexpr double step = 1e-6;
    const Matrix<double> direction = drawn(value.rows(), value.cols());
    const auto loss_at = [&, at = name](double by) {
      Tables moved = point;
      moved[at] += by * direction;
      return loss_of<double>(*subject.made<double>(&moved), scene, moved);
    };
    const double slope = (loss_at(step) - loss_at(-step)) / (2 * step);
    const auto found = gradients.find(name);
    if (found != gradients.end() &&
        (found->second.rows() != value.rows() || found->second.cols() != value.cols()))
      return std::numeric_limits<double>::quiet_NaN();
    const Matrix<double> parts = found == gradients.end()
                                     ? Matrix<double>::Zero(value.rows(), value.cols()).eval()
                                     : found->second.cwiseProduct(direction).eval();
    error.see(std::abs(parts.sum() - slope) / std::max(parts.cwiseAbs().sum(), 1.0));
  }
  return error.value();
}

/// Of the library's own encodings one claim for all settings.
void derivative_claims(Ledger<double>& ledger, const Subject& subject,
                       const VerifyOptions& options) {
  const std::string law = "its derivative is the limit of its differences";
  const bool apart = subject.entry.registered;
  for (int draw = 0; draw < options.draws; ++draw)
    ledger.see(subject.paper(),
               apart ? subject.name("derivative") : subject.entry.info.name + "_derivative",
               apart ? subject.statement(law) : law + ", in each setting",
               derivative_error(subject, options, draw), 2e-6);
}

template <class T>
void law_claims(Ledger<T>& ledger, const Subject& subject, const VerifyOptions& options) {
  const std::unique_ptr<Encoding> encoding = subject.made<T>();
  const double bound =
      2 * rounding_bound<T>(roundings_of(d_model)) + angle_bound(farthest + farthest_shift);
  for (int draw = 0; draw < options.draws; ++draw) {
    const Tokens<T> of = tokens_of<T>(options, *encoding, draw);
    shift_claims(ledger, subject, *encoding, of, bound);
    step_claims(ledger, subject, *encoding, of, bound);
    order_claims(ledger, subject, *encoding, of, bound);
    Random random(options.seed, fmt::format("registered, longer text {}", draw));
    way_claims(ledger, subject, *encoding, of, random, bound);
    if constexpr (sizeof(T) == sizeof(float))
      precision_claims(ledger, subject, options, draw, bound);
  }
}

}  // namespace in_registered
}  // namespace

void registered_claims(const VerifyOptions& options, std::vector<Claim>& claims) {
  using namespace in_registered;
  const std::string over = fmt::format("d = {}, N ≤ {}, {} draws", d, tokens, options.draws);
  for (const EncodingEntry& entry : encoding_catalogue()) {
    for (const Subject& subject : subjects_of(entry)) {
      Ledger<double> fp64(over, claims);
      Ledger<float> fp32(over, claims);
      try {
        derivative_claims(fp64, subject, options);
        if (!entry.registered) continue;
        law_claims(fp64, subject, options);
        law_claims(fp32, subject, options);
      } catch (const UsageError& refused) {
        Facts(over, claims)
            .equals(subject.paper(), subject.name("refused"), subject.statement(refused.what()), 1,
                    0);
      }
    }
  }
}

}  // namespace orrery
