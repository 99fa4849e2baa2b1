#include "experiments/reports/passport_page.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "core/errors.h"
#include "experiments/files/file.h"
#include "experiments/heads/passport.h"
#include "tests/support/paths.h"

using namespace orrery;
using namespace orrery::test;
using Catch::Matchers::Contains;
using nlohmann::ordered_json;

namespace {

ordered_json passport(const std::string& name) {
  return ordered_json::parse(read_file(
      std::filesystem::path(source_folder()) / "assets/passports" / (name + ".json"), 1 << 16));
}

}  // namespace

TEST_CASE("The page of a passport stands alone, is small, and shows texts as they are") {
  ordered_json document = passport("smollm2");
  document["model"] = "<script>&";
  const std::string page = html_of(passport_page(document, {}));
  CHECK(page.size() <= 150'000);
  CHECK(page.find("<script") == std::string::npos);
  CHECK(page.find("src=") == std::string::npos);  // loads nothing
  CHECK_THAT(page, Contains("&lt;script&gt;&amp;") && Contains("<svg") &&
                       Contains("content=\"orrery passport\""));
}

TEST_CASE("The page of a model without losses says so, and that of two has both") {
  const ordered_json minilm = passport("minilm");
  CHECK_THAT(html_of(passport_page(minilm, {})),
             Contains("no loss tells how its weights are meant"));
  const std::string both = html_of(passport_page(minilm, passport("smollm2")));
  CHECK_THAT(
      both, Contains("Two passports") && Contains("id=\"a-heads\"") && Contains("id=\"b-breaks\""));
}

TEST_CASE("A passport that somebody has changed is read, or refused by its key") {
  const ordered_json others[] = {nullptr,
                                 -3,
                                 1e300,
                                 "text",
                                 true,
                                 ordered_json::array(),
                                 ordered_json::object(),
                                 ordered_json::array({1, "a"})};
  int read = 0, refused = 0;
  for (const char* name : {"smollm2", "minilm", "bytes_rope"}) {
    const ordered_json whole = ordered_json::parse(read_file(
        std::filesystem::path(source_folder()) / "assets/passports" / (std::string(name) + ".json"),
        1 << 16));
    const ordered_json flat = whole.flatten();
    std::set<std::string> places;  // a list's items are alike: the first stands for them
    for (const auto& [pointer, value] : flat.items())
      for (ordered_json::json_pointer at(pointer); !at.empty(); at = at.parent_pointer()) {
        const std::size_t item = at.to_string().find_first_of("123456789");
        const bool is_later = item != std::string::npos && at.to_string()[item - 1] == '/';
        if (is_later || !places.insert(at.to_string()).second) continue;
        for (const ordered_json& other : others) {
          ordered_json changed = whole;
          changed[at] = other;
          INFO(name << at.to_string() << " " << other.dump());
          try {
            const ordered_json document = read_passport(changed.dump(), name);
            CHECK_FALSE(passport_text(document, whole).empty());
            const Document page = passport_page(document, whole);
            CHECK(page.blocks.size() > 10);
            if (read % 25 == 0) CHECK(html_of(page).size() < 400'000);  // drawing takes a while
            ++read;
          } catch (const DataError&) {
            ++refused;
          }
        }
      }
  }
  CHECK(read > 100);
  CHECK(refused > 500);
}
