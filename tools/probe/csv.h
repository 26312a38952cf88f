/// probe/csv.h - reads comma-separated tables. Columns have the names in the header line.
//
// Memory:  all in the csv_t (about 5 KiB); the caller owns the stream.
// Errors:  "name:line: expected, found". The header is line 1.

#ifndef EDICTD_PROBE_CSV_H
#define EDICTD_PROBE_CSV_H

#include "base/err.h"
#include "math/vec3.h"

#include <stdio.h>

#define MAX_CSV_COLUMNS    64
#define MAX_CSV_LINE_BYTES 4096 // bytes of a line, with newline and NUL

/// A table that is read row by row. Fields contain no commas, quotes or newlines.
typedef struct {
    FILE *in;
    const char *name; ///< prefix of the errors; must outlive the csv_t
    int32_t line;     ///< line number of the last row
    char separator;   ///< between fields: a comma, in a .pts file a blank
    int32_t num_columns;
    int32_t num_fields;           ///< fields of the last row; equals num_columns after CSV_ROW
    char *names[MAX_CSV_COLUMNS]; ///< pointers into `header`
    char *fields[MAX_CSV_COLUMNS];
    char header[MAX_CSV_LINE_BYTES];
    char row[MAX_CSV_LINE_BYTES];
} csv_t;

typedef enum { CSV_ROW, CSV_END, CSV_ERROR } csv_read_t;

/// Reads the header line. Returns false if the line is missing, or if a name is empty or occurs
/// twice. A .pts file (path of a leak) has no header. The columns are x, y and z.
bool Csv_Open(csv_t *csv, FILE *in, const char *name, err_t *err);

/// Returns the number of the column with this header name, or -1.
int32_t Csv_Column(const csv_t *csv, const char *name);

/// Writes the numbers of `count` named columns to `columns`. Fails if a column is missing.
bool Csv_Columns(const csv_t *csv, const char *const *names, int32_t count, int32_t *columns,
                 err_t *err);

/// Reads the next row. Skips empty lines. Returns CSV_ERROR for a missing or extra field, a long
/// line, a NUL or a read error.
csv_read_t Csv_Next(csv_t *csv, err_t *err);

/// Returns the text of a field of the last row. `column`: a valid result of Csv_Column.
const char *Csv_Text(const csv_t *csv, int32_t column);

/// Parse a field of the last row as a number. Csv_Int accepts lo..hi.
bool Csv_Float(const csv_t *csv, int32_t column, float *out, err_t *err);
bool Csv_Int(const csv_t *csv, int32_t column, int64_t lo, int64_t hi, int64_t *out, err_t *err);

/// Parses three fields of the last row as a vector. Fails if a number is outside +-limit.
bool Csv_Vector(const csv_t *csv, const int32_t columns[3], float limit, vec3_t *out, err_t *err);

#endif
