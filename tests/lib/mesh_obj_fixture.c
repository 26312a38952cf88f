// Apart from mesh_fixture.c, because WebAssembly starts no other program.

#include "lib/mesh_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Reads one corner of a face line ("7", "7/1/2" or "-1") as an index.
static bool next_corner(const test_mesh_t *mesh, char **text, int32_t *index) {
    char *end = NULL;
    long number = strtol(*text, &end, 10);
    if (end == *text) {
        return false;
    }
    *text = end + strcspn(end, " \t\r\n");
    *index = (int32_t)(number > 0 ? number - 1 : mesh->num_vertices + number);
    return true;
}

bool TestMesh_ReadObj(test_mesh_t *mesh, const char *path) {
    char text[512];
    FILE *probe = fopen(path, "rb");
    if (!probe) {
        return false;
    }
    fclose(probe);
    bool packed = strlen(path) > 3 && strcmp(path + strlen(path) - 3, ".gz") == 0;
    snprintf(text, sizeof text, "%s '%s'", packed ? "zcat" : "cat", path);
    FILE *in = popen(text, "r");
    while (in && fgets(text, sizeof text, in)) {
        vec3_t v;
        if (sscanf(text, "v %f %f %f", &v.x, &v.y, &v.z) == 3) {
            TestMesh_Vertex(mesh, v);
        } else if (strncmp(text, "f ", 2) == 0) {
            char *at = text + 2;
            int32_t corners[3];
            for (int32_t count = 0; next_corner(mesh, &at, &corners[count < 2 ? count : 2]);
                 count++) {
                if (count >= 2) {
                    TestMesh_Triangle(mesh, corners[0], corners[1], corners[2]);
                    corners[1] = corners[2];
                }
            }
        }
    }
    return in && pclose(in) == 0 && mesh->num_triangles > 0;
}
