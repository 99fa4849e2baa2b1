#include "experiments/results/figure_options.h"

#include "experiments/figure/export.h"
#include "experiments/studies/formulas.h"

namespace orrery::results {

WriteOptions write_options(const std::filesystem::path& folder, const FigureOptions& figures,
                           const Provenance& from) {
  ExportOptions look{.theme = theme_named(figures.theme)};
  return {.folder = folder,
          .figure_formats = figures.formats,
          .render = [=, formulas = figures.formulas](const Figure& figure,
                                                     std::string_view format) mutable {
            if (formulas) look.formulas = formulas_of({from.experiment, from.params, figure.role});
            return export_figure(figure, figure_format_named(format), look);
          }};
}

}  // namespace orrery::results
