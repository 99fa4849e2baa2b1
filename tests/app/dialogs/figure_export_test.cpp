#include "app/dialogs/export_dialog.h"

#include <catch2/catch.hpp>

#include "experiments/figure/export.h"
#include "tests/app/fixture.h"
#include "tests/cli/shell.h"

namespace orrery {
namespace {

ShownFigure curves() {
  ShownFigure shown{.figure = test::lines("curves", {{1, 2, 3}, {30, 20, 10}})};
  shown.view.hidden = {"curve 1"};
  return shown;
}

TEST_CASE("A figure is exported as it is shown") {
  ShownFigure shown = curves();
  const std::string hidden = export_bytes(shown, "svg", Theme::light);
  shown.view.hidden.clear();
  const std::string all = export_bytes(shown, "svg", Theme::light);
  shown.view.x = Range{0.5, 1.0};
  const std::string zoomed = export_bytes(shown, "svg", Theme::light);
  CHECK(hidden != all);
  CHECK(all != zoomed);
  CHECK(export_bytes(shown, "svg", Theme::light) == zoomed);
  CHECK(export_bytes(shown, "svg", Theme::dark) != zoomed);
  CHECK(export_bytes(shown, "png", Theme::light).starts_with("\x89PNG"));
  CHECK(export_bytes(shown, "pdf", Theme::light).starts_with("%PDF"));
  CHECK_THROWS_WITH(export_bytes(shown, "gif", Theme::light), Catch::Contains("gif"));
}

TEST_CASE("A picture has its formulas where they are wanted, as the command line draws them") {
  ShownFigure shown = curves();
  shown.formulas = formulas_of({"spectrum"});
  const std::string with = export_bytes(shown, "svg", Theme::dark, true);
  CHECK_THAT(with, Catch::Contains(">λ</text>") && Catch::Contains(">sec. 3.3</text>"));
  CHECK_THAT(export_bytes(shown, "svg", Theme::dark), !Catch::Contains(">λ</text>"));
  CHECK(export_bytes(shown, "pdf", Theme::dark, true) != export_bytes(shown, "pdf", Theme::dark));
  CHECK(export_bytes(shown, "csv", Theme::dark, true) == export_bytes(shown, "csv", Theme::dark));
  shown.view = {};
  CHECK(export_bytes(shown, "svg", Theme::dark, true) ==
        export_figure(shown.figure, FigureFormat::svg,
                      {.theme = Theme::dark, .formulas = formulas_of({"spectrum"})}));
}

TEST_CASE("CSV has the numbers of the curves that are not hidden") {
  CHECK(export_bytes(curves(), "csv", Theme::light) == "x,curve 0\r\n0,1\r\n1,2\r\n2,3\r\n");
}

TEST_CASE("Files are written whole, never over others unless told to") {
  const TempFolder folder;
  ExportRequest request{
      .figures = {curves()}, .format = "csv", .path = folder.path() / "new" / "figure.csv"};
  CHECK(export_figures(request).written == std::vector{request.path});
  const ExportOutcome again = export_figures(request);
  CHECK(again.written.empty());
  CHECK(again.existing == std::vector{request.path});
  request.replace = true;
  request.figures[0].view.hidden.clear();
  CHECK(export_figures(request).written.size() == 1);
  CHECK(test::content(request.path).find("curve 1") != std::string::npos);
}

TEST_CASE("Several figures get a file each") {
  const TempFolder folder;
  ShownFigure other = curves();
  other.figure.id = "other";
  const ExportRequest request{
      .figures = {curves(), other}, .format = "svg", .path = folder.path() / "all.svg"};
  CHECK(export_figures(request).written ==
        std::vector{folder.path() / "all-curves.svg", folder.path() / "all-other.svg"});
}

TEST_CASE("A name without the extension gets it, and no name is refused") {
  const ShownFigure shown = curves();
  const TempFolder folder;
  const ExportRequest request{
      .figures = {shown}, .format = "svg", .path = folder.path() / "fig.v2"};
  CHECK(export_figures(request).written == std::vector{folder.path() / "fig.v2.svg"});
  CHECK_THROWS_WITH(export_figures({.figures = {shown}, .path = "/tmp/"}),
                    Catch::Contains("does not name a file"));
}

TEST_CASE("What is on screen is what the view draws, in whatever layout") {
  const test::FakeExperiment experiment(
      "curves", {test::n_param()}, [](const ParamSet&, Progress&) {
        return test::result_of(
            {test::lines("a", {{1, 2}}), test::lines("b", {{1, 2}}), test::lines("c", {{1, 2}})});
      });
  Session session({&experiment}, test::no_files, {});
  CHECK(figures_on_screen(session).empty());
  session.select(0);
  test::NullDesktop desktop(session, 1280, 800);
  const auto ids = [&](ViewLayout layout) {
    session.shown().layout = layout;
    desktop.settle();
    std::string list;
    for (const ShownFigure& shown : figures_on_screen(session)) list += shown.figure.id + " ";
    return list;
  };
  CHECK(ids(ViewLayout::single) == "a ");
  CHECK(ids(ViewLayout::side_by_side) == "a b ");
  CHECK(ids(ViewLayout::small_multiples) == "a b c ");
  session.view("a").hidden = {"curve 0"};
  desktop.frame();
  CHECK(figures_on_screen(session).front().view.hidden.size() == 1);
}

}  // namespace
}  // namespace orrery
