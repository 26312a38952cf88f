// A module that claims another version of the interface.
#include "core/game_api.h"

__attribute__((visibility("default"))) const game_export_t *Game_Export(void);
const game_export_t *Game_Export(void) {
    static const game_export_t table = {.api_version = 1, .name = "old"};
    return &table;
}
