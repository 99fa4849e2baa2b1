#pragma once

#include <string>

#include "app/headless/script_steps.h"
#include "app/headless/stage.h"

namespace orrery {

/// The session on screen: the live one or that of the browser.
const Session& shown_session(const ScriptDesktop& stage);

/// The value of a fact that a script can expect, such as "view" or "param dim". Throws BadStep
/// where there is no such fact.
std::string fact_text(Rest words, const ScriptDesktop& stage);

}  // namespace orrery
