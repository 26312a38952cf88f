// Tokens in the client library: what HELLO carries, and tickets that replace them.

#include "lib/client_scene_fixture.h"
#include "lib/testing.h"

#include <string.h>

static void send_ticket(client_scene_t *scene, const char *text) {
    control_msg_t msg = {.type = CTL_TICKET};
    snprintf(msg.u.text.text, sizeof msg.u.text.text, "%s", text);
    MiniServer_Send(&scene->mini, 0, &msg);
    ClientScene_Run(scene, 100);
}

// Joins again, and returns the token of the HELLO.
static const char *rejoin(client_scene_t *scene, cl_t *cl) {
    cl_event_t event;
    CL_Disconnect(cl);
    ClientScene_Run(scene, 2000);
    assert_true(CL_Connect(cl, client_scene_server, "ann", false, NULL));
    ClientScene_Run(scene, 2000);
    assert_int_equal(CL_State(cl), CL_ACTIVE);
    while (CL_NextEvent(cl, &event)) {
    }
    return scene->mini.peers[0].hello.token;
}

static void test_a_ticket_replaces_the_token(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(1, client_scene_clean);
    cl_t *cl = ClientScene_Join(scene, "ann");
    assert_true(CL_SetToken(cl, "v4.public.AAAA", NULL));
    assert_string_equal(rejoin(scene, cl), "v4.public.AAAA");
    send_ticket(scene, "ticket1.BBBB");
    ClientScene_ExpectEvent(cl, CL_EVENT_TICKET, 0, "ticket1.BBBB");
    assert_string_equal(rejoin(scene, cl), "ticket1.BBBB");
    assert_true(CL_SetToken(cl, "", NULL));
    assert_string_equal(rejoin(scene, cl), "");
    ClientScene_Free(scene);
}

// A server cannot make a client send a text that its user did not choose.
static void test_a_ticket_without_a_token_is_ignored(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(1, client_scene_clean);
    cl_t *cl = ClientScene_Join(scene, "ann");
    send_ticket(scene, "ticket1.BBBB");
    ClientScene_ExpectNoEvent(cl);
    assert_string_equal(rejoin(scene, cl), "");
    ClientScene_Free(scene);
}

static void test_limits_of_a_token(void **state) {
    (void)state;
    client_scene_t *scene = ClientScene_New(1, client_scene_clean);
    cl_t *cl = ClientScene_Add(scene, false, 0);
    char text[CTL_TOKEN_BYTES + 1];
    err_t err;
    memset(text, 'x', sizeof text);
    text[CTL_TOKEN_BYTES] = '\0';
    assert_false(CL_SetToken(cl, text, &err));
    assert_string_equal(err.text, "token of 1025 bytes: expected at most 1024");
    text[CTL_TOKEN_BYTES - 1] = '\0';
    assert_true(CL_SetToken(cl, text, &err));
    assert_string_equal(rejoin(scene, cl), text); // HELLO fits in a datagram
    ClientScene_Free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_ticket_replaces_the_token),
        cmocka_unit_test(test_a_ticket_without_a_token_is_ignored),
        cmocka_unit_test(test_limits_of_a_token),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
