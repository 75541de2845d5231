#include "tui/app/state.h"

/* Left to right; the keys 1, 2 ... choose them. */
const struct details_tab *const details_tabs[TABS_COUNT] = {
    &event_tab, &args_tab, &chain_tab, &same_name_tab, &area_tab, &findings_tab,
};

int app_tab_index(const struct app *a)
{
    int i = 0;
    while (i < TABS_COUNT - 1 && details_tabs[i] != a->tab)
        i++;
    return i;
}
