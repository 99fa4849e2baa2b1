#include "experiments/identify/identify_matrix.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/errors.h"
#include "experiments/identify/describe_rope.h"
#include "experiments/identify/expected_rope.h"
#include "experiments/identify/identify_rotation.h"
#include "experiments/identify/measured_channels.h"
#include "experiments/identify/rope_cost.h"
#include "experiments/identify/structures.h"
#include "experiments/identify/telling_input.h"
#include "experiments/text/number_runs.h"

namespace orrery {

std::string shape_words(const Tensor& tensor) {
  return fmt::format("[{}]", fmt::join(tensor.shape, ", "));
}

namespace {
namespace in_identify_matrix {

AxisPositions positions_for(Index rows, const IdentifyOptions& options) {
  const auto axes = static_cast<Index>(options.positions.empty() ? 1 : options.axes);
  AxisPositions positions(rows, axes);
  if (options.positions.empty()) {
    for (Index n = 0; n < rows; ++n) positions(n, 0) = n;
    return positions;
  }
  if (static_cast<Index>(options.positions.size()) != rows * axes)
    throw DataError(
        fmt::format("{} positions", static_cast<Index>(options.positions.size()) / axes),
        fmt::format("the tensor has {} rows", rows), "give one position for each row");
  check_positions(options.positions);
  std::copy(options.positions.begin(), options.positions.end(), positions.data());
  return positions;
}

std::string telling_words(const WrittenRope& first, const WrittenRope& other, bool tied,
                          const RotatedTensor& tensor) {
  const TellingInput input = telling_input(first, other, tensor);
  if (!input.exists) return "differs by less than 8 roundings at every position up to 4194304";
  if (!tied) return fmt::format("differs from position {} on", input.position);
  if (input.content_hides)
    return fmt::format("random vectors at position {} would tell", input.position);
  return fmt::format("a token at position {} or beyond would tell", input.position);
}

/// @param explains  whether the first explains the tensor: else no defect is named of any. Nor is
/// one of what is as right as the rope whose defect it would be.
HypothesisReport reported(const RopeHypothesis& found, const RopeHypothesis& first, bool explains,
                          const RotatedTensor& tensor) {
  HypothesisReport report{.text = short_text(found.rope),
                          .facts = facts_of(found.rope),
                          .defect = explains && !found.is_expected ? found.defect : "",
                          .is_expected = found.is_expected,
                          .tied = found.tied,
                          .residual = found.residual.rms(),
                          .largest = found.residual.largest,
                          .evidence = found.evidence,
                          .setting = setting_text(found.rope)};
  describe_defect(report);
  if (&found != &first) report.tells = telling_words(first.rope, found.rope, found.tied, tensor);
  return report;
}

void add_deviations(const WrittenRope& expected, const WrittenRope& found, TensorReport& report) {
  for (const RopeDifference& difference : differences_of(expected, found))
    if (difference.field != "precision")
      report.deviations.push_back({difference.field, difference.a, difference.b});
  for (const Stage stage : {Stage::position, Stage::inv_freq, Stage::angle, Stage::cos_sin}) {
    const Precision coarse = found.rounding.format(stage);
    if (!is_coarse(found.rounding, stage, precision_named(report.format)) ||
        expected.rounding.format(stage) == coarse)
      continue;
    const std::string fine = stage == Stage::cos_sin ? report.format : "fp32";
    report.deviations.push_back(
        {fmt::format("precision of {}", name(stage)), fine, std::string(name(coarse))});
  }
}

/// Of all that is right the rope from which the found one deviates least.
const WrittenRope& nearest_right(const RotationQuestion& question, const WrittenRope& found) {
  const auto count = [&](const WrittenRope& right) {
    return deviations(right, found, question.tensor.format);
  };
  const WrittenRope* nearest = &*question.expected;
  for (const WrittenRope& right : question.as_right)
    if (count(right) < count(*nearest)) nearest = &right;
  return *nearest;
}

/// Both as far as what was given shows: frequencies and tables are turned vectors (1, 0), of which
/// no wiring is seen.
bool looks_same(WrittenRope a, const WrittenRope& b, bool shows_wiring) {
  if (!shows_wiring) a.wiring = b.wiring;
  return same_but_for_precision(a, b);
}

TensorReport report_of(const RotationQuestion& question, const RotationAnswer& answer,
                       const IdentifyOptions& options, bool shows_wiring) {
  TensorReport report{.format = std::string(name(question.tensor.format)),
                      .explained = answer.explained,
                      .has_expected = question.expected.has_value()};
  const RopeHypothesis& first = answer.best();
  std::vector<const RopeHypothesis*> shown;
  for (const RopeHypothesis& found : answer.hypotheses) {
    report.as_expected =
        report.as_expected || (answer.explained && found.is_expected && found.tied);
    const bool repeated = std::any_of(shown.begin(), shown.end(), [&](const RopeHypothesis* other) {
      return other->tied == found.tied && looks_same(other->rope, found.rope, shows_wiring);
    });
    if (repeated || (shown.size() >= options.most && !found.is_expected)) continue;
    shown.push_back(&found);
    report.hypotheses.push_back(reported(found, first, answer.explained, question.tensor));
  }
  if (answer.explained_by_angles)
    report.notes.push_back(
        "what remains is put down to angles in fp32: it is below 1e-7 of a number per position");
  if (question.expected && answer.explained && !report.as_expected)
    add_deviations(nearest_right(question, first.rope), first.rope, report);
  return report;
}

/// "rows 0–8 at 0–8, 9–23 at 60–74".
std::string rows_words(const AxisPositions& positions) {
  constexpr int most = 8;
  std::vector<std::string> runs;
  const auto span = [](Position first, Position last) {
    return first == last ? fmt::format("{}", first) : fmt::format("{}–{}", first, last);
  };
  for (Index n = 0; n < positions.rows();) {
    Index end = n + 1;
    while (end < positions.rows() && positions(end, 0) == positions(end - 1, 0) + 1) ++end;
    runs.push_back(
        fmt::format("{} at {}", span(n, end - 1), span(positions(n, 0), positions(end - 1, 0))));
    n = end;
  }
  if (runs.size() > most) {
    runs.resize(most);
    runs.push_back("…");
  }
  return fmt::format("row{} {}", positions.rows() == 1 ? "" : "s", fmt::join(runs, ", "));
}

/// "+7", where all rows are moved alike; else nothing.
std::string moved_words(const AxisPositions& positions, const AxisPositions& assumed) {
  const Position by = positions(0, 0) - assumed(0, 0);
  const bool alike = ((positions - assumed).array() == by).all();
  return alike ? fmt::format("{:+}", by) : "";
}

/// "all 24 rows", "rows 0–8 of 24".
std::string part_words(const char* what, const std::vector<Index>& agreeing, Index all) {
  if (static_cast<Index>(agreeing.size()) == all) return fmt::format("all {} {}", all, what);
  if (agreeing.empty()) return fmt::format("none of {} {}", all, what);
  constexpr std::size_t most = 4;
  const std::vector<std::string> runs = runs_of(agreeing);
  if (runs.size() > most) return fmt::format("{} of {} {}", agreeing.size(), all, what);
  return fmt::format("{} {} of {}", what, fmt::join(runs, ", "), all);
}

/// How far the first hypothesis holds.
std::string agreement_words(const RotationAnswer& answer, const RotatedTensor& tensor) {
  constexpr Index rows = 1024, heads = 16;
  const RotationSample sample =
      rows_between(tensor, 0, std::min<Index>(rows, tensor.rows()), heads);
  const double least = std::max<double>(explained_roundings, 4 * answer.best().residual.rms());
  const Agreement agreement =
      agreement_of(answer.best().rope, sample, answer.explained ? least : explained_roundings);
  return fmt::format("agree to within roundings: {}, {}, {}",
                     part_words("heads", agreement.heads, sample.heads()),
                     part_words("rows", agreement.rows, sample.rows()),
                     part_words("channels", agreement.channels, sample.before.cols()));
}

/// Leaves out what tables and frequencies do not show.
void forget_pairing(TensorReport& report) {
  for (HypothesisReport& hypothesis : report.hypotheses) {
    std::erase_if(hypothesis.facts, [](const auto& fact) { return fact.first == "pairing"; });
    hypothesis.text.erase(0, hypothesis.text.find("; ") + 2);
    const std::string key = " rope.pairing=";
    if (const std::size_t at = hypothesis.setting.find(key); at != std::string::npos)
      hypothesis.setting.erase(at, hypothesis.setting.find(' ', at + key.size()) - at);
  }
}

/// What the layer makes of the tensor at its positions.
void put_expected(const LayerPlan& layer, std::int64_t length, RotationQuestion& question) {
  const Position last = question.tensor.positions.cwiseAbs().maxCoeff();
  std::vector<WrittenRope> ropes = expected_ropes(layer, question.tensor.channels(), last, length);
  question.expected = std::move(ropes.front());
  question.as_right.assign(std::make_move_iterator(ropes.begin() + 1),
                           std::make_move_iterator(ropes.end()));
  question.any_length = length == 0;
}

/// Rows that lie elsewhere than where they are said to lie.
void deviate_by_rows(TensorReport& report) {
  if (!report.has_expected) return;
  report.as_expected = false;
  report.deviations.push_back({"positions", "as stated", report.rows});
}

/// What is as right as the configuration's rope, because its type is not known, and what it turns.
void note_what_is_expected(const LayerPlan& layer, TensorReport& report) {
  if (layer.encoding != "rope") return;
  if (layer.turns_hidden_states && !report.as_expected)
    report.notes.push_back(
        "rope of this model type turns hidden states, before W_q and W_k: save these before and "
        "after it, in place of q and k");
  if (layer.pairing_assumed)
    report.notes.push_back("the model type is unknown, and with it the pairing: either is right");
  if (layer.base_of_whole)
    report.notes.push_back(
        "whether this model type reads its partial_rotary_factor is unknown: all channels may "
        "turn");
}

/// Where pairs lie as programs have them and keep their lengths; the format is told.
TensorReport identify_kept(const MatrixIn<double>& before, const MatrixIn<double>& after,
                           Index heads, const IdentifyOptions& options, Shown shown,
                           Index sequences) {
  RotationQuestion question{.tensor = {.heads = heads,
                                       .before = before,
                                       .after = after,
                                       .positions = positions_for(before.rows() / heads, options),
                                       .format = precision_named(options.format),
                                       .sequences = sequences,
                                       .unit = options.unit},
                            .threads = options.threads};
  const bool is_unknown = options.expected && options.expected->encoding == "unknown";
  question.assumed = options.positions.empty();
  question.expect = [&](RotationQuestion& asked) {
    if (!options.expected || is_unknown) return;
    put_expected(*options.expected, options.length, asked);
    if (shown.pairing) return;
    asked.expected->pairing = RopePairing::half_split;
    for (WrittenRope& rope : asked.as_right) rope.pairing = RopePairing::half_split;
  };
  const AxisPositions stated = question.tensor.positions;
  const RotationAnswer answer = identify_rotation(question);
  question.tensor.positions = answer.positions;
  question.expect(question);
  if (options.see) options.see(question, answer);
  TensorReport report = report_of(question, answer, options, shown.wiring);
  if (!shown.pairing) forget_pairing(report);
  if (is_unknown)
    report.notes.push_back("the configuration names no position encoding: nothing is expected");
  if (options.unit != 1)
    report.notes.push_back(
        fmt::format("positions are multiples of 1/{:.0f}", std::round(1 / options.unit)));
  if (options.expected && shown.pairing) note_what_is_expected(*options.expected, report);
  report.notes.push_back(agreement_words(answer, question.tensor));
  if (question.tensor.positions != stated) {
    report.rows = rows_words(question.tensor.positions);
    report.moved = moved_words(question.tensor.positions, stated);
    if (!question.assumed) deviate_by_rows(report);
    report.notes.push_back("positions are read off the tensor: " + report.rows);
  } else if (options.positions.empty()) {
    report.notes.push_back(
        fmt::format("positions 0 to {} are assumed", question.tensor.rows() - 1));
  }
  return report;
}

/// Of a few rows and heads; the format is told.
RotationSample looked_at(const MatrixIn<double>& before, const MatrixIn<double>& after, Index heads,
                         const IdentifyOptions& options) {
  constexpr Index most_rows = 48, most_heads = 4;
  return sample_of({.heads = heads,
                    .before = before,
                    .after = after,
                    .positions = positions_for(before.rows() / heads, options),
                    .format = precision_named(options.format),
                    .unit = options.unit},
                   most_rows, most_heads);
}

bool keeps_lengths(const RotationSample& sample) {
  constexpr double kept = 64;  // mean square in roundings
  return likely_structures(sample).front().phasors.misfit < kept;
}

/// What is found beside the rope, first in its words; it is not what any layer has.
void put_first(const std::string& field, const std::string& words, const std::string& usual,
               TensorReport& report) {
  for (HypothesisReport& hypothesis : report.hypotheses) {
    std::erase_if(hypothesis.facts, [&](const auto& fact) { return fact.first == field; });
    hypothesis.facts.insert(hypothesis.facts.begin(), {field, words});
    hypothesis.setting.clear();
    hypothesis.is_expected = false;
    const std::size_t pairing = field == "pairing" ? hypothesis.text.find("; ") + 2 : 0;
    hypothesis.text = words + "; " + hypothesis.text.substr(pairing);
  }
  if (!report.has_expected || !report.explained) return;
  report.as_expected = false;
  std::erase_if(report.deviations, [&](const Deviation& one) { return one.field == field; });
  report.deviations.push_back({field, usual, words});
}

/// That of the encoding xpos, where rope with these words is the rest of it.
std::string xpos_setting(const MeasuredDecay& decay, const std::string& rope) {
  const std::string encoding = "encoding=rope ", pairing = " rope.pairing=interleaved";
  const bool plain = rope.starts_with(encoding) && rope.ends_with(pairing) &&
                     std::count(rope.begin(), rope.end(), ' ') == 2;
  const double centre = std::round(decay.centre);
  if (!plain || std::abs(centre - decay.centre) > 0.01) return "";
  return fmt::format("encoding=xpos {} xpos.scale_base={:.6g} xpos.gamma={:.6g} xpos.centre={:.0f}",
                     rope.substr(encoding.size(), rope.size() - encoding.size() - pairing.size()),
                     std::abs(decay.scale_base), decay.gamma, centre);
}

TensorReport without_decay(const MeasuredDecay& decay, const MatrixIn<double>& before,
                           const MatrixIn<double>& after, Index heads,
                           const IdentifyOptions& options) {
  Matrix<double> kept = after;
  const Index rows = after.rows() / heads;
  const AxisPositions positions = positions_for(rows, options);
  for (Index n = 0; n < rows; ++n) {
    const std::vector<double> factors = factors_of(decay, positions(n, 0));
    for (Index t = 0; t < static_cast<Index>(factors.size()); ++t) {
      const WrittenPair at = pair_at(decay.slice, t);
      for (Index h = 0; h < heads; ++h) {
        kept(h * rows + n, at.out_a) /= factors[static_cast<std::size_t>(t)];
        kept(h * rows + n, at.out_b) /= factors[static_cast<std::size_t>(t)];
      }
    }
  }
  IdentifyOptions stated = options;  // by which lengths were divided
  stated.axes = 1;
  stated.positions.assign(positions.data(), positions.data() + positions.size());
  TensorReport report = identify_kept(before, kept, heads, stated, {}, 1);
  const std::string setting =
      report.hypotheses.empty() ? "" : xpos_setting(decay, report.hypotheses.front().setting);
  put_first("lengths",
            fmt::format("xPos of {}, ζ^((m − {:.4g})/{:.4g}), γ {:.4g}",
                        decay.scale_base > 0 ? "queries" : "keys", decay.centre,
                        std::abs(decay.scale_base), decay.gamma),
            "kept", report);
  if (!report.hypotheses.empty()) report.hypotheses.front().setting = setting;
  return report;
}

/// Channels in half_split pairs, those without a pair behind them.
Matrix<double> in_pairs(const std::vector<ChannelPair>& pairs, const MatrixIn<double>& x) {
  std::vector<Index> order;
  for (const ChannelPair& pair : pairs) order.push_back(pair.a);
  for (const ChannelPair& pair : pairs) order.push_back(pair.b);
  for (Index c = 0; c < x.cols(); ++c)
    if (std::find(order.begin(), order.end(), c) == order.end()) order.push_back(c);
  Matrix<double> ordered(x.rows(), x.cols());
  for (Index c = 0; c < x.cols(); ++c) ordered.col(c) = x.col(order[static_cast<std::size_t>(c)]);
  return ordered;
}

/// "halves of each of 3 slices of 16 channels", or "pairs (0, 11), (1, 12), …".
std::string pairs_words(const std::vector<ChannelPair>& pairs) {
  constexpr std::size_t most = 8;
  const Index half = pairs.front().b - pairs.front().a, width = 2 * half;
  Index t = 0;
  const bool sliced = half > 0 && std::ssize(pairs) % half == 0 &&
                      std::all_of(pairs.begin(), pairs.end(), [&](const ChannelPair& p) {
                        const Index a = t / half * width + t % half;
                        ++t;
                        return p.a == a && p.b == a + half;
                      });
  if (sliced)
    return fmt::format("halves of each of {} slices of {} channels",
                       static_cast<Index>(pairs.size()) / half, width);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < std::min<std::size_t>(most, pairs.size()); ++i)
    words.push_back(fmt::format("({}, {})", pairs[i].a, pairs[i].b));
  return fmt::format("pairs {}{}", fmt::join(words, ", "), pairs.size() > most ? ", …" : "");
}

TensorReport with_pairs(const std::vector<ChannelPair>& pairs, const MatrixIn<double>& before,
                        const MatrixIn<double>& after, Index heads,
                        const IdentifyOptions& options) {
  TensorReport report =
      identify_kept(in_pairs(pairs, before), in_pairs(pairs, after), heads, options, {}, 1);
  const std::string usual =
      options.expected ? std::string(name(options.expected->rope.pairing)) : "";
  put_first("pairing", pairs_words(pairs), usual, report);
  return report;
}

}  // namespace in_identify_matrix
}  // namespace

TensorReport identify_matrix(const MatrixIn<double>& before, const MatrixIn<double>& after,
                             Index heads, const IdentifyOptions& options, Shown shown,
                             Index sequences) {
  using namespace in_identify_matrix;
  IdentifyOptions told = options;
  if (told.format.empty()) told.format = name(narrowest_format(after));
  const auto kept = [&] { return identify_kept(before, after, heads, told, shown, sequences); };
  if (!shown.wiring || !all_finite(before) || !all_finite(after)) return kept();
  const RotationSample sample = looked_at(before, after, heads, told);
  if (keeps_lengths(sample)) return kept();
  if (const auto decay = measured_decay(sample))
    return without_decay(*decay, before, after, heads, told);
  std::vector<ChannelPair> pairs = measured_pairs(sample);
  if (pairs.empty()) return kept();
  if (options.axes > 1)  // sections one after another: speeds begin anew in each
    std::sort(pairs.begin(), pairs.end(),
              [](const ChannelPair& one, const ChannelPair& other) { return one.a < other.a; });
  TensorReport report = with_pairs(pairs, before, after, heads, told);
  return report.explained ? report : kept();
}

}  // namespace orrery
