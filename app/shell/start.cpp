#include "app/shell/start.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "app/session/session_file.h"
#include "experiments/data/load_inputs.h"
#include "experiments/files/file.h"
#include "experiments/studies/catalogue.h"

namespace orrery {
namespace {

void apply_overrides(Session& session, const std::vector<std::string>& overrides) {
  for (const std::string& word : overrides) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      throw UsageError(word, "must read key=value",
                       "see orrery describe " + session.current().experiment->info.name);
    if (!session.set(word.substr(0, equals), word.substr(equals + 1)))
      std::rethrow_exception(session.current().failure);
  }
}

/// Makes a loader with a cache of its own, since each job has its own thread.
InputLoader make_loader() {
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
  if (options.scale && !(*options.scale >= min_scale && *options.scale <= max_scale))
    throw UsageError(fmt::format("--scale {}", *options.scale),
                     fmt::format("must lie in [{}, {}]", min_scale, max_scale), "try --scale 1.5");
  if (options.view.empty() && !options.overrides.empty())
    throw UsageError(options.overrides.front(), "needs a view", "add --view NAME");
  auto session = std::make_unique<Session>(experiment_catalogue(), make_loader, std::move(wake));
  restore_session(*session, options.session);
  if (!options.theme.empty()) session->look.theme = theme_named(options.theme);
  session->look.scale = options.scale.value_or(session->look.scale);
  session->select(options.view.empty() ? session->selected()
                                       : *session->find(find_experiment(options.view).info.name));
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
