#include "base/option.h"

#include "base/version.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static _Noreturn void refer_to_help(const program_t *program) {
    fprintf(stderr, "%s --help lists the options\n", program->name);
    exit(program->failure);
}

int Option_Next(const program_t *program, int argc, char *const *argv) {
    int option = getopt_long(argc, argv, program->letters, program->longs, NULL);
    if (option == 'h') {
        fputs(program->help, stdout);
        exit(EXIT_SUCCESS);
    }
    if (option == 'V') {
        printf("%s %s\n", program->name, EDICTD_VERSION);
        exit(EXIT_SUCCESS);
    }
    if (option == '?') {
        refer_to_help(program); // getopt_long has printed the reason
    }
    return option;
}

_Noreturn void Option_Fail(const program_t *program, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "%s: ", program->name);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    refer_to_help(program);
}
