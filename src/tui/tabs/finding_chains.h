/* What is wrong, and why, among the findings: problems with the chains of their causes below them,
 * which are folded at first. */
#ifndef TPTUI_TUI_TABS_FINDING_CHAINS_H
#define TPTUI_TUI_TABS_FINDING_CHAINS_H

#include "explain/explanation.h"

struct app;

/* The worst of them, but no notes. */
void finding_chains_add(struct app *a, const struct explanation *e);

#endif
