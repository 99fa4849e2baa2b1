#include "app/gui/fonts.h"

#include <catch2/catch.hpp>

#include "experiments/files/file.h"
#include "tests/app/fixture.h"

namespace orrery {
namespace {

using Catch::Contains;

Characters characters_of(std::string_view text) {
  Characters characters;
  add_characters(text, characters);
  return characters;
}

InstalledFont font_with(std::string file, std::string_view text) {
  return {std::move(file), 3, [has = characters_of(text)](char32_t c) { return has.contains(c); }};
}

TEST_CASE("Characters beyond Latin-1 and within 16 bits are found in a text") {
  CHECK(characters_of("plain é").empty());
  CHECK(characters_of("中a国中") == Characters{0x4E2D, 0x56FD});
  CHECK(characters_of("ش") == Characters{0x0634});
  CHECK(characters_of("😀\xff\xe4").empty());  // beyond, and no UTF-8
}

std::shared_ptr<const std::string> name_as_bytes(const std::string& file, int,
                                                 const std::vector<char32_t>&) {
  if (file == "damaged") throw DataError(file, "is not a readable font", "install it again");
  return std::make_shared<const std::string>(file);
}

TEST_CASE("Each character is taken from the first font that has it") {
  const GlyphPlan plan = plan_glyphs(
      characters_of("中国شก"), {font_with("a", "中"), font_with("b", "中国ش")}, name_as_bytes);
  REQUIRE(plan.parts.size() == 2);
  CHECK(plan.parts[0].file == "a");
  CHECK(plan.parts[0].index == 3);
  CHECK(plan.parts[0].characters == characters_of("中"));
  CHECK(plan.parts[1].file == "b");
  CHECK(plan.parts[1].characters == characters_of("国ش"));
  CHECK(plan.missing == characters_of("ก"));
}

TEST_CASE("A font that cannot be read has no characters") {
  const GlyphPlan plan = plan_glyphs(
      characters_of("中国ش"), {font_with("damaged", "中ش"), font_with("b", "中国")}, name_as_bytes);
  REQUIRE(plan.parts.size() == 1);
  CHECK(*plan.parts[0].bytes == "b");
  CHECK(plan.parts[0].characters == characters_of("中国"));
  CHECK(plan.missing == characters_of("ش"));
}

TEST_CASE("What no font has is said with the package that has it") {
  CHECK(package_for(0x4E2D) == "fonts-noto-cjk");
  CHECK(package_for(0xAC00) == "fonts-noto-cjk");
  CHECK(package_for(0x0E01) == "fonts-noto-core");
  CHECK(missing_text(characters_of("中ก")) ==
        "No installed font has 中 (U+4E2D); apt install fonts-noto-cjk\n"
        "No installed font has ก (U+0E01); apt install fonts-noto-core");
}

TEST_CASE("Tokens that no font covers are said once, others are loaded") {
  const test::FakeExperiment experiment("one", {test::n_param()}, [](const ParamSet&, Progress&) {
    Figure map = test::map("map", 2, 2);
    std::get<Heatmap>(map.content).row_labels = {"中", "ش"};
    std::get<Heatmap>(map.content).column_labels = {"a", "b"};
    return test::result_of({map});
  });
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  test::NullDesktop desktop(session, 1280, 800);
  int searches = 0;
  desktop.app().find_fonts_with([&] {
    ++searches;
    const std::string dejavu = dejavu_file(false);  // which has Arabic letters
    return std::vector<InstalledFont>{{dejavu, 0, [](char32_t c) { return c == 0xFEB5; }}};
  });
  desktop.settle();
  CHECK(searches == 1);
  CHECK_THAT(session.current().message, Contains("fonts-noto-cjk") && !Contains("U+FEB5"));
  // The letter is drawn in the form that it has when it stands alone.
  CHECK(ImGui::GetIO().FontDefault->FindGlyphNoFallback(0xFEB5));
  CHECK_FALSE(ImGui::GetIO().FontDefault->FindGlyphNoFallback(0x4E2D));
  session.dismiss();
  desktop.frame(20);
  CHECK(session.current().message.empty());
  CHECK(searches == 1);
}

/// Whether a glyph of this character is in the frame, at any size.
bool is_drawn(char32_t c) {
  const ImDrawData& frame = *ImGui::GetDrawData();
  for (const ImFont* font : ImGui::GetIO().Fonts->Fonts) {
    const ImFontGlyph* glyph = font->FindGlyphNoFallback(static_cast<ImWchar>(c));
    if (!glyph) continue;
    for (int i = 0; i < frame.CmdListsCount; ++i)
      for (const ImDrawVert& corner : frame.CmdLists[i]->VtxBuffer)
        if (corner.uv.x == glyph->U0 && corner.uv.y == glyph->V0) return true;
  }
  return false;
}

TEST_CASE("Arabic tokens are drawn with their letters joined") {
  const test::FakeExperiment experiment("one", {test::n_param()}, [](const ParamSet&, Progress&) {
    Figure map = test::map("map", 2, 2);
    std::get<Heatmap>(map.content).row_labels = {"\u0628\u0628", "\u05D0"};
    std::get<Heatmap>(map.content).column_labels = {"a", "b"};
    return test::result_of({map});
  });
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  test::NullDesktop desktop(session, 1280, 800);
  desktop.app().find_fonts_with([] {
    return std::vector<InstalledFont>{{dejavu_file(false), 0, [](char32_t) { return true; }}};
  });
  desktop.settle();
  CHECK(is_drawn(0xFE91));  // beh at the beginning
  CHECK(is_drawn(0xFE90));  // beh at the end
  CHECK(is_drawn(0x05D0));
  CHECK_FALSE(is_drawn(0x0628));
}

}  // namespace
}  // namespace orrery
