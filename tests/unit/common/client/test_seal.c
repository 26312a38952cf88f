// Tests that a client passes the wanted seal on to its transport.
#include "lib/client_scene_fixture.h"
#include "lib/testing.h"

#include <string.h>

static void test_a_server_key_is_parsed(void **state) {
    (void)state;
    err_t err;
    client_scene_t *scene = ClientScene_New(4, client_scene_clean);
    cl_t *cl = ClientScene_Add(scene, true, 0);
    assert_false(CL_SetSeal(cl, NET_SEAL_OFFERED, "too short", &err));
    assert_non_null(strstr(err.text, "server key: expected 43 characters"));
    assert_true(
        CL_SetSeal(cl, NET_SEAL_OFFERED, "n1OKrUVJyA782FDA1LPMS-ZdCB405a9aEamrschpuBk", &err));
    assert_false(CL_IsSealed(cl)); // not connected
    assert_true(CL_Connect(cl, client_scene_server, "anna", false, NULL));
    ClientScene_Run(scene, 500);
    assert_true(CL_IsSealed(cl));
    ClientScene_Free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_server_key_is_parsed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
