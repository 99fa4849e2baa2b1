// Writes the inputs that fuzzing begins with, one folder per harness:
//   build/fuzz/tests/fuzz/fuzz_seeds build/fuzz/corpora tests/golden && tests/fuzz/run --reduce
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "experiments/files/assets.h"
#include "experiments/files/file.h"
#include "experiments/results/csv.h"
#include "experiments/results/figure_json.h"
#include "experiments/results/notes.h"
#include "experiments/results/result_json.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/sweep_layout.h"
#include "experiments/sweeps/sweep_spec.h"
#include "tests/experiments/results/example_result.h"
#include "tests/support/sample_figures.h"

using namespace orrery;

namespace {

namespace fs = std::filesystem;

/// A folder of numbered inputs.
class Folder {
 public:
  explicit Folder(fs::path path) : path_(std::move(path)) { fs::create_directories(path_); }
  void add(const std::string& bytes) {
    std::ofstream(path_ / fmt::format("seed_{:03}", count_++), std::ios::binary) << bytes;
  }
  void add_files(const fs::path& from, const std::string& extension) {
    for (const fs::directory_entry& entry : fs::directory_iterator(from))
      if (entry.path().extension() == extension) add(read_file(entry.path(), 1 << 20));
  }

 private:
  fs::path path_;
  int count_{0};
};

std::string json_of(const Figure& figure) {
  return figure_json(figure, [](const auto&, std::string_view role) { return std::string(role); })
      .dump();
}

/// As few points as still make a curve.
Figure shortened(Figure figure) {
  if (auto* plot = std::get_if<LinePlot>(&figure.content))
    for (Series& series : plot->series)
      for (auto* numbers : {&series.x, &series.y, &series.band_low, &series.band_high})
        numbers->resize(std::min<std::size_t>(numbers->size(), 6));
  if (auto* plot = std::get_if<VectorPlot>(&figure.content)) plot->arrows.resize(4);
  if (auto* equation = std::get_if<MapEquation>(&figure.content)) {
    equation->terms.erase(equation->terms.begin() + 1, equation->terms.end() - 1);
    auto& series = equation->profiles.series;
    series.erase(series.begin() + 1, series.end() - 1);
  }
  return figure;
}

std::vector<Figure> figures() {
  using namespace test;
  Figure cyclic = signed_figure(8);
  std::get<Heatmap>(cyclic.content).meaning = Meaning::cyclic;
  return {shortened(decay_figure()),
          shortened(error_figure()),
          attention_figure(3),
          signed_figure(8),
          shortened(chain_figure()),
          table_figure(),
          cyclic,
          shortened(equation_figure(2))};
}

/// Long curves refer to a file, and a fuzzer's figures are short.
std::string curves_of_a_file() {
  LinePlot plot{.series = {{.name = "a"}, {.name = "b"}}};
  nlohmann::ordered_json json =
      nlohmann::ordered_json::parse(json_of({.id = "f", .content = plot}));
  nlohmann::ordered_json& content = json["content"];
  content["table"] = table_json({.name = "f",
                                 .columns = {{"series", "", std::vector<std::string>{}},
                                             {"x", "", std::vector<double>{}},
                                             {"y", "", std::vector<double>{}}}},
                                "figures/f.csv");
  content["table"]["rows"] = 5;
  for (const int first : {0, 3}) {
    nlohmann::ordered_json& series = content["series"][first == 0 ? 0 : 1];
    for (const char* key : {"x", "y", "band_low", "band_high"}) series.erase(key);
    series.update({{"columns", {"x", "y"}}, {"first_row", first}, {"rows", first == 0 ? 3 : 2}});
  }
  return json.dump() + std::string(1, '\0');
}

void write_figures(Folder figure, Folder draw) {
  figure.add(curves_of_a_file());
  for (const Figure& sample : figures()) {
    const std::string json = json_of(sample) + std::string(1, '\0');
    figure.add(json);
    draw.add(json);
    // A view with ranges, scales and everything else given, and numbers for the arrays.
    for (const char given : {'\x7F', '\x1F', '\x27'})
      draw.add(json + std::string(1, given) + "\x09" +
               std::string("\x3F\x00\x00\x00\x42\x00\x00\x00\x3E\x00\x00\x00\x43\x00\x00\x00"
                           "\x00\x00\x00\x00\x3F\x80\x00\x00\0\0\0\0\0\x40",
                           30) +
               std::string("\0\0\0\0\0\0\xF8\x7F\0\0\0\0\0\0\xF0\x7F\0\0\0\0\0\0\xF0\x3F", 24));
  }
}

void write_equations(Folder equation) {
  for (const Experiment* experiment : experiment_catalogue())
    for (const Formula& formula : experiment->info.formulas) equation.add(std::string(formula.tex));
  equation.add(
      R"(\left( \begin{pmatrix} a & \bar{b}_2 \\ \hat{c}^2 & \tilde{d} \end{pmatrix} \right))");
  equation.add(R"(\mathbf{x} \cdot \sqrt{\frac{1}{d}} \quad \text{for all } m \ge n \, \theta_t)");
  equation.add(R"(\begin{cases} 1 & m = n \\ -\infty & \mathrm{otherwise} \end{cases})");
}

void write_texts(Folder text) {
  text.add("The working model turns, and transformers turn with it.");
  text.add(
      "na\xC3\xAFve \xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E \xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D "
      "\xD8\xB3\xD9\x84\xD8\xA7\xD9\x85 \xE0\xB8\xAA\xE0\xB8\xA7\xE0\xB8\xB1 \xF0\x9F\x98\x80");
  text.add(
      "\xEF\xBB\xBFmark \xE2\x80\xAE"
      "over\xE2\x80\x8B\x01\x7F\t\n");
  text.add(
      std::string("\xFF\xFE"
                  "a\0b\0",
                  6));
}

void write_values(Folder values) {
  for (const char* list : {"64,128", "range(8)", "range(2, 64, 8)", "pow2(1..6)",
                           "linspace(1, 2, 5)", "logspace(0, 3, 4)", "geomspace(1, 1e6, 7)",
                           "1e4,5e5", "true,no", "l1", "rope,rope+alibi", "2/4", "weights.npz#q"})
    for (const char kind : {'\0', '\1', '\2', '\3', '\4', '\5'})
      values.add(std::string(1, kind) + list);
}

std::vector<SweepSpec> presets() {
  std::vector<SweepSpec> all;
  for (const std::string& name : preset_names()) all.push_back(preset_named(name));
  return all;
}

void write_sweeps(Folder sweep, Folder plan) {
  sweep.add_files(asset_path("presets"), ".toml");
  sweep.add(
      "experiment = \"attention_map\"\nzip = [[\"dim\", \"base\"]]\nrepeats = 2\nseed = 7\n"
      "out = \"o\"\n[params]\nencoding = [\"rope\", \"alibi\"]\ncausal = true\n[sweep]\n"
      "dim = \"pow2(3..4)\"\nbase = [1e4, 5e5]\n");
  for (SweepSpec& spec : presets()) {
    for (SweepSpec::Axis& axis : spec.axes) axis.values.resize(1);
    spec.zips.clear();
    plan.add(to_json(part_of(make_plan(spec, {{"svg", "png"}, "dark", true}), {1, 2})).dump());
  }
}

void write_journal(Folder journal) {
  const JournalEntry done{.id = "aaaaaaaaaaaa", .manifest_sha256 = std::string(64, 'a')};
  const JournalEntry failed{.id = "bbbbbbbbbbbb",
                            .status = PointStatus::failed,
                            .manifest_sha256 = {},
                            .error = "dim=3: must be even; write 4"};
  journal.add(journal_line(done) + journal_line(failed));
  journal.add(journal_line(done) + "{\"id\":\"cut");
  PointRecord point{
      .id = "aaaaaaaaaaaa", .label = "dim=64", .status = PointStatus::done, .seed = 7};
  const Result result = example_result();
  point.params = result.provenance.params;
  point.scalars = result.scalars;
  point.checks = result.checks;
  journal.add(to_json(point).dump() + "\n");
}

void write_notes(Folder notes) {
  notes.add(notes_json({}));
  notes.add(notes_json({.tags = {"paper", "figure 3"}, .note = "first \"line\"\nsecond"}));
}

void write_tables(Folder csv) {
  using Numbers = std::vector<double>;
  using Words = std::vector<std::string>;
  csv.add("\5nx,tword\n" +
          csv_text({.columns = {{"x", "", Numbers{0.1, -0.0, std::nan(""), 1e300, -HUGE_VAL}},
                                {"word", "", Words{"a", "", "\"", "b,\r\nc", "nan"}}}}));
  csv.add("\2tseries,nx,ny\n" + csv_text({.columns = {{"series", "", Words{"RoPE", "RoPE"}},
                                                      {"x", "", Numbers{1, 2}},
                                                      {"y", "", Numbers{5e-324, -1.0 / 3}}}}));
  csv.add("\1n\n\"\"\r\n1\r\n");
}

void write_sessions(Folder session) {
  session.add(
      "orrery_session = 1\nshown = \"two\"\nrecent = [\"/a b.npy\", \"/results\"]\n\n[look]\n"
      "theme = \"print\"\nscale = 1.25\nprojector = true\nlist = false\npanel = true\n"
      "findings = 120.5\n\n[saved]\non_screen = true\nfolder = \"/r\"\npoint = \"/r/1\"\n");
  session.add(
      "orrery_session = 1\n[experiment.\"one\"]\nfigure = \"curve\"\nlayout = \"side_by_side\"\n"
      "second_figure = \"map\"\n[experiment.\"one\".params]\nn = 42\nq = \"a \\\"b\\\".npy\"\n"
      "base = 5e5\ncausal = false\nencoding = [\"rope\", \"alibi\"]\n"
      "[experiment.\"one\".mark.\"curve\"]\npins = [1.0, 2.5]\ncursors = [0.0, 9.0]\n");
  session.add(
      "experiment = \"one\"\nfigure = \"curve\"\n[params]\nn = 1\n[view.\"curve\"]\n"
      "x = [-1.5, 100.0]\ny = [0.0, 1e-300]\nx_scale = \"log2\"\ny_scale = \"symlog\"\n"
      "y_threshold = 0.5\ncolor = [0.1, 0.2]\nhidden = [\"curve 1\"]\nminified = \"max\"\n");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("fuzz_seeds FOLDER GOLDEN: writes FOLDER/HARNESS/seed_NNN; GOLDEN is tests/golden\n",
               stderr);
    return 2;
  }
  const fs::path to = argv[1], golden = argv[2];
  Folder(to / "lesson").add_files(asset_path("lessons"), ".md");
  Folder(to / "npy").add_files(golden / "npy", ".npy");
  Folder(to / "npz").add_files(golden / "npz", ".npz");
  Folder(to / "safetensors").add_files(golden / "safetensors", ".safetensors");
  write_texts(Folder(to / "text"));
  write_equations(Folder(to / "equation"));
  write_values(Folder(to / "values"));
  write_sweeps(Folder(to / "sweep"), Folder(to / "plan"));
  Folder(to / "result").add(json_text(to_json(example_result())));
  write_notes(Folder(to / "notes"));
  write_tables(Folder(to / "csv"));
  write_figures(Folder(to / "figure"), Folder(to / "draw"));
  write_journal(Folder(to / "journal"));
  write_sessions(Folder(to / "session"));
}
