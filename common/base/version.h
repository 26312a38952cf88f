/// base/version.h - the version of edictd, of its tools and of its libraries.

#ifndef EDICTD_BASE_VERSION_H
#define EDICTD_BASE_VERSION_H

/// The version as MAJOR.MINOR.PATCH. The Makefile reads this line: MAJOR is part of the shared
/// library's name.
#define EDICTD_VERSION "0.10.0"

#endif
