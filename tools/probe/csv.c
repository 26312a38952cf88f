#include "probe/csv.h"

#include "base/str.h"

#include <string.h>

/// Reads a line without its newline ("
/// " or "\r
/// "). The last line may lack the newline.
static csv_read_t read_line(csv_t *csv, char text[MAX_CSV_LINE_BYTES], err_t *err) {
    size_t length = 0;
    int byte = getc_unlocked(csv->in);
    if (byte == EOF && !ferror(csv->in)) {
        return CSV_END;
    }
    csv->line++;
    for (; byte != '\n' && byte != EOF; byte = getc_unlocked(csv->in)) {
        if (byte == '\0') {
            Err_Set(err, "%s:%d: expected text, found a NUL byte", csv->name, csv->line);
            return CSV_ERROR;
        }
        if (length == MAX_CSV_LINE_BYTES - 2) {
            Err_Set(err, "%s:%d: expected at most %d bytes, found a longer line", csv->name,
                    csv->line, MAX_CSV_LINE_BYTES - 2);
            return CSV_ERROR;
        }
        text[length++] = (char)byte;
    }
    if (ferror(csv->in)) {
        Err_Set(err, "%s:%d: the file cannot be read", csv->name, csv->line);
        return CSV_ERROR;
    }
    if (length > 0 && text[length - 1] == '\r') {
        length--;
    }
    text[length] = '\0';
    return CSV_ROW;
}

/// Splits a line into fields. Returns the number of fields, at most MAX_CSV_COLUMNS + 1.
static int32_t split(char *text, char separator, char *fields[MAX_CSV_COLUMNS]) {
    int32_t count = 0;
    for (char *at = text; at;) {
        if (count == MAX_CSV_COLUMNS) {
            return MAX_CSV_COLUMNS + 1;
        }
        fields[count++] = at;
        at = strchr(at, separator);
        if (at) {
            *at++ = '\0';
        }
    }
    return count;
}

bool Csv_Open(csv_t *csv, FILE *in, const char *name, err_t *err) {
    csv->in = in;
    csv->name = name;
    csv->line = 0;
    csv->num_fields = 0;
    size_t length = strlen(name);
    bool is_pts = length > 4 && strcmp(name + length - 4, ".pts") == 0;
    csv->separator = is_pts ? ' ' : ',';
    if (is_pts) {
        strlcpy(csv->header, "x y z", sizeof csv->header);
        csv->num_columns = split(csv->header, csv->separator, csv->names);
        return true;
    }
    csv_read_t got = read_line(csv, csv->header, err);
    if (got == CSV_ERROR) {
        return false;
    }
    if (got == CSV_END) {
        return Err_Set(err, "%s:1: expected a header line, found an empty file", name);
    }
    csv->num_columns = split(csv->header, csv->separator, csv->names);
    if (csv->num_columns > MAX_CSV_COLUMNS) {
        return Err_Set(err, "%s:1: expected at most %d columns, found more", name, MAX_CSV_COLUMNS);
    }
    for (int32_t i = 0; i < csv->num_columns; i++) {
        if (csv->names[i][0] == '\0') {
            return Err_Set(err, "%s:1: expected a name for column %d, found none", name, i + 1);
        }
        if (Csv_Column(csv, csv->names[i]) != i) {
            return Err_Set(err, "%s:1: expected each column once, found %s twice", name,
                           csv->names[i]);
        }
    }
    return true;
}

int32_t Csv_Column(const csv_t *csv, const char *name) {
    for (int32_t i = 0; i < csv->num_columns; i++) {
        if (strcmp(csv->names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}

bool Csv_Columns(const csv_t *csv, const char *const *names, int32_t count, int32_t *columns,
                 err_t *err) {
    for (int32_t i = 0; i < count; i++) {
        columns[i] = Csv_Column(csv, names[i]);
        if (columns[i] < 0) {
            return Err_Set(err, "%s:1: expected a column %s, found none", csv->name, names[i]);
        }
    }
    return true;
}

csv_read_t Csv_Next(csv_t *csv, err_t *err) {
    do {
        csv_read_t got = read_line(csv, csv->row, err);
        if (got != CSV_ROW) {
            return got;
        }
    } while (csv->row[0] == '\0' && csv->num_columns > 1);
    csv->num_fields = split(csv->row, csv->separator, csv->fields);
    if (csv->num_fields != csv->num_columns) {
        Err_Set(err, "%s:%d: expected %d fields, found %s%d", csv->name, csv->line,
                csv->num_columns, csv->num_fields > MAX_CSV_COLUMNS ? "more than " : "",
                Q_MinI(csv->num_fields, MAX_CSV_COLUMNS));
        return CSV_ERROR;
    }
    return CSV_ROW;
}

const char *Csv_Text(const csv_t *csv, int32_t column) {
    return csv->fields[column];
}

static bool bad_field(const csv_t *csv, int32_t column, const char *expected, err_t *err) {
    return Err_Set(err, "%s:%d: column %s: expected %s, found \"%.40s\"", csv->name, csv->line,
                   csv->names[column], expected, csv->fields[column]);
}

bool Csv_Float(const csv_t *csv, int32_t column, float *out, err_t *err) {
    return Str_ToFloat(csv->fields[column], out) || bad_field(csv, column, "a number", err);
}

bool Csv_Int(const csv_t *csv, int32_t column, int64_t lo, int64_t hi, int64_t *out, err_t *err) {
    if (Str_ToInt(csv->fields[column], lo, hi, out)) {
        return true;
    }
    char expected[64];
    snprintf(expected, sizeof expected, "a whole number %lld..%lld", (long long)lo, (long long)hi);
    return bad_field(csv, column, expected, err);
}

bool Csv_Vector(const csv_t *csv, const int32_t columns[3], float limit, vec3_t *out, err_t *err) {
    float v[3];
    for (int i = 0; i < 3; i++) {
        if (!Csv_Float(csv, columns[i], &v[i], err)) {
            return false;
        }
        if (!(fabsf(v[i]) <= limit)) {
            char expected[64];
            snprintf(expected, sizeof expected, "a number within +-%g", (double)limit);
            return bad_field(csv, columns[i], expected, err);
        }
    }
    *out = Vector(v[0], v[1], v[2]);
    return true;
}
