#include "mesh/info.h"

#include "math/bounds.h"
#include "mesh/parts.h"
#include "mesh/rig.h"
#include "model/pose.h"

#include <math.h>

/// Prints a box. Adding 0 turns -0 into 0.
static void print_box(FILE *to, bounds_t box) {
    fprintf(to, "(%.5g %.5g %.5g) to (%.5g %.5g %.5g)", (double)(box.mins.x + 0.0f),
            (double)(box.mins.y + 0.0f), (double)(box.mins.z + 0.0f), (double)(box.maxs.x + 0.0f),
            (double)(box.maxs.y + 0.0f), (double)(box.maxs.z + 0.0f));
}

static void print_parts(FILE *to, const emesh_t *file) {
    if (file->num_parts == 0) {
        fputs("triangles: none\n", to);
    }
    for (int32_t i = 0; i < file->num_parts; i++) {
        const mesh_t *mesh = &file->parts[i];
        fprintf(to, "triangles: %d, %d vertices, %s%s%s, ", mesh->num_triangles, mesh->num_vertices,
                ME_ContentsName(mesh->contents), (mesh->flags & MESH_VOLUME) ? " volume" : "",
                (mesh->flags & MESH_ONE_SIDED) ? ", one-sided" : "");
        print_box(to, mesh->bounds);
        fputc('\n', to);
    }
}

/// Prints the model-space direction nearest to an axis, such as "+x". Above 8 degrees, prints "~"
/// first.
static void print_axis(FILE *to, vec3_t axis) {
    const float parts[3] = {axis.x, axis.y, axis.z};
    int32_t largest = 0;
    for (int32_t i = 1; i < 3; i++) {
        largest = fabsf(parts[i]) > fabsf(parts[largest]) ? i : largest;
    }
    fprintf(to, " %s%c%c", fabsf(parts[largest]) < 0.99f ? "~" : "",
            parts[largest] < 0.0f ? '-' : '+', 'x' + largest);
}

/// Prints the bones in the bind pose, without animation and controllers.
static void print_bones(FILE *to, const model_t *model) {
    const pose_request_t request = {.animations = {-1, -1}};
    model_t bare = *model;
    model_pose_t pose;
    bare.num_controllers = 0;
    Pose_Evaluate(NULL, &bare, &request, &pose);
    fprintf(to,
            "bones: %d (number, name, parent, position in the model, axes nearest to its x y z; "
            "~ = over 8 degrees off)\n",
            model->num_bones);
    for (int32_t i = 0; i < model->num_bones; i++) {
        const model_bone_t *bone = &model->bones[i];
        const bone_matrix_t *at = &pose.bones[i];
        fprintf(to, "  %3d %-31s %3d  (%.5g %.5g %.5g) ", i, bone->name, bone->parent,
                (double)(at->origin.x + 0.0f), (double)(at->origin.y + 0.0f),
                (double)(at->origin.z + 0.0f));
        for (int32_t axis = 0; axis < 3; axis++) {
            print_axis(to, at->axes[axis]);
        }
        fputc('\n', to);
    }
}

static void print_controllers(FILE *to, const model_t *model) {
    fprintf(to, "controllers: %d\n", model->num_controllers);
    for (int32_t i = 0; i < model->num_controllers; i++) {
        const model_controller_t *one = &model->controllers[i];
        fprintf(to, "  %3d %-31s %s of %s, %g to %g\n", i, one->name, ME_MoveName(one->move),
                model->bones[one->bone].name, (double)one->min, (double)one->max);
    }
}

static void print_hitboxes(FILE *to, const model_t *model) {
    fprintf(to, "hitboxes: %d (number, group, bone, box in the bone's space)\n",
            model->num_hitboxes);
    for (int32_t i = 0; i < model->num_hitboxes; i++) {
        const model_hitbox_t *one = &model->hitboxes[i];
        fprintf(to, "  %3d %-10s %-31s ", i, ME_GroupName(one->group),
                model->bones[one->bone].name);
        print_box(to, one->box);
        fputc('\n', to);
    }
}

static void print_animations(FILE *to, const model_t *model) {
    fprintf(to, "animations: %d, %d frames in all\n", model->num_animations, model->num_frames);
    for (int32_t i = 0; i < model->num_animations; i++) {
        const model_animation_t *one = &model->animations[i];
        int32_t steps = one->loops ? one->num_frames : one->num_frames - 1;
        fprintf(to, "  %3d %-31s %g s, %d frames of %d ms, %s\n", i, one->name,
                (double)steps * (double)one->frame_ms / 1000.0, one->num_frames, one->frame_ms,
                one->loops ? "loops" : "once");
    }
}

bool ME_PrintInfo(FILE *to, const char *path, err_t *err) {
    emesh_t file;
    model_t model;
    if (!EMesh_Load(&file, path, err)) {
        return false;
    }
    bool good = Model_Read(&model, &file, path, err);
    if (good) {
        fprintf(to, "%s: %zu bytes\n", path, file.size);
        print_parts(to, &file);
    }
    if (good && model.num_bones == 0) {
        fputs("bones: none\n", to);
    } else if (good) {
        print_bones(to, &model);
        print_controllers(to, &model);
        print_hitboxes(to, &model);
        print_animations(to, &model);
    }
    EMesh_Free(&file);
    return good;
}
