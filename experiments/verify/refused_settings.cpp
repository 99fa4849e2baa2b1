// Settings of the paper's encodings that contradict each other, and tables that nothing reads.
#include <functional>

#include "core/encodings/catalogue.h"
#include "experiments/verify/setting_cases.h"

namespace orrery::verify {
namespace {
namespace in_refused_settings {

constexpr Index d = setting_d, d_model = setting_d_model;
constexpr int heads = setting_heads;

bool is_refused(const std::function<void()>& act) { return !refusal(act).empty(); }

/// The ends of a whole number's range.
struct Range {
  const char *encoding, *key;
  std::int64_t least, most;
};

double misjudged_ends() {
  constexpr Range ranges[] = {{"shaw", "shaw.clip", 0, 65536},
                              {"shaw", "shaw.clip_ahead", -1, 65536},
                              {"transformer_xl", "transformer_xl.clamp_len", 0, 1000000},
                              {"t5", "t5.buckets", 4, 4096},
                              {"t5", "t5.max_distance", 2, 1000000},
                              {"tupe", "tupe.length", 1, 1000000},
                              {"learned", "learned.length", 1, 1000000},
                              {"deberta", "deberta.span", 1, 65536},
                              {"deberta", "deberta.max_distance", 2, 1000000}};
  double count = 0;
  for (const Range& range : ranges) {
    const auto refused = [&](std::int64_t value) {
      ParamSet params = params_of(range.encoding, {});
      return is_refused([&] { params.set(range.key, std::to_string(value)); });
    };
    count += refused(range.least) + refused(range.most) + !refused(range.least - 1) +
             !refused(range.most + 1);
  }
  return count;
}

/// Settings that contradict each other, and the last ones that do not; d_head, and d_model for
/// tables of more than 2^25 numbers.
struct Choice {
  const char* encoding;
  Words words{};
  Index d_model{64}, d_head{16};
  int heads{2};
};

std::string refusal_of(const Choice& choice) {
  const ParamSet params = params_of(choice.encoding, choice.words);
  return refusal([&] {
    check_encoding(choice.encoding, {choice.d_model, choice.d_head, choice.heads, params});
  });
}

double misjudged_choices() {
  const std::vector<Choice> taken{
      {"shaw", {{"shaw.clip", "65536"}}, 64, 255},
      {"shaw", {{"shaw.clip", "65536"}, {"shaw.clip_ahead", "0"}}, 64, 511},
      {"learned", {{"learned.length", "1000000"}}, 33},
      {"tupe", {{"tupe.length", "1000000"}}, 33},
      {"tupe", {}, 4096, 128, 64},
      {"transformer_xl", {}, 4096, 128, 64},
      {"deberta", {{"deberta.span", "65536"}}, 256},
      {"deberta", {}, 4096, 128, 64},
      {"deberta",
       {{"deberta.version", "v2"}, {"deberta.span", "64"}, {"deberta.max_distance", "34"}}},
      {"deberta",
       {{"deberta.version", "v2"}, {"deberta.span", "4"}, {"deberta.max_distance", "4"}}},
      {"t5", {{"t5.buckets", "64"}, {"t5.max_distance", "17"}}},
      {"rope", {{"rope.muted", "band0"}}},
      {"rope", {{"rope.muted", "band0+band1+band2+band3+band4+band5+band6"}}},
      {"rope", {{"rope.fraction", "0.125"}}}};
  const std::vector<Choice> refused{
      {"shaw", {{"shaw.clip", "65536"}}, 64, 256},
      {"shaw", {{"shaw.clip", "65536"}, {"shaw.clip_ahead", "0"}}, 64, 512},
      {"learned", {{"learned.length", "1000000"}}, 34},
      {"tupe", {{"tupe.length", "1000000"}}, 34},
      {"tupe", {}, 4097, 128, 64},
      {"transformer_xl", {}, 4098, 128, 64},
      {"deberta", {{"deberta.span", "65536"}}, 257},
      {"deberta", {}, 4097, 128, 64},
      {"deberta",
       {{"deberta.version", "v2"}, {"deberta.span", "64"}, {"deberta.max_distance", "33"}}},
      {"deberta", {{"deberta.version", "v2"}, {"deberta.span", "3"}}},
      {"t5", {{"t5.buckets", "64"}, {"t5.max_distance", "16"}}},
      {"rope", {{"rope.fraction", "0.0625"}}},
      {"rope", {{"rope.fraction", "0.1875"}}},
      {"rope", {{"rope.muted", "band0+band1+band2+band3+band4+band5+band6+band7"}}},
      {"rope", {}, 64, 15}};
  double count = 0;
  for (const Choice& choice : taken) count += !refusal_of(choice).empty();
  for (const Choice& choice : refused) count += refusal_of(choice).empty();
  return count;
}

/// Contradictions whose sentence does not say the numbers: what was given, and what would do.
double unnamed_choices() {
  struct Said {
    Choice choice;
    std::string words;
  };
  const std::vector<Said> all{
      {{"t5", {{"t5.buckets", "64"}, {"t5.max_distance", "16"}}},
       "t5.max_distance=16 with t5.buckets=64"},
      {{"t5", {{"t5.buckets", "64"}, {"t5.max_distance", "16"}}}, "must exceed 16"},
      {{"t5", {{"t5.buckets", "64"}, {"t5.max_distance", "15"}}}, "take t5.max_distance=17"},
      {{"deberta",
        {{"deberta.version", "v2"}, {"deberta.span", "64"}, {"deberta.max_distance", "9"}}},
       "max_distance must be 34 or more"},
      {{"deberta", {{"deberta.version", "v2"}, {"deberta.span", "3"}}}, "need 4 a side"},
      {{"rope", {{"rope.fraction", "0.1875"}}}, "turns 3 channels"},
      {{"rope", {{"rope.fraction", "0.1875"}}}, "try rope.fraction=0.25"},
      {{"rope", {{"rope.fraction", "0"}}}, "try rope.fraction=0.125"},
      {{"rope", {}, 64, 15}, "use d_head=16"},
      {{"rope", {}, 64, -4}, "use d_head=2"},
      {{"learned", {{"learned.length", "1000000"}}, 34}, "learned.table of shape [1000000, 34]"},
      {{"learned", {{"learned.length", "1000000"}}, 34}, "has 3.4e+07 numbers"}};
  double count = 0;
  for (const auto& [choice, words] : all)
    count += refusal_of(choice).find(words) == std::string::npos;
  return count;
}

/// Tables that nothing reads under these settings.
double unread_tables_taken() {
  struct Unread {
    const char *encoding, *table;
    Words words{};
  };
  const std::vector<Unread> all{{"shaw", "shaw.value_table", {{"shaw.variant", "tied"}}},
                                {"shaw", "shaw.value_table", {{"shaw.variant", "keys_only"}}},
                                {"transformer_xl", "transformer_xl.W_q"},
                                {"tupe", "tupe.theta", {{"tupe.untie_cls", "false"}}},
                                {"tupe", "tupe.theta", {{"tupe.variant", "released"}}},
                                {"tupe", "tupe.b_q"},
                                {"tupe", "tupe.b_k"},
                                {"tupe", "tupe.norm_gain"},
                                {"tupe", "tupe.norm_bias"},
                                {"deberta", "deberta.norm_gain"},
                                {"deberta", "deberta.norm_bias"}};
  double count = 0;
  for (const Unread& unread : all) {
    const ParamSet params = params_of(unread.encoding, unread.words);
    const Tables tables{{unread.table, Rows::Ones(1, 1)}};
    count += !is_refused([&] {
      static_cast<void>(
          make_encoding<double>(unread.encoding, {d_model, d, heads, params, {}, 0, &tables}));
    });
  }
  return count;
}

}  // namespace in_refused_settings
}  // namespace

void refused_setting_claims(std::vector<Claim>& claims) {
  using namespace in_refused_settings;
  Facts facts("the paper's encodings", claims);
  facts.equals(from_settings, "setting_ends", "the ends of each whole number: values misjudged",
               misjudged_ends(), 0);
  facts.equals(from_settings, "setting_choices",
               "contradictions, tables of more than 2^25 numbers: misjudged", misjudged_choices(),
               0);
  facts.equals(from_settings, "named_choices", "sentences that do not say the numbers",
               unnamed_choices(), 0);
  facts.equals(from_settings, "unread_tables", "tables that nothing reads: taken",
               unread_tables_taken(), 0);
}

}  // namespace orrery::verify
