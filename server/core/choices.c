#include "core/choices.h"

#include <string.h>

#define MAX_DIGITS 9 // of a value; fits in an int32_t

static bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

static bool is_value(const choice_t *choice, const char *value, size_t length) {
    return (size_t)choice->value_length == length && memcmp(choice->value, value, length) == 0;
}

// Returns true if the value of a choice is a number, and sets choice->number.
static bool read_number(choice_t *choice) {
    const char *at = choice->value;
    int32_t sign = *at == '-' ? -1 : 1;
    int32_t digits = choice->value_length - (sign < 0 ? 1 : 0);
    at += sign < 0 ? 1 : 0;
    for (int32_t i = 0; i < digits; i++) {
        if (!is_digit(at[i]) || digits > MAX_DIGITS) {
            return false;
        }
        choice->number = 10 * choice->number + sign * (at[i] - '0');
    }
    return digits > 0;
}

// Reads "VALUE name". A word may have no name.
static bool read_one(const char *text, size_t length, bool is_word, choice_t *choice) {
    const char *blank = memchr(text, ' ', length);
    size_t value_length = blank ? (size_t)(blank - text) : length;
    const char *name = blank ? blank + 1 : text;
    *choice = (choice_t){.value = text,
                         .value_length = (int32_t)value_length,
                         .name = name,
                         .name_length = (int32_t)(text + length - name)};
    choice->is_number = read_number(choice);
    return value_length > 0 && choice->name_length > 0 &&
           (is_word || (choice->is_number && blank && !memchr(text, ',', length)));
}

int32_t SV_ReadChoices(const char *text, choice_t list[MAX_CHOICES]) {
    bool has_words = text && strstr(text, " | ");
    const char *gap = has_words ? " | " : ", ";
    int32_t count = 0;
    for (const char *at = text; at; count++) {
        const char *end = strstr(at, gap);
        size_t length = end ? (size_t)(end - at) : strlen(at);
        if (count == MAX_CHOICES || !read_one(at, length, has_words, &list[count])) {
            return 0;
        }
        for (int32_t i = 0; i < count; i++) {
            if (is_value(&list[i], list[count].value, (size_t)list[count].value_length)) {
                return 0;
            }
        }
        at = end ? end + strlen(gap) : NULL;
    }
    return count;
}

int32_t SV_FieldChoices(const game_field_t *field, choice_t list[MAX_CHOICES]) {
    bool is_text = field->type == FIELD_STRING && !(field->flags & FIELD_NAMES);
    int32_t count = is_text || field->type == FIELD_INT ? SV_ReadChoices(field->help, list) : 0;
    for (int32_t i = 0; i < count; i++) {
        if (field->type == FIELD_INT && !list[i].is_number) {
            return 0;
        }
    }
    return count > 1 ? count : 0;
}

// Returns true for texts such as "1 or 2", "0 = off" and "low | high".
static bool looks_like_choices(const char *help) {
    const char *gap = strstr(help, " or ");
    return is_digit(help[0]) || (help[0] == '-' && is_digit(help[1])) || strstr(help, " | ") ||
           (gap && gap > help && is_digit(gap[-1]) && is_digit(gap[4]));
}

bool SV_CheckHelp(const game_field_t *field, err_t *err) {
    choice_t list[MAX_CHOICES];
    bool is_checked = (field->flags & FIELD_KEY) && field->help &&
                      (field->type == FIELD_INT || field->type == FIELD_STRING);
    return !is_checked || !looks_like_choices(field->help) || SV_FieldChoices(field, list) > 0 ||
           Err_Set(err,
                   "edict field \"%s\": help: expected a list of values such as \"1 red, 2 blue\" "
                   "or \"low | high\", or a text that does not look like one, found \"%.64s\"",
                   field->name, field->help);
}

bool SV_CheckDefault(const game_field_t *field, const char *value, size_t length, err_t *err) {
    choice_t list[MAX_CHOICES];
    int32_t count = SV_FieldChoices(field, list);
    for (int32_t i = 0; i < count; i++) {
        if (is_value(&list[i], value, length)) {
            return true;
        }
    }
    return count == 0 || Err_Set(err, "expected one of \"%.64s\", found \"%s=%.*s\"", field->help,
                                 field->name, (int)length, value);
}

bool SV_CheckSpawnflags(const game_spawn_t *spawn, err_t *err) {
    choice_t list[MAX_CHOICES];
    const char *flags = spawn->flags && spawn->flags[0] != '\0' ? spawn->flags : NULL;
    int32_t count = SV_ReadChoices(flags, list);
    bool good = !flags || (count > 0 && !strstr(flags, " | "));
    int32_t last = 0;
    for (int32_t i = 0; i < count && good; last = list[i++].number) {
        good = list[i].number > last && (list[i].number & (list[i].number - 1)) == 0;
    }
    return good || Err_Set(err,
                           "class \"%s\": spawnflags: expected \"BIT name, BIT name\" with rising "
                           "bits, found \"%.64s\"",
                           spawn->classname, flags);
}
