#include "experiments/model/shared_text.h"

#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

using namespace orrery;

TEST_CASE("Equal texts lie in one place, and others in others") {
  const SharedText a("score at the distance"), b(std::string("score at the distance"));
  CHECK(a == b);
  CHECK(&a.str() == &b.str());
  const SharedText other("score at rest");
  CHECK_FALSE(a == other);
  CHECK(&a.str() != &other.str());
  const bool before = other < a;
  CHECK(before == (other.str() < a.str()));
  CHECK(a + "!" == "score at the distance!");
  CHECK(SharedText().empty());
  CHECK(SharedText("").empty());
  CHECK(SharedText() == SharedText(""));
  CHECK(SharedText().str().empty());
}

TEST_CASE("A text stays for as long as somebody has it") {
  SharedText kept;
  {
    const SharedText first("a text of this test alone");
    SharedText copy = first;
    kept = std::move(copy);
    kept = static_cast<const SharedText&>(kept);
  }
  CHECK(kept == "a text of this test alone");
  CHECK(&SharedText("a text of this test alone").str() == &kept.str());
  kept = "another";
  CHECK(kept == "another");
}

TEST_CASE("Threads take and leave the same texts at once") {
  const auto come_and_go = [](int start) {
    for (int i = 0; i < 20'000; ++i) {
      const SharedText text("text " + std::to_string((start + i) % 3));
      const SharedText copy = text;
      if (copy.str().size() != 6) throw std::logic_error("a text is whole");
    }
  };
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) threads.emplace_back(come_and_go, t);
  threads.clear();  // joins
  CHECK(SharedText("text 1").str() == "text 1");
}
