// orrery run identify: tensors of Transformers as files, what is expected of them, folders, tables.
#include <algorithm>
#include <array>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/shell.h"
#include "tests/support/golden_file.h"
#include "tests/support/sampled.h"

using namespace orrery::test;
using Catch::Matchers::Contains;
using nlohmann::json;

namespace {

std::string float_npy(const std::vector<float>& values, const std::string& shape) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize((header.size() + 10 + 64) / 64 * 64 - 10 - 1, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 255);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  std::string data(values.size() * sizeof(float), '\0');
  std::memcpy(data.data(), values.data(), data.size());
  return bytes + data;
}

/// Four digits per bf16 number, or eight per fp32 number.
std::vector<float> numbers_of(const std::string& hex, bool fp32 = false) {
  std::vector<float> values;
  const std::size_t digits = fp32 ? 8 : 4;
  for (std::size_t i = 0; i + digits <= hex.size(); i += digits) {
    const auto bits = static_cast<std::uint32_t>(std::stoul(hex.substr(i, digits), nullptr, 16));
    values.push_back(std::bit_cast<float>(fp32 ? bits : bits << 16));
  }
  return values;
}

/// Runs identify, whose result goes to the folder "found".
Outcome identify(const Shell& shell, const std::string& words) {
  return shell.run("run identify --format none --force --out found " + words);
}

/// What it found of the first tensor.
json first_report(const Shell& shell) {
  return json::parse(content(shell.folder() / "found/identify.json")).at("tensors").at(0);
}

/// " positions=3+1+4".
std::string positions_words(const json& positions) {
  std::string words;
  for (const json& position : positions) words += (words.empty() ? "" : "+") + position.dump();
  return " positions=" + words;
}

/// Writes before.npy, after.npy and, where the case has one, config.json; returns positions=.
std::string write_case(const Shell& shell, const json& file, const json& entry,
                       const std::string& before, const std::string& after) {
  std::string shape;
  for (const json& size : entry.at("shape")) shape += size.dump() + ",";
  const std::string input = file.at("inputs").at(entry.at("before").get<std::string>());
  shell.write(before, float_npy(numbers_of(input), shape));
  shell.write(after, float_npy(numbers_of(entry.at("after"), entry.value("fp32", false)), shape));
  if (entry.contains("expect")) shell.write("config.json", entry.at("expect").dump());
  return positions_words(entry.at("positions"));
}

}  // namespace

TEST_CASE("identify names what deviates from the configuration, and nothing else") {
  const json file = golden("identify.json");
  std::size_t mistakes = 0;
  for (const auto& item : file.at("cases").items()) {
    const json& entry = item.value();
    if (!entry.contains("expect")) continue;
    if (!is_tried(mistakes++)) continue;
    const Shell shell;
    const std::string positions = write_case(shell, file, entry, "before.npy", "after.npy");
    const Outcome outcome =
        identify(shell, "before=before.npy after=after.npy expect=config.json" + positions);
    INFO(item.key() << outcome.err << outcome.out);
    CHECK(outcome.status == 1);
    const json report = first_report(shell);
    CHECK(report.at("explained") == true);
    CHECK(report.at("as_expected") == false);
    CHECK_FALSE(report.at("deviations").empty());
    if (entry.contains("defect"))
      CHECK(report.at("hypotheses").at(0).at("defect").at("name") == entry.at("defect"));
    if (!entry.contains("deviates")) continue;
    json deviates;
    for (const json& deviation : report.at("deviations"))
      deviates[deviation.at("field").get<std::string>()] = deviation.at("found");
    CHECK(deviates == entry.at("deviates"));
  }
  CHECK(mistakes == 15);
}

TEST_CASE("bf16 tables are as expected of a bf16 tensor, and an expected base wins a tie") {
  const json file = golden("identify.json");
  const Shell shell;
  const json& cases = file.at("cases");
  const std::string positions =
      write_case(shell, file, cases.at("llama"), "before.npy", "after.npy");
  shell.write("config.json", R"({"model_type": "llama", "hidden_size": 128, "num_hidden_layers": 1,
      "num_attention_heads": 2, "rope_theta": 500000.0})");
  const Outcome outcome =
      identify(shell, "before=before.npy after=after.npy expect=config.json" + positions);
  CHECK(outcome.status == 0);
  CHECK(first_report(shell).at("deviations").empty());
}

TEST_CASE(
    "identify lists no rope twice: a factor of 1, and a wiring that frequencies do not show") {
  const Shell shell;
  std::vector<float> theta;
  for (int t = 0; t < 64; ++t) theta.push_back(static_cast<float>(std::pow(1e6, -t / 64.0)));
  shell.write("inv_freq.npy", float_npy(theta, "64,"));
  const Outcome frequencies = identify(shell, "inv_freq=inv_freq.npy");
  CHECK_THAT(frequencies.out, !Contains("without the minus"));
  CHECK_THAT(frequencies.out, Contains("explained by one rope alone"));
  const json file = golden("identify.json");
  const std::string positions =
      write_case(shell, file, file.at("cases").at("llama"), "before.npy", "after.npy");
  const Outcome tensor = identify(shell, "before=before.npy after=after.npy most=20" + positions);
  CHECK_THAT(tensor.out, !Contains("attention factor 1 on all channels"));
  CHECK_THAT(tensor.out, Contains("explained by one rope alone"));
}

TEST_CASE("identify says of logits what deviates from a configuration") {
  if (!is_tried(6)) return;
  const json file = golden("identify_logits.json");
  const Shell shell;
  shell.write("q.npy", float_npy(numbers_of(file.at("q")), "2, 24, 64"));
  shell.write("k.npy", float_npy(numbers_of(file.at("k")), "2, 24, 64"));
  shell.write("config.json", R"({"model_type": "llama", "hidden_size": 128, "num_hidden_layers": 1,
      "num_attention_heads": 2, "rope_theta": 500000.0})");
  const std::string positions = positions_words(file.at("positions"));
  const auto deviations = [&](const std::string& name, int status) {
    const json& entry = file.at("cases").at(name);
    const bool fp32 = !entry.at("bf16").get<bool>();
    shell.write("S.npy", float_npy(numbers_of(entry.at("logits"), fp32), "2, 24, 24"));
    const Outcome outcome =
        identify(shell, "q=q.npy k=k.npy logits=S.npy expect=config.json" + positions);
    INFO(name << outcome.err << outcome.out);
    CHECK(outcome.status == status);
    json found = json::object();
    const json report = first_report(shell);
    for (const json& deviation : report.at("deviations"))
      found[deviation.at("field").get<std::string>()] = deviation.at("found");
    return found;
  };
  CHECK(deviations("llama", 0) == json::object());
  CHECK(deviations("llama bf16", 0) == json::object());
  CHECK(deviations("scale forgotten", 1) == json{{"scale", "1"}});
  CHECK(deviations("keys not rotated", 1) == json{{"positions of k", "all 0: not rotated"}});
  CHECK(deviations("keys one too far", 1) == json{{"positions of k", "as stated, +1"}});
}

TEST_CASE("identify ends with 0 where a tensor is as its configuration says") {
  const json file = golden("identify.json");
  const Shell shell;
  const std::string positions =
      write_case(shell, file, file.at("cases").at("llama"), "before.npy", "after.npy");
  shell.write("config.json",
              R"({"model_type": "llama", "hidden_size": 128, "num_attention_heads": 2,
                  "num_hidden_layers": 1, "rope_theta": 500000.0})");
  const Outcome outcome =
      identify(shell, "before=before.npy after=after.npy expect=config.json" + positions);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("as the configuration says"));
  CHECK_THAT(outcome.out, Contains("encoding=rope base=500000 rope.pairing=half_split"));
}

TEST_CASE("identify says which tensors of a folder disagree") {
  const json file = golden("identify.json");
  const Shell shell;
  const json& cases = file.at("cases");
  const std::string positions =
      write_case(shell, file, cases.at("llama"), "layer0.q.before.npy", "layer0.q.after.npy");
  write_case(shell, file, cases.at("theta lost"), "layer1.q.before.npy", "layer1.q.after.npy");
  write_case(shell, file, cases.at("llama"), "layer10.q_pre.npy", "layer10.q_post.npy");
  const Outcome outcome = identify(shell, "pairs=. most=1" + positions);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("3 tensors, 2 explanations"));
  CHECK_THAT(outcome.out, Contains("layer0.q, layer10.q"));
}

TEST_CASE("identify reads frequencies alone") {
  const Shell shell;
  std::vector<float> theta;
  for (int t = 0; t < 64; ++t) theta.push_back(static_cast<float>(std::pow(1e6, -t / 64.0)));
  shell.write("inv_freq.npy", float_npy(theta, "64,"));
  const Outcome outcome = identify(shell, "inv_freq=inv_freq.npy");
  CHECK(outcome.status == 0);
  const json report = first_report(shell);
  CHECK(report.at("hypotheses").at(0).at("facts").at("base") == "1000000");
}

TEST_CASE("identify reads tables of cosines and sines, and says how they are laid out") {
  const Shell shell;
  std::vector<float> cos, sin;
  for (int n = 0; n < 40; ++n)
    for (int c = 0; c < 32; ++c) {
      const double angle = n * std::pow(1e4, -(c % 16) / 16.0);
      cos.push_back(static_cast<float>(std::cos(angle)));
      sin.push_back(static_cast<float>(std::sin(angle)));
    }
  shell.write("cos.npy", float_npy(cos, "40, 32"));
  shell.write("sin.npy", float_npy(sin, "40, 32"));
  const Outcome outcome = identify(shell, "cos=cos.npy sin=sin.npy");
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("base 10000"));
  CHECK_THAT(outcome.out, Contains("each angle in both halves"));
}

TEST_CASE("identify refuses what it cannot read, with the remedy") {
  const Shell shell;
  shell.write("q.npy", float_npy(std::vector<float>(8, 1.0F), "2, 4"));
  shell.write("r.npy", float_npy(std::vector<float>(8, 1.0F), "4, 2"));
  const Outcome alone = identify(shell, "before=q.npy");
  CHECK(alone.status == 2);
  CHECK_THAT(alone.err, Contains("before without after") && Contains("inv_freq="));
  const Outcome shapes = identify(shell, "before=q.npy after=r.npy");
  CHECK(shapes.status == 3);
  CHECK_THAT(shapes.err, Contains("must have the same shape"));
  CHECK(identify(shell, "before=q.npy after=q.npy positions=0..7").status == 3);
  shell.write("far.npy", float_npy({0, 1e18F}, "2,"));
  CHECK(identify(shell, "before=q.npy after=q.npy positions=far.npy").status == 3);
  CHECK_THAT(identify(shell, "pairs=.").err, Contains("before and after"));
  CHECK_THAT(identify(shell, "pairs=nowhere").err, Contains("nowhere"));
}

namespace {

/// ALiBi's bias of two heads under a causal mask, [2, 6, 6].
std::vector<float> small_alibi() {
  std::vector<float> values;
  for (const float slope : {0.0625F, 0.00390625F})
    for (int m = 0; m < 6; ++m)
      for (int n = 0; n < 6; ++n)
        values.push_back(n > m ? -INFINITY : -slope * static_cast<float>(m - n));
  return values;
}

}  // namespace

TEST_CASE("identify names the bias and the mask, and the key that would tell a tie") {
  const Shell shell;
  shell.write("bias.npy", float_npy(small_alibi(), "2, 6, 6"));
  const Outcome text = identify(shell, "bias=bias.npy");
  CHECK(text.status == 0);
  CHECK_THAT(text.out, Contains("ALiBi; distance |m − n|; slopes 2^(−8(h+1)/H)"));
  CHECK_THAT(text.out, Contains("a key 1 ahead of the query would tell"));
  CHECK_THAT(text.out, Contains("hides keys ahead of the query (30 cells of -inf)"));
  CHECK_THAT(text.out, Contains("encoding=alibi alibi.form=symmetric alibi.bias_max=8 heads=2"));
  const json report = first_report(shell);
  CHECK(report.at("explained") == true);
  CHECK(report.at("hypotheses").at(0).at("facts").at("family") == "ALiBi");
  CHECK(report.at("hypotheses").at(1).at("tied") == true);
}

TEST_CASE("identify finds the rope of q and k from their product") {
  const json file = golden("identify_logits.json");
  const Shell shell;
  shell.write("q.npy", float_npy(numbers_of(file.at("q")), "2, 24, 64"));
  shell.write("k.npy", float_npy(numbers_of(file.at("k")), "2, 24, 64"));
  shell.write("S.npy",
              float_npy(numbers_of(file.at("cases").at("llama bf16").at("logits")), "2, 24, 24"));
  const std::string positions = positions_words(file.at("positions"));
  const Outcome outcome = identify(shell, "q=q.npy k=k.npy logits=S.npy" + positions);
  CHECK(outcome.status == 0);
  CHECK_THAT(outcome.out, Contains("half_split pairs; base 500000; scale 1/√64"));
  CHECK_THAT(outcome.out, Contains("encoding=rope base=500000 rope.pairing=half_split"));
}

TEST_CASE("identify names the encoding of logits that attend wrote") {
  const json file = golden("identify_logits.json");
  const Shell shell;
  shell.write("q.npy", float_npy(numbers_of(file.at("q")), "2, 24, 64"));
  shell.write("k.npy", float_npy(numbers_of(file.at("k")), "2, 24, 64"));
  for (const std::string precision : {"exact", "exact_fp32"}) {
    const Outcome made = shell.run(
        "run attend encoding=rope base=500000 q=q.npy k=k.npy v=k.npy precision=" + precision +
        " --out " + precision + ".npz");
    INFO(made.err);
    REQUIRE(made.status == 0);
    CHECK(identify(shell, "q=q.npy k=k.npy logits=" + precision + ".npz#logits").status == 0);
    const json found = first_report(shell).at("hypotheses").at(0);
    CHECK(found.at("setting") == "encoding=rope base=500000 rope.pairing=interleaved");
    CHECK(found.at("facts").at("scale") == "1/√64");
  }
}

TEST_CASE("identify names the padding of each sequence of a batch, whose axis is the first") {
  constexpr int rows = 32, half = 16;
  const std::array<int, 2> paddings{5, 0};
  std::vector<float> before, after;
  for (const int padding : paddings)
    for (int n = 0; n < rows; ++n) {
      std::array<double, 2 * half> x{};
      for (std::size_t c = 0; c < x.size(); ++c)
        x[c] = static_cast<float>(std::sin(1.0 + 7.3 * n + 3.1 * n * static_cast<double>(c)));
      std::array<double, 2 * half> y{};
      for (std::size_t t = 0; t < half; ++t) {
        const double angle =
            std::max(n - padding, 0) * std::pow(1e4, -static_cast<double>(t) / half);
        y[t] = x[t] * std::cos(angle) - x[t + half] * std::sin(angle);
        y[t + half] = x[t] * std::sin(angle) + x[t + half] * std::cos(angle);
      }
      before.insert(before.end(), x.begin(), x.end());
      after.insert(after.end(), y.begin(), y.end());
    }
  const Shell shell;
  for (const std::string shape : {"2, 32, 32", "2, 1, 32, 32"}) {
    shell.write("before.npy", float_npy(before, shape));
    shell.write("after.npy", float_npy(after, shape));
    const Outcome outcome = identify(shell, "before=before.npy after=after.npy");
    INFO(outcome.out);
    CHECK(outcome.status == 0);
    CHECK_THAT(
        outcome.out,
        Contains("half_split pairs; base 10000; positions count from the first token of each "
                 "sequence of the batch, rows of padding: 5 in sequence 0, 0 in sequence 1"));
  }
}

TEST_CASE("identify says what is read together, and what is not") {
  const Shell shell;
  shell.write("bias.npy", float_npy(small_alibi(), "2, 6, 6"));
  const Outcome beside = identify(shell, "before=bias.npy bias=bias.npy");
  CHECK(beside.status == 2);
  CHECK_THAT(beside.err, Contains("read only when bias is not given"));
  const Outcome expected = identify(shell, "bias=bias.npy expect=config.json");
  CHECK(expected.status == 2);
  CHECK_THAT(expected.err, Contains("read only when bias is not given"));
  const Outcome without = identify(shell, "logits=bias.npy");
  CHECK(without.status == 2);
  CHECK_THAT(without.err, Contains("logits without q") && Contains("q=, k= and logits="));
  CHECK(identify(shell, "bias=bias.npy positions=0..9").status == 3);
  const Outcome gone = shell.run("identify q.npy r.npy");
  CHECK(gone.status == 2);
  CHECK_THAT(gone.err, Contains("type orrery run identify"));
}

TEST_CASE("identify reads positions on several axes, tokens first, a format and a layer") {
  constexpr int rows = 24, heads = 2, channels = 16;
  std::vector<float> before, after, at;
  for (int n = 0; n < rows; ++n) {
    at.push_back(static_cast<float>(n + 7));
    for (int h = 0; h < heads; ++h)
      for (int t = 0; t < channels / 2; ++t) {
        const double a = std::sin(7.3 * n + 3 * t + h), b = std::cos(2.1 * n * t + 5 * h);
        const double angle = (n + 7) * std::pow(1e4, -2.0 * t / channels);
        before.insert(before.end(), {static_cast<float>(a), static_cast<float>(b)});
        after.insert(after.end(), {static_cast<float>(a * std::cos(angle) - b * std::sin(angle)),
                                   static_cast<float>(b * std::cos(angle) + a * std::sin(angle))});
      }
  }
  const Shell shell;
  shell.write("before.npy", float_npy(before, "24, 2, 16"));
  shell.write("after.npy", float_npy(after, "24, 2, 16"));
  shell.write("at.npy", float_npy(at, "24, 1"));
  shell.write("config.json", R"({"model_type": "gptj", "n_embd": 32, "n_head": 2, "n_layer": 2,
      "rotary_dim": 16})");
  const std::string tensors = "before=before.npy after=after.npy tokens_first=true ";
  for (const std::string positions : {"positions=at.npy", "positions=7..30", "first_position=7"}) {
    const Outcome outcome =
        identify(shell, tensors + "expect=config.json layer=1 format=fp32 " + positions);
    INFO(outcome.out << outcome.err);
    CHECK(outcome.status == 0);
    CHECK(first_report(shell).at("format") == "fp32");
    CHECK(first_report(shell).at("as_expected") == true);
  }
  CHECK(identify(shell, tensors + "expect=config.json layer=2 first_position=7").status == 2);
  CHECK(identify(shell, tensors + "layer=1").status == 2);
  CHECK(identify(shell, tensors + "format=fp8").status == 2);
}

TEST_CASE("identify draws what a tensor's hypotheses leave, and lists the first of several") {
  const json file = golden("identify.json");
  const Shell shell;
  const json& cases = file.at("cases");
  const std::string positions =
      write_case(shell, file, cases.at("llama"), "layer0.q.before.npy", "layer0.q.after.npy");
  write_case(shell, file, cases.at("theta lost"), "layer1.q.before.npy", "layer1.q.after.npy");
  const auto figures = [&](const std::string& words) {
    CHECK(identify(shell, words + positions).status == 0);
    std::string ids;
    const json found = json::parse(content(shell.folder() / "found/result.json"));
    for (const json& figure : found.at("figures")) ids += figure.at("id").get<std::string>() + " ";
    return ids;
  };
  CHECK(figures("before=layer0.q.before.npy after=layer0.q.after.npy") ==
        "hypotheses frequencies rows residual_by_position residual_of_hypothesis_1 "
        "residual_of_usual_rope ");
  CHECK(figures("pairs=.") == "hypotheses ");
}

TEST_CASE("A tensor that apply breaks on purpose is named by identify") {
  const json file = golden("identify.json");
  const Shell shell;
  write_case(shell, file, file.at("cases").at("llama"), "q.npy", "unused.npy");
  shell.write("config.json",
              R"({"model_type": "llama", "hidden_size": 128, "num_attention_heads": 2,
                  "num_hidden_layers": 1, "rope_theta": 500000.0})");
  for (const std::string defect :
       {"base_lost", "wrong_pairing", "cache_off_by_one", "off_by_one"}) {
    const Outcome made =
        shell.run("run apply base=500000 rope.pairing=half_split x=q.npy defect=" + defect +
                  " --out " + defect + ".npy");
    INFO(made.err);
    REQUIRE(made.status == 0);
    CHECK(identify(shell, "before=q.npy after=" + defect + ".npy expect=config.json").status == 1);
    const json report = first_report(shell);
    CHECK(report.at("hypotheses").at(0).at("defect").at("name") == defect);
  }
  const Outcome refused = shell.run("run apply x=q.npy defect=scaling_skipped --out never.npy");
  CHECK(refused.status == 2);
  CHECK_THAT(refused.err, Contains("cannot be made"));
  CHECK(shell.run("run apply encoding=alibi defect=base_lost").status == 2);
}

TEST_CASE(
    "run apply breaks a rope of several axes: by hand, the pair past the end of its sections") {
  const Shell shell;
  shell.write("x.npy", float_npy(std::vector<float>(16, 1.0F), "1, 16"));
  shell.write("p.npy", float_npy({5, 7, 9}, "1, 3"));
  const auto channel_7 = [&](const std::string& defect) {
    const Outcome made = shell.run(
        "run apply encoding=axis_rope axis_rope.design=interleaved axis_rope.time_pairs=4 "
        "axis_rope.row_pairs=2 rope.pairing=half_split x=x.npy axis_rope.positions=p.npy "
        "defect=" +
        defect + " --out y.npy --force");
    INFO(made.err);
    REQUIRE(made.status == 0);
    const std::string bytes = content(shell.folder() / "y.npy");
    double value = 0;
    std::memcpy(&value, bytes.data() + bytes.size() - (16 - 7) * sizeof value, sizeof value);
    return value;
  };
  // Sections 4, 2, 2 in turns: axes t h w t h w t t; without an end the last pair is of h.
  const double theta = std::pow(10000.0, -14.0 / 16.0);
  CHECK(channel_7("none") == Approx(std::cos(5 * theta) - std::sin(5 * theta)));
  CHECK(channel_7("stride_unbounded") == Approx(std::cos(7 * theta) - std::sin(7 * theta)));
  // In blocks the last two pairs are of w.
  CHECK(channel_7("sections_in_other_order") == Approx(std::cos(9 * theta) - std::sin(9 * theta)));
  CHECK(shell.run("run apply encoding=axis_rope axis_rope.design=axial x=x.npy defect=clockwise")
            .status == 2);
}
