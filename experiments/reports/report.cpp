#include "experiments/reports/report_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "core/errors.h"
#include "core/params.h"
#include "experiments/combine/parts.h"
#include "experiments/figure/equation/plain_text.h"
#include "experiments/reports/report.h"
#include "experiments/results/notes.h"
#include "experiments/results/params_json.h"
#include "experiments/setup/plugins.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/sweep_layout.h"
#include "experiments/text/number_text.h"
#include "experiments/text/shell_quote.h"

namespace orrery {
namespace {

void add_field(const nlohmann::ordered_json& object, const char* key, const char* name,
               Grid& grid) {
  if (!object.is_object() || !object.contains(key)) return;
  const auto& value = object[key];
  grid.rows.push_back(
      {text_cell(name), text_cell(value.is_string() ? value.get<std::string>() : value.dump())});
}

std::string summary(const Result& result) {
  const auto failing =
      std::ranges::count_if(result.checks, [](const Check& check) { return !check.holds(); });
  if (result.checks.empty()) return "No claims were checked.";
  if (failing == 0) return fmt::format("All {} claims hold.", result.checks.size());
  return fmt::format("{} of {} claims FAIL.", failing, result.checks.size());
}

void add_run(const SavedFolder& saved, std::vector<Block>& blocks) {
  blocks.push_back(Heading{2, "Provenance", "provenance"});
  Grid grid{.header = {"", ""}};
  const auto& manifest = saved.manifest();
  if (manifest.contains("run"))
    for (const char* key : {"started", "finished", "wall_seconds", "threads", "seed", "status"})
      add_field(manifest["run"], key, key, grid);
  add_program_and_machine(manifest, grid);
  blocks.push_back(std::move(grid));
}

void add_inputs(const SavedFolder& saved, std::vector<Block>& blocks) {
  const auto& manifest = saved.manifest();
  if (!manifest.contains("inputs") || !manifest["inputs"].is_array() || manifest["inputs"].empty())
    return;
  blocks.push_back(Heading{3, "Input files", "inputs"});
  Grid grid{.header = {"Parameter", "File", "SHA-256"}};
  for (const auto& input : manifest["inputs"])
    grid.rows.push_back({text_cell(input.value("key", "")), text_cell(input.value("path", "")),
                         text_cell(input.value("sha256", ""))});
  blocks.push_back(std::move(grid));
}

void add_files(const SavedFolder& saved, std::vector<Block>& blocks) {
  blocks.push_back(Heading{2, "Files", "files"});
  Grid grid{.header = {"File", "Bytes", "SHA-256"}};
  for (const WrittenFile& file : saved.files())
    grid.rows.push_back({text_cell(file.path), number_cell(static_cast<double>(file.bytes)),
                         text_cell(file.sha256)});
  for (auto& row : grid.rows) row[1].text = fmt::format("{:.0f}", row[1].value);
  blocks.push_back(std::move(grid));
}

void add_commands(const RecoveredResult& recovered, const SavedFolder& saved,
                  std::vector<Block>& blocks) {
  const Provenance& provenance = recovered.result.provenance;
  blocks.push_back(Heading{2, "How to reproduce", "reproduce"});
  if (known_experiment(provenance.experiment)) {
    blocks.push_back(Paragraph{
        fmt::format("With version {} of {}, this command gives the same numbers to the bit; every "
                    "setting is spelled out.",
                    provenance.version, provenance.experiment)});
    blocks.push_back(CodeBlock{run_command_line(provenance, "again")});
  }
  const auto& manifest = saved.manifest();
  const std::vector<std::string> words =
      manifest.contains("run") ? called_words(manifest["run"]) : std::vector<std::string>();
  if (!words.empty()) {
    blocks.push_back(Paragraph{"The original command:"});
    blocks.push_back(CodeBlock{shell_line(words)});
  }
  const std::string folder = saved.folder().filename().string();
  blocks.push_back(Paragraph{
      "To redraw the figures for a slide or for print without computing again, and to compare with "
      "another run:"});
  blocks.push_back(CodeBlock{shell_line({"orrery", "redraw", folder, "--theme", "print"}) + "\n" +
                             shell_line({"orrery", "compare", folder, "again"})});
}

constexpr std::size_t most_rows_shown = 24;  ///< more rows of a table are only in its CSV

std::string anchor(const ResultSections& of, std::string_view name) {
  return of.prefix.empty() ? std::string(name) : fmt::format("{}-{}", of.prefix, name);
}

void add_heading(const ResultSections& of, std::string text, std::string_view name,
                 std::vector<Block>& blocks) {
  blocks.push_back(Heading{of.level, std::move(text), anchor(of, name)});
}

std::size_t rows_of(const Table& table) {
  std::size_t rows = 0;
  for (const Column& column : table.columns)
    rows =
        std::max(rows, std::visit([](const auto& values) { return values.size(); }, column.values));
  return rows;
}

GridCell cell_of(const Column& column, std::size_t row) {
  if (const auto* numbers = std::get_if<std::vector<double>>(&column.values))
    return row < numbers->size() ? number_cell((*numbers)[row]) : text_cell("");
  const auto& words = std::get<std::vector<std::string>>(column.values);
  return text_cell(row < words.size() ? words[row] : "");
}

void add_table(const ResultSections& of, const Table& table, std::vector<Block>& blocks) {
  const std::string file = "tables/" + table.name + ".csv";
  add_heading({of.recovered, of.saved, of.beside, of.prefix, 3},
              table.caption.empty() ? table.name : plain_text(table.caption), "table-" + table.name,
              blocks);
  const std::size_t rows = rows_of(table), shown = std::min(rows, most_rows_shown);
  Grid grid{.interactive = rows > 8};
  for (const Column& column : table.columns)
    grid.header.push_back(with_unit(column.name, column.unit));
  for (std::size_t row = 0; row < shown; ++row) {
    grid.rows.emplace_back();
    for (const Column& column : table.columns) grid.rows.back().push_back(cell_of(column, row));
  }
  blocks.push_back(std::move(grid));
  const std::string rest = shown < rows
                               ? fmt::format("The first {} of {} rows; all rows", shown, rows)
                               : std::string("All digits");
  blocks.push_back(Paragraph{fmt::format("{} are in {}.", rest, file), Paragraph::Kind::quiet});
}

}  // namespace

Report result_report(const ReportOptions& options) {
  const SavedFolder saved(options.folder);
  const RecoveredResult recovered = recover_result(saved);
  const Provenance& provenance = recovered.result.provenance;
  const Experiment* known = known_experiment(provenance.experiment);
  Report report{.document = {.title = experiment_title(provenance.experiment),
                             .subtitle = known ? plain_text(known->info.question) : ""},
                .problems = recovered.problems};
  std::vector<Block>& blocks = report.document.blocks;
  blocks.push_back(Paragraph{summary(recovered.result)});
  add_notes(options.folder, blocks, report.problems);
  if (recovered.result.status == Status::stopped)
    blocks.push_back(Paragraph{"The run was stopped early: these are the numbers up to then.",
                               Paragraph::Kind::warning});
  if (!report.problems.empty()) {
    blocks.push_back(
        Paragraph{"Parts of this result are missing or damaged:", Paragraph::Kind::warning});
    blocks.push_back(BulletList{{report.problems.begin(), report.problems.end()}, true});
  }
  const ResultSections sections{recovered, saved, options.beside};
  add_claims(sections, blocks);
  add_figures(sections, blocks);
  add_scalars(sections, blocks);
  add_tables(sections, blocks);
  add_settings(sections, blocks);
  add_inputs(saved, blocks);
  add_commands(recovered, saved, blocks);
  add_run(saved, blocks);
  add_files(saved, blocks);
  return report;
}

Report make_report(const ReportOptions& options) {
  return is_sweep_folder(options.folder) ? sweep_report(options) : result_report(options);
}

GridCell text_cell(std::string text) { return {.text = std::move(text)}; }

GridCell marked_cell(std::string_view marked) { return text_cell(plain_text(marked)); }

GridCell number_cell(double value) {
  if (std::isnan(value)) return {.text = "none", .kind = GridCell::Kind::number, .value = value};
  return {.text = short_number(value), .kind = GridCell::Kind::number, .value = value};
}

GridCell verdict_cell(bool good, std::string text) {
  return {.text = std::move(text), .kind = good ? GridCell::Kind::good : GridCell::Kind::bad};
}

ParamSpec spec_named(const std::string& experiment, const std::string& key) {
  for (ParamSpec spec : specs_of(experiment)) {
    if (spec.key != key) continue;
    if (plain_text(spec.symbol) == key) spec.symbol.clear();
    return spec;
  }
  return {.key = key};
}

std::string with_unit(const std::string& title, const std::string& unit) {
  return unit.empty() ? title : fmt::format("{} ({})", title, unit);
}

std::string run_command_line(const Provenance& provenance, const std::string& out) {
  std::vector<std::string> words{"orrery", "run", provenance.experiment};
  for (const auto& [key, value] : provenance.params)
    if (!value.empty()) words.push_back(key + "=" + value);
  if (!out.empty()) words.insert(words.end(), {"--out", out});
  return command_line(std::move(words));
}

void add_claims(const ResultSections& of, std::vector<Block>& blocks) {
  const std::vector<Check>& checks = of.recovered.result.checks;
  if (checks.empty()) return;
  add_heading(of, "Claims", "claims", blocks);
  Grid grid{.header = {"", "Claim", "Equation", "Measured", "", "Bound"}};
  for (const Check& check : checks)
    grid.rows.push_back({verdict_cell(check.holds(), check.holds() ? "holds" : "FAILS"),
                         marked_cell(check.statement.empty() ? check.name : check.statement),
                         marked_cell(check.equation), number_cell(check.measured),
                         text_cell(std::string(sign_of(check.relation))),
                         number_cell(check.bound)});
  blocks.push_back(std::move(grid));
}

void add_scalars(const ResultSections& of, std::vector<Block>& blocks) {
  const std::vector<Scalar>& scalars = of.recovered.result.scalars;
  if (scalars.empty()) return;
  add_heading(of, "Numbers", "numbers", blocks);
  Grid grid{.header = {"Number", "Symbol", "Value", "Unit", "Name in result.json"}};
  for (const Scalar& scalar : scalars)
    grid.rows.push_back({marked_cell(scalar.description.empty() ? scalar.name : scalar.description),
                         marked_cell(scalar.symbol), number_cell(scalar.value),
                         text_cell(scalar.unit), text_cell(scalar.name)});
  blocks.push_back(std::move(grid));
}

void add_figures(const ResultSections& of, std::vector<Block>& blocks) {
  const std::vector<Figure>& figures = of.recovered.result.figures;
  if (figures.empty()) return;
  add_heading(of, "Figures", "figures", blocks);
  for (const Figure& figure : figures) {
    const std::string file = fmt::format("figures/{}.svg", figure.id);
    const std::filesystem::path path = of.saved.folder() / file;
    blocks.push_back(Picture{
        .figure = figure,
        .id = anchor(of, figure.id),
        .file = of.saved.lists(file) ? path.lexically_proximate(of.beside).generic_string() : ""});
  }
}

void add_tables(const ResultSections& of, std::vector<Block>& blocks) {
  const std::vector<Table>& tables = of.recovered.result.tables;
  if (tables.empty()) return;
  add_heading(of, "Tables", "tables", blocks);
  for (const Table& table : tables) add_table(of, table, blocks);
}

void add_settings(const ResultSections& of, std::vector<Block>& blocks) {
  const Provenance& provenance = of.recovered.result.provenance;
  add_heading(of, "Settings", "settings", blocks);
  Grid grid{.header = {"Parameter", "Symbol", "Value", "Unit", "What it is"}};
  for (const auto& [key, value] : provenance.params) {
    const ParamSpec spec = spec_named(provenance.experiment, key);
    grid.rows.push_back({text_cell(key), marked_cell(spec.symbol), text_cell(value),
                         text_cell(spec.unit), marked_cell(spec.description)});
  }
  blocks.push_back(std::move(grid));
}

std::vector<std::string> called_words(const nlohmann::ordered_json& call) {
  std::vector<std::string> words;
  if (!call.is_object() || !call.contains("argv")) return words;
  for (const auto& word : call["argv"])
    if (word.is_string()) words.push_back(word.get<std::string>());
  if (!words.empty()) words.front() = "orrery";
  return words;
}

void add_notes(const std::filesystem::path& folder, std::vector<Block>& blocks,
               std::vector<std::string>& problems) try {
  const Notes notes = read_notes(folder);
  if (!notes.tags.empty())
    blocks.push_back(Paragraph{fmt::format("Tags: {}.", fmt::join(notes.tags, ", "))});
  std::istringstream lines(notes.note);
  bool first = true;
  for (std::string line; std::getline(lines, line); first = false)
    if (!line.empty()) blocks.push_back(Paragraph{first ? "Note: " + line : line});
} catch (const Error& error) {
  problems.emplace_back(error.what());
}

void add_program_and_machine(const nlohmann::ordered_json& manifest, Grid& grid) {
  if (!manifest.is_object()) return;
  const nlohmann::ordered_json none;
  const auto& program = manifest.contains("program") ? manifest["program"] : none;
  const auto& machine = manifest.contains("machine") ? manifest["machine"] : none;
  add_field(program, "version", "orrery", grid);
  add_field(program, "commit", "commit", grid);
  add_field(program, "dirty", "changed since the commit", grid);
  add_field(program, "compiler", "compiler", grid);
  add_field(program, "flags", "flags", grid);
  add_field(program, "isa", "instruction set", grid);
  add_field(machine, "cpu", "processor", grid);
  add_field(machine, "os", "system", grid);
  add_field(machine, "kernel", "kernel", grid);
}

}  // namespace orrery
