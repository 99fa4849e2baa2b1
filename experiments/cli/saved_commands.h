#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <vector>

namespace orrery::cli {

struct RedrawOptions {
  std::string folder{};
  std::vector<std::string> formats{"svg", "png", "pdf"};
  std::string theme{"light"};
  double scale{2.0};  ///< pixels a point of a PNG
  std::string out{};  ///< beside the folder when empty
};
int redraw_command(const RedrawOptions& options);

struct ReportCommandOptions {
  std::string folder{};
  std::string out{};  ///< beside the folder when empty
  std::size_t points{24};
};
int report_command(const ReportCommandOptions& options);

struct CompareCommandOptions {
  std::string a{};
  std::string b{};
  bool json{false};
};
int compare_command(const CompareCommandOptions& options);

/// A subcommand that reads results, and what it does once the command line has been read.
struct SavedCommand {
  CLI::App* app{};
  std::function<int()> run{};
};

/// Adds redraw, report and compare.
std::vector<SavedCommand> add_saved_commands(CLI::App& app);

}  // namespace orrery::cli
