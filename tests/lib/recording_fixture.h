/// recording_fixture.h - writes every message of one client to a file, with the decoded values, for
/// tests/protocol/decode.py.
//
// A line is a JSON object: "from" ("client" or "server"), "channel", "hex" (the message), and
// "values" (what the C code decodes). Floats are their 32 bits as an unsigned number. Members that
// are 0, "" or an empty list are left out. "values" of a snapshot are the whole state after it.

#ifndef EDICTD_TESTS_RECORDING_FIXTURE_H
#define EDICTD_TESTS_RECORDING_FIXTURE_H

#include "net/transport.h"
#include "proto/snapshot_ring.h"

#include <stdio.h>

typedef struct {
    FILE *file;
    snapshot_ring_t *ring; ///< what the client has received
    field_schema_t schema; ///< of the last FIELDS
    int32_t messages, snapshots, bad;
} test_recording_t;

/// Opens a file and starts a recording. Aborts on failure.
void TestRecording_Start(test_recording_t *recording, const char *path);

/// Records the messages that the transport of a client sends and receives from now on. Only one
/// transport of a process can be recorded.
void TestRecording_Tap(test_recording_t *recording, transport_t *net);

void TestRecording_End(test_recording_t *recording);

#endif
