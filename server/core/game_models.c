#include "core/game_models.h"

#include "base/hash.h"
#include "model/model.h"

#define MODELS_SEED UINT64_C(0x6d6f)

static bool read_one(const game_model_t *one, int32_t number, model_t *model, err_t *err) {
    emesh_t file;
    if (!one->name || one->name[0] == '\0') {
        return Err_Set(err, "model %d: expected a name", number);
    }
    if (!one->bytes && one->file) {
        return Err_Set(err,
                       "model \"%.64s\": file \"%.200s\" is searched beside the game's module, but "
                       "this game is built in; give the model's bytes instead",
                       one->name, one->file);
    }
    if (!one->bytes || ((uintptr_t)one->bytes & 15) != 0) {
        return Err_Set(err, "model \"%.64s\": expected a file, or bytes aligned to 16 bytes",
                       one->name);
    }
    err_t why = {{0}};
    const char *name = one->file ? one->file : one->name;
    if (!EMesh_Parse(&file, name, one->bytes, one->size, &why) ||
        !Model_Read(model, &file, name, &why)) {
        return Err_Set(err, "model %.400s", why.text);
    }
    return model->num_bones > 0 || Err_Set(err, "model %.200s: expected bones, found none", name);
}

bool SV_ReadModels(const game_export_t *game, model_t models[MAX_GAME_MODELS + 1], uint64_t *hash,
                   err_t *err) {
    err_t why = {{0}};
    if (game->num_models < 0 || game->num_models > MAX_GAME_MODELS ||
        (game->num_models > 0 && !game->models)) {
        return Err_Set(err, "game %s: expected a list of 0..%d models, found count %d%s",
                       game->name, MAX_GAME_MODELS, game->num_models,
                       game->models ? "" : " and no list");
    }
    models[0] = (model_t){0};
    *hash = 0;
    for (int32_t i = 0; i < game->num_models; i++) {
        if (!read_one(&game->models[i], i, &models[i + 1], &why)) {
            return Err_Set(err, "game %s: %.400s", game->name, why.text);
        }
        *hash = Hash_Bytes(&models[i + 1].hash, sizeof models[i + 1].hash, *hash + MODELS_SEED);
    }
    return true;
}

bool SV_SameModels(const game_export_t *now, const game_export_t *next, err_t *err) {
    model_t ours[MAX_GAME_MODELS + 1] = {{.num_bones = 0}};
    model_t theirs[MAX_GAME_MODELS + 1] = {{.num_bones = 0}};
    uint64_t hash = 0;
    if (!SV_ReadModels(now, ours, &hash, err) || !SV_ReadModels(next, theirs, &hash, err)) {
        return false;
    }
    if (now->num_models != next->num_models) {
        return Err_Set(err, "expected %d models, as the running game has, found %d",
                       now->num_models, next->num_models);
    }
    for (int32_t i = 1; i <= now->num_models; i++) {
        if (ours[i].hash != theirs[i].hash) {
            return Err_Set(
                err,
                "model \"%.64s\": expected the model of the running game (hash %016llx), "
                "found another (%016llx)",
                now->models[i - 1].name, (unsigned long long)ours[i].hash,
                (unsigned long long)theirs[i].hash);
        }
    }
    return true;
}
