#include "app/opened_path.h"

#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>

#include "experiments/data/file.h"

namespace orrery {
namespace {

// A result without its arrays; tables may be long.
constexpr std::uintmax_t kMostBytes = std::uintmax_t{1} << 30;

void read_result(OpenedPath& opened) {
  const std::filesystem::path file = opened.path / "result.json";
  const auto damaged = [&](const char* why) {
    return DataError(file.string(), why, "choose the folder of a finished result");
  };
  const nlohmann::json json = nlohmann::json::parse(read_file(file, kMostBytes), nullptr, false);
  if (!json.is_object() || !json.contains("provenance")) throw damaged("holds no result");
  const nlohmann::json& provenance = json["provenance"];
  if (!provenance.is_object() || !provenance.value("experiment", nlohmann::json()).is_string() ||
      !provenance.value("params", nlohmann::json()).is_object())
    throw damaged("does not say where the result comes from");
  opened.experiment = provenance["experiment"];
  for (const auto& [key, value] : provenance["params"].items())
    if (value.is_string()) opened.params.emplace_back(key, value);
}

}  // namespace

OpenedPath look_at(const std::filesystem::path& path) {
  std::error_code failed;
  if (!std::filesystem::exists(path, failed))
    throw io_error(path.string(), "opened", failed ? failed.value() : ENOENT);
  OpenedPath opened{.path = path, .kind = path_kind(path)};
  if (opened.kind == PathKind::result_folder) read_result(opened);
  return opened;
}

std::vector<std::string> show_result(Session& session, const OpenedPath& opened) {
  const std::optional<std::size_t> index = session.find(opened.experiment);
  if (!index)
    throw UsageError(opened.path.string(), "is of an experiment that is not built in",
                     "open it with the version that made it");
  DesktopState state = session.snapshot();
  ParamSet& params = state.experiments[*index].params;
  for (const ParamSpec& spec : params.specs()) params.reset(spec.key);
  std::vector<std::string> left_out;
  for (const auto& [key, value] : opened.params) {
    try {
      params.set(key, value);
    } catch (const Error& refusal) {
      left_out.push_back(refusal.what());
    }
  }
  state.selected = *index;
  session.apply(state);
  return left_out;
}

}  // namespace orrery
