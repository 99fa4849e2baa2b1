#include "experiments/results/manifest.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/utsname.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "experiments/results/json_fields.h"
#include "experiments/results/params_json.h"
#include "experiments/setup/plugins.h"
#include "experiments/text/model_names.h"
#include "experiments/text/printable.h"
#include "orrery_build_info.h"  // written by cmake/build_info.cmake

namespace orrery {
namespace {

constexpr const char* unknown = "unknown";

std::string without(std::string_view text, std::string_view ends) {
  const std::size_t first = text.find_first_not_of(ends);
  if (first == std::string_view::npos) return unknown;
  return std::string(text.substr(first, text.find_last_not_of(ends) - first + 1));
}

/// The text after `separator` in the first line that begins with `key`.
std::string line_of(const char* path, std::string_view key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t at = line.find(separator);
    if (at != std::string::npos && line.starts_with(key))
      return without(std::string_view(line).substr(at + 1), " \t\"");
  }
  return unknown;
}

using Json = nlohmann::ordered_json;

Json experiment_json(const Provenance& provenance) {
  return {{"name", provenance.experiment},
          {"version", provenance.version},
          {"params", params_json(provenance.params, specs_of(provenance.experiment))}};
}

Json run_json(const Result& result, const RunRecord& run) {
  Json json{{"argv", run.argv},
            {"threads", run.threads},
            {"seed", result.provenance.seed},
            {"status", name_in(status_names(), result.status)}};
  if (run.times) {
    json["started"] = iso8601_utc(run.times->started);
    json["finished"] = iso8601_utc(run.times->finished);
    json["wall_seconds"] = run.times->wall_seconds;
  }
  return json;
}

Json input_json(const InputFile& input) {
  return {
      {"key", input.key}, {"path", input.path}, {"bytes", input.bytes}, {"sha256", input.sha256}};
}

Json file_json(const WrittenFile& file) {
  return {{"path", file.path}, {"bytes", file.bytes}, {"sha256", file.sha256}};
}

Json plugin_json(const Plugin& plugin) {
  return {{"file", plugin.file}, {"sha256", plugin.sha256}, {"encodings", plugin.encodings}};
}

bool stays_inside(const std::string& path) {
  if (path.empty() || std::filesystem::path(path).is_absolute()) return false;
  for (const std::filesystem::path& part : std::filesystem::path(path))
    if (part == ".." || part == "." || part.empty()) return false;
  return true;
}

WrittenFile file_from(const Json& json) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  WrittenFile file{.path = text_field(json, "path"),
                   .bytes = static_cast<std::uintmax_t>(integer_field(json, "bytes", 0, most)),
                   .sha256 = text_field(json, "sha256")};
  if (!stays_inside(file.path))
    throw MalformedJson(
        fmt::format("it lists {}, which is outside of the folder", in_quotes(file.path)));
  return file;
}

}  // namespace

Json program_json() {
  const BuildInfo& build = build_info();
  return {{"name", "orrery"},
          {"version", build.version},
          {"commit", build.commit},
          {"dirty", build.dirty ? Json(*build.dirty) : Json(nullptr)},
          {"compiler", build.compiler},
          {"flags", build.flags},
          {"build_type", build.build_type},
          {"isa", build.cpu_level}};
}

Json machine_json() {
  utsname system{};
  const bool known = ::uname(&system) == 0;
  return {{"cpu", line_of("/proc/cpuinfo", "model name", ':')},
          {"os", line_of("/etc/os-release", "PRETTY_NAME", '=')},
          {"kernel", known ? fmt::format("{} {}", system.sysname, system.release) : unknown},
          {"architecture", known ? system.machine : unknown}};
}

Json manifest_json(const Result& result, const RunRecord& run,
                   const std::vector<WrittenFile>& files) {
  Json json{
      {"schema", manifest_schema},           {"program", program_json()},
      {"machine", machine_json()},           {"experiment", experiment_json(result.provenance)},
      {"run", run_json(result, run)},        {"inputs", json_list(run.inputs, input_json)},
      {"files", json_list(files, file_json)}};
  std::vector<std::string> settings;
  for (const auto& [key, value] : result.provenance.params) settings.push_back(key + "=" + value);
  if (const auto plugins = plugins_named_in(settings); !plugins.empty())
    json["plugins"] = json_list(plugins, plugin_json);
  return json;
}

std::vector<WrittenFile> files_of(const Json& manifest) {
  if (text_field(manifest, "schema") != manifest_schema)
    throw MalformedJson(fmt::format("'schema' is not {}", manifest_schema));
  return list_from(manifest, "files", file_from);
}

Provenance experiment_of(const Json& manifest) {
  const Json& json = field(manifest, "experiment");
  return {.experiment = text_field(json, "name"),
          .version = int_field(json, "version", 0),
          .params = settings_field(json, "params")};
}

std::string iso8601_utc(std::chrono::system_clock::time_point time) {
  using namespace std::chrono;
  const auto seconds_part = floor<seconds>(time);
  const auto millis = duration_cast<milliseconds>(time - seconds_part).count();
  const std::tm utc = fmt::gmtime(system_clock::to_time_t(seconds_part));
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, millis);
}

const BuildInfo& build_info() {
  static const BuildInfo info{.version = ORRERY_BUILD_VERSION,
                              .commit = ORRERY_BUILD_COMMIT,
                              .dirty = ORRERY_BUILD_DIRTY,
                              .compiler = ORRERY_BUILD_COMPILER,
                              .flags = ORRERY_BUILD_FLAGS,
                              .build_type = ORRERY_BUILD_TYPE,
                              .cpu_level = ORRERY_BUILD_CPU_LEVEL};
  return info;
}

}  // namespace orrery
