// attend from the outside: positions, masks, padding, scales, batches, layers with biases. Numbers
// come from PyTorch: tests/golden/generate_attend.py.
#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/cli/npy_files.h"

using namespace orrery::test;
using Catch::Matchers::Contains;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

std::string shape_text(const nlohmann::json& shape) {
  std::string text;
  for (const auto& size : shape) text += (text.empty() ? "" : ", ") + size.dump();
  return text;
}

double number(const nlohmann::json& value) {
  return value.is_string() ? -inf : value.get<double>();
}

std::vector<double> numbers(const nlohmann::json& values) {
  std::vector<double> out;
  for (const auto& value : values) out.push_back(number(value));
  return out;
}

/// tests/golden/attend.json, with its arrays as files.
struct AttendShell : Shell {
  nlohmann::json json = nlohmann::json::parse(content(tests_folder() + "/golden/attend.json"));
  AttendShell() {
    for (const auto& [name, array] : json.at("arrays").items())
      write(name + ".npy",
            npy("(" + shape_text(array.at("shape")) + ",)", numbers(array.at("values"))));
  }
  /// An array of `orrery attend ARGUMENTS`, which must succeed.
  std::vector<double> attended(const std::string& arguments, const std::string& name) const {
    std::filesystem::remove_all(folder() / "out");
    const Outcome outcome = run("run attend " + arguments + " --out out");
    INFO(arguments << "\n" << outcome.err);
    REQUIRE(outcome.status == 0);
    return array(name);
  }
  std::vector<double> array(const std::string& name) const {
    return doubles_in(folder() / "out/arrays" / (name + ".npy"));
  }
  void check_refused(const std::string& arguments, int status, const std::string& message) const {
    const Outcome outcome = run("run attend " + arguments + " --out refused");
    INFO(arguments << "\n" << outcome.err);
    CHECK(outcome.status == status);
    CHECK_THAT(outcome.err, Contains(message));
  }
};

void check_close(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    CHECK(a[i] == Approx(b[i]).epsilon(1e-12).margin(1e-15));
}

const std::string qkv = "encoding=none q=q.npy k=k.npy v=v.npy ";

}  // namespace

TEST_CASE("run attend gives PyTorch's numbers: masks, padding, scale, batches, biases, linear") {
  const AttendShell shell;
  for (const auto& one : shell.json.at("cases")) {
    INFO(one.at("name").get<std::string>());
    std::filesystem::remove_all(shell.folder() / "out");
    const Outcome outcome =
        shell.run("run attend " + one.at("arguments").get<std::string>() + " --out out");
    INFO(outcome.err);
    CHECK(outcome.status == 0);
    for (const auto& [name, expected] : one.at("expected").items()) {
      INFO(name);
      CHECK_THAT(outcome.err,
                 Contains("arrays/" + name + ".npy  [" + shape_text(expected.at("shape")) + "]"));
      CHECK(close(shell.array(name), numbers(expected.at("values"))));
    }
  }
}

TEST_CASE(
    "run attend places queries at the last of the keys, whichever list of positions is given") {
  const AttendShell shell;
  shell.write("q.npy", npy("(3, 4)", {1, 2, 3, 4, -1, 0.5, 2, 1, 0, 1, -2, 3}));
  shell.write("k.npy", npy("(3, 4)", {2, 1, 0, 1, 1, -1, 3, 0.5, -2, 1, 1, 4}));
  const std::string rope = "q=q.npy k=k.npy encoding=rope ";
  const std::vector<double> plain = shell.attended(rope, "logits");
  const auto apart = [](const std::vector<double>& a, const std::vector<double>& b) {
    REQUIRE(a.size() == b.size());
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (!(std::abs(a[i] - b[i]) <= largest)) largest = std::abs(a[i] - b[i]);
    return largest;
  };
  for (const char* where :
       {"positions=1000..1002", "query_positions=1000..1002", "first_position=1000",
        "positions=1000..1002 query_positions=1000..1002"}) {
    INFO(where);
    CHECK(apart(shell.attended(rope + where, "logits"), plain) <= 1e-14);
    CHECK(shell.attended(rope + "causal=true " + where, "weights")[0] == 1);
  }

  // One query over three keys is the last row.
  shell.write("last.npy", npy("(1, 4)", {0, 1, -2, 3}));
  for (const char* where : {"", "positions=1000..1002", "query_positions=1002",
                            "query_positions=1002 first_position=1000", "first_position=1000"}) {
    INFO(where);
    CHECK(apart(shell.attended("q=last.npy k=k.npy encoding=rope " + std::string(where), "logits"),
                {plain.begin() + 6, plain.end()}) <= 1e-14);
  }
  // Positions in any order: those of the last rows of k.
  CHECK(apart(shell.attended("q=last.npy k=k.npy encoding=rope positions=7+1+4", "logits"),
              shell.attended("q=last.npy k=k.npy encoding=rope positions=7+1+4 query_positions=4",
                             "logits")) == 0);
  // A token of x stands at one position.
  const std::string x = "x=x.npy encoding=sinusoidal ";
  const auto moved = shell.attended(x + "positions=3+1+4+7+5", "logits");
  CHECK(shell.attended(x + "query_positions=3+1+4+7+5", "logits") == moved);
  CHECK(shell.attended(x + "positions=3+1+4+7+5 query_positions=3+1+4+7+5", "logits") == moved);

  shell.check_refused(x + "positions=0..4 query_positions=1..5", 2,
                      "would put a token of x at two positions");
  shell.check_refused("q=k.npy k=last.npy", 2, "3 queries and 1 keys");
  shell.check_refused("q=k.npy k=last.npy positions=9", 2, "give query_positions=");
  shell.check_refused("q=k.npy k=last.npy query_positions=7..9", 2,
                      "give positions= of the keys too");
  shell.attended("q=k.npy k=last.npy query_positions=7..9 positions=9", "logits");
  shell.check_refused("q=last.npy k=k.npy query_positions=1", 2, "at positions below 0");
  shell.check_refused("q=q.npy k=k.npy first_position=1 positions=0..2", 2,
                      "gives the positions of the keys twice");
}

TEST_CASE("run attend says how it read a mask, and refuses one that can be read in two ways") {
  const AttendShell shell;
  const auto talk = [&](const std::string& arguments) {
    std::filesystem::remove_all(shell.folder() / "out");
    const Outcome outcome = shell.run("run attend " + qkv + arguments + " --out out");
    CHECK(outcome.status == 0);
    return outcome.out;
  };
  shell.write("flags.npy", npy("(3, 5)", {1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0}));
  CHECK_THAT(talk("mask=flags.npy"), Contains("mask: boolean, 1 where a query sees a key; of 15 "
                                              "values 9 hide a key"));
  shell.write("floats.npy", npy("(3, 5)", {0, -inf, 0, 0, 0, 0, -65504, 0, 0, 0, 0, 0,
                                           -3.4028234663852886e38, 0, -0.5}));
  CHECK_THAT(talk("mask=floats.npy"),
             Contains("mask: additive, 0 where a query sees a key; of 15 values 3 hide a key and 1 "
                      "are added to a logit"));
  CHECK(shell.array("weights")[1] == 0);
  CHECK(shell.array("term_mask")[14] == -0.5);
  CHECK_THAT(talk("padding=seen_keys.npy"),
             Contains("padding: 0 for padding; of 10 keys 3 are padding"));
  CHECK_THAT(talk("scale=0.3"), !Contains("mask"));

  shell.write("zeros.npy", npy("(3, 5)", std::vector<double>(15, 0)));
  shell.check_refused(qkv + "mask=zeros.npy", 2,
                      "hides every key if it is boolean and none if it is additive; choose");
  CHECK_THAT(talk("mask=zeros.npy mask_kind=boolean"), Contains("queries have all keys masked"));
  CHECK(close(shell.attended(qkv + "mask=zeros.npy mask_kind=additive", "output"),
              numbers(shell.json.at("cases").at(0).at("expected").at("output").at("values"))));
  shell.write("twos.npy", npy("(3, 5)", {2, 0, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}));
  shell.check_refused(qkv + "mask=twos.npy", 2, "with values 0, 2: is neither only 0 and 1 nor");
  shell.check_refused(qkv + "mask=twos.npy mask_kind=boolean", 3, "must hold only 0 and 1");
  shell.check_refused(qkv + "mask=bias_signed.npy", 2, "set mask_kind=additive");
  shell.check_refused(qkv + "mask_kind=additive", 2, "is read beside a mask only");
  shell.check_refused(qkv + "mask=seen_keys.npy", 3, "flags of keys alone go to padding=FILE");
  shell.check_refused(qkv + "mask=q.npy", 3, "batch=2, heads=4, N_q=3, N_k=5, each or 1");
  shell.check_refused(qkv + "padding=seen.npy", 3, "must be [N_k] or [batch, N_k]");
  shell.check_refused(qkv + "padding=lowest_keys.npy", 3, "must be [N_k] or [batch, N_k]");
  shell.write("infinite.npy", npy("(3, 5)", std::vector<double>(15, inf)));
  shell.check_refused(qkv + "mask=infinite.npy", 3, "every value must be finite or -inf");
  shell.check_refused("q=minus_inf.npy k=minus_inf.npy", 3, "every value must be finite");
}

TEST_CASE("run attend takes the segments of XLNet, as Transformers computes them") {
  const Shell shell;
  const auto golden = nlohmann::json::parse(content(tests_folder() + "/golden/conventions.json"))
                          .at("cases")
                          .at("XLNet, segments");
  const auto write = [&](const std::string& name, const nlohmann::json& rows) {
    std::vector<double> values;
    for (const auto& row : rows)
      for (const auto& value : row) values.push_back(value.get<double>());
    shell.write(name + ".npy", npy("(" + std::to_string(rows.size()) + ", " +
                                       std::to_string(rows.at(0).size()) + ")",
                                   values));
  };
  write("q", golden.at("q"));
  write("k", golden.at("k"));
  std::string tables;
  for (const auto& [name, rows] : golden.at("tables").items()) {
    write(name, rows);
    tables += " " + name + "=" + name + ".npy";
  }
  const auto ids = golden.at("key_segments").get<std::vector<double>>();
  shell.write("ids.npy", npy("(" + std::to_string(ids.size()) + ",)", ids));
  const std::string arguments =
      "run attend q=q.npy k=k.npy encoding=transformer_xl weights=x_W heads=2 head=1 d_model=8 "
      "transformer_xl.clamp_len=0" +
      tables + " --out ";
  Outcome outcome = shell.run(arguments + "out segments=ids.npy");
  INFO(outcome.err);
  REQUIRE(outcome.status == 0);
  std::vector<double> expected;
  for (const auto& row : golden.at("logits"))
    for (const auto& value : row) expected.push_back(value.get<double>());
  CHECK(close(doubles_in(shell.folder() / "out/arrays/logits.npy"), expected));
  CHECK_THAT(outcome.err, Contains("arrays/term_segment.npy  [5, 8]"));

  const auto refuses = [&](const std::string& words, const std::string& message) {
    const Outcome refused = shell.run(words);
    INFO(refused.err);
    CHECK(refused.status != 0);
    CHECK_THAT(refused.err, Contains(message));
  };
  refuses(arguments + "a segments=q.npy", "must be [N_k] or [batch, N_k] with batch=1, N_k=8");
  shell.write("halves.npy", npy("(8,)", std::vector<double>(8, 0.5)));
  refuses(arguments + "a segments=halves.npy", "must hold whole numbers");
  refuses("run attend q=q.npy k=k.npy segments=ids.npy --out a", "segment term");
  refuses(
      "run attend q=k.npy k=q.npy positions=0..4 query_positions=0..7 encoding=transformer_xl "
      "segments=ids.npy --out a",
      "must be [N_k]");
}

TEST_CASE("run attend tells queries without a key from logits that overflowed") {
  const AttendShell shell;
  shell.write("one.npy", npy("(1, 2)", {1e30, 0}));
  shell.write("far.npy", npy("(2, 2)", {-1e30, 0, -1e30, 0}));
  shell.write("none.npy", npy("(1, 2)", {-inf, -inf}));
  const std::string overflow =
      "run attend q=one.npy k=far.npy encoding=none precision=exact_fp32 --out ";
  Outcome outcome = shell.run(overflow + "a.npz");
  CHECK_THAT(outcome.out, Contains("nan_rows") && Contains("their weights are NaN") &&
                              !Contains("all keys masked"));
  outcome = shell.run(overflow + "b.npz mask=none.npy");
  CHECK_THAT(outcome.out, Contains("fully_masked_rows") && !Contains("NaN"));
}

TEST_CASE("run attend computes and writes the arrays that are asked for, and the output always") {
  const AttendShell shell;
  const auto names = [&] {
    std::set<std::string> found;
    for (const auto& file : std::filesystem::directory_iterator(shell.folder() / "out/arrays"))
      found.insert(file.path().stem().string());
    return found;
  };
  for (const std::string& layer :
       {qkv + "causal=true", std::string("q=q.npy k=k.npy v=v.npy encoding=deberta window=3"),
        std::string("x=x.npy heads=4 encoding=sinusoidal weights=torch_linear W_o=W_o.npy")}) {
    INFO(layer);
    const auto output = shell.attended(layer, "output");
    const auto weights = shell.array("weights"), content = shell.array("term_content");
    std::set<std::string> all = names();
    CHECK(all.count("logits") == 1);
    shell.attended(layer + " arrays=", "output");
    for (const char* map : {"logits", "weights", "term_content", "term_content_to_position",
                            "term_position_to_content", "term_position_to_position"})
      all.erase(map);
    CHECK(names() == all);
    check_close(shell.array("output"), output);
    check_close(shell.attended(layer + " arrays=weights", "weights"), weights);
    CHECK_FALSE(std::filesystem::exists(shell.folder() / "out/arrays/logits.npy"));
    check_close(shell.attended(layer + " arrays=terms+weights", "term_content"), content);
  }
  shell.check_refused(qkv + "kernel=linear arrays=weights", 2, "arrays");
}

TEST_CASE(
    "run attend tells NaN weights from outputs that overflowed, with the weights and without") {
  const AttendShell shell;
  shell.write("q2.npy", npy("(2, 1)", {1, 1e30}));
  shell.write("k2.npy", npy("(2, 1)", {1e30, 1}));
  shell.write("v2.npy", npy("(2, 1)", {1e308, 1e308}));
  for (const std::string& arrays : {std::string(), std::string("arrays=")}) {
    const Outcome outcome =
        shell.run("run attend q=q2.npy k=k2.npy v=v2.npy encoding=none precision=exact_fp32 " +
                  arrays + " --out out --force");
    INFO(outcome.err);
    CHECK_THAT(outcome.out,
               Contains("  nan_rows         1  queries have NaN or +inf among their") &&
                   Contains("  overflowed_rows  1  queries have NaN or an infinity"));
  }
}

TEST_CASE("run attend wants to be told how projections are stored, and says when they do not fit") {
  const AttendShell shell;
  const std::string x = "x=x.npy encoding=none heads=4 ";
  shell.check_refused(x + "W_q=W_q.npy", 2,
                      "W_q of shape [8, 8] without weights=: can be applied as x·W or as x·Wᵀ; set "
                      "weights=torch_linear");
  shell.check_refused("x=x.npy encoding=none heads=2 W_q=wide_q.npy", 2, "without weights=");
  shell.check_refused("x=x.npy encoding=none heads=2 weights=torch_linear W_q=wide_q.npy", 2,
                      "W_q of shape [8, 12] with weights=torch_linear: must be [heads·d, d_model] "
                      "with d_model=8, heads=2; it fits weights=x_W");
  shell.check_refused(
      "x=x.npy encoding=none heads=2 weights=torch_linear W_q=W_q.npy "
      "W_k=wide_k.npy",
      2, "W_k of shape [8, 6] with weights=torch_linear");
  shell.check_refused(x + "weights=x_W", 2, "weights=x_W: is read beside a projection only");
  shell.check_refused("q=q.npy k=k.npy encoding=deberta d_model=8 deberta.W_qr=wide_q.npy", 2,
                      "deberta.W_qr of shape [8, 12] without weights=");
  shell.check_refused(x + "b_o=b_o.npy", 2, "b_o without W_o");
  shell.check_refused(x + "weights=x_W W_q=W_q.npy b_q=wide_b_q.npy", 2,
                      "b_q of shape [1, 12]: must be [8]");
  shell.check_refused(qkv + "b_q=b_q.npy", 2, "b_q=b_q.npy: is read only when x is given");
}

TEST_CASE("run attend refuses batches that differ, and settings that the other kernel reads") {
  const AttendShell shell;
  shell.check_refused("encoding=none q=q.npy k=k0.npy", 3, "q, k and v must have the same batch");
  shell.check_refused(qkv + "kernel=linear scale=0.5", 2, "scale");
  shell.check_refused(qkv + "kernel=linear mask=seen.npy", 2, "mask");
  shell.check_refused(qkv + "scale=-1", 2, "scale=-1");
  shell.check_refused("x=q.npy", 3, "must be [N, d_model] or [batch, N, d_model]");
}

TEST_CASE("FAVOR+ takes a projection for its features, which RoPE turns in pairs") {
  const AttendShell shell;
  const std::string favor = "q=q.npy k=k.npy v=v.npy kernel=linear linear.feature_map=favor ";
  shell.check_refused(
      favor + "linear.features=63", 2,
      "linear.features=63: must be even, because rope rotates the features in pairs; "
      "try linear.features=64");
  shell.attended(favor + "linear.features=63 encoding=none", "output");
  shell.attended(favor + "linear.features=63 linear.variant=rotated_before_features", "output");
  shell.attended(favor + "linear.features=6 linear.projection=projection.npy", "output");
  shell.check_refused(favor + "linear.features=8 linear.projection=projection.npy", 2,
                      "linear.projection of shape [6, 4]: must be [8, 4]");
  shell.check_refused(favor + "linear.projection=q0.npy", 2,
                      "linear.projection of 3 rows: must be even");
  shell.check_refused(favor + "linear.projection=v0.npy", 2, "must be [M, 4]");
  shell.check_refused(qkv + "kernel=linear linear.projection=projection.npy", 2,
                      "is read only when linear.feature_map is favor");
}
