#include "app/session/file_targets.h"

#include <catch2/catch.hpp>

#include "app/shell/start.h"
#include "tests/app/fixture.h"

namespace orrery {
namespace {

TEST_CASE("Two arrays are q and k, or a tensor before and after: their names tell which is which") {
  const auto session = start_session({}, {});
  session->select(*session->find("linear_attention"));
  for (const bool swapped : {false, true}) {
    const std::string a = "/data/q_raw.npy", b = "/data/q_rotated.npy";
    const auto pairs = swapped ? file_pairs(*session, b, a) : file_pairs(*session, a, b);
    REQUIRE(pairs.size() == 2);
    CHECK(pairs[0].experiment == session->selected());
    CHECK(pairs[0].params->first == "q");
    CHECK(pairs[1].experiment == *session->find("identify"));
    CHECK(pairs[1].params->first == "before");
    CHECK(pairs[1].first == a);
    CHECK(pairs[1].second == b);
  }
  CHECK(file_pairs(*session, "k.npy", "q.npy").front().first == "q.npy");
  CHECK(file_pairs(*session, "x.npy", "y.npy").front().first == "x.npy");
  CHECK(file_pairs(*session, "a.txt", "b.txt").empty());
  session->select(*session->find("spectrum"));
  CHECK(file_pairs(*session, "a.npy", "b.npy").size() == 1);
}

TEST_CASE("Two arrays dropped together are asked about, and a click shows them") {
  const auto session = start_session({}, {});
  session->select(*session->find("linear_attention"));
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  desktop.app().drop({"/data/q_rotated.npy", "/data/q_raw.npy"});
  desktop.frame(3);
  CHECK(session->current().params.text("q").empty());
  desktop.click(desktop.item("pair before"));
  desktop.frame(2);
  CHECK(session->current().experiment->info.name == "identify");
  CHECK(session->current().params.text("before") == "/data/q_raw.npy");
  CHECK(session->current().params.text("after") == "/data/q_rotated.npy");
  desktop.app().drop({"/data/b_after.npy", "/data/a_before.npy"});
  CHECK(session->current().params.text("before") == "/data/a_before.npy");
}

TEST_CASE("One click shows the rope that was found in the long-term decay") {
  const auto session =
      start_session({.view = "identify", .overrides = {"defect=none", "dim=16"}}, {});
  test::NullDesktop desktop(*session, 1280, 800);
  desktop.settle();
  REQUIRE(session->current().result);
  REQUIRE(session->current().result->next);
  CHECK(session->current().result->next->words.find("base=500000") != std::string::npos);
  desktop.click(desktop.item("button Run the first hypothesis"));
  desktop.settle();
  CHECK(session->current().experiment->info.name == "long_term_decay");
  CHECK(session->current().params.to_text("base") == "500000");
  CHECK(session->current().message.empty());
  CHECK_FALSE(session->current().result->next);
}

}  // namespace
}  // namespace orrery
