// match_house.c - the maps that all matches share, and downloaded ones.

#include "base/file.h"
#include "game/game.h"
#include "lib/match_run.h"
#include "lib/testing.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static void must(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "test matches: %s\n", what);
        abort();
    }
}

static const char *const map_names[PLAN_MAPS] = {"plain29", "plain2psb", "plainbsp2", "plain30",
                                                 "doors",   "teleport",  "lift",      "push",
                                                 "water",   "train"};

const char *Matches_Map(int32_t number) {
    return map_names[number];
}

static void write_room(const char *folder, const char *name, const char *format, int32_t half) {
    char entities[1024];
    char path[128];
    err_t err = {{0}};
    size_t size = 0;
    snprintf(entities, sizeof entities,
             "{ \"classname\" \"worldspawn\" }"
             "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"%d 0 40\" }"
             "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"%d 0 40\" }"
             "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"0 %d 40\" }"
             "{ \"classname\" \"info_player_deathmatch\" \"origin\" \"0 %d 40\" }"
             "{ \"classname\" \"weapon_rocketlauncher\" \"origin\" \"100 100 40\" }"
             "{ \"classname\" \"item_health\" \"origin\" \"-100 100 40\" }"
             "{ \"classname\" \"weapon_nailgun\" \"origin\" \"-100 -100 40\" }",
             half - 64, 64 - half, half - 64, 64 - half);
    const test_block_t blocks[] = {
        TestMap_Box((vec3_t){-40.0f, -40.0f, 0.0f}, (vec3_t){40.0f, 40.0f, 96.0f})};
    const test_map_t map = {
        .room = {{(float)-half, (float)-half, 0.0f}, {(float)half, (float)half, 160.0f}},
        .blocks = blocks,
        .num_blocks = COUNTOF(blocks),
        .entities = entities,
        .format = format,
        .name = name,
        .brush_list = half > 250};
    uint8_t *bytes = TestMap_Bytes(&map, &size);
    snprintf(path, sizeof path, "%s/%s.bsp", folder, name);
    must(bytes && File_Write(path, bytes, size, &err), "cannot write a map");
    free(bytes);
}

void Matches_Open(match_house_t *house) {
    char folders[512];
    *house = (match_house_t){.is_loud = getenv("MATCH_SEED") != NULL, .game = Game_Export()};
    snprintf(house->folder, sizeof house->folder, "/tmp/edictd-matches-XXXXXX");
    must(mkdtemp(house->folder) != NULL, "no temporary folder");
    write_room(house->folder, map_names[0], "BSP29", 220);
    write_room(house->folder, map_names[1], "2PSB", 300);
    write_room(house->folder, map_names[2], "BSP2", 260);
    write_room(house->folder, map_names[3], "BSP30", 200);
    snprintf(folders, sizeof folders, "%s:%s/maps", house->folder, Test_BuildFolder());
    house->maps = CL_MapsCreate(folders);
    must(house->maps != NULL, "no memory for maps");
}

void Matches_Close(match_house_t *house) {
    char path[128];
    CL_MapsDestroy(house->maps);
    for (int32_t i = 0; i < PLAN_MAPS; i++) {
        snprintf(path, sizeof path, "%s/%s.bsp", house->folder, map_names[i]);
        must(unlink(path) == 0 || errno == ENOENT, "cannot remove a map");
    }
    must(rmdir(house->folder) == 0, "cannot remove the temporary folder");
}

// ---- downloads ----

static const void *open_file(void *context, const char *path, size_t *size) {
    const match_client_t *client = context;
    for (int32_t i = 0; i < client->num_files; i++) {
        if (strcmp(client->files[i].path, path) == 0) {
            *size = client->files[i].size;
            return client->files[i].data;
        }
    }
    return NULL;
}

static bool store_file(void *context, const char *path, const void *data, size_t size) {
    match_client_t *client = context;
    void *copy = client->num_files < MATCH_FILES ? malloc(size) : NULL;
    if (!copy) {
        return false;
    }
    memcpy(copy, data, size);
    match_file_t *file = &client->files[client->num_files++];
    *file = (match_file_t){.data = copy, .size = size};
    snprintf(file->path, sizeof file->path, "%s", path);
    return true;
}

void Match_OpenDownloads(match_client_t *client) {
    const cl_storage_t storage = {.open = open_file, .context = client};
    client->maps = CL_MapsCreateFrom(&storage);
    must(client->maps != NULL, "no memory for maps");
    CL_MapsDownloadTo(client->maps, store_file, client);
}

void Match_CloseDownloads(match_client_t *client) {
    CL_MapsDestroy(client->maps);
    client->maps = NULL;
    for (int32_t i = 0; i < client->num_files; i++) {
        free(client->files[i].data);
    }
    client->num_files = 0;
}
