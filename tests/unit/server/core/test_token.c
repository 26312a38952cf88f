// Connect tokens and session tickets: signatures, claims, times, hostile contents.

#include "core/token.h"
#include "lib/testing.h"

#include <sodium.h>
#include <string.h>

#define SERVER "ZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXp7fH1-f4CBgoM"
#define SIGNER "A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg" // of the seed 0, 1, ... 31
#define NOW    INT64_C(1795438800)                           // 2026-11-23T13:00:00Z
#define CLAIMS(more)                                                                               \
    "{\"sub\":\"bob\",\"jti\":\"1\",\"aud\":\"" SERVER "\",\"exp\":\"2026-11-23T13:01:00Z\"" more  \
    "}"

// Tokens of another implementation: PyNaCl, with the claims in JSON of Python.
#define OWN                                                                                        \
    "v4.public."                                                                                   \
    "eyJzdWIiOiJzdGVhbTo3NjU2MTE5ODAwMDAwMDAwMSIsIm5hbWUiOiLDhG5uZSIsImp0aSI6ImMwZmZlZSIsImlhdCI6" \
    "IjIwMjYtMTEtMjNUMTM6MDA6MDArMDA6MDAiLCJuYmYiOiIyMDI2LTExLTIzVDE0OjAwOjAwLjI1KzAxOjAwIiwiZXhw" \
    "IjoiMjAyNi0xMS0yM1QxMzowMTowMFoiLCJhdWQiOlsib3RoZXIiLCJaR1ZtWjJocGFtdHNiVzV2Y0hGeWMzUjFkbmQ0" \
    "ZVhwN2ZIMS1mNENCZ29NIl19"
#define PLAIN                                                                                      \
    OWN "Ig9Ghp7ny1H-jmzbrW-03329EjH4JyGIyvQcMGehtQVoiclAcMpHhJq1hw2iYJ-SK9rIkNgoHvHqaBzyxPC_Dw"
#define WITH_FOOTER                                                                                \
    OWN "kQnjvcMuw2HxJZtgSiEz3tP6SZjx2Hkv7FYR7Z6PjF0sO8KfIqFXPRFaJMpJcJ2MEJ_sXrOJL6KvrIIrYw-lBQ"   \
        ".a2lkLTE"
#define WITH_ASSERTION                                                                             \
    OWN "Hfr_s5vlHDf72cFx9j1hdEh4hMYCoSNTCr8u0_7sWxcS9NHxI3C4Ciu0-74J0jLKyr5G05fCB1G7QMD1opgfBg"

// Vector 4-S-2 of the PASETO specification.
#define OFFICIAL_KEY "Hrnbu7wEfAP9cGBOAHHwmH4Wsot1ciXBHwBBXQ4gsaI"
#define OFFICIAL                                                                                   \
    "v4.public.eyJkYXRhIjoidGhpcyBpcyBhIHNpZ25lZCBtZXNzYWdlIiwiZXhwIjoiMjAyMi0wMS0wMVQwMDowMDow"   \
    "MCswMDowMCJ9v3Jt8mx_TdM2ceTGoqwrh4yDFn0XsHvvV_D0DtwQxVrJEBMl0F2caAdgnpKlt4p7xBnx1HcO-SPo8FPp" \
    "214HDw.eyJraWQiOiJ6VmhNaVBCUDlmUmYyc25FY1Q3Z0ZUaW9lQTlDT2NOeTlEZmdMMVc2MGhhTiJ9"

static token_keys_t keys_of(const char *text) {
    token_keys_t keys;
    err_t err = {""};
    if (!Token_ParseKeys(text, &keys, &err)) {
        fail_msg("%s", err.text);
    }
    return keys;
}

static void sign(const char *claims, char token[PASETO_BYTES]) {
    uint8_t seed[PASETO_SEED_BYTES];
    for (size_t i = 0; i < sizeof seed; i++) {
        seed[i] = (uint8_t)i;
    }
    assert_true(Paseto_Sign(claims, seed, token));
}

static bool verify(const char *text, int64_t now_s, token_t *token, err_t *err) {
    const token_keys_t keys = keys_of(SIGNER);
    *err = (err_t){""};
    return Token_Verify(text, &keys, SERVER, now_s, token, err);
}

static void assert_refused(const char *text, int64_t now_s, const char *why) {
    static const token_t none;
    token_t token;
    err_t err;
    if (verify(text, now_s, &token, &err)) {
        fail_msg("accepted: expected \"%s\"", why);
    }
    if (!strstr(err.text, why)) {
        fail_msg("expected \"%s\", found \"%s\"", why, err.text);
    }
    assert_memory_equal(&token, &none, sizeof none);
}

static void assert_claims_refused(const char *claims, const char *why) {
    char token[PASETO_BYTES];
    sign(claims, token);
    assert_refused(token, NOW, why);
}

static void test_tokens_of_another_implementation(void **state) {
    (void)state;
    static const char *const texts[] = {PLAIN, WITH_FOOTER};
    for (size_t i = 0; i < COUNTOF(texts); i++) {
        token_t token;
        err_t err;
        if (!verify(texts[i], NOW, &token, &err)) {
            fail_msg("%s", err.text);
        }
        assert_string_equal(token.id, "steam:76561198000000001");
        assert_string_equal(token.name, "Änne");
        assert_int_equal(token.until_s, NOW + 60);
    }
    assert_refused(WITH_ASSERTION, NOW, "unknown signer");
}

// Accepted as far as the signature; its claims are not for edictd.
static void test_official_vector(void **state) {
    (void)state;
    const token_keys_t keys = keys_of(OFFICIAL_KEY);
    token_t token;
    err_t err = {""};
    assert_false(Token_Verify(OFFICIAL, &keys, SERVER, NOW, &token, &err));
    assert_non_null(strstr(err.text, "expected sub"));
    assert_refused(OFFICIAL, NOW, "unknown signer");
}

static void test_signing_gives_the_bytes_of_the_vector(void **state) {
    (void)state;
    char message[PASETO_MESSAGE_BYTES], token[PASETO_BYTES];
    const token_keys_t keys = keys_of(SIGNER);
    size_t size = 0;
    assert_int_equal(Paseto_Open(PLAIN, keys.list, keys.count, message, &size), PASETO_GOOD);
    assert_int_equal(strlen(message), size);
    sign(message, token);
    assert_string_equal(token, PLAIN);
}

static void test_every_changed_character_is_refused(void **state) {
    (void)state;
    char text[PASETO_BYTES];
    token_t token;
    err_t err;
    size_t length = strlen(WITH_FOOTER);
    for (size_t i = 0; i < length; i++) {
        memcpy(text, WITH_FOOTER, length + 1);
        text[i] = text[i] == 'A' ? 'B' : 'A';
        assert_false(verify(text, NOW, &token, &err));
        memcpy(text, WITH_FOOTER, length + 1);
        text[i] = '\0';
        assert_false(verify(text, NOW, &token, &err));
    }
}

static void test_malformed_texts(void **state) {
    (void)state;
    static const char *const texts[] = {"",
                                        "v4.public.",
                                        "v4.public.AAAA",
                                        "v4.local.AAAA",
                                        "v3.public.AAAA",
                                        "V4.PUBLIC.AAAA",
                                        "v4.public",
                                        PLAIN "=",
                                        PLAIN ".",
                                        PLAIN ".a2lkLTE.a2lkLTE",
                                        PLAIN "+/",
                                        " " PLAIN,
                                        PLAIN "\n"};
    char longest[2 * PASETO_BYTES];
    for (size_t i = 0; i < COUNTOF(texts); i++) {
        assert_refused(texts[i], NOW, "malformed token: expected PASETO v4.public");
    }
    memset(longest, 'A', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    memcpy(longest, "v4.public.", 10);
    assert_refused(longest, NOW, "malformed token");
    longest[PASETO_BYTES - 1] = '\0'; // 1,024 characters
    assert_refused(longest, NOW, "unknown signer");
    longest[PASETO_BYTES - 2] = '\0'; // 1,013 characters after the header are no base64
    assert_refused(longest, NOW, "malformed token");
}

static void test_each_faulty_claim_has_its_reason(void **state) {
    (void)state;
    static const struct {
        const char *claims, *why;
    } cases[] = {
        {"", "malformed token: claims"},
        {"{", "malformed token: claims"},
        {"[]", "expected claims, a JSON object"},
        {"\"sub\"", "malformed token: claims"},
        {"{}", "expected sub"},
        {"{\"sub\":7}", "expected sub"},
        {"{\"sub\":\"\"}", "expected sub"},
        {"{\"sub\":null}", "expected sub"},
        {"{\"sub\":[\"bob\"]}", "expected sub"},
        {"{\"sub\":\"a b\"}", "visible ASCII"},
        {"{\"sub\":\"\xc3\xa4\"}", "visible ASCII"},
        {"{\"sub\":\"a\\n\"}", "visible ASCII"},
        {"{\"sub\":\"a\\u0000b\"}", "malformed token: claims"},
        {"{\"sub\":\"\xff\"}", "malformed token: claims"},
        {"{\"sub\":\"a\",\"sub\":\"b\"}", "malformed token: claims: duplicate"},
        {CLAIMS(",\"jti\":\"2\""), "malformed token: claims: duplicate"},
        {"{\"sub\":\"a\"} {}", "malformed token: claims"},
        {"{\"sub\":\"a\"}", "expected jti"},
        {"{\"sub\":\"a\",\"jti\":1}", "expected jti"},
        {"{\"sub\":\"a\",\"jti\":\"1\"}", "expected exp"},
        {"{\"sub\":\"a\",\"jti\":\"1\",\"exp\":1795438860}", "expected exp"},
        {"{\"sub\":\"a\",\"jti\":\"1\",\"exp\":1e400}", "malformed token: claims"},
        {"{\"sub\":\"a\",\"jti\":\"1\",\"exp\":99999999999999999999}", "malformed token: claims"},
        {CLAIMS(",\"name\":7"), "expected name"},
        {CLAIMS(",\"name\":\"\""), "expected name"},
        {CLAIMS(",\"name\":\"12345678901234567890123456789012\""), "expected name"},
        {CLAIMS(",\"name\":\"a\\tb\""), "expected name without control"},
        {CLAIMS(",\"name\":\" a\""), "expected name without control"},
        {CLAIMS(",\"name\":\"a  b\""), "expected name without control"},
        {CLAIMS(",\"iat\":false"), "expected iat"},
        {CLAIMS(",\"nbf\":{}"), "expected nbf"},
        {CLAIMS(",\"nbf\":\"2026-11-23\""), "expected nbf"},
        {CLAIMS(",\"iat\":\"2026-11-23T13:00:31Z\""), "not valid for another 1 s"},
        {CLAIMS(",\"nbf\":\"2026-11-23T13:00:40Z\""), "not valid for another 10 s"},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        assert_claims_refused(cases[i].claims, cases[i].why);
    }
}

static void test_good_claims(void **state) {
    (void)state;
    static const char *const cases[] = {
        CLAIMS(""),
        CLAIMS(",\"name\":\"1234567890123456789012345678901\""),
        CLAIMS(",\"iat\":\"2026-11-23T13:00:30Z\""), // the backend's clock is fast
        CLAIMS(",\"iss\":\"lobby\",\"level\":99,\"more\":{\"exp\":[1.5e300]}"),
    };
    char text[PASETO_BYTES];
    token_t token;
    err_t err;
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        sign(cases[i], text);
        if (!verify(text, NOW, &token, &err)) {
            fail_msg("%s", err.text);
        }
        assert_string_equal(token.id, "bob");
    }
}

static void test_deep_nesting(void **state) {
    (void)state;
    char claims[PASETO_MESSAGE_BYTES] = "";
    memset(claims, '[', 690);
    assert_claims_refused(claims, "malformed token: claims");
}

static void test_the_longest_token(void **state) {
    (void)state;
    char claims[2 * PASETO_MESSAGE_BYTES], text[PASETO_BYTES];
    uint8_t seed[PASETO_SEED_BYTES] = {0};
    size_t used = strlen(CLAIMS(""));
    token_t token;
    err_t err;
    // 1,013 characters of base64 hold 759 bytes, 64 of them the signature.
    memset(claims, ' ', sizeof claims);
    memcpy(claims, CLAIMS(""), used);
    claims[695] = '\0';
    sign(claims, text);
    assert_true(strlen(text) <= PASETO_BYTES - 1 && strlen(text) > PASETO_BYTES - 4);
    assert_true(verify(text, NOW, &token, &err));
    claims[695] = ' ';
    claims[697] = '\0';
    assert_false(Paseto_Sign(claims, seed, text));
}

static void test_audience(void **state) {
    (void)state;
#define AUD(aud) "{\"sub\":\"a\",\"jti\":\"1\",\"exp\":\"2026-11-23T13:01:00Z\",\"aud\":" aud "}"
    static const char *const foreign[] = {
        AUD("\"\""),
        AUD("\"" OFFICIAL_KEY "\""),
        AUD("[]"),
        AUD("7"),
        AUD("null"),
        AUD("{}"),
        AUD("[[\"" SERVER "\"]]"),
        AUD("[7,null,\"" SIGNER "\"]"),
        AUD("\"" SERVER "=\""),
        "{\"sub\":\"a\",\"jti\":\"1\",\"exp\":\"2026-11-23T13:01:00Z\"}"};
    char text[PASETO_BYTES];
    token_t token;
    err_t err;
    for (size_t i = 0; i < COUNTOF(foreign); i++) {
        assert_claims_refused(foreign[i], "not for this server");
    }
    sign(AUD("[7,\"x\",\"" SERVER "\"]"), text);
    assert_true(verify(text, NOW, &token, &err));
#undef AUD
}

static void test_boundaries_of_the_clock(void **state) {
    (void)state;
    char text[PASETO_BYTES];
    token_t token;
    err_t err;
    sign(CLAIMS(",\"nbf\":\"2026-11-23T13:00:30Z\""), text);
    assert_refused(text, NOW - 1, "not valid for another 1 s");
    assert_true(verify(text, NOW, &token, &err));
    assert_true(verify(text, NOW + 59, &token, &err));
    assert_refused(text, NOW + 60, "expired 0 s ago");
    assert_refused(text, NOW + 100, "expired 40 s ago");
    sign(CLAIMS(""), text);
    assert_true(verify(text, NOW + 60 - TOKEN_LONGEST_S, &token, &err));
    assert_refused(text, NOW + 59 - TOKEN_LONGEST_S, "more than 24 h");
}

static void test_times(void **state) {
    (void)state;
    static const struct {
        const char *time;
        int64_t until_s; // 0 = not valid
    } cases[] = {
        {"2026-11-23T13:01:00Z", NOW + 60},
        {"2026-11-23T13:01:00.999999999Z", NOW + 60},
        {"2026-11-23T15:31:00+02:30", NOW + 60},
        {"2026-11-23T10:31:00-02:30", NOW + 60},
        {"2026-11-23T13:00:60Z", NOW + 60},
        {"2026-11-24T00:00:60+01:00", NOW + 10 * 3600 + 60},
        {"2026-11-23T14:01:00+0100", NOW + 60},
        {"2026-11-23T13:01:00", 0},
        {"2026-11-23T13:01:00.5", 0},
        {"2026-11-23T13:01Z", 0},
        {"1795438860", 0},
        {"2026-11-23T13:01:00+01:60", 0},
        {"2026-11-23T13:01:00ZZ", 0},
        {"2026-11-23T24:00:00Z", 0},
        {"2026-11-23T13:60:00Z", 0},
        {"2026-11-23T13:01:62Z", 0},
        {"2026-11-31T13:01:00Z", 0},
        {"2026-13-01T13:01:00Z", 0},
        {"2026-00-10T13:01:00Z", 0},
        {"2026-11-00T13:01:00Z", 0},
        {"+026-11-23T13:01:00Z", 0},
        {"", 0},
    };
    for (size_t i = 0; i < COUNTOF(cases); i++) {
        char claims[PASETO_MESSAGE_BYTES], text[PASETO_BYTES];
        token_t token;
        err_t err;
        snprintf(claims, sizeof claims,
                 "{\"sub\":\"bob\",\"jti\":\"1\",\"aud\":\"" SERVER "\",\"exp\":\"%s\"}",
                 cases[i].time);
        sign(claims, text);
        if (cases[i].until_s == 0) {
            assert_refused(text, NOW, "expected exp");
        } else if (!verify(text, NOW, &token, &err) || token.until_s != cases[i].until_s) {
            fail_msg("%s: %s, %lld", cases[i].time, err.text, (long long)token.until_s);
        }
    }
}

static void test_use_differs_by_player_and_jti(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {"a", "b"}, {"a", "c"}, {"ab", "b"}, {"a", "bb"}, {"b", "a"}};
    uint64_t uses[COUNTOF(pairs)];
    for (size_t i = 0; i < COUNTOF(pairs); i++) {
        char claims[PASETO_MESSAGE_BYTES], text[PASETO_BYTES];
        token_t token;
        err_t err;
        snprintf(claims, sizeof claims,
                 "{\"sub\":\"%s\",\"jti\":\"%s\",\"aud\":\"" SERVER
                 "\",\"exp\":\"2026-11-23T13:01:00Z\"}",
                 pairs[i][0], pairs[i][1]);
        sign(claims, text);
        assert_true(verify(text, NOW, &token, &err));
        uses[i] = token.use;
        for (size_t j = 0; j < i; j++) {
            assert_true(uses[j] != uses[i]);
        }
    }
}

static void test_any_of_several_keys(void **state) {
    (void)state;
    const token_keys_t keys = keys_of("  " OFFICIAL_KEY "\t " SERVER " " SIGNER "  " SERVER " ");
    token_t token;
    err_t err;
    assert_int_equal(keys.count, 4);
    assert_true(Token_Verify(PLAIN, &keys, SERVER, NOW, &token, &err));
    const token_keys_t none = keys_of(" ");
    assert_int_equal(none.count, 0);
    assert_false(Token_Verify(PLAIN, &none, SERVER, NOW, &token, &err));
    assert_non_null(strstr(err.text, "unknown signer"));
}

static void test_faulty_keys(void **state) {
    (void)state;
    static const char *const texts[] = {"x", SIGNER "x", SIGNER "=", SIGNER "," SERVER,
                                        "A6EHv_POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMb"};
    token_keys_t keys;
    err_t err;
    for (size_t i = 0; i < COUNTOF(texts); i++) {
        assert_false(Token_ParseKeys(texts[i], &keys, &err));
        assert_non_null(strstr(err.text, "sv_authkeys: expected 43 characters"));
    }
    assert_false(Token_ParseKeys(SIGNER " " SIGNER " " SIGNER " " SIGNER " " SIGNER, &keys, &err));
    assert_non_null(strstr(err.text, "at most 4"));
}

// ---- tickets ----

static const uint8_t ticket_key[KEY_BYTES] = {1, 2, 3};

static void test_a_ticket_comes_back(void **state) {
    (void)state;
    token_t token = {.until_s = NOW + 100, .id = "steam:1", .name = "Änne", .use = 7}, read;
    char ticket[TICKET_BYTES], other[TICKET_BYTES];
    err_t err = {""};
    Ticket_Write(&token, ticket_key, ticket);
    assert_true(Ticket_IsOne(ticket) && !Ticket_IsOne(PLAIN) && !Ticket_IsOne(""));
    assert_true(Ticket_Read(ticket, ticket_key, NOW + 99, &read, &err));
    assert_string_equal(read.id, "steam:1");
    assert_string_equal(read.name, "Änne");
    assert_int_equal(read.until_s, NOW + 100);
    assert_int_equal(read.use, 0);
    assert_false(Ticket_Read(ticket, ticket_key, NOW + 100, &read, &err));
    assert_non_null(strstr(err.text, "expired 0 s ago"));
    token.until_s++;
    Ticket_Write(&token, ticket_key, other);
    assert_true(strncmp(ticket, other, 40) != 0); // another nonce
}

static void test_forged_and_foreign_tickets(void **state) {
    (void)state;
    const uint8_t foreign[KEY_BYTES] = {1, 2, 4};
    static const char *const texts[] = {"", "ticket1.", "ticket1.AAAA", PLAIN, "ticket1.!"};
    const token_t token = {.until_s = NOW + 100, .id = "bob"};
    char ticket[TICKET_BYTES + 8], forged[TICKET_BYTES + 8];
    token_t read;
    err_t err;
    Ticket_Write(&token, ticket_key, ticket);
    assert_false(Ticket_Read(ticket, foreign, NOW, &read, &err));
    assert_non_null(strstr(err.text, "not of this server"));
    size_t length = strlen(ticket);
    for (size_t i = 0; i < length; i++) {
        memcpy(forged, ticket, sizeof forged);
        forged[i] = forged[i] == 'A' ? 'B' : 'A';
        assert_false(Ticket_Read(forged, ticket_key, NOW, &read, &err));
        memcpy(forged, ticket, sizeof forged);
        forged[i] = '\0';
        assert_false(Ticket_Read(forged, ticket_key, NOW, &read, &err));
    }
    for (size_t i = 0; i < COUNTOF(texts); i++) {
        assert_false(Ticket_Read(texts[i], ticket_key, NOW, &read, &err));
        assert_string_equal(err.text, "malformed ticket");
    }
    memcpy(ticket + length, "AAAA", 5);
    assert_false(Ticket_Read(ticket, ticket_key, NOW, &read, &err));
    assert_string_equal(err.text, "malformed ticket");
}

static void test_keys_of_tickets(void **state) {
    (void)state;
    const uint8_t secrets[2][32] = {{1}, {2}};
    uint8_t keys[2][KEY_BYTES], again[KEY_BYTES];
    Ticket_Key(secrets[0], keys[0]);
    Ticket_Key(secrets[1], keys[1]);
    Ticket_Key(secrets[0], again);
    assert_memory_equal(keys[0], again, sizeof again);
    assert_memory_not_equal(keys[0], keys[1], sizeof again);
    assert_memory_not_equal(keys[0], secrets[0], sizeof again);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens_of_another_implementation),
        cmocka_unit_test(test_official_vector),
        cmocka_unit_test(test_signing_gives_the_bytes_of_the_vector),
        cmocka_unit_test(test_every_changed_character_is_refused),
        cmocka_unit_test(test_malformed_texts),
        cmocka_unit_test(test_each_faulty_claim_has_its_reason),
        cmocka_unit_test(test_good_claims),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_the_longest_token),
        cmocka_unit_test(test_audience),
        cmocka_unit_test(test_boundaries_of_the_clock),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_use_differs_by_player_and_jti),
        cmocka_unit_test(test_any_of_several_keys),
        cmocka_unit_test(test_faulty_keys),
        cmocka_unit_test(test_a_ticket_comes_back),
        cmocka_unit_test(test_forged_and_foreign_tickets),
        cmocka_unit_test(test_keys_of_tickets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
