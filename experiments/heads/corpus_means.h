#pragma once

#include <map>
#include <vector>

#include "experiments/heads/model_run.h"

namespace orrery {

/// The mean output Σ_j A_ij v_j of each head that an edit corpus_mean names, over the tokens of
/// some texts. [1, d_value]
///
/// Throws UsageError where an edit needs them and there is no text.
template <class T>
std::map<HeadPlace, Matrix<T>> corpus_means(ModelRun<T>& run, const std::vector<Edit>& edits,
                                            const std::vector<ModelText>& corpus);

}  // namespace orrery
