#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/analysis/largest.h"
#include "core/analysis/weight_statistics.h"
#include "core/attention/mask.h"
#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "core/random.h"
#include "experiments/files/memory_limit.h"
#include "experiments/setup/common_params.h"
#include "experiments/setup/eigen_arrays.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/setup/measures.h"
#include "experiments/setup/provenance.h"
#include "experiments/setup/token_inputs.h"
#include "experiments/setup/trained_head.h"
#include "experiments/studies/attention_map/kept_map.h"

namespace orrery {
namespace {
namespace in_attention_map {

/// A square part of a map, in place of all of it.
std::vector<ParamSpec> part_params() {
  const auto param = [](const char* key, const char* description) {
    ParamSpec spec = stated_if_set(
        count_param({key, "", "tokens"}, description, 0, 0, static_cast<double>(most_tokens)));
    spec.group = "Part of a long map";
    return spec;
  };
  return {param("part",
                "Queries and keys of a square part that is kept in place of the whole map, whose "
                "weights it has; 0 keeps the whole."),
          param("part_query", "The first query of the part, counted from 0."),
          param("part_key", "The first key of the part, counted from 0.")};
}

ParamSpec place_param(const char* key, const std::string& description, std::int64_t value) {
  return read_while("order", {"swapped"},
                    count_param(key, description, value, 0, static_cast<double>(most_tokens - 1)));
}

/// order, swap_first, swap_second: the tokens in another order than their text has.
std::vector<ParamSpec> order_params() {
  ParamSpec order =
      stated_if_set(choice_param("order", "The order in which the tokens stand.", "text",
                                 {{"text", "as in the text"},
                                  {"swapped", "two tokens in each other's places"},
                                  {"reversed", "the last one first"},
                                  {"shuffled", "at random, by the seed"}}));
  order.group = "Order of the tokens";
  return {std::move(order),
          place_param("swap_first", "One token that changes places, counted from 0.", 1),
          place_param("swap_second", "The other one.", 4)};
}

ExperimentInfo make_info() {
  return {
      .name = "attention_map",
      .version = 6,
      .title = "Attention map",
      .question = "Which tokens does each token attend to, and which part of it is position?",
      .formulas =
          {{R"(a_{m,n} = \frac{\exp(\mathbf{q}_m^\top \mathbf{k}_n / \sqrt{d})}{\sum_{j=1}^{N} \exp(\mathbf{q}_m^\top \mathbf{k}_j / \sqrt{d})})",
            "eq. (2)"},
           {R"(\mathbf{o}_m = \sum_{n=1}^{N} a_{m,n} \mathbf{v}_n)", "eq. (2)"},
           {R"(\ell_{m,n} = \text{sum of the encoding's named terms})", "eq. (6)–(10)",
            in_descriptions}},
      .symbols = {{"j", "index of a key"}},
      .params = with_encoding_params(joined(
          {{encodings_param({"rope"})},
           token_params(),
           {choices_param("show", "What is drawn; all maps are written as arrays.",
                          {"weights", "pipeline"},
                          {{"weights", "softmax of the logits, row by row"},
                           {"logits", "the scores, with their scale"},
                           {"terms", "each named term of the logits"},
                           {"pipeline",
                            "terms, mask, softmax and weights in a row, each above its "
                            "profile by distance"}}),
            stated_if_set(count_param("map_size",
                                      "The most rows and columns of a map that are kept. A longer "
                                      "map is reduced to the mean "
                                      "and the largest of each of its cells, and to its diagonals.",
                                      1024, 16, 8192))},
           part_params(),
           logit_rule_params(),
           order_params(),
           content_params("trained"),
           attention_precision_params("exact_fp32"),
           {of_random_contents(seed_param())}})),
      .view = {.layout = ViewLayout::small_multiples,
               .grouping = Grouping::by_kind,
               .controls = {"text", "encoding", "head", "trained_layer", "max_tokens", "base"}},
      .questions =
          {{.words = "How do ALiBi and RoPE differ on my text?",
            .answer =
                "Drop a text on the window. One map is what a head of a small model attends to "
                "in it, byte by byte; the other is the same head with ALiBi in place of the "
                "RoPE it was trained with. Move $h$: every head has learned something else.",
            .settings = {{"encoding", "rope+alibi"}},
            .control = "head"}},
      .paired_files = paired_qk(),
      .ignored = {{.figures = {"weights", "pipeline"}, .keys = {"heads"}, .when = heads_are_alike}},
      .map_part = MapPartParams{"part", "part_query", "part_key", "map_size"}};
}

/// As the rows of the matrix stand at these places; an empty matrix stays empty.
template <class T>
Matrix<T> rows_in(const Matrix<T>& matrix, const std::vector<Index>& order) {
  if (matrix.rows() == 0) return matrix;
  Matrix<T> rows(matrix.rows(), matrix.cols());
  for (std::size_t i = 0; i < order.size(); ++i)
    rows.row(static_cast<Index>(i)) = matrix.row(order[i]);
  return rows;
}

void swap_places(const ParamSet& params, std::vector<Index>& order) {
  const auto place = [&](const char* key) {
    const std::int64_t at = params.integer(key);
    if (at < static_cast<std::int64_t>(order.size())) return static_cast<std::size_t>(at);
    throw UsageError(fmt::format("{}={}", key, at),
                     fmt::format("there are {} tokens, counted from 0", order.size()),
                     fmt::format("try {}={}", key, order.size() - 1));
  };
  std::swap(order[place("swap_first")], order[place("swap_second")]);
}

/// Whether every stage has the format of the arithmetic, so that sums alone round.
bool runs_exactly(const ParamSet& params) {
  const std::string& pipeline = params.text("precision");
  if (pipeline != "exact" && pipeline != "exact_fp32") return false;
  return std::ranges::all_of(params.specs(), [&](const ParamSpec& spec) {
    return !spec.key.starts_with("stage.") || params.is_default(spec.key);
  });
}

/// Whether the tokens stand in another order than their text has.
bool is_reordered(const ParamSet& params) { return params.text("order") != "text"; }

/// Which token stands at each place, by its number in the text.
std::vector<Index> token_order(const ParamSet& params, Index tokens) {
  std::vector<Index> order(static_cast<std::size_t>(tokens));
  std::iota(order.begin(), order.end(), Index{0});
  const std::string& name = params.text("order");
  if (name == "swapped") swap_places(params, order);
  if (name == "reversed") std::ranges::reverse(order);
  if (name == "shuffled") {
    Random random(params.is_used("seed") ? params.integer("seed") : 0, "order of the tokens");
    order = random_order(random, tokens);
  }
  return order;
}

/// The tokens in that order, each with its contents and its label, at the positions of the places
/// where they stand now.
template <class T>
TokenInputs<T> reordered(TokenInputs<T> tokens, const std::vector<Index>& order) {
  for (Matrix<T>* matrix : {&tokens.x, &tokens.q, &tokens.k, &tokens.v})
    *matrix = rows_in(*matrix, order);
  std::vector<std::string> labels;
  for (const Index token : order)
    if (!tokens.labels.empty()) labels.push_back(tokens.labels[static_cast<std::size_t>(token)]);
  tokens.labels = std::move(labels);
  return tokens;
}

/// What becomes of each token's output when the tokens are put into the order of the parameters:
/// the largest change of a number, and the check that there is none where nothing tells positions
/// apart.
/// @param output  of the tokens in that order, as `result` has it
template <class T>
void add_order_findings(const std::string& encoding, const ParamSet& params,
                        const TokenInputs<T>& in_text_order, const Array& output, Result& result) {
  const auto n = static_cast<Index>(in_text_order.positions.size());
  const bool causal = params.boolean("causal");
  const Mask mask =
      causal ? Mask::causal(in_text_order.positions, in_text_order.positions) : Mask();
  Matrix<T> before(n, static_cast<Index>(output.shape[1]));
  const auto made = token_encoding<T>(encoding, params, in_text_order);
  attend_tokens<T>(*made, params, in_text_order, {0, n}, mask,
                   {[&](Index first, const AttentionOutput<T>& part) {
                      before.middleRows(first, part.output.rows()) = part.output;
                    },
                    n});
  const std::vector<Index> order = token_order(params, n);
  Largest change, size;
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < before.cols(); ++c) {
      const auto now = output[static_cast<std::size_t>(i * before.cols() + c)];
      const auto old = static_cast<double>(before(order[static_cast<std::size_t>(i)], c));
      change.see(std::abs(now - old));
      size.see(std::abs(old));
    }
  const FindingsOn of(result, encoding, encoding_label(encoding));
  of.scalar("order_change", change.value(),
            "largest change of a token's output by the order of the tokens");
  if (encoding != "none" || causal || !runs_exactly(params)) return;
  // Of a sum of n products of weights and values, whose order differs.
  const double unit = sizeof(T) == 8 ? 0x1p-53 : 0x1p-24;
  constexpr double operations_of_a_weight = 16;  // its logit, the exponential, the quotient
  of.at_most("is_blind_to_order",
             "each token's output is the same in whichever order they stand (largest change)",
             "eq. (2) without positions", change.value(),
             (static_cast<double>(n) + operations_of_a_weight) * unit * size.value());
}

/// Bound of the error of a sum of n weights that are rounded to their format: a unit roundoff of
/// the sum, and half the distance of the format's smallest numbers each.
double weights_rounding(Precision format, double n) {
  if (format == Precision::fp64) return 0;
  return unit_roundoff(format) + 0.5 * n * ulp(format, 0);
}

/// What a run has in common, whichever the encoding.
template <class T>
struct Study {
  const ParamSet& params;
  const TokenInputs<T>& tokens;
  const Mask& mask;  ///< of the frame's queries and keys
  const MapFrame& frame;
  const ArrayPtr& masked;
};

/// The attention of one encoding, as it comes some queries at a time.
template <class T>
class EncodingMaps {
 public:
  EncodingMaps(const Study<T>& study, std::string name)
      : study_(study), name_(std::move(name)), output_(study.frame.side, 0) {}

  void take(Index first, const AttentionOutput<T>& part, TableBuilder& queries) {
    if (maps_.empty()) begin(part);
    const MapFrame& frame = study_.frame;
    const Mask mask = study_.mask.of_queries(first, part.weights.rows());
    const auto add = [&](std::size_t map, const Matrix<T>& rows) {
      maps_[map].add(rows.middleCols(frame.first_key, frame.side), mask);
    };
    add(0, part.weights);
    add(1, part.logits);
    for (std::size_t t = 0; t < terms_.size(); ++t) add(2 + t, part.terms[t].logits);
    output_.middleRows(first, part.output.rows()) = part.output;
    for (Index i = 0; i < part.weights.rows(); ++i)
      row_error_.see(std::abs(static_cast<double>(part.weights.row(i).sum()) - 1.0));
    add_queries(frame.first_query + first, part.weights, queries);
  }

  void give(Result& result) && {
    const FindingsOn of(result, name_, encoding_label(name_));
    of.scalar("mean_entropy", sums_.mean_entropy(), "mean entropy of a query's weights", "bits");
    of.scalar("mean_distance", sums_.mean_distance(), "mean distance attended to", "tokens");
    const double unit = unit_roundoff(sizeof(T) == 8 ? Precision::fp64 : Precision::fp32);
    const auto n = static_cast<double>(study_.frame.tokens);
    of.at_most(
        "rows_sum_to_one", "the weights of each query sum to 1", "eq. (2)", row_error_.value(),
        (n + 4.0) * unit + weights_rounding(rounding_of(study_.params).format(Stage::weights), n));
    give_maps(result);
    result.arrays.push_back(to_array<T>(output_, "output_" + name_, "weighted sums of values",
                                        {"query", "channel"},
                                        {.kind = "output", .encodings = {name_}}));
  }

 private:
  /// Which terms there are shows with the first part.
  void begin(const AttentionOutput<T>& part) {
    for (const ScoreTerm<T>& term : part.terms) terms_.emplace_back(term.name);
    const std::size_t maps = 2 + terms_.size();
    require_memory(static_cast<double>(maps) * KeptMap<T>::bytes(study_.frame),
                   fmt::format("{} maps of {} tokens", maps, study_.frame.side),
                   "lower map_size or max_tokens");
    for (std::size_t i = 0; i < maps; ++i) maps_.emplace_back(study_.frame);
    output_.resize(study_.frame.side, part.output.cols());
  }
  /// A row per query, from that number on.
  void add_queries(Index first, const Matrix<T>& weights, TableBuilder& table) {
    const TokenInputs<T>& tokens = study_.tokens;
    const auto label = [&](Index i) {
      return tokens.labels.empty() ? fmt::format("{}", i)
                                   : tokens.labels[static_cast<std::size_t>(i)];
    };
    for (Index i = 0; i < weights.rows(); ++i) {
      const Index query = first + i;
      const Position m = tokens.positions[static_cast<std::size_t>(query)];
      const RowStatistics s = row_statistics(weights, i, m, tokens.positions);
      table.row({name_, query, m, label(query), s.entropy_bits, s.mean_distance, s.strongest,
                 label(s.strongest), weights(i, s.strongest)});
      sums_.add(weights, i, m, tokens.positions, s);
    }
  }
  void give_maps(Result& result) {
    const MapFrame& frame = study_.frame;
    const Precision arithmetic = sizeof(T) == 8 ? Precision::fp64 : Precision::fp32;
    const double rounding =
        spread_rounding(study_.tokens.d_head(), 1.0, arithmetic, rounding_of(study_.params));
    std::vector<MapSubject> subjects = subjects_of(name_, study_.params, terms_);
    subjects.front().title = sums_.title(study_.params, name_);
    if (sums_.spans_decades()) subjects.front().colors = ColorScaling::log;
    std::vector<EquationPart> given;
    for (std::size_t i = 0; i < maps_.size(); ++i) {
      given.push_back(maps_[i].give(subjects[i], frame, study_.mask, study_.masked, result));
      if (i > 1) given.back() = KeptMap<T>::unmasked(std::move(given.back()), frame);
    }
    if (names(study_.params, "show", "pipeline"))
      result.figures.push_back(pipeline_figure(name_, terms_, std::move(given), rounding, frame));
  }

  const Study<T>& study_;
  std::string name_;
  std::vector<std::string> terms_{};
  std::vector<KeptMap<T>> maps_{};
  Matrix<T> output_;
  Largest row_error_{};
  AttentionSums sums_{};
};

/// Where an encoding turns queries and keys, its logits have one term. What they would be without the
/// turns, and what the turns add, for maps whose cells one points at.
/// @param result  has the logits
template <class T>
void add_turns(const Study<T>& study, const std::string& name, const TokenRange& rows,
               const Mask& mask, Result& result) {
  constexpr Index most_pointed_at = 256;
  const MapFrame& frame = study.frame;
  if (frame.cell > 1 || frame.side > most_pointed_at) return;
  const auto logits = std::ranges::find_if(
      result.arrays, [&](const ArrayPtr& array) { return array->name == "logits_" + name; });
  Matrix<T> content(frame.side, frame.side), turned(frame.side, frame.side);
  const auto take = [&](Index first, const AttentionOutput<T>& part) {
    content.middleRows(first, part.logits.rows()) =
        part.logits.middleCols(frame.first_key, frame.side);
  };
  attend_tokens<T>(*token_encoding<T>("none", study.params, study.tokens), study.params,
                   study.tokens, rows, mask, {take, rows_at_once(frame.tokens)});
  for (Index i = 0; i < content.size(); ++i)
    turned.data()[i] = static_cast<T>((**logits)[static_cast<std::size_t>(i)]) - content.data()[i];
  const auto add = [&](const Matrix<T>& values, const char* term, const char* description) {
    result.arrays.push_back(to_array<T>(values, fmt::format("term_{}_{}", name, term), description,
                                        {"query", "key"},
                                        {.kind = "part", .encodings = {name}, .term = term}));
  };
  add(content, "without_position", "logits of queries and keys that are not turned");
  add(turned, "by_position", "what the turns by position add to these logits");
}

template <class T>
void add_maps(const ParamSet& params, const TokenInputs<T>& in_text_order,
              const std::string& caption, Progress& progress, Result& result) {
  const auto n = static_cast<Index>(in_text_order.positions.size());
  const TokenInputs<T> tokens =
      is_reordered(params) ? reordered(in_text_order, token_order(params, n)) : in_text_order;
  const MapFrame frame = frame_of(params, tokens.labels, tokens.positions, caption);
  const TokenRange rows{frame.first_query, frame.side}, columns{frame.first_key, frame.side};
  const PositionsIn m = rows.of(tokens.positions);
  const bool causal = params.boolean("causal");
  const Mask mask = causal ? Mask::causal(m, tokens.positions) : Mask();
  const Mask kept = causal ? Mask::causal(m, columns.of(tokens.positions)) : Mask();
  const ArrayPtr masked = masked_cells(kept, frame);
  const Study<T> study{params, tokens, kept, frame, masked};
  // One row per query and encoding (long format), which a spreadsheet filters by encoding.
  TableBuilder queries(
      "queries", "the weights of each query: entropy, mean distance, strongest key",
      {"encoding", "query", "position [tokens]", "token", "entropy [bits]",
       "mean_distance [tokens]", "strongest_key", "strongest_token", "strongest_weight"});
  const std::vector<std::string>& names = params.list("encoding");
  for (std::size_t e = 0; e < names.size(); ++e) {
    const std::string stage = "attention with " + names[e];
    checkpoint(progress, e, names.size(), stage);
    EncodingMaps<T> maps(study, names[e]);
    const auto encoding = token_encoding<T>(names[e], params, tokens);
    const auto take = [&](Index first, const AttentionOutput<T>& part) {
      const auto count = static_cast<std::size_t>(frame.side);
      checkpoint(progress, e * count + static_cast<std::size_t>(first), names.size() * count,
                 stage);
      maps.take(first, part, queries);
    };
    attend_tokens<T>(*encoding, params, tokens, rows, mask, {take, rows_at_once(n)});
    std::move(maps).give(result);
    if (is_reordered(params) && frame.side == n)
      add_order_findings(names[e], params, in_text_order, *result.arrays.back(), result);
    if (find_encoding(names[e]).uses(Door::qk_transform))
      add_turns(study, names[e], rows, mask, result);
  }
  result.tables.push_back(std::move(queries).finish());
}

Result compute(const ParamSet& params, const Inputs& inputs, Progress& progress) {
  return study_tokens(params, inputs,
                      [&](const auto& tokens, const std::string& caption, Result& result) {
                        add_maps(params, tokens, caption, progress, result);
                      });
}

}  // namespace in_attention_map
}  // namespace

Experiment attention_map_experiment() {
  using namespace in_attention_map;
  return with_provenance(make_info(), compute);
}

}  // namespace orrery
