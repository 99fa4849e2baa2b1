#include "experiments/data/tensor_map.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "core/errors.h"

using namespace orrery;
using Catch::Matchers::Contains;
using Catch::Matchers::Equals;

TEST_CASE("A tensor is found by its name") {
  CHECK(resolve_tensor_name({"a", "層.θ"}, "層.θ", "w.npz") == "層.θ");
}

TEST_CASE("The only tensor needs no name") {
  CHECK(resolve_tensor_name({"a"}, "", "w.npz") == "a");
}

TEST_CASE("A mistyped tensor gets the nearest name") {
  CHECK_THROWS_WITH(resolve_tensor_name({"layer0.q", "layer0.k"}, "layr0.q", "w.npz"),
                    Equals("w.npz#layr0.q: is not a tensor of the file; did you mean #layer0.q?"));
  CHECK_THROWS_AS(resolve_tensor_name({"a"}, "b", "w.npz"), UsageError);
}

TEST_CASE("Where no name is near, those there are stand in the message") {
  CHECK_THROWS_WITH(resolve_tensor_name({"alpha", "beta"}, "x", "w.npz"),
                    Equals("w.npz#x: is not a tensor of the file; it holds alpha, beta"));
  CHECK_THROWS_WITH(resolve_tensor_name({"alpha"}, std::string(300, 'x'), "w.npz"),
                    Contains("…: is not a tensor of the file; it holds alpha"));
}

TEST_CASE("Several tensors need a name, and at most eight are listed") {
  CHECK_THROWS_WITH(
      resolve_tensor_name({"a", "b\n"}, "", "w.npz"),
      Equals("w.npz: has 2 tensors, of which one is read; add #NAME to the path; it holds "
             "a, b\\x0a"));
  std::vector<std::string> names;
  for (char c = 'a'; c < 'l'; ++c) names.emplace_back(1, c);
  CHECK_THROWS_WITH(resolve_tensor_name(names, "", "w.npz"),
                    Contains("it holds a, b, c, d, e, f, g, h and 3 more"));
}
