#include "tui/context/prompt.h"

#include "tui/context/state.h"

effects app_prompt(struct app *a, enum prompt_kind kind)
{
    a->overlay = OVERLAY_PROMPT;
    a->prompt_kind = kind;
    editor_set(&a->prompt, STR(""));
    return EFFECT_NONE;
}
