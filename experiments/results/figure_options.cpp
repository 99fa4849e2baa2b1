#include "experiments/results/figure_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "core/errors.h"
#include "core/parallel.h"
#include "experiments/studies/catalogue.h"

namespace orrery {
namespace {

struct Drawing {
  const Figure* figure{};
  std::string format{};
  std::string bytes{};
};

std::vector<Drawing> drawings_of(const Result& result, const std::vector<std::string>& formats) {
  std::vector<Drawing> drawings;
  for (const Figure& figure : result.figures)
    for (const std::string& format : formats) drawings.push_back({&figure, format, {}});
  return drawings;
}

UsageError no_such_figure(const std::string& wanted, const Result& result) {
  std::vector<std::string> names;
  for (const Figure& figure : result.figures) names.push_back(figure.id);
  return UsageError("--figure " + wanted,
                    fmt::format("is no figure of this result of {}", result.provenance.experiment),
                    names.empty() ? std::string("leave it out: the result has no figures")
                                  : fmt::format("name one of {}", fmt::join(names, ", ")));
}

}  // namespace

void keep_figures(Result& result, const FigureOptions& figures) {
  if (figures.only.empty()) return;
  const auto is_meant = [](const std::string& wanted) {
    return [&](const Figure& figure) {
      return figure.id == wanted || figure.id.starts_with(wanted + "_");
    };
  };
  for (const std::string& wanted : figures.only)
    if (result.status != Status::stopped &&
        std::none_of(result.figures.begin(), result.figures.end(), is_meant(wanted)))
      throw no_such_figure(wanted, result);
  result.tables.clear();
  result.arrays.clear();
  std::erase_if(result.figures, [&](const Figure& figure) {
    return std::none_of(figures.only.begin(), figures.only.end(),
                        [&](const std::string& wanted) { return is_meant(wanted)(figure); });
  });
}

WriteOptions write_options(const std::filesystem::path& folder, const FigureOptions& figures,
                           const Provenance& from) {
  check_figure_file("png", figures.theme);
  const ExportOptions look{.page = figures.page};
  return {.folder = folder,
          .figure_formats = figures.formats,
          .render = [=, formulas = figures.formulas, theme = figures.theme](
                        const Figure& figure, std::string_view format) {
            ExportOptions own = look;
            if (formulas) own.formulas = formulas_of({from.experiment, from.params, figure.role});
            return figure_file(figure, format, theme, own);
          }};
}

WriteOptions drawn_on_all_cores(const Result& result, WriteOptions options) {
  return drawn_on(static_cast<std::size_t>(threads_or_all(0)), result, std::move(options));
}

WriteOptions drawn_on(std::size_t threads, const Result& result, WriteOptions options) {
  std::vector<Drawing> drawings = drawings_of(result, options.figure_formats);
  in_parallel(static_cast<std::ptrdiff_t>(drawings.size()), static_cast<int>(threads), [&] {
    return [&](std::ptrdiff_t item) {
      Drawing& drawing = drawings[static_cast<std::size_t>(item)];
      drawing.bytes = options.render(*drawing.figure, drawing.format);
    };
  });
  using Key = std::pair<const Figure*, std::string>;
  const auto drawn = std::make_shared<std::map<Key, std::string>>();
  for (Drawing& drawing : drawings)
    drawn->emplace(Key(drawing.figure, drawing.format), std::move(drawing.bytes));
  options.render = [drawn](const Figure& figure, std::string_view format) {
    return std::move(drawn->at(Key(&figure, format)));
  };
  return options;
}

}  // namespace orrery
