/// test_mesh_runs.h - many questions asked of meshes, their answers printed as hashes and some in
/// hex.
//
// Not linked with a test framework: tests/golden/across.sh runs it on other CPUs, too.

#ifndef EDICTD_TESTS_TEST_MESH_RUNS_H
#define EDICTD_TESTS_TEST_MESH_RUNS_H

#include "collide/mesh/mesh_query.h"
#include "lib/golden_fixture.h"

/// What tests/golden/mesh.txt holds, answered by the CPU's fastest; `ops` answers the bare
/// questions again, and must give the same bits. False when it does not (said on stderr).
bool TestMeshRuns_Print(test_golden_t *golden, const mesh_ops_t *ops);

#endif
