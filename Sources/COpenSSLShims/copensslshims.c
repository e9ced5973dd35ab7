#include "include/copensslshims.h"

#include <openssl/err.h>
#include <stdio.h>

long copenssl_set_sni(SSL *ssl, const char *name) { return SSL_set_tlsext_host_name(ssl, name); }
long copenssl_set_minimum_tls12(SSL_CTX *context) { return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION); }
int copenssl_x509_stack_push(STACK_OF(X509) *stack, X509 *certificate) { return sk_X509_push(stack, certificate); }
STACK_OF(X509) *copenssl_x509_stack_new(void) { return sk_X509_new_null(); }
void copenssl_x509_stack_free(STACK_OF(X509) *stack) { sk_X509_free(stack); }
long copenssl_bio_memory(BIO *bio, char **bytes) { return BIO_get_mem_data(bio, bytes); }

int copenssl_x509_stack_count(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }
X509 *copenssl_x509_stack_value(const STACK_OF(X509) *stack, int index) { return sk_X509_value(stack, index); }
int copenssl_name_print(BIO *bio, const X509_NAME *name) {
  return X509_NAME_print_ex(bio, name, 0, (XN_FLAG_ONELINE & ~ASN1_STRFLGS_ESC_MSB) | ASN1_STRFLGS_UTF8_CONVERT);
}
int copenssl_x509_add_extension(X509 *certificate, X509 *issuer, int nid, const char *text) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
  X509_EXTENSION *extension = X509V3_EXT_nconf_nid(NULL, &context, nid, text);
  if (extension == NULL) return 0;
  int result = X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
  return result;
}
EVP_PKEY *copenssl_ec_generate(const char *curve) { return EVP_EC_gen(curve); }

void copenssl_prepare_stream(SSL_CTX *context) {
  SSL_CTX_set_mode(context,
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
}

void copenssl_take_error(char *text, int capacity) {
  unsigned long code = ERR_get_error();
  const char *reason = code ? ERR_reason_error_string(code) : 0;
  snprintf(text, (size_t)capacity, "%s", reason ? reason : "");
  ERR_clear_error();
}

uint64_t copenssl_bytes_written(SSL *ssl) { return BIO_number_written(SSL_get_wbio(ssl)); }
