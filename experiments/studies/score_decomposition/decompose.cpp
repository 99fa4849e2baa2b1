#include "experiments/studies/score_decomposition/decompose.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <optional>

#include "core/analysis/largest.h"
#include "core/analysis/spectrum.h"
#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "core/product.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/map_equation.h"
#include "experiments/text/number_text.h"

namespace orrery {
namespace {

/// The head with contents as they are, or taken out of queries, keys or both.
template <class T>
struct Ablations {
  AttentionOutput<T> full, no_key, no_query, none;
};

template <class T>
AttentionOutput<T> attend_without(const Encoding& encoding, const ParamSet& params,
                                  const TokenInputs<T>& tokens, bool query, bool key) {
  const StageRounding rounding = rounding_of(params);
  const Matrix<T>& q = tokens.from_text() ? tokens.x : tokens.q;
  const Matrix<T>& k = tokens.from_text() ? tokens.x : tokens.k;
  const Matrix<T> asked = query ? Matrix<T>::Zero(q.rows(), q.cols()).eval() : q;
  const Matrix<T> met = key ? Matrix<T>::Zero(k.rows(), k.cols()).eval() : k;
  const Positions& p = tokens.positions;
  const int head = head_of(params);
  if (tokens.from_text())
    return attention_head<T>(encoding, tokens.projections, {asked, met, p, p, head}, {},
                             {rounding});
  return attention_from_qkv<T>(encoding, {asked, met, tokens.v, p, p, head}, {}, {rounding});
}

template <class T>
bool is_zero(const Matrix<T>& map) {
  return (map.array() == T(0)).all();
}

template <class T>
TermPart part_of_term(const Ablations<T>& a, std::size_t term) {
  const bool needs_query = is_zero(a.no_query.terms[term].logits);
  const bool needs_key = is_zero(a.no_key.terms[term].logits);
  if (needs_query) return needs_key ? TermPart::content_content : TermPart::content_position;
  return needs_key ? TermPart::position_content : TermPart::position_position;
}

template <class T>
std::vector<DecomposedTerm<T>> named_terms(const Ablations<T>& a) {
  std::vector<DecomposedTerm<T>> terms;
  for (std::size_t i = 0; i < a.full.terms.size(); ++i) {
    const std::string name(a.full.terms[i].name);
    terms.push_back({name, term_words(name), part_of_term(a, i), a.full.terms[i].logits, ""});
  }
  return terms;
}

std::string wavelength_text(double theta) {
  if (theta == 0) return "∞";
  const double lambda = 2.0 * std::numbers::pi / theta;
  return decimal_label(lambda, lambda < 100 ? 1 : 0);
}

/// q and k as the encoding is given them.
template <class T>
struct Projected {
  Matrix<T> q;
  Matrix<T> k;
};

template <class T>
Projected<T> projected_qk(const Encoding& encoding, const ParamSet& params,
                          const TokenInputs<T>& tokens) {
  Projected<T> p{tokens.q, tokens.k};
  if (tokens.from_text()) {
    Matrix<T> x = tokens.x;
    if (const auto* term = dynamic_cast<const InputTerm<T>*>(&encoding))
      term->add_to_input(tokens.positions, x);
    p = {product<T>(x, tokens.projections.W_q), product<T>(x, tokens.projections.W_k)};
  }
  const StageRounding rounding = rounding_of(params);
  rounding.apply<T>(Stage::qk, p.q);
  rounding.apply<T>(Stage::qk, p.k);
  return p;
}

template <class T>
std::vector<DecomposedTerm<T>> band_terms(const QkTransform<T>& rotation, const TurningPairs& pairs,
                                          const ParamSet& params, const TokenInputs<T>& tokens,
                                          const Projected<T>& p) {
  RopeDecomposition<T> parts =
      rope_decomposition<T>(rotation, pairs, p.q, p.k, tokens.positions, tokens.positions,
                            static_cast<int>(params.integer("bands")));
  std::vector<DecomposedTerm<T>> terms;
  for (RopeBand<T>& band : parts.bands)
    terms.push_back({fmt::format("pairs_{}_to_{}", band.first, band.last),
                     fmt::format("pairs {}–{}, $λ$ {}–{}", band.first, band.last,
                                 wavelength_text(pairs.theta[band.first]),
                                 wavelength_text(pairs.theta[band.last])),
                     TermPart::content_content, std::move(band.logits),
                     fmt::format(R"(t = {} \ldots {})", band.first, band.last)});
  if (parts.rest.size() > 0)
    terms.push_back({"unturned", "channels that are not rotated", TermPart::content_content,
                     std::move(parts.rest), R"(\text{unrotated})"});
  return terms;
}

/// Sum of the terms of one part, or of all.
template <class T>
Matrix<double> sum_of_terms_in(const Decomposition<T>& d, std::optional<TermPart> part) {
  Matrix<double> sum = Matrix<double>::Zero(d.logits.rows(), d.logits.cols());
  for (const DecomposedTerm<T>& term : d.terms)
    if (!part || *part == term.part) sum += term.logits.template cast<double>();
  return sum;
}

/// Each part of the logits found by taking contents out, against the terms that claim to be it.
template <class T>
double ablation_error(const Decomposition<T>& d, const Ablations<T>& a) {
  const Matrix<double> full = a.full.logits.template cast<double>();
  const Matrix<double> no_key = a.no_key.logits.template cast<double>();
  const Matrix<double> no_query = a.no_query.logits.template cast<double>();
  const Matrix<double> none = a.none.logits.template cast<double>();
  const std::array<Matrix<double>, term_parts> parts{full - no_key - no_query + none, no_key - none,
                                                     no_query - none, none};
  Largest largest;
  for (std::size_t part = 0; part < term_parts; ++part)
    largest.see(
        largest_difference<double>(parts[part], sum_of_terms_in(d, static_cast<TermPart>(part))));
  return largest.value();
}

/// The factor of q·k in the encoding's content term: 1/√d, or what its paper has instead.
template <class T>
double scale_of_content(const Encoding& encoding, Index d, const ParamSet& params) {
  const auto* terms = dynamic_cast<const ScoreTerms<T>*>(&encoding);
  if (!terms) return 1.0 / std::sqrt(static_cast<double>(d));
  Matrix<T> unit = Matrix<T>::Zero(1, d);
  unit(0, 0) = 1;
  const Positions here{1};
  return static_cast<double>(
      terms->score_terms({unit, unit, here, here, head_of(params)}).front().logits(0, 0));
}

/// 2·(d + 10)·u + 8·u_stage times the size of what is added: products of d channels, summed one way
/// and another, and a rounding at each stage of an emulated format.
template <class T>
double rounding_of_maps(const Decomposition<T>& d, const Projected<T>& p, double scale,
                        const StageRounding& rounding) {
  const double unit = unit_roundoff(sizeof(T) == 8 ? Precision::fp64 : Precision::fp32);
  const double stage = rounding_unit(rounding);
  Matrix<double> sizes = Matrix<double>::Zero(d.logits.rows(), d.logits.cols());
  for (const DecomposedTerm<T>& term : d.terms)
    sizes += term.logits.cwiseAbs().template cast<double>();
  const double norms = largest_row_norm<T>(p.q) * largest_row_norm<T>(p.k);
  const double channels = static_cast<double>(p.q.cols());
  return (2.0 * (channels + 10.0) * unit + 8.0 * stage) *
         (largest_entry<double>(sizes) + scale * norms);
}

}  // namespace

std::string_view words_of(TermPart part) {
  constexpr std::array<std::string_view, term_parts> words{"content–content", "content–position",
                                                           "position–content", "position–position"};
  return words[static_cast<std::size_t>(part)];
}

void check_formats(const ParamSet& params, Position last) {
  constexpr Position largest_fp16 = 65504;
  if (last <= largest_fp16) return;
  const StageRounding rounding = rounding_of(params);
  for (const std::string& name : params.list("encoding"))
    for (const Stage stage : find_encoding(name).info.stages) {
      const bool of_position = stage == Stage::position || stage == Stage::angle;
      if (of_position && rounding.format(stage) == Precision::fp16)
        throw UsageError(fmt::format("fp16 with positions up to {}", last),
                         fmt::format("the largest number of fp16 is {}, and {} rounds positions or "
                                     "angles to it",
                                     largest_fp16, name),
                         "lower first_position, or choose another format");
    }
}

template <class T>
Decomposition<T> decompose(const std::string& name, const ParamSet& params,
                           const TokenInputs<T>& tokens) {
  const auto encoding = token_encoding<T>(name, params, tokens);
  const Projected<T> p = projected_qk(*encoding, params, tokens);
  const auto without = [&](bool query, bool key) {
    return attend_without(*encoding, params, tokens, query, key);
  };
  const Ablations<T> a{without(false, false), without(false, true), without(true, false),
                       without(true, true)};
  Decomposition<T> d;
  d.logits = a.full.logits;
  // A rounding of the positions themselves moves distances apart.
  d.relative = encoding->traits().relative && !rounding_of(params).rounds(Stage::position);
  const TurningPairs pairs = encoding->turning_pairs();
  const auto* rotation = dynamic_cast<const QkTransform<T>*>(encoding.get());
  d.terms = rotation && !pairs.channels.empty() ? band_terms(*rotation, pairs, params, tokens, p)
                                                : named_terms(a);
  d.add_up_error = largest_difference<double>(sum_of_terms_in(d, std::nullopt),
                                              d.logits.template cast<double>());
  d.ablation_error = ablation_error(d, a);
  d.rounding = rounding_of_maps(
      d, p, pairs.gain * pairs.gain * scale_of_content<T>(*encoding, p.q.cols(), params),
      rounding_of(params));
  return d;
}

template Decomposition<float> decompose(const std::string&, const ParamSet&,
                                        const TokenInputs<float>&);
template Decomposition<double> decompose(const std::string&, const ParamSet&,
                                         const TokenInputs<double>&);

}  // namespace orrery
