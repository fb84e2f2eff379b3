#pragma once
#define OPENSSL_SUPPRESS_DEPRECATED 1
#include <openssl/crypto.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/sha.h>

/* Start-up: the configuration file, the exit handlers and the tables of old names cost more than a signature. */
static inline int sea_openssl_start(void) {
  return OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ATEXIT | OPENSSL_INIT_NO_ADD_ALL_CIPHERS |
                               OPENSSL_INIT_NO_ADD_ALL_DIGESTS | OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS, 0);
}

/* The private key of a seed of 32 bytes whose public key of 32 bytes is known; NULL if OpenSSL fails. With the seed alone, OpenSSL
   computes the public key, which takes longer than a signature. */
static inline EVP_PKEY *sea_ed25519_key(const unsigned char *seed, const unsigned char *public_key) {
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "ED25519", NULL);
  OSSL_PARAM parts[] = {
    OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PRIV_KEY, (void *)seed, 32),
    OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)public_key, 32),
    OSSL_PARAM_construct_end(),
  };
  if (context && EVP_PKEY_fromdata_init(context) == 1) EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, parts);
  EVP_PKEY_CTX_free(context);
  return key;
}
