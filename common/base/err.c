#include "base/err.h"

#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>

bool Err_Set(err_t *err, const char *format, ...) {
    if (!err) {
        return false;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    Str_MakePrintable(err->text);
    return false;
}
