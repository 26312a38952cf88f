/// bot/operator.h - the server that edict-bot starts, and commands of scripts to a control socket.
//
//     bot 2: Operator_Run --> "status" --> edictd --> lines --> Operator_Run returns true
//
// The console serves one bot at a time.
//
// Units:   ms.
// Memory:  fixed. An answer keeps 64 KiB of lines; more are dropped and counted.

#ifndef EDICTD_BOT_OPERATOR_H
#define EDICTD_BOT_OPERATOR_H

#include "base/err.h"
#include "ctl/link.h"
#include "edict/client.h"

#include <sys/types.h>

#define OPERATOR_START_MS  30000 // the server must be silent for so long to fail to start
#define OPERATOR_STOP_MS   5000  // a server that does not end in this time is killed
#define OPERATOR_BYTES     65536 // bytes of lines that an answer keeps
#define OPERATOR_ANSWER_MS 5000  // default time-out of bot:console

typedef struct {
    pid_t pid;     ///< of the started server; 0 = none, or it has ended and was collected
    int out;       ///< its standard output; -1 = closed
    int32_t bot;   ///< index of the bot whose command runs, from 1; 0 = none
    bool answered; ///< that command's answer is complete
    int32_t owed;  ///< answers that the server has not completed; only the last one counts
    uint64_t lost; ///< lines dropped from `text`
    size_t used;
    char text[OPERATOR_BYTES]; ///< lines of the answer, each with a newline
    err_t why;                 ///< why there is no control socket
    link_t link;
} operator_t;

/// Starts `program` with -p 0 and `args`, and waits until it accepts clients. *address receives
/// the server's address. Returns false with the reason; nothing is left to stop then. Without a
/// control socket, only commands fail.
bool Operator_Start(operator_t *op, char *program, char *const *args, int32_t count,
                    cl_address_t *address, err_t *err);

/// Connects to the control socket of a server that runs. `server`: its path or its port. Returns
/// false with the reason.
bool Operator_Connect(operator_t *op, const char *server, err_t *err);

/// Reads what the server sent, without waiting. Call it often, or the server blocks.
void Operator_Read(operator_t *op);

/// Sends a command of bot `bot`, if the console is free. Call it again with the same arguments
/// until it returns true: the answer is in op->text, and the bot must call Operator_Release.
/// Returns false with an empty err while it waits, or with the reason if there is no server.
bool Operator_Run(operator_t *op, int32_t bot, const char *command, err_t *err);

/// Frees the console for other bots. Does nothing if it serves another bot.
void Operator_Release(operator_t *op, int32_t bot);

/// Disconnects, and ends the server if it was started. Returns false with its exit status if it did
/// not end with 0.
bool Operator_Stop(operator_t *op, err_t *err);

#endif
