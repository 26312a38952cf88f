/// base/version.h - the version of edictd, of its tools and of its libraries.

#ifndef EDICTD_BASE_VERSION_H
#define EDICTD_BASE_VERSION_H

/// MAJOR.MINOR.PATCH. The Makefile reads this line.
#define EDICTD_VERSION "0.10.0"

#endif
