// A library without the table of a game.
__attribute__((visibility("default"))) int not_a_game(void);
int not_a_game(void) {
    return 1;
}
