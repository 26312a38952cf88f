/// mesh_runs_fixture.h - many queries on meshes; prints the results as hashes and some in hex.
//
// Uses no test framework, so that tests/golden/across.sh can run it on other CPUs.

#ifndef EDICTD_TESTS_MESH_RUNS_FIXTURE_H
#define EDICTD_TESTS_MESH_RUNS_FIXTURE_H

#include "collide/mesh/mesh_query.h"
#include "lib/golden_fixture.h"

/// Prints the text of tests/golden/mesh.txt, computed by the CPU's fastest kernels. `ops` runs the
/// internal queries again and must give the same bits. If not, prints it on stderr and returns
/// false.
bool TestMeshRuns_Print(test_golden_t *golden, const mesh_ops_t *ops);

#endif
