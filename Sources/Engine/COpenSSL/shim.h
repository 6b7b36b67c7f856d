// The functions of SHA-256 by themselves are called deprecated since OpenSSL 3, in favour of ones that look up an
// implementation and allocate for each hash: of a short batch that would cost more than the hashing.
#define OPENSSL_SUPPRESS_DEPRECATED

#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>
