#pragma once

#include <string>
#include <vector>

#include "experiments/model/result.h"
#include "experiments/studies/training/one_run.h"

namespace orrery {

/// The files of a model as it is: NAME/model.safetensors in fp32, NAME/config.json, and of a text's
/// bytes NAME/tokenizer.json.
///
/// Where another program has the blocks and the encoding, they are those of its family, and
/// Transformers opens the folder: model=llama with rope as Llama, gpt2 with learned as GPT-2, and
/// roformer with rope, at its base of 10000 and seeing both sides, as RoFormer. W_q and W_k are in
/// the family's pairing. All others have Orrery's names of weights, and the model_type "orrery".
/// @param name  "rope_seed_0_step_900"
std::vector<ResultFile> model_files(const TrainingPlan& plan, const OneRun& run,
                                    const std::string& name);

}  // namespace orrery
