#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/analysis/diagonals.h"
#include "core/analysis/largest.h"
#include "core/precision.h"
#include "experiments/setup/common_axes.h"
#include "experiments/setup/map_equation.h"
#include "experiments/setup/measures.h"
#include "experiments/studies/model_heads/figures.h"

namespace orrery {
namespace {

/// A column with a number of every head.
template <class Value>
void add_column(Table& table, std::string name, const HeadsFound& found, const Value& value,
                const char* unit = "") {
  std::vector<double> values;
  for (const HeadRow& row : found.table->rows) values.push_back(value(row));
  table.columns.push_back({std::move(name), unit, std::move(values)});
}

/// A row for every head, with all scores.
/// @param score  of a row and a kind
template <class Score>
Table table_of_heads(const HeadsFound& found, const char* name, const char* caption,
                     const Score& score) {
  Table table{.name = name, .caption = caption};
  add_column(table, "layer", found, [](const HeadRow& row) { return row.layer; });
  add_column(table, "head", found, [](const HeadRow& row) { return row.head; });
  for (const ScoreKind& kind : score_kinds())
    add_column(
        table, std::string(kind.key), found, [&](const HeadRow& row) { return score(row, kind); },
        kind.is_share ? "" : "tokens");
  return table;
}

/// The heads with the largest scores on even texts, and what they have on odd ones.
Table chosen_table(const HeadTable& heads) {
  TableBuilder table("chosen", "heads that even texts have chosen, and their score on odd ones",
                     {"score", "layer", "head", "chosen_by", "tested"});
  for (const ScoreChoice& choice : heads.choices)
    for (const ChosenHead& head : choice.heads)
      table.row({choice.score, head.layer, head.head, head.chosen_by, head.tested});
  return std::move(table).finish_printed();
}

/// [layers, heads, …] of something that each row has as often.
template <class Of>
std::shared_ptr<const Array> array_of_heads(const HeadTable& table, const char* name,
                                            const char* description, const char* axis,
                                            const Of& of) {
  std::vector<double> values;
  for (const HeadRow& row : table.rows) {
    const std::vector<double> own = of(row);
    values.insert(values.end(), own.begin(), own.end());
  }
  const auto layers = static_cast<std::size_t>(table.layers);
  const auto heads = static_cast<std::size_t>(table.heads);
  const std::size_t each = values.size() / (layers * heads);
  return array_of(name, description, {layers, heads, each}, {"layer", "head", axis},
                  std::move(values));
}

// ---- The logits as a sum -----------------------------------------------------------------------

/// Calls use(cell) for what the mask lets queries see of an N × N map.
template <class Use>
void for_seen(const Mask& mask, std::size_t n, const Use& use) {
  const auto count = static_cast<Index>(n);
  for (Index i = 0; i < count; ++i) {
    const VisibleKeys keys = mask.keys_of(i, count);
    for (Index j = keys.first; j < keys.end; ++j)
      if (keys.all || mask.allows(i, j)) use(static_cast<std::size_t>(i * count + j));
  }
}

Precision precision_of_array(const Array& array) {
  return std::holds_alternative<std::vector<double>>(array.values) ? Precision::fp64
                                                                   : Precision::fp32;
}

/// The share of a term in the variance of the logits: cov(term, l)/var(l); NaN where they do not
/// vary.
double share_of(const Array& term, const Array& logits, const Mask& mask) {
  double count = 0, t = 0, l = 0;
  for_seen(mask, logits.shape[0], [&](std::size_t cell) {
    ++count;
    t += term[cell];
    l += logits[cell];
  });
  double both = 0, squares = 0, sizes = 0;
  for_seen(mask, logits.shape[0], [&](std::size_t cell) {
    const double off = logits[cell] - l / count;
    both += (term[cell] - t / count) * off;
    squares += off * off;
    sizes += logits[cell] * logits[cell];
  });
  // Logits that differ by rounding alone have no shares.
  const double rounding = unit_roundoff(precision_of_array(logits));
  const bool varies = squares > sizes * count * rounding * rounding;
  return varies ? both / squares : std::numeric_limits<double>::quiet_NaN();
}

MapProfile profile_of_map(const Array& map, const Mask& mask) {
  const auto n = static_cast<Index>(map.shape[0]);
  const Positions at = consecutive_positions(n);
  return std::visit(
      [&](const auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        const Matrix<T> matrix = Eigen::Map<const Matrix<T>>(values.data(), n, n);
        return profile_of(diagonal_profile<T>(matrix, at, at, mask));
      },
      map.values);
}

/// Its pairs, "t = 0, …, 7"; the symbol of an encoding's term; its name where it has neither.
std::string symbol_of(const HeadTerm& term, const std::string& encoding) {
  if (term.pairs == 0 && encoding != "rope" && !term.is_softcap)
    return term_symbol(encoding, term.name);
  if (term.pairs == 0) return R"(\text{)" + term.name + "}";
  if (term.pairs == 1) return fmt::format("t = {}", term.first_pair);
  return fmt::format(R"(t = {}, \ldots, {})", term.first_pair, term.first_pair + term.pairs - 1);
}

EquationPart part_of_sum(const HeadsFound& found, const Array& values, std::string name,
                         std::string symbol, std::string relation) {
  const HeadTerms& terms = *found.effect.terms;
  MapProfile profile = profile_of_map(values, found.mask);
  const double rounding = spread_rounding(static_cast<Index>(terms.channels), profile.largest(),
                                          precision_of_array(values), StageRounding{});
  return {.relation = std::move(relation),
          .symbol = std::move(symbol),
          .name = std::move(name),
          .map = {.values = std::make_shared<const Array>(values),
                  .masked = found.masked,
                  .x = key_axis(),
                  .y = query_axis(),
                  .quantity = "logit",
                  .meaning = Meaning::diverging,
                  .column_labels = found.labels,
                  .row_labels = found.labels},
          .profile = std::move(profile),
          .rounding = rounding};
}

}  // namespace

std::optional<std::size_t> sink_heads(const HeadTable& table) {
  const std::size_t first = score_number("first");
  std::size_t sinks = 0;
  bool known = false;
  for (const HeadRow& row : table.rows) {
    known = known || !std::isnan(row.scores[first]);
    sinks += row.sink_dominates;
  }
  return known ? std::optional(sinks) : std::nullopt;
}

std::vector<Table> heads_tables(const HeadsFound& found) {
  Table heads =
      table_of_heads(found, "heads",
                     !found.effect.edits.empty()
                         ? "one row per head, before the edits; NaN where it has no such score"
                         : "one row per head; NaN where it has no such score",
                     [&](const HeadRow& row, const ScoreKind& kind) {
                       return score_of(found.params, row, std::string(kind.key));
                     });
  add_column(heads, "sink", found,
             [](const HeadRow& row) { return row.sink_dominates ? 1.0 : 0.0; });
  add_column(heads, "marked", found,
             [&](const HeadRow& row) { return is_marked(found.params, row) ? 1.0 : 0.0; });
  if (!found.effect.edits.empty())
    add_column(heads, "change", found,
               [&](const HeadRow& row) { return change_of(found.effect, row.layer, row.head); });
  heads.printed = found.table->choices.empty();
  std::vector<Table> tables{std::move(heads)};
  if (found.table->repeats > 0)
    tables.push_back(table_of_heads(found, "heads_on_repeated",
                                    "the same on random tokens that come twice",
                                    [](const HeadRow& row, const ScoreKind& kind) {
                                      return row.repeated[score_number(kind.key)];
                                    }));
  if (!found.table->choices.empty()) tables.push_back(chosen_table(*found.table));
  const TextEffect& text = found.effect.texts.front();
  if (text.before.empty()) return tables;
  TableBuilder losses("loss", "loss of each token that follows another, in nats",
                      {"position [tokens]", "token", "loss [nats]", "edited_loss [nats]"});
  for (std::size_t i = 0; i < text.before.size(); ++i)
    losses.row({i + 1, found.labels[i + 1], text.before[i], text.after[i]});
  tables.push_back(std::move(losses).finish());
  return tables;
}

std::vector<std::shared_ptr<const Array>> heads_arrays(const HeadTable& table) {
  std::vector<std::shared_ptr<const Array>> arrays{
      array_of_heads(table, "by_distance", "weight at r = i − j", "distance",
                     [](const HeadRow& row) { return row.by_distance; }),
      array_of_heads(table, "by_distance_without_first", "the same without the first token",
                     "distance", [](const HeadRow& row) { return row.by_distance_without_first; })};
  std::size_t pairs = 0;
  for (const HeadRow& row : table.rows)
    pairs = std::max<std::size_t>(pairs, row.pair_shares.size());
  if (pairs > 0)
    arrays.push_back(array_of_heads(table, "pair_shares", "share of a pair in the logits' variance",
                                    "pair", [&](const HeadRow& row) {
                                      std::vector<double> shares = row.pair_shares;
                                      shares.resize(pairs, 0.0);  // layers without RoPE
                                      return shares;
                                    }));
  return arrays;
}

std::optional<Figure> equation_figure(const HeadsFound& found) {
  if (!found.effect.terms) return std::nullopt;
  const HeadTerms& terms = *found.effect.terms;
  std::vector<EquationPart> parts;
  parts.push_back(part_of_sum(found, terms.logits, "logit", R"(\ell_{m,n})", ""));
  const HeadTerm* most = nullptr;
  double largest = 0;
  bool no_shares = false;
  for (const HeadTerm& term : terms.terms) {
    parts.push_back(part_of_sum(found, term.logits, words_of(term.name),
                                symbol_of(term, terms.encoding), parts.size() == 1 ? "=" : "+"));
    const double share = share_of(term.logits, terms.logits, found.mask);
    if (std::isnan(share)) no_shares = true;
    if (share > largest) {
      most = &term;
      largest = share;
    }
  }
  MapEquation equation = map_equation(std::move(parts), 0);
  const std::string place = fmt::format("{}.{}", found.chosen.layer, found.chosen.head);
  const std::string edits = edits_text(found.effect), factors = factors_text(equation);
  const std::string finding =
      !most || no_shares
          ? "its logits as a sum"
          : fmt::format("{} {} for {:.0f} % of the variance of its logits", words_of(most->name),
                        most->is_plural ? "account" : "accounts", 100 * largest);
  return Figure{"equation",
                fmt::format("Head {}{}: {}", place, edits.empty() ? "" : ", " + edits, finding),
                "shares are cov(term, logit)/var(logit) · " + caption_of_text(found) +
                    (factors.empty() ? "" : " · " + factors),
                std::move(equation)};
}

Check equation_check(const HeadTerms& terms, const Mask& mask) {
  const std::size_t summed = terms.terms.size() - (terms.softcap > 0 ? 1 : 0);
  Largest off, sizes;
  for_seen(mask, terms.logits.shape[0], [&](std::size_t cell) {
    double sum = 0, size = 0;
    for (std::size_t t = 0; t < summed; ++t) {
      sum += terms.terms[t].logits[cell];
      size += std::abs(terms.terms[t].logits[cell]);
    }
    if (terms.softcap > 0) sum = terms.softcap * std::tanh(sum / terms.softcap);
    off.see(std::abs(terms.logits[cell] - sum));
    sizes.see(size);
  });
  const bool of_pairs = terms.encoding == "rope";
  return {.name = "terms_sum_to_logits",
          .statement = fmt::format("the maps of its {} add up to the head's logits (largest "
                                   "difference)",
                                   of_pairs ? "pairs" : "terms"),
          .equation = of_pairs ? "eq. (35)" : "eq. (2)",
          .measured = off.value(),
          .bound = spread_rounding(static_cast<Index>(terms.channels), sizes.value(),
                                   precision_of_array(terms.logits), StageRounding{})};
}

}  // namespace orrery
