#pragma once

#include <string>
#include <vector>

#include "experiments/model/figure.h"

namespace orrery {

// Legend names and colours of encodings: the same in every figure.

std::string encoding_label(const std::string& name);
/// The label within a sentence: "no encoding" for none.
std::string label_in_sentence(const std::string& name);
/// "RoPE", "RoPE and ALiBi", "RoPE, ALiBi and 5 others".
std::string listed(const std::vector<std::string>& labels);
/// The label, with "(untrained tables)" where the encoding has tables: they are drawn by seed and
/// say nothing about what training would put there.
std::string untrained_label(const std::string& name);
/// The slot of the categorical palette; beyond its end lines are dashed, see figure/plot/curves.
int encoding_color(const std::string& name);
/// The curve of an encoding, without its numbers.
Series encoding_series(const std::string& name);

}  // namespace orrery
