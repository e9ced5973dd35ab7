#include "include/copensslshims.h"

long copenssl_set_sni(SSL *ssl, const char *name) { return SSL_set_tlsext_host_name(ssl, name); }
long copenssl_set_minimum_tls12(SSL_CTX *context) { return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION); }
int copenssl_x509_stack_push(STACK_OF(X509) *stack, X509 *certificate) { return sk_X509_push(stack, certificate); }
STACK_OF(X509) *copenssl_x509_stack_new(void) { return sk_X509_new_null(); }
void copenssl_x509_stack_free(STACK_OF(X509) *stack) { sk_X509_free(stack); }
long copenssl_bio_memory(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }
