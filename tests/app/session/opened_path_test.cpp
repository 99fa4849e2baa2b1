
#include <GLFW/glfw3.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <thread>

#include "app/session/file_targets.h"
#include "app/shell/start.h"
#include "tests/app/fixture.h"
#include "tests/cli/shell.h"
#include "tests/support/paths.h"

namespace orrery {
namespace {

/// A variable of the environment as long as this lives.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    ::setenv(name, value.c_str(), 1);
  }
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_{};
};

/// Frames until the background has looked at what was dropped.
void wait_for(test::NullDesktop& desktop, const std::function<bool()>& done) {
  for (int i = 0; i < 2000 && !done(); ++i) {
    desktop.frame();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

TEST_CASE("A result folder shows what was saved in it") {
  const test::Shell shell;
  REQUIRE(shell.run("run relative_invariance seed=7 dim=32 --format none --out r").status == 0);
  const auto session = start_session({}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  desktop.app().drop({(shell.folder() / "r").string()});
  wait_for(desktop, [&] { return desktop.app().browser().session().current().result != nullptr; });
  REQUIRE(desktop.app().is_browsing());
  const Provenance from = desktop.app().browser().session().current().result->provenance;
  CHECK(from.experiment == "relative_invariance");
  const SavedSettings settings = settings_of(*session, from);
  CHECK(settings.left_out.empty());
  CHECK(settings.params.integer("seed") == 7);
  CHECK(settings.params.integer("dim") == 32);
  CHECK(session->recent.front() == (shell.folder() / "r").string());
}

TEST_CASE("A damaged result folder is refused by name") {
  const TempFolder folder;
  for (const char* bytes :
       {"", "{", "[]", "{\"schema\": 3}", "{\"schema\": \"orrery.manifest/1\"}"}) {
    folder.file("result.json", "{}");
    const auto path = folder.file("manifest.json", bytes).parent_path();
    CHECK_THROWS_WITH(look_at(path), Catch::Contains("manifest.json"));
    std::filesystem::remove(folder.path() / "manifest.json");
  }
  CHECK_THROWS_WITH(look_at(folder.path()), Catch::Contains("manifest.json"));
  for (const char* bytes : {"", "{", "[]", "{\"schema\": 3}"}) {
    const auto path = folder.file("plan.json", bytes).parent_path();
    CHECK_THROWS_WITH(look_at(path), Catch::Contains("plan.json"));
    std::filesystem::remove(folder.path() / "plan.json");
  }
  CHECK_THROWS_WITH(look_at("/nowhere/at/all"), Catch::Contains("/nowhere/at/all"));
}

TEST_CASE("A device or a pipe is refused rather than opened as nothing") {
  const TempFolder folder;
  const auto pipe = folder.path() / "pipe";
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  for (const char* path : {"/dev/null", "/dev/zero", pipe.c_str()})
    CHECK_THROWS_WITH(look_at(path), Catch::Contains("is a pipe or a device"));
}

TEST_CASE("A tensor that several parameters could read is asked about") {
  const TempFolder folder;
  const std::string path = folder.file("head.npy", "x").string();
  const test::FakeExperiment experiment(
      "three", {test::n_param(), test::file_param("q"), test::file_param("k")},
      [](const ParamSet&, Progress&) { return test::result_of({}); });
  Session session({&experiment}, test::no_files, {});
  session.select(0);
  test::NullDesktop desktop(session, 1280, 800);
  desktop.settle();
  const auto first = [&](const char* name) {
    const std::vector<FileTarget> targets = file_targets(session, name);
    CHECK(targets.size() == 2);
    return targets.front().key;
  };
  CHECK(first(path.c_str()) == "q");
  CHECK(first("layer_3_k.npy") == "k");
  CHECK(first("K.npy") == "k");
  CHECK(first("rank.npy") == "q");
  const std::size_t before = desktop.vertices();
  desktop.app().drop({path});
  wait_for(desktop, [&] { return desktop.vertices() > before + 100; });
  CHECK(session.current().params.text("q").empty());
  CHECK(session.current().params.text("k").empty());
  CHECK(desktop.vertices() > before + 100);
  session.set("q", path);
  CHECK(first(path.c_str()) == "k");  // Enter does not take the place of the first
  CHECK(first("q.npy") == "q");
}

TEST_CASE("A model's configuration, or its folder, opens as a view of its layers") {
  const TempFolder folder;
  const std::string path =
      folder
          .file("config.json", R"({"model_type": "llama", "num_hidden_layers": 3, "head_dim": 8})")
          .string();
  const auto session = start_session({}, {});
  // Without weights there are no heads to look at.
  for (const auto& [dropped, view] : {std::pair{path, "attention_map"},
                                      {folder.path().string(), "attention_map"},
                                      {path, "model_heads"}}) {
    test::NullDesktop desktop(*session, 1280, 800);
    session->select(*session->find(view));
    desktop.settle();
    desktop.app().drop({dropped});
    wait_for(desktop, [&] { return session->current().experiment->info.name == "model_layers"; });
    desktop.settle();
    CHECK(session->current().experiment->info.name == "model_layers");
    CHECK(session->current().params.text("model") == path);
    CHECK(session->current().message.empty());
    REQUIRE(session->current().result);
    CHECK(session->current().result->scalars.at(0).value == 3);
    session->reset("model");
  }
}

TEST_CASE("A model that runs opens on the head of its highest score") {
  const auto session = start_session({}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  const std::string model = test::source_folder() + "/assets/models/bytes_rope";
  for (const auto& [shown, opened] :
       {std::pair{"attention_map", "model_heads"}, {"model_layers", "model_layers"}}) {
    session->select(*session->find(shown));
    desktop.settle();
    desktop.app().drop({model});
    wait_for(desktop, [&] {
      const ExperimentState& now = session->current();
      return now.params.has("model") && now.params.text("model") == model + "/config.json";
    });
    desktop.settle();
    CHECK(session->current().experiment->info.name == opened);
    CHECK(session->current().message.empty());
  }
  const std::optional<std::size_t> heads = session->find("model_heads");
  REQUIRE(session->state(*heads).result);
  double highest = 0;
  for (const Table& table : session->state(*heads).result->tables)
    for (const Column& column : table.columns)
      if (table.name == "heads" && column.name == "previous")
        for (const double value : std::get<std::vector<double>>(column.values))
          if (value > highest) highest = value;
  CHECK(highest > 0);
  for (const Scalar& scalar : session->state(*heads).result->scalars)
    if (scalar.name == "head_previous") CHECK(scalar.value == highest);
}

TEST_CASE("A picture names its file while another one is read, and one that fails leaves no name") {
  const TempFolder folder;
  const std::string good =
      folder.file("good.json", R"({"model_type": "llama", "head_dim": 8})").string();
  const std::string bad = folder.file("bad.json", "{").string();
  const auto session = start_session({.view = "model_layers"}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  session->set("model", good);
  desktop.settle();
  CHECK(session->current().other_file().empty());
  session->set("model", bad);
  // A reader that is quick has refused it already, and its name is gone.
  const bool is_refused = !session->current().message.empty();
  CHECK(session->current().other_file() == (is_refused ? "" : "good.json"));
  wait_for(desktop, [&] { return !session->current().message.empty(); });
  CHECK_THAT(session->current().message, Catch::Matchers::Contains("bad.json"));
  CHECK(session->current().params.text("model") == good);
  CHECK(session->current().other_file().empty());
}

/// A desktop whose only experiment reads a tensor q.
struct OneTensor {
  OneTensor() {
    session.select(0);
    desktop.settle();
  }
  test::FakeExperiment experiment{"one",
                                  {test::n_param(), test::file_param("q")},
                                  [](const ParamSet&, Progress&) { return test::result_of({}); }};
  Session session{{&experiment}, test::no_files, {}};
  test::NullDesktop desktop{session, 1280, 800};
};

TEST_CASE("A tensor that one parameter could read goes there") {
  const TempFolder folder;
  const std::string path = folder.file("head.npy", "x").string();
  OneTensor one;
  Session& session = one.session;
  test::NullDesktop& desktop = one.desktop;
  desktop.app().drop({path});
  wait_for(desktop, [&] { return !session.current().params.text("q").empty(); });
  CHECK(session.current().params.text("q") == path);
  CHECK(desktop.app().history().can_undo());
}

TEST_CASE("The newest tensor of a folder that is watched opens itself, until that is ended") {
  const TempFolder folder;
  folder.file("old.npy", "x");
  OneTensor one;
  Session& session = one.session;
  test::NullDesktop& desktop = one.desktop;
  const auto watch = [&] {
    desktop.press(GLFW_KEY_O, true);
    desktop.frame(3);
    desktop.type(std::filesystem::path(folder.path()).string() + "/");
    wait_for(desktop, [&] { return desktop.app().item_rects().find("entry old.npy").has_value(); });
    desktop.click(desktop.item("button Watch this folder"));
    desktop.frame(2);
  };
  watch();
  CHECK(session.current().params.text("q").empty());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the clock of the files' times
  const std::string path = folder.file("q.npy", "xy").string();
  wait_for(desktop, [&] { return !session.current().params.text("q").empty(); });
  CHECK(session.current().params.text("q") == path);
  watch();
  CHECK_THAT(session.note(), Catch::Matchers::Contains("No longer watching"));
}

TEST_CASE("A model of the hub's cache is opened by its name") {
  const TempFolder folder;
  const std::string path =
      folder
          .file("models--a--one/snapshots/rev/config.json",
                R"({"model_type": "llama", "num_hidden_layers": 2, "hidden_size": 8,
                       "num_attention_heads": 2})")
          .string();
  const Variable cache("HF_HUB_CACHE", std::filesystem::path(folder.path()).string());
  CHECK(look_at("a/one").path == path);
  CHECK_THROWS_WITH(look_at("a/two"), Catch::Matchers::Contains("a/two"));
}

TEST_CASE("A model of a text is opened on its heads by one click after it was trained") {
  const TempFolder folder;
  const Variable state("XDG_STATE_HOME", std::filesystem::path(folder.path()).string());
  const auto session = start_session({.view = "training"}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  CHECK_FALSE(desktop.app().item_rects().find("button Open this model"));
  for (const auto& [key, value] : {std::pair{"task", "causal_language"},
                                   {"model", "llama"},
                                   {"encoding", "rope"},
                                   {"steps", "2"}})
    session->set(key, value);
  desktop.settle();
  desktop.click(desktop.item("button Open this model"));
  desktop.settle();
  CHECK(session->current().experiment->info.name == "model_heads");
  CHECK(session->current().message.empty());
  REQUIRE(session->current().result);
  CHECK(session->current().params.text("model").starts_with(
      std::filesystem::path(folder.path()).string()));
}

}  // namespace
}  // namespace orrery
