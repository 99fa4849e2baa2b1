// What the paper's encodings say of themselves, where they are defined, and for which heads.
#include <functional>

#include "core/encodings/catalogue.h"
#include "core/encodings/deberta.h"
#include "core/encodings/rope.h"
#include "core/encodings/shaw.h"
#include "core/encodings/t5.h"
#include "core/encodings/tupe.h"
#include "experiments/verify/setting_cases.h"

namespace orrery::verify {
namespace {
namespace in_encoding_traits {

constexpr Index d = setting_d, d_model = setting_d_model;
constexpr int heads = setting_heads;

std::unique_ptr<Encoding> made(const std::string& name, const Words& words) {
  const ParamSet params = params_of(name, words);
  return make_encoding<double>(name, {d_model, d, heads, params});
}

/// What an encoding says of itself: whether a common shift leaves its logits, and where it ends.
double wrong_traits() {
  struct Traits {
    const char* encoding;
    bool relative{};
    Position last{max_position};
    bool segments{false};
    Words words{};
  };
  const std::vector<Traits> all{{"none", true},
                                {"sinusoidal", false},
                                {"learned", false, 511},
                                {"learned", false, 0, false, {{"learned.length", "1"}}},
                                {"shaw", true},
                                {"transformer_xl", true, max_position, true},
                                {"t5", true},
                                {"tupe", false, 511},
                                {"tupe", false, 511, false, {{"tupe.variant", "released"}}},
                                {"deberta", true},
                                {"rope", true}};
  double count = 0;
  for (const Traits& said : all) {
    const auto encoding = made(said.encoding, said.words);
    const EncodingTraits traits = encoding->traits();
    count += traits.relative != said.relative;
    count += traits.relative_weights != said.relative;
    count += traits.last_position != said.last;
    count += traits.reads_segments != said.segments;
  }
  return count;
}

/// A table that an encoding looks up: its rows, and to what distance they differ, as its paper
/// says.
struct Table {
  const char* encoding;
  Index rows{};
  Position reach{-1};  ///< −1 for none
  std::function<Index(Position m, Position n)> row;
  Words words{};
};

std::vector<Table> tables_of_papers() {
  const auto t5 = [](Index buckets, Position most, bool both) {
    return [=](Position m, Position n) { return literal::t5_bucket(n - m, buckets, most, both); };
  };
  const auto tupe = [](Index of_query, Index of_key) {
    return [=](Position m, Position n) {
      return m == 0 ? of_query : n == 0 ? of_key : literal::t5_bucket(n - m, 32, 128, true);
    };
  };
  const auto shaw = [](const literal::ShawShape& shape) {
    return [=](Position m, Position n) { return shape.row_of(n - m); };
  };
  return {{"shaw", 33, 16, shaw({16, 16})},
          {"shaw", 15, 9, shaw({5, 9}), {{"shaw.clip", "5"}, {"shaw.clip_ahead", "9"}}},
          {"shaw",
           15,
           9,
           shaw({9, 5, true}),
           {{"shaw.clip", "9"}, {"shaw.clip_ahead", "5"}, {"shaw.rows", "query_minus_key"}}},
          {"t5", 32, 128, t5(32, 128, true)},
          {"t5",
           16,
           40,
           t5(16, 40, false),
           {{"t5.buckets", "16"}, {"t5.max_distance", "40"}, {"t5.bidirectional", "false"}}},
          {"tupe", 32, -1, tupe(-1, -1)},
          {"tupe", 33, -1, tupe(16, 32), {{"tupe.variant", "released"}}},
          {"deberta", 128, 64,
           [](Position m, Position n) { return literal::deberta_delta(m - n, 64); }},
          {"deberta",
           64,
           300,
           [](Position m, Position n) {
             return literal::deberta_delta(literal::deberta_bucket(m - n, 32, 300, false), 32);
           },
           {{"deberta.version", "v2"}, {"deberta.span", "32"}, {"deberta.max_distance", "300"}}}};
}

/// How many of those numbers, and of the rows that pairs of tokens take, are others.
double wrong_tables() {
  const Positions consecutive{3, 4, 5, 6}, few{0, 7, 3, 450};
  double count = 0;
  for (const Table& said : tables_of_papers()) {
    const auto encoding = made(said.encoding, said.words);
    const auto& table = dynamic_cast<const TableIndex&>(*encoding);
    count += table.table_rows() != said.rows;
    count += table.stated_reach().value_or(-1) != said.reach;
    for (const auto& [m, n] : {std::pair{consecutive, few}, std::pair{few, consecutive},
                               std::pair{consecutive, Positions{1, 2, 3, 4, 5}}}) {
      const IndexMatrix index = table.table_index(m, n);
      for (Index i = 0; i < index.rows(); ++i)
        for (Index j = 0; j < index.cols(); ++j)
          count += index(i, j) !=
                   said.row(m[static_cast<std::size_t>(i)], n[static_cast<std::size_t>(j)]);
    }
  }
  return count;
}

bool is_taken(const Encoding& encoding, Position m, Position n, int head = 0, Index channels = d) {
  const Positions query{m}, keys{0, n};
  return refusal([&] {
           if (const auto* added = dynamic_cast<const InputTerm<double>*>(&encoding)) {
             Rows x = Rows::Zero(2, d_model);
             added->add_to_input(keys, x);
           } else {
             const Rows q = Rows::Ones(1, channels), k = Rows::Ones(2, channels);
             attention_from_qkv<double>(encoding, {q, k, k, query, keys, head});
           }
         })
      .empty();
}

/// Consecutive tokens, so that factors are asked for.
bool is_taken_without_map(const Encoding& encoding, int head) {
  const Positions at{1, 2};
  const Rows x = Rows::Ones(2, d);
  return refusal([&] {
           attention_output<double>({x, x, x, at, at, head}, SoftmaxDoors<double>::of(encoding));
         })
      .empty();
}

/// Positions beyond ±2^53, those that a table does not have, and distances without a sinusoid.
double misjudged_positions() {
  constexpr Position most = Position{1} << 53;
  double count = 0;
  const auto see = [&](const std::string& name, Position first, Position last,
                       const Words& words = {}) {
    const auto encoding = made(name, words);
    for (const Position n : {-most - 1, -most, Position{-1}, Position{0}, Position{511},
                             Position{512}, most, most + 1})
      count += is_taken(*encoding, 0, n) != (first <= n && n <= last);
  };
  for (const char* name : {"none", "sinusoidal", "shaw", "transformer_xl", "t5", "deberta", "rope"})
    see(name, -most, most);
  see("learned", 0, 511);
  see("tupe", 0, 511);
  see("tupe", 0, 511, {{"tupe.variant", "released"}});
  const auto far = made("transformer_xl", {});
  const auto near = made("transformer_xl", {{"transformer_xl.clamp_len", "9"}});
  count += is_taken(*far, most, -1) + !is_taken(*far, most, 1) + is_taken(*far, -most, 1) +
           !is_taken(*near, most, -most);
  return count;
}

/// Heads from −1 to one too many, where heads differ, and a head without channels.
double misjudged_head_counts() {
  double count = 0;
  for (const char* name : {"transformer_xl", "t5", "tupe", "deberta"}) {
    const auto encoding = made(name, {});
    for (int head = -1; head <= 20; ++head)
      count += is_taken(*encoding, 1, 3, head) != (head == 0 || head == 1) ||
               is_taken_without_map(*encoding, head) != (head == 0 || head == 1);
  }
  for (const char* name : {"none", "shaw", "t5", "deberta"})
    count += is_taken(*made(name, {}), 1, 3, 0, 0);
  return count;
}

/// What headers leave at a default, and what RoPE says of its pairs.
double wrong_defaults() {
  const ShawOptions shaw;
  const T5Buckets t5;
  const TupeOptions tupe;
  const DebertaOptions deberta;
  const RopeConvention rope;
  double count = 0;
  count += shaw.left != 16 || shaw.right != 16 || shaw.rows != ShawRows::key_minus_query ||
           shaw.scores != ShawScores::queries;
  count += t5.buckets != 32 || t5.max_distance != 128 || !t5.bidirectional;
  count += !tupe.untie_cls || !tupe.relative_bias || tupe.variant != TupeVariant::paper;
  count += deberta.span != 512 || deberta.log_buckets || deberta.max_distance != 512 ||
           deberta.index != DebertaIndex::paper || deberta.terms != DebertaTerms::both ||
           deberta.clamp != DebertaClamp::none || deberta.layer_norm;
  count += rope.base != 10000 || rope.rotary_dims != 0;
  RopeOptions options;
  options.muted[2] = options.muted[7] = true;
  const Rope<double> muted({.d_head = 24, .rotary_dims = 20, .pairing = RopePairing::half_split},
                           options);
  std::vector<Index> pairs, kept;
  for (Index t = 0; t < 10; ++t) {
    pairs.push_back(t);
    const auto at = static_cast<std::size_t>(t);
    const bool silent = 8 * t / 10 == 2 || 8 * t / 10 == 7;
    if (!silent) kept.push_back(t);
    count +=
        muted.is_muted(at) != silent || muted.channels(at).a != t || muted.channels(at).b != t + 10;
  }
  count += muted.unmuted(pairs) != kept;
  const Rope<double> neighbours({.d_head = 24, .rotary_dims = 20});
  count += neighbours.channels(3).a != 6 || neighbours.channels(3).b != 7;
  return count;
}

}  // namespace in_encoding_traits
}  // namespace

void trait_claims(std::vector<Claim>& claims) {
  using namespace in_encoding_traits;
  Facts facts("the paper's encodings", claims);
  facts.equals(from_settings, "traits", "relative or not, last position, segments: said otherwise",
               wrong_traits(), 0);
  facts.equals(from_settings, "table_index",
               "rows of tables, how many, and to what distance: otherwise", wrong_tables(), 0);
  facts.equals(from_settings, "position_ends",
               "positions to ±2^53, or to a table's last: misjudged", misjudged_positions(), 0);
  facts.equals(from_settings, "head_counts", "heads that an encoding was made for: misjudged",
               misjudged_head_counts(), 0);
  facts.equals(from_settings, "option_defaults", "defaults, and RoPE's pairs: otherwise",
               wrong_defaults(), 0);
}

}  // namespace orrery::verify
