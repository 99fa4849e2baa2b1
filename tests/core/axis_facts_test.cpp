// Where layouts put tokens, and which axis turns which pair: written out over many settings, so
// that whatever changes is seen. By hand and against released code in axis_layout_test and
// axis_rope_test.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "core/attention/feature_map.h"
#include "core/encodings/axis_layout.h"
#include "core/encodings/catalogue.h"
#include "core/errors.h"
#include "tests/support/approved.h"

using namespace orrery;

namespace {

std::string places_of(const AxisLayout& layout) {
  std::string text =
      fmt::format("text {} {}×{}×{} step {} kind {}:", layout.text_before, layout.frames,
                  layout.rows, layout.columns, layout.time_step, static_cast<int>(layout.kind));
  const Positions tokens = consecutive_positions(24, -1);
  const AxisPositions at = axis_positions(layout, tokens);
  for (Index i = 0; i < at.rows(); ++i)
    text += fmt::format(" {},{},{}", at(i, 0), at(i, 1), at(i, 2));
  text += "; text from";
  const std::optional<Position> from = text_from(layout);
  for (const Position token : tokens)
    if (from && token >= *from) return text + fmt::format(" {}\n", token);
  return text + " none\n";
}

std::string sections_text(const ParamSet& params, Index pairs) {
  try {
    return fmt::format("{}", fmt::join(axis_sections_of(params, pairs), "+"));
  } catch (const UsageError& error) {
    return error.what();
  }
}

std::string axes_text(AxisDesign design, const std::vector<Index>& sections) {
  try {
    return fmt::format("{}", fmt::join(axes_of_pairs(design, sections), ""));
  } catch (const UsageError& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("Layouts put tokens on the axes where it was approved") {
  std::string text;
  for (const AxisLayoutKind kind :
       {AxisLayoutKind::text, AxisLayoutKind::grid, AxisLayoutKind::diagonal})
    for (const AxisLayout& layout :
         {AxisLayout{}, AxisLayout{.text_before = 0, .frames = 1, .rows = 3, .columns = 2},
          AxisLayout{.text_before = 2, .frames = 3, .rows = 1, .columns = 5, .time_step = 2},
          AxisLayout{.text_before = 1, .frames = 4, .rows = 2, .columns = 2, .time_step = 3},
          AxisLayout{.text_before = 7, .frames = 1, .rows = 1, .columns = 1}}) {
      AxisLayout chosen = layout;
      chosen.kind = kind;
      text += places_of(chosen);
    }
  CHECK(test::difference_from_approved("core/axis_places.txt", text) == "");
}

TEST_CASE("A design shares 64 pairs out to time, rows and columns as its source does") {
  const auto sections = [](const char* design) {
    ParamSet params(axis_design_params());
    params.set("axis_rope.design", design);
    return axis_sections_of(params, 64);
  };
  using Pairs = std::vector<Index>;
  CHECK(sections("chunked") == Pairs{16, 24, 24});      // Qwen2-VL
  CHECK(sections("interleaved") == Pairs{24, 20, 20});  // Qwen3-VL
  CHECK(sections("time_last") == Pairs{16, 24, 24});    // VideoRoPE
  CHECK(sections("time_still") == Pairs{16, 24, 24});   // HoPE
  CHECK(sections("axial") == Pairs{0, 32, 32});
  ParamSet params(axis_design_params());
  params.set("axis_rope.design",
             "per_head");  // MHRoPE: one section after another, of which there is one
  CHECK(axis_design_of(params) == AxisDesign::chunked);
}

TEST_CASE("Designs share pairs out to the axes as it was approved") {
  std::string text;
  ParamSet params(axis_design_params());
  for (const Choice& choice : params.spec("axis_rope.design").choices) {
    params.set("axis_rope.design", choice.name);
    for (const Index pairs : {1, 2, 3, 8, 31, 64})
      for (const auto& [time, row] : {std::pair{"-1", "-1"}, {"0", "-1"}, {"2", "0"}, {"3", "5"}}) {
        params.set("axis_rope.time_pairs", time);
        params.set("axis_rope.row_pairs", row);
        text += fmt::format("{} {} pairs, {} and {}: {}\n", choice.name, pairs, time, row,
                            sections_text(params, pairs));
      }
  }
  for (const AxisDesign design : {AxisDesign::chunked, AxisDesign::interleaved,
                                  AxisDesign::time_last, AxisDesign::time_still, AxisDesign::axial})
    for (const std::vector<Index>& sections : std::vector<std::vector<Index>>{
             {4}, {3, 3}, {2, 3, 3}, {8, 2, 2}, {1, 4, 2}, {0, 3, 3}, {5, 0, 1}, {2, 2, 2, 2}})
      text += fmt::format("{} of {}: {}\n", static_cast<int>(design), fmt::join(sections, "+"),
                          axes_text(design, sections));
  CHECK(test::difference_from_approved("core/axis_shares.txt", text) == "");
}

TEST_CASE("Feature maps have names of their own, and encodings that draw a table say so") {
  CHECK(feature_names().size() == 3);
  for (const FeatureName& feature : feature_names())
    CHECK(&feature_named(feature.name) == &feature);
  CHECK_THROWS_AS(feature_named("tanh"), UsageError);
  for (const EncodingEntry& entry : encoding_catalogue()) {
    bool drawn = false;
    for (const TableSpec& table : entry.info.tables) drawn = drawn || table.drawn;
    CHECK(entry.info.draws_tables() == drawn);
  }
  CHECK(find_encoding("learned").info.draws_tables());
  CHECK_FALSE(find_encoding("rope").info.draws_tables());
}
