#pragma once
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <spawn.h>

/* Linux functions that the C library declares only with _GNU_SOURCE. */
int pipe2(int ends[2], int flags);
int posix_spawn_file_actions_addclosefrom_np(posix_spawn_file_actions_t *actions, int from);
enum { sea_set_pipe_size = 1031 };
