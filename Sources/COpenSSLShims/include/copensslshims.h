#ifndef COPENSSLSHIMS_H
#define COPENSSLSHIMS_H

#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// What OpenSSL offers as macros, one line of C each.

long copenssl_set_sni(SSL *ssl, const char *name);
long copenssl_set_minimum_tls12(SSL_CTX *context);
int copenssl_x509_stack_push(STACK_OF(X509) *stack, X509 *certificate);
STACK_OF(X509) *copenssl_x509_stack_new(void);
/// Frees the stack, not the certificates in it.
void copenssl_x509_stack_free(STACK_OF(X509) *stack);
/// Points at the bytes a memory BIO holds; they live as long as the BIO.
long copenssl_bio_memory(BIO *bio, char **bytes);

// Certificates.

int copenssl_x509_stack_count(const STACK_OF(X509) *stack);
X509 *copenssl_x509_stack_value(const STACK_OF(X509) *stack, int index);
/// Writes a name on one line, control characters escaped.
int copenssl_name_print(BIO *bio, const X509_NAME *name);
/// Adds the extension that the configuration text describes; `issuer` may be the certificate itself.
int copenssl_x509_add_extension(X509 *certificate, X509 *issuer, int nid, const char *text);
/// Makes a fresh key on the named curve.
EVP_PKEY *copenssl_ec_generate(const char *curve);

/// For non-blocking sockets: partial writes, moving buffers, buffers given back when idle; no renegotiation.
void copenssl_prepare_stream(SSL_CTX *context);
/// Writes the reason of the oldest queued error of this thread into text, closed by a zero byte, and empties the queue.
/// Empty when there is none.
void copenssl_take_error(char *text, int capacity);
/// How many bytes, records and all, the session has written to its socket.
uint64_t copenssl_bytes_written(SSL *ssl);

#endif
