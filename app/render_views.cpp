#include "app/render_views.h"

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "app/offscreen.h"
#include "experiments/data/file.h"

namespace orrery {
namespace {

void render_current(Session& session, OffscreenDesktop& desktop,
                    const std::filesystem::path& folder) {
  desktop.settle();
  if (session.current().failure) std::rethrow_exception(session.current().failure);
  const std::string name = session.current().experiment->info().name;
  const std::filesystem::path path = folder / (name + ".png");
  std::filesystem::remove(path);
  write_new_file(path, png_bytes(desktop.pixels()));
  std::printf("%s\n", path.c_str());
}

}  // namespace

void render_views(const RenderOptions& options) {
  const auto [width, height] = parse_size(options.size);
  const auto session = start_session(options.start, {});
  OffscreenDesktop desktop(*session, width, height);
  std::error_code failed;
  std::filesystem::create_directories(options.folder, failed);
  if (failed) throw io_error(options.folder, "made", failed.value());
  if (!options.start.view.empty()) return render_current(*session, desktop, options.folder);
  for (std::size_t i = 0; i < session->size(); ++i) {
    session->select(i);
    render_current(*session, desktop, options.folder);
  }
}

}  // namespace orrery
