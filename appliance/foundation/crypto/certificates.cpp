#include "appliance/foundation/crypto/certificates.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <array>
#include <boost/asio/ip/address.hpp>
#include <ctime>
#include <memory>
#include <stdexcept>

#include "appliance/foundation/crypto/c_library.h"
#include "appliance/foundation/crypto/random.h"

namespace crypto {

namespace {

using Bio = std::unique_ptr<BIO, Release<BIO_free_all>>;
using Key = std::unique_ptr<EVP_PKEY, Release<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Release<X509_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Release<X509_EXTENSION_free>>;
using Names = std::unique_ptr<GENERAL_NAMES, Release<GENERAL_NAMES_free>>;

constexpr std::size_t longest_common_name = 64, serial_bytes = 16;

void require(bool good, const char* what) {
  if (!good) throw std::runtime_error(std::string("OpenSSL cannot ") + what);
}

std::string text_of(BIO* bio) {
  char* data = nullptr;
  const auto size = BIO_get_mem_data(bio, &data);
  return {data, static_cast<std::size_t>(size)};
}

Bio reader_of(std::string_view text) { return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size()))); }

std::string pem_of(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  require(PEM_write_bio_X509(bio.get(), certificate) == 1, "write a certificate");
  return text_of(bio.get());
}

std::string pem_of(EVP_PKEY* key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  require(PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1, "write a key");
  return text_of(bio.get());
}

Certificate certificate_in(std::string_view pem) {
  Certificate certificate(PEM_read_bio_X509(reader_of(pem).get(), nullptr, nullptr, nullptr));
  if (!certificate) throw std::runtime_error("there is no certificate in PEM");
  return certificate;
}

void add_extension(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  require(extension && X509_add_ext(certificate, extension.get(), -1) == 1, "certify these names");
}

// Everything but the issuer, the extensions and the signature.
Certificate draft(EVP_PKEY* key, const std::string& name, std::chrono::days lifetime) {
  constexpr long an_hour = 3'600;
  Certificate certificate(X509_new());
  auto serial = random_bytes(serial_bytes);
  serial[0] = static_cast<char>((static_cast<unsigned char>(serial[0]) & 0x7f) | 0x40);  // positive, of this length
  const std::unique_ptr<BIGNUM, Release<BN_free>> number(
      BN_bin2bn(reinterpret_cast<const unsigned char*>(serial.data()), static_cast<int>(serial.size()), nullptr));
  auto* subject = X509_get_subject_name(certificate.get());
  const auto common = name.substr(0, longest_common_name);
  require(number && BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate.get())) &&
              X509_set_version(certificate.get(), X509_VERSION_3) == 1 &&
              X509_gmtime_adj(X509_getm_notBefore(certificate.get()), -an_hour) &&
              X509_time_adj_ex(X509_getm_notAfter(certificate.get()), static_cast<int>(lifetime.count()), 0, nullptr) &&
              X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                                         reinterpret_cast<const unsigned char*>(common.c_str()), -1, -1, 0) == 1 &&
              X509_set_pubkey(certificate.get(), key) == 1,
          "make a certificate");
  return certificate;
}

void sign(X509* certificate, EVP_PKEY* key) {
  require(X509_sign(certificate, key, EVP_sha256()) > 0, "sign a certificate");
}

Key made_key() {
  Key key(EVP_EC_gen("P-256"));
  require(key != nullptr, "make a key");
  return key;
}

std::chrono::sys_seconds time_of(const ASN1_TIME* time) {
  std::tm parts{};
  require(ASN1_TIME_to_tm(time, &parts) == 1, "read a certificate's dates");
  return std::chrono::sys_seconds(std::chrono::seconds(timegm(&parts)));
}

bool is_address(const std::string& name) {
  boost::system::error_code no;
  boost::asio::ip::make_address(name, no);
  return !no;
}

// As a subjectAltName is written in OpenSSL's configuration.
std::string alternatives_of(const std::vector<std::string>& names) {
  if (names.empty()) throw std::runtime_error("a server's certificate needs a name");
  std::string alternatives;
  for (const auto& name : names) {
    if (name.empty() || name.find_first_of(",\\\n ") != std::string::npos)
      throw std::runtime_error("\"" + name + "\" is neither a host name nor an address");
    alternatives += (alternatives.empty() ? "" : ",") + std::string(is_address(name) ? "IP:" : "DNS:") + name;
  }
  return alternatives;
}

// Signed by its own key; `add_more` adds extensions to it.
template <class AddMore>
CertifiedKey self_signed(const std::vector<std::string>& names, std::chrono::days lifetime, AddMore add_more) {
  const auto alternatives = alternatives_of(names);
  const auto key = made_key();
  const auto certificate = draft(key.get(), names.front(), lifetime);
  auto* const own = certificate.get();
  require(X509_set_issuer_name(own, X509_get_subject_name(own)) == 1, "make a certificate");
  add_extension(own, own, NID_basic_constraints, "critical,CA:FALSE");
  add_extension(own, own, NID_ext_key_usage, "serverAuth");
  add_extension(own, own, NID_subject_alt_name, alternatives);
  add_more(own);
  sign(own, key.get());
  return {.certificate = pem_of(own), .key = pem_of(key.get())};
}

std::string name_of(const GENERAL_NAME& name) {
  if (name.type == GEN_DNS)
    return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(name.d.dNSName)),
            static_cast<std::size_t>(ASN1_STRING_length(name.d.dNSName))};
  if (name.type != GEN_IPADD) return {};
  const auto* bytes = ASN1_STRING_get0_data(name.d.iPAddress);
  if (ASN1_STRING_length(name.d.iPAddress) == 4) {
    boost::asio::ip::address_v4::bytes_type v4{};
    std::copy_n(bytes, v4.size(), v4.begin());
    return boost::asio::ip::address_v4(v4).to_string();
  }
  boost::asio::ip::address_v6::bytes_type v6{};
  if (ASN1_STRING_length(name.d.iPAddress) != static_cast<int>(v6.size())) return {};
  std::copy_n(bytes, v6.size(), v6.begin());
  return boost::asio::ip::address_v6(v6).to_string();
}

std::string fingerprint_of(X509* certificate) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  require(X509_digest(certificate, EVP_sha256(), digest.data(), &size) == 1, "hash a certificate");
  std::string text;
  for (unsigned i = 0; i < size; ++i) {
    std::array<char, 4> byte{};
    std::snprintf(byte.data(), byte.size(), "%02X", digest.at(i));
    text += (i > 0 ? ":" : "") + std::string(byte.data());
  }
  return text;
}

}  // namespace

CertifiedKey make_authority(const std::string& name, std::chrono::days lifetime) {
  const auto key = made_key();
  const auto certificate = draft(key.get(), name, lifetime);
  auto* const root = certificate.get();
  require(X509_set_issuer_name(root, X509_get_subject_name(root)) == 1, "make a certificate");
  add_extension(root, root, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  add_extension(root, root, NID_key_usage, "critical,keyCertSign,cRLSign");
  add_extension(root, root, NID_subject_key_identifier, "hash");
  sign(root, key.get());
  return {.certificate = pem_of(root), .key = pem_of(key.get())};
}

namespace {

CertifiedKey certified(const CertifiedKey& authority, const std::vector<std::string>& names, const char* usage,
                       std::chrono::days lifetime) {
  const auto issuer = certificate_in(authority.certificate);
  const Key issuer_key(PEM_read_bio_PrivateKey(reader_of(authority.key).get(), nullptr, nullptr, nullptr));
  if (!issuer_key || X509_check_private_key(issuer.get(), issuer_key.get()) != 1)
    throw std::runtime_error("the authority's key does not fit its certificate");
  const auto alternatives = alternatives_of(names);
  const auto key = made_key();
  const auto certificate = draft(key.get(), names.front(), lifetime);
  auto* const server = certificate.get();
  require(X509_set_issuer_name(server, X509_get_subject_name(issuer.get())) == 1, "make a certificate");
  add_extension(server, issuer.get(), NID_basic_constraints, "critical,CA:FALSE");
  add_extension(server, issuer.get(), NID_key_usage, "critical,digitalSignature");
  add_extension(server, issuer.get(), NID_ext_key_usage, usage);
  add_extension(server, issuer.get(), NID_subject_key_identifier, "hash");
  add_extension(server, issuer.get(), NID_authority_key_identifier, "keyid");
  add_extension(server, issuer.get(), NID_subject_alt_name, alternatives);
  sign(server, issuer_key.get());
  return {.certificate = pem_of(server), .key = pem_of(key.get())};
}

}  // namespace

CertifiedKey make_server_certificate(const CertifiedKey& authority, const std::vector<std::string>& names,
                                     std::chrono::days lifetime) {
  return certified(authority, names, "serverAuth", lifetime);
}

CertifiedKey make_peer_certificate(const CertifiedKey& authority, const std::string& name, std::chrono::days lifetime) {
  return certified(authority, {name}, "serverAuth,clientAuth", lifetime);
}

CertifiedKey make_self_signed(const std::vector<std::string>& names, std::chrono::days lifetime) {
  return self_signed(names, lifetime, [](X509*) {});
}

CertifiedKey make_validation_certificate(const std::string& name, std::string_view digest) {
  constexpr auto identifier = "1.3.6.1.5.5.7.1.31";  // id-pe-acmeIdentifier
  constexpr std::chrono::days lifetime{7};
  const std::unique_ptr<ASN1_OBJECT, Release<ASN1_OBJECT_free>> kind(OBJ_txt2obj(identifier, 1));
  // The extension's value is an OCTET STRING (tag 4) of 32 bytes.
  const auto der = std::string("\x04\x20") + std::string(digest);
  const std::unique_ptr<ASN1_OCTET_STRING, Release<ASN1_OCTET_STRING_free>> value(ASN1_OCTET_STRING_new());
  require(kind && value && digest.size() == 32 &&
              ASN1_OCTET_STRING_set(value.get(), reinterpret_cast<const unsigned char*>(der.data()),
                                    static_cast<int>(der.size())) == 1,
          "make a certificate");
  return self_signed({name}, lifetime, [&](X509* certificate) {
    const Extension extension(X509_EXTENSION_create_by_OBJ(nullptr, kind.get(), 1, value.get()));
    require(extension && X509_add_ext(certificate, extension.get(), -1) == 1, "make a certificate");
  });
}

std::string make_key() { return pem_of(made_key().get()); }

std::string make_certificate_request(const std::string& key_text, const std::vector<std::string>& names) {
  const auto alternatives = alternatives_of(names);
  const Key key(PEM_read_bio_PrivateKey(reader_of(key_text).get(), nullptr, nullptr, nullptr));
  const std::unique_ptr<X509_REQ, Release<X509_REQ_free>> request(X509_REQ_new());
  const Extension extension(X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, alternatives.c_str()));
  require(key && request && extension, "make a certificate request");
  const auto release = [](STACK_OF(X509_EXTENSION) * list) { sk_X509_EXTENSION_free(list); };
  const std::unique_ptr<STACK_OF(X509_EXTENSION), decltype(release)> extensions(sk_X509_EXTENSION_new_null(), release);
  unsigned char* der = nullptr;
  require(extensions && sk_X509_EXTENSION_push(extensions.get(), extension.get()) > 0 &&
              X509_REQ_set_version(request.get(), X509_REQ_VERSION_1) == 1 &&
              X509_REQ_set_pubkey(request.get(), key.get()) == 1 &&
              X509_REQ_add_extensions(request.get(), extensions.get()) == 1 &&
              X509_REQ_sign(request.get(), key.get(), EVP_sha256()) > 0,
          "make a certificate request");
  const int size = i2d_X509_REQ(request.get(), &der);
  require(size > 0, "write a certificate request");
  std::string bytes(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
  OPENSSL_free(der);
  return bytes;
}

CertificateFacts read_certificate(std::string_view pem) {
  const auto certificate = certificate_in(pem);
  CertificateFacts facts{.valid_from = time_of(X509_get0_notBefore(certificate.get())),
                         .expires_at = time_of(X509_get0_notAfter(certificate.get())),
                         .names = {},
                         .sha256 = fingerprint_of(certificate.get()),
                         .pem = pem_of(certificate.get())};
  const Names names(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate.get(), NID_subject_alt_name, nullptr, nullptr)));
  for (int i = 0; names && i < sk_GENERAL_NAME_num(names.get()); ++i)
    if (auto name = name_of(*sk_GENERAL_NAME_value(names.get(), i)); !name.empty())
      facts.names.push_back(std::move(name));
  return facts;
}

}  // namespace crypto
