#include "model/emesh_write.h"

#include "base/assert.h"
#include "base/hash.h"
#include "model/emesh_layout.h"

#include <stdlib.h>
#include <string.h>

uint8_t *EMesh_CollisionBytes(const mesh_t *mesh, size_t *bytes) {
    emesh_collision_t head = {.flags = mesh->flags,
                              .contents = mesh->contents,
                              .num_vertices = mesh->num_vertices,
                              .num_triangles = mesh->num_triangles,
                              .num_nodes = mesh->num_nodes,
                              .num_blocks = mesh->num_blocks,
                              .bounds = mesh->bounds};
    emesh_arrays_t at = EMesh_Arrays(&head);
    uint8_t *data = calloc(1, at.end);
    if (!data) {
        return NULL;
    }
    memcpy(data, &head, sizeof head);
    memcpy(data + at.vertices, mesh->vertices, (size_t)mesh->num_vertices * sizeof *mesh->vertices);
    memcpy(data + at.indices, mesh->indices, (size_t)mesh->num_triangles * sizeof *mesh->indices);
    memcpy(data + at.nodes, mesh->nodes, (size_t)mesh->num_nodes * sizeof *mesh->nodes);
    memcpy(data + at.blocks, mesh->blocks, (size_t)mesh->num_blocks * sizeof *mesh->blocks);
    *bytes = at.end;
    return data;
}

void EMesh_Seal(uint8_t *data, size_t size) {
    emesh_header_t head;
    ASSERT(size >= sizeof head);
    memcpy(&head, data, sizeof head);
    head.size = size;
    head.checksum = Hash_Bytes(data + EMESH_SUMMED_FROM, size - EMESH_SUMMED_FROM, 0);
    memcpy(data, &head, sizeof head);
}

uint8_t *EMesh_Bytes(const emesh_section_t *sections, int32_t count, size_t *size) {
    ASSERT(count >= 1 && count <= MAX_EMESH_SECTIONS);
    emesh_entry_t entries[MAX_EMESH_SECTIONS];
    size_t end = sizeof(emesh_header_t) + (size_t)count * sizeof *entries;
    for (int32_t i = 0; i < count; i++) {
        entries[i] = (emesh_entry_t){.kind = (uint32_t)sections[i].kind,
                                     .offset = EMesh_Align(end),
                                     .bytes = sections[i].bytes};
        end = (size_t)entries[i].offset + sections[i].bytes;
    }
    uint8_t *data = calloc(1, end);
    if (!data) {
        return NULL;
    }
    emesh_header_t head = {.version = EMESH_VERSION, .num_sections = (uint32_t)count};
    memcpy(head.magic, EMESH_MAGIC, sizeof head.magic);
    memcpy(data, &head, sizeof head);
    memcpy(data + sizeof head, entries, (size_t)count * sizeof *entries);
    for (int32_t i = 0; i < count; i++) {
        if (sections[i].bytes > 0) {
            memcpy(data + entries[i].offset, sections[i].data, sections[i].bytes);
        }
    }
    EMesh_Seal(data, end);
    *size = end;
    return data;
}

uint8_t *EMesh_MeshBytes(const mesh_t *parts, int32_t count, size_t *size) {
    emesh_section_t sections[MAX_EMESH_PARTS] = {0};
    uint8_t *bytes[MAX_EMESH_PARTS] = {NULL};
    bool good = true;
    ASSERT(count >= 1 && count <= MAX_EMESH_PARTS);
    for (int32_t i = 0; i < count; i++) {
        bytes[i] = EMesh_CollisionBytes(&parts[i], &sections[i].bytes);
        sections[i].kind = EMESH_COLLISION;
        sections[i].data = bytes[i];
        good = good && bytes[i];
    }
    uint8_t *data = good ? EMesh_Bytes(sections, count, size) : NULL;
    for (int32_t i = 0; i < count; i++) {
        free(bytes[i]);
    }
    return data;
}
