#pragma once
#define OPENSSL_SUPPRESS_DEPRECATED 1
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

/* Start-up: the configuration file and the exit handlers cost more than a signature. */
static inline int sea_openssl_start(void) {
  return OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT, 0);
}
