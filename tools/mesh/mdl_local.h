/// mesh/mdl_local.h - the structs of a .mdl file, and data that mdl.c and mdl_sequences.c share.
//
// Source:  the layout is published, for example at
//          github.com/malortie/assimp/wiki/MDL:-Half-Life-1-file-format
// Memory:  little-endian fields without padding; copied out of the file, which is not aligned.

#ifndef EDICTD_TOOLS_MESH_MDL_LOCAL_H
#define EDICTD_TOOLS_MESH_MDL_LOCAL_H

#include "mesh/mdl.h"

/// Channels of a bone: position x, y, z, then angles about x, y, z in radians.
enum { MDL_CHANNELS = 6, MDL_ANGLES = 3 };

typedef struct {
    char id[4];
    int32_t version;
    char name[64];
    int32_t length;
    float eye[3], hull[6], clip[6];
    int32_t flags;
    int32_t num_bones, bones, num_controllers, controllers, num_hitboxes, hitboxes;
    int32_t num_sequences, sequences, num_groups, groups;
    int32_t others[16]; ///< textures, skins, body parts, attachments, sounds, transitions
} mdl_header_t;

typedef struct {
    char name[32];
    int32_t parent, flags;
    int32_t controllers[MDL_CHANNELS]; ///< number of a controller, -1 = none
    float value[MDL_CHANNELS];         ///< of the bind pose
    float scale[MDL_CHANNELS];         ///< of the numbers in animations
} mdl_bone_t;

typedef struct {
    int32_t bone, type;
    float start, end; ///< qu or degrees
    int32_t rest, number;
} mdl_controller_t;

typedef struct {
    int32_t bone, group;
    float mins[3], maxs[3];
} mdl_hitbox_t;

typedef struct {
    char label[32];
    float fps;
    int32_t flags, activity, weight, num_events, events, num_frames, num_pivots, pivots;
    int32_t motion_type, motion_bone;
    float motion[3];
    int32_t auto_places, auto_angles;
    float box[6];
    int32_t num_blends, animations, blend_type[2];
    float blend_start[2], blend_end[2];
    int32_t blend_parent, group, entry_node, exit_node, node_flags, next;
} mdl_sequence_t;

typedef struct {
    char label[32], name[64];
    int32_t cache, data;
} mdl_group_t;

/// A bone in one blend of a sequence: where the numbers of its channels start, in bytes from this
/// struct; 0 = the value of the bind pose.
typedef struct {
    uint16_t offsets[MDL_CHANNELS];
} mdl_track_t;

static_assert(sizeof(mdl_header_t) == 244 && sizeof(mdl_bone_t) == 112 &&
                  sizeof(mdl_controller_t) == 24 && sizeof(mdl_hitbox_t) == 32 &&
                  sizeof(mdl_sequence_t) == 176 && sizeof(mdl_group_t) == 104 &&
                  sizeof(mdl_track_t) == 12,
              "the structs must have no padding");

#define MDL_LOOPS        1      // flag of a sequence
#define MDL_CHANNEL_BITS 0x3f   // bits of a type: the channel, 1 = x ... 32 = angle about z
#define MDL_WRAPS        0x8000 // type of a controller: turns without end

/// The bones of the rig that one bone of the file becomes; -1 = none.
typedef struct {
    int32_t outer;  ///< "BONE.z": position, no rotation
    int32_t middle; ///< "BONE.y": rotation about z
    int32_t inner;  ///< the bone
} mdl_split_t;

typedef struct {
    const char *name;
    const uint8_t *bytes;
    size_t size;
    similar_t root;
    const me_rig_options_t *options;
    mdl_header_t head;
    mdl_bone_t bones[MAX_BONES];
    mdl_split_t splits[MAX_BONES];
    me_rig_t *rig;
    err_t *err;
} mdl_t;

/// Sets the error "file: byte N: reason". Always returns false.
bool MDL_Fail(const mdl_t *mdl, int64_t at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// Copies `bytes` at offset `at` to `to`. Fails if they are not within the file.
bool MDL_Copy(const mdl_t *mdl, int64_t at, size_t bytes, void *to, const char *what);

/// Checks that an array of at most `max` structs lies within the file.
bool MDL_CheckArray(const mdl_t *mdl, const char *what, int32_t count, int32_t max, int64_t at,
                    size_t stride);

/// Writes the keys of one bone of the file for its channels. Fails if a channel is not finite or
/// too large. `at`: offset in the file for the error.
bool MDL_Keys(const mdl_t *mdl, int32_t bone, const double channels[MDL_CHANNELS], int64_t at,
              model_key_t *keys);

/// Reads the sequences into animations (mdl_sequences.c).
bool MDL_ReadSequences(mdl_t *mdl);

#endif
