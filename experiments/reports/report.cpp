#include "experiments/reports/report.h"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/figure/equation/plain_text.h"
#include "experiments/reports/report_parts.h"
#include "experiments/studies/catalogue.h"
#include "experiments/sweeps/sweep_layout.h"
#include "experiments/text/shell_quote.h"

namespace orrery {
namespace {

std::string summary(const Result& result) {
  const auto failing = std::count_if(result.checks.begin(), result.checks.end(),
                                     [](const Check& check) { return !check.holds(); });
  if (result.checks.empty()) return "No claims were checked.";
  if (failing == 0) return fmt::format("All {} claims hold.", result.checks.size());
  return fmt::format("{} of {} claims FAIL.", failing, result.checks.size());
}

void add_run(const SavedFolder& saved, std::vector<Block>& blocks) {
  blocks.push_back(Heading{2, "Provenance", "provenance"});
  Grid grid{.header = {"", ""}};
  const auto& manifest = saved.manifest();
  if (manifest.contains("run") && manifest["run"].is_object())
    for (const char* key : {"started", "finished", "wall_seconds", "threads", "seed", "status"})
      if (manifest["run"].contains(key)) {
        const auto& value = manifest["run"][key];
        grid.rows.push_back({text_cell(key), text_cell(value.is_string() ? value.get<std::string>()
                                                                         : value.dump())});
      }
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

std::vector<std::string> argv_of(const nlohmann::ordered_json& manifest) {
  std::vector<std::string> words;
  if (!manifest.contains("run") || !manifest["run"].is_object()) return words;
  for (const auto& word : manifest["run"].value("argv", nlohmann::ordered_json::array()))
    if (word.is_string()) words.push_back(word.get<std::string>());
  return words;
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
  std::vector<std::string> argv = argv_of(saved.manifest());
  if (!argv.empty()) {
    argv.front() = "orrery";
    blocks.push_back(Paragraph{"The original command:"});
    blocks.push_back(CodeBlock{shell_line(argv)});
  }
  const std::string folder = saved.folder().filename().string();
  blocks.push_back(Paragraph{
      "To redraw the figures for a slide or for print without computing again, and to compare with "
      "another run:"});
  blocks.push_back(CodeBlock{shell_line({"orrery", "redraw", folder, "--theme", "print"}) + "\n" +
                             shell_line({"orrery", "compare", folder, "again"})});
}

}  // namespace

Report result_report(const ReportOptions& options) {
  const SavedFolder saved(options.folder);
  const RecoveredResult recovered = recover_result(saved);
  const Provenance& provenance = recovered.result.provenance;
  const Experiment* known = known_experiment(provenance.experiment);
  Report report{.document = {.title = known ? known->info.title : provenance.experiment,
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

}  // namespace orrery
