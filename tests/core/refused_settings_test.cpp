// Settings of the paper's encodings that contradict each other, and tables that nothing reads.
#include <catch2/catch.hpp>

#include <string>
#include <utility>
#include <vector>

#include "core/encodings/catalogue.h"
#include "tests/support/refusals.h"

using namespace orrery;

namespace {

using SettingWords = std::vector<std::pair<const char*, const char*>>;

ParamSet params_with(const char* encoding, const SettingWords& words) {
  ParamSet params(find_encoding(encoding).info.params);
  for (const auto& [key, value] : words) params.set(key, value);
  return params;
}

/// Settings of an encoding and of its layer.
struct SettingsOfLayer {
  const char* encoding;
  SettingWords words{};
  Index d_model{64}, d_head{16};
  int heads{2};

  std::string refusal() const {
    const ParamSet params = params_with(encoding, words);
    return test::refusal([&] { check_encoding(encoding, {d_model, d_head, heads, params}); });
  }
  std::string title() const {
    std::string text = encoding;
    for (const auto& [key, value] : words) text += std::string(" ") + key + "=" + value;
    return text + ", d_model " + std::to_string(d_model) + ", d_head " + std::to_string(d_head);
  }
};

}  // namespace

TEST_CASE("The last settings that do not contradict each other, and tables of 2^25, are taken") {
  const std::vector<SettingsOfLayer> taken{
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
  for (const SettingsOfLayer& settings : taken) {
    INFO(settings.title());
    CHECK(settings.refusal() == "");
  }
}

TEST_CASE("Settings that contradict each other, and larger tables, are refused") {
  const std::vector<SettingsOfLayer> refused{
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
  for (const SettingsOfLayer& settings : refused) {
    INFO(settings.title());
    CHECK(settings.refusal() != "");
  }
}

TEST_CASE("What is refused names what was given and what would do") {
  struct Said {
    SettingsOfLayer settings;
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
  for (const auto& [settings, words] : all) {
    INFO(settings.title());
    CHECK_THAT(settings.refusal(), Catch::Contains(words));
  }
}

TEST_CASE("A table that nothing reads under the settings is refused") {
  struct Unread {
    const char *encoding, *table;
    SettingWords words{};
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
  for (const Unread& unread : all) {
    INFO(unread.table);
    const ParamSet params = params_with(unread.encoding, unread.words);
    const Tables tables{{unread.table, Matrix<double>::Ones(1, 1)}};
    CHECK(test::refusal([&] {
            make_encoding<double>(unread.encoding, {12, 8, 2, params, {}, 0, &tables});
          }) != "");
  }
}
