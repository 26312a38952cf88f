// A library without a game's table.
__attribute__((visibility("default"))) int not_a_game(void);
int not_a_game(void) {
    return 1;
}
