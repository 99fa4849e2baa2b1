// An encoding of one's own as a plug-in: keys whole periods away from a query gain, keys half a
// period off lose.
#include <cmath>
#include <memory>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include <orrery/plugin.h>

using namespace orrery;

/// logits_mn = q_m·k_n/√d + a cos(2π(m − n)/P). Terms: content, rhythm.
template <class T>
class Rhythm final : public Encoding, public ScoreTerms<T> {
 public:
  Rhythm(double gain, double period, const StageRounding& rounding)
      : gain_(gain), period_(period), rounding_(rounding) {}

  static EncodingInfo info() {
    ParamSpec gain{.key = "rhythm.gain",
                   .symbol = "$a$",
                   .description = "What a key whole periods away gains.",
                   .kind = ParamKind::real,
                   .default_value = 2.0,
                   .min = -100,
                   .max = 100};
    ParamSpec period{.key = "rhythm.period",
                     .symbol = "$P$",
                     .unit = "tokens",
                     .description = "The distance after which it begins anew.",
                     .kind = ParamKind::real,
                     .default_value = 7.0,
                     .min = 1,
                     .max = 1e6,
                     .logarithmic = true};
    return {
        .name = "rhythm",
        .label = "Rhythm",
        .title = "Rhythm, an example of an encoding of one's own",
        .statement = "Adds a cosine of the distance: keys whole periods away gain.",
        .source = "docs/examples/encoding",
        .formulas =
            {{R"(\ell_{m,n} = \mathbf{q}_m^\top \mathbf{k}_n / \sqrt{d} + a \cos(2\pi (m - n) / P))",
              ""}},
        .params = {std::move(gain), std::move(period)},
        .stages = {Stage::position, Stage::distance},
        .term_symbols = {{"rhythm", R"(a \cos(2\pi (m - n) / P))"}}};
  }

  static std::unique_ptr<Rhythm> make(const EncodingSettings& s) {
    return std::make_unique<Rhythm>(s.params.real("rhythm.gain"), s.params.real("rhythm.period"),
                                    s.rounding);
  }

  EncodingTraits traits() const override { return {.relative = true}; }
  bool is_bias() const override { return true; }

  std::vector<ScoreTerm<T>> score_terms(const ScoreInputs<T>& in) const override {
    std::vector<ScoreTerm<T>> terms;
    terms.push_back(scaled_content_term<T>(in));
    terms.push_back({"rhythm", matrix_of_rounded_distances<T>(in.m, in.n, rounding_,
                                                              [&](double r) { return bias(r); })});
    return terms;
  }

  // Attention over long texts needs no map with it.
  std::optional<LogitFactors<T>> logit_factors(const ScoreInputs<T>& in,
                                               const Distances& distances) const override {
    if (rounding_.rounds(Stage::position)) return std::nullopt;  // no function of m − n then
    return distance_bias_factors<T>(*this, in, distances);
  }

  // Nothing is trained, and the cosine does not read q and k.
  void add_score_gradients(const ScoreInputs<T>& in, const MatrixIn<T>& d_logits,
                           const ScoreGradients<T>& d) const override {
    add_content_gradients<T>(in, 1, d_logits, d);
  }

 private:
  double bias(double r) const {
    return gain_ * std::cos(2 * std::numbers::pi * (std::fmod(r, period_) / period_));
  }

  double gain_, period_;
  StageRounding rounding_;
};

ORRERY_PLUGIN(encoding_entry<Rhythm>());
