#include "experiments/batch/figure_options.h"

#include "experiments/figure/export.h"

namespace orrery {

WriteOptions write_options(const std::filesystem::path& folder, const FigureOptions& figures) {
  const Theme theme = theme_named(figures.theme);
  return {.folder = folder,
          .figure_formats = figures.formats,
          .render = [theme](const Figure& figure, std::string_view format) {
            return export_figure(figure, figure_format_named(format), theme);
          }};
}

}  // namespace orrery
