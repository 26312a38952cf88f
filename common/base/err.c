#include "base/err.h"

#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>

bool Err_Set(err_t *err, const char *format, ...) {
    if (!err) {
        return false;
    }
    char text[sizeof err->text]; // write to a copy: the arguments may point into err->text
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    Str_TrimCut(text);
    Str_Printable(err->text, sizeof err->text, text);
    return false;
}
