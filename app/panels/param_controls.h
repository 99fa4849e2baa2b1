#pragma once

#include <optional>
#include <string>

#include "app/gui/ui.h"
#include "app/session/session.h"
#include "experiments/model/experiment.h"

namespace orrery {

// The values of papers and models on the slider that was drawn last.

/// Draws them below its grab.
void draw_ticks(const ParamSpec& spec);

/// "10000 RoFormer, GPT-NeoX, Llama 2 · 500000 Llama 3"; empty where none is known.
std::string known_values_text(const ParamSpec& spec);

/// A parameter in words: "max distance", "RoPE: scaling".
std::string param_title(const ParamSpec& spec);
/// One of its choices in words: "Transformer-XL".
std::string choice_title(const ParamSpec& spec, const std::string& name);

// One control a kind of parameter, over the whole width of the next item. A change goes to the
// session, which may refuse it.

/// Whether a number has a range that a slider can be aimed in; otherwise it is typed.
bool fits_slider(const ParamSpec& spec);
/// Integers and reals, by slider. Its number is written beside the label, not on it.
void slider_control(Session& session, const ParamSpec& spec);
/// Integers and reals, typed.
void number_control(Session& session, const ParamSpec& spec);
void boolean_control(Session& session, const ParamSpec& spec);
void choice_control(Session& session, const ParamSpec& spec, const Ui& ui);
/// Boxes to tick, each with the colour of its curve, behind the names of those chosen.
void choice_list_combo(Session& session, const ParamSpec& spec, const Ui& ui);
/// The boxes themselves where they are few, else choice_list_combo.
void choice_list_control(Session& session, const ParamSpec& spec, const Ui& ui);

/// RoPE's frequency mixer: a column a band of wavelengths, the fastest at the left, over the whole
/// width of the present window. A click mutes or unmutes, Ctrl+click solos, a double click unmutes
/// all. Sets rope.muted, so that curves and maps follow, undo takes it back, and a command has it.
void mixer_control(Session& session, const Ui& ui);

}  // namespace orrery
