/// download_fixture.h - a map that takes a while to download, because its end does not compress.

#ifndef EDICTD_TESTS_DOWNLOAD_FIXTURE_H
#define EDICTD_TESTS_DOWNLOAD_FIXTURE_H

#include "base/types.h"

/// Writes foundry.bsp with `bytes` random bytes behind it to a temporary file. Returns its path,
/// valid until the next call. Aborts on failure.
const char *TestDownload_Map(int32_t bytes);

/// Removes the file.
void TestDownload_RemoveMap(void);

#endif
