#pragma once

#include <vector>

#include "experiments/identify/identify_tensors.h"
#include "experiments/identify/tensor_report.h"
#include "experiments/model/experiment.h"
#include "experiments/model/result.h"

namespace orrery {

/// The files that a rope, a bias or a mistake is searched in, and how they are read. Of the files
/// those of one question are read: a bias excludes all others, then logits, tables of cosines and
/// sines, frequencies, pairs of a dump, and a tensor before and after.
std::vector<ParamSpec> identify_question_params();

/// What the parameters say of how tensors are read.
IdentifyOptions identify_options(const ParamSet& params);

/// Whether any of these files is given.
bool has_question(const Inputs& inputs);

/// A report on each tensor. Throws UsageError where a file lacks another that it is read with, and
/// what identify_tensors, identify_bias_matrix and identify_logits_matrix throw.
/// @param options  of identify_options: those for all of them
std::vector<TensorReport> identify_question(const ParamSet& params, const Inputs& inputs,
                                            IdentifyOptions options);

/// What the reports say: printed tables in the words of a reader, tables of numbers, a check that
/// fails where a tensor deviates from what was expected or has no explanation, the figure
/// "hypotheses", and `identify.json`, which has all of it.
void add_reports(const std::vector<TensorReport>& reports, const std::string& caption,
                 Result& result);

}  // namespace orrery
