#include "app/start.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "app/session_file.h"
#include "experiments/catalogue.h"
#include "experiments/data/file.h"
#include "experiments/data/inputs.h"

namespace orrery {
namespace {

Theme theme_asked_for(const std::string& name) {
  if (const std::optional<Theme> theme = find_theme(name)) return *theme;
  throw UsageError("--theme " + name, "is no theme", "choose dark, light or print");
}

void apply_overrides(Session& session, const std::vector<std::string>& overrides) {
  for (const std::string& word : overrides) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      throw UsageError(word, "must read key=value",
                       "see orrery describe " + session.current().experiment->info().name);
    if (!session.set(word.substr(0, equals), word.substr(equals + 1)))
      std::rethrow_exception(session.current().failure);
  }
}

/// Each job's thread has a cache of its own.
Session::InputLoader make_loader() {
  return [cache = std::make_shared<InputCache>()](const ParamSet& params) {
    const std::shared_ptr<const LoadedInputs> loaded = cache->load(params);
    return std::shared_ptr<const Inputs>(loaded, &loaded->inputs);
  };
}

bool parse_side(std::string_view text, int& side) {
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), side);
  return status == std::errc() && end == text.data() + text.size() && side > 0;
}

}  // namespace

std::unique_ptr<Session> start_session(const StartOptions& options, std::function<void()> wake) {
  if (options.scale && !(*options.scale >= kLeastScale && *options.scale <= kLargestScale))
    throw UsageError(fmt::format("--scale {}", *options.scale),
                     fmt::format("must lie in [{}, {}]", kLeastScale, kLargestScale),
                     "try --scale 1.5");
  if (options.view.empty() && !options.overrides.empty())
    throw UsageError(options.overrides.front(), "belongs to no view", "add --view NAME");
  auto session = std::make_unique<Session>(experiment_catalogue(), make_loader, std::move(wake));
  restore_session(*session, options.session);
  if (!options.theme.empty()) session->theme = theme_asked_for(options.theme);
  session->scale = options.scale.value_or(session->scale);
  session->select(options.view.empty() ? session->selected()
                                       : *session->find(find_experiment(options.view).info().name));
  apply_overrides(*session, options.overrides);
  return session;
}

std::pair<int, int> parse_size(const std::string& text) {
  int width = 0, height = 0;
  const std::size_t cross = text.find('x');
  const bool good = cross != std::string::npos &&
                    parse_side(std::string_view(text).substr(0, cross), width) &&
                    parse_side(std::string_view(text).substr(cross + 1), height);
  if (!good)
    throw UsageError("--size " + text, "must be width x height in pixels", "try --size 1280x800");
  return {width, height};
}

}  // namespace orrery
