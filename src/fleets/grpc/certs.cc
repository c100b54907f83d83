#include "fleets/grpc/certs.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>

#include "base/disk.h"
#include "base/text.h"

namespace coterie::net {
namespace {

template <auto Free>
struct Freed {
  template <class T>
  void operator()(T* it) const {
    Free(it);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using Memory = std::unique_ptr<BIO, Freed<BIO_free_all>>;

[[noreturn]] void fail(const std::string& what) {
  char text[256];
  ERR_error_string_n(ERR_get_error(), text, sizeof text);
  throw Error(what + ": " + text);
}

std::string text_of(BIO* memory) {
  char* data = nullptr;
  const long length = BIO_get_mem_data(memory, &data);
  return {data, static_cast<std::size_t>(length)};
}

// Nobody but its owner may read a key, not even while it is written.
void write_key(const std::string& path, EVP_PKEY* key) {
  const Memory memory(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_PrivateKey(memory.get(), key, nullptr, nullptr, 0, nullptr, nullptr) != 1) fail(path);
  const mode_t before = umask(077);
  try {
    write_atomically(path, text_of(memory.get()));
  } catch (...) {
    umask(before);
    throw;
  }
  umask(before);
}

void write_certificate(const std::string& path, X509* certificate) {
  const Memory memory(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(memory.get(), certificate) != 1) fail(path);
  write_atomically(path, text_of(memory.get()));
}

Key read_key(const std::string& path) {
  const std::string text = read_file(path);
  const Memory memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  Key key(PEM_read_bio_PrivateKey(memory.get(), nullptr, nullptr, nullptr));
  if (!key) throw Error(path + ": this is no private key");
  return key;
}

Certificate read_certificate(const std::string& path) {
  const std::string text = read_file(path);
  const Memory memory(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  Certificate certificate(PEM_read_bio_X509(memory.get(), nullptr, nullptr, nullptr));
  if (!certificate) throw Error(path + ": this is no certificate");
  return certificate;
}

void extend(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str());
  if (extension == nullptr) fail("the extension " + value);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

// A key and a certificate for it, not yet signed.
Certificate blank(const std::string& name, EVP_PKEY* key, const Validity& validity) {
  Certificate certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  // Random, so that no two certificates of an authority that was made again are alike.
  unsigned char serial[16];
  if (RAND_bytes(serial, sizeof serial) != 1) fail("random numbers");
  serial[0] &= 0x7f;
  BIGNUM* number = BN_bin2bn(serial, sizeof serial, nullptr);
  BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate.get()));
  BN_free(number);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), validity.from_seconds);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), validity.from_seconds + validity.days * 24 * 3600);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  const auto* text = reinterpret_cast<const unsigned char*>(name.c_str());
  if (X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, text, -1, -1, 0) != 1)
    fail("the name " + name);
  return certificate;
}

// A file name, a common name and an alternative name in one.
void check_name(const std::string& name) {
  const bool plain = std::all_of(name.begin(), name.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
  });
  if (name.empty() || name.size() > 60 || !plain || name.front() == '.' || name == "ca") {
    throw Error(fmt::format(
        "{} cannot be the name of a certificate; use letters, digits, \"-\", \"_\" and \".\", 60 at "
        "most, and not \"ca\"",
        in_quotes(name)));
  }
}

std::string alternative(const std::string& host) {
  unsigned char address[16];
  const bool number =
      inet_pton(AF_INET, host.c_str(), address) == 1 || inet_pton(AF_INET6, host.c_str(), address) == 1;
  const bool plain = std::all_of(host.begin(), host.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.' || c == ':';
  });
  if (host.empty() || !plain) throw Error(in_quotes(host) + " is no name or address of a server");
  return (number ? "IP:" : "DNS:") + host;
}

}  // namespace

void make_authority(const std::string& folder, const Validity& validity) {
  const Key key(EVP_EC_gen("P-256"));
  if (!key) fail("a key");
  const Certificate certificate = blank("coterie CA", key.get(), validity);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(certificate.get()));
  extend(certificate.get(), certificate.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  extend(certificate.get(), certificate.get(), NID_key_usage, "critical,keyCertSign,cRLSign");
  extend(certificate.get(), certificate.get(), NID_subject_key_identifier, "hash");
  if (X509_sign(certificate.get(), key.get(), EVP_sha256()) == 0) fail("the CA");
  make_folders(folder);
  write_key(folder + "/ca.key", key.get());
  write_certificate(folder + "/ca.crt", certificate.get());
}

void make_certificate(const std::string& folder, const std::string& name,
                      const std::vector<std::string>& hosts, const Validity& validity) {
  check_name(name);
  const Key authority_key = read_key(folder + "/ca.key");
  const Certificate authority = read_certificate(folder + "/ca.crt");
  const Key key(EVP_EC_gen("P-256"));
  if (!key) fail("a key");
  const Certificate certificate = blank(name, key.get(), validity);
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(authority.get()));
  extend(certificate.get(), authority.get(), NID_basic_constraints, "critical,CA:FALSE");
  extend(certificate.get(), authority.get(), NID_key_usage, "critical,digitalSignature");
  // Both: some stacks ask a client for the use of a server, and the other way round.
  extend(certificate.get(), authority.get(), NID_ext_key_usage, "serverAuth,clientAuth");
  std::string names = "DNS:" + name;
  for (const std::string& host : hosts) names += "," + alternative(host);
  extend(certificate.get(), authority.get(), NID_subject_alt_name, names);
  extend(certificate.get(), authority.get(), NID_authority_key_identifier, "keyid");
  if (X509_sign(certificate.get(), authority_key.get(), EVP_sha256()) == 0)
    fail("the certificate of " + name);
  write_key(folder + "/" + name + ".key", key.get());
  write_certificate(folder + "/" + name + ".crt", certificate.get());
}

std::vector<std::string> make_certs(const CertsRequest& request) {
  const std::string& folder = request.folder;
  const Validity validity{0, request.days};
  std::vector<std::string> made;
  for (const std::string& name : request.clients) check_name(name);
  if (!is_there(folder + "/ca.key")) {
    make_authority(folder, validity);
    made.push_back(folder + "/ca.crt, the CA: everybody needs it");
    made.push_back(folder + "/ca.key, its key: nobody gets it; keep it off the network");
  }
  const auto make = [&](const std::string& name, const std::vector<std::string>& hosts,
                        const std::string& whose) {
    const std::string file = folder + "/" + name + ".crt";
    if (is_there(file)) {
      made.push_back(file + " is there already, and stays");
      return;
    }
    make_certificate(folder, name, hosts, validity);
    made.push_back(fmt::format("{} and .key, of {}", file, whose));
  };
  if (!request.servers.empty()) make("server", request.servers, "the server: " + join(request.servers, ", "));
  for (const std::string& name : request.clients) make(name, {}, "the client " + name);
  if (!request.revoke.empty()) {
    std::string list = is_there(folder + "/revoked") ? read_file(folder + "/revoked") : "";
    if (!list.empty() && list.back() != '\n') list += '\n';
    for (const std::string& name : request.revoke) list += name + "\n";
    write_atomically(folder + "/revoked", list);
    made.push_back(folder + "/revoked: a server that uses this folder refuses " + join(request.revoke, ", "));
  }
  return made;
}

}  // namespace coterie::net
