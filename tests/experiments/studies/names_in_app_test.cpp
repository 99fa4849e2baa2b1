// The desktop shows any experiment: what one is called, and its figures, encodings and parameters,
// is said by the experiment alone.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "experiments/data/load_inputs.h"
#include "experiments/files/file.h"
#include "experiments/setup/encoding_summary.h"
#include "experiments/studies/catalogue.h"
#include "tests/experiments/studies/moved_controls.h"
#include "tests/support/paths.h"

namespace orrery {
namespace {

using Names = std::set<std::string>;

Names names_of_experiments() {
  Names names;
  for (const EncodingSummary& encoding : encoding_list()) names.insert(encoding.name);
  for (const Experiment* experiment : experiment_catalogue()) {
    names.insert(experiment->info.name);
    for (const ParamSpec& spec : experiment->info.params) names.insert(spec.key);
    const ParamSet params = test::small_params(*experiment);
    Inputs inputs = test::some_inputs(*experiment);
    if (inputs.empty()) inputs = load_inputs(params).inputs;
    const auto figures = test::figures_of(*experiment, params, inputs);
    INFO(experiment->info.name);
    REQUIRE_FALSE(figures.empty());
    for (const auto& [id, drawn] : figures) names.insert({id, name_of(drawn.figure)});
  }
  return names;
}

/// String literals of one line of code each, without what comments say.
std::vector<std::string> literals_in(const std::string& code) {
  static const std::regex literal(R"re("((?:[^"\\\n]|\\.)*)")re");
  std::vector<std::string> found;
  std::istringstream lines(code);
  for (std::string line; std::getline(lines, line);) {
    line = line.substr(0, line.find("//"));
    for (std::sregex_iterator it(line.begin(), line.end(), literal), none; it != none; ++it)
      found.push_back((*it)[1]);
  }
  return found;
}

/// Words of the desktop's own that happen to be a name somewhere, by file.
const std::map<std::string, Names> own_words{
    {"dialogs/file_dialog.cpp", {"text"}},
    {"dialogs/palette.cpp", {"found"}},
    {"dialogs/palette_entries.cpp", {"compare"}},
    {"headless/script.cpp", {"colors", "expect", "shift"}},
    {"headless/script_steps.cpp", {"colors", "distance", "none", "scale", "x"}},
    {"player/lesson_pane.cpp", {"steps", "task"}},
    {"panels/param_controls.cpp", {"none"}},
    {"panels/param_panel.cpp", {"none", "unit"}},
    {"panels/result_browser.cpp", {"settings"}},
    {"session/file_targets.cpp", {"after", "before"}},  // in the names of files
    {"session/folder_listing.cpp", {"text"}},
    {"session/references.cpp", {"none"}},
    {"session/session_toml.cpp", {"scale"}},
    {"shell/action_table.cpp", {"questions"}},
    {"shell/app.cpp", {"questions"}},
    {"shell/view_pane.cpp", {"answer"}},
    {"views/figure_set.cpp", {"next"}},
    {"views/marks.cpp", {"B"}},
    {"views/stacked_figures.cpp", {"wavelengths"}},
};

TEST_CASE("The desktop names no experiment, figure, encoding or parameter") {
  namespace fs = std::filesystem;
  const Names names = names_of_experiments();
  CHECK(names.size() > 200);
  const fs::path app = fs::path(test::source_folder()) / "app";
  std::size_t files = 0;
  std::map<std::string, Names> met;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(app)) {
    if (!entry.is_regular_file()) continue;
    ++files;
    const std::string file = fs::relative(entry.path(), app).string();
    for (const std::string& word : literals_in(read_file(entry.path(), 1 << 20, "")))
      if (names.contains(word)) met[file].insert(word);
  }
  CHECK(files > 100);
  for (const auto& [file, words] : met) {
    INFO(file);
    CHECK(words == (own_words.contains(file) ? own_words.at(file) : Names{}));
  }
  for (const auto& [file, words] : own_words) {
    INFO(file);
    CHECK(met.contains(file));
  }
}

}  // namespace
}  // namespace orrery
