#include "appliance/box/standby/invitation.h"

#include <openssl/ssl.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/json.hpp>

#include "appliance/box/standby/timeline.h"
#include "appliance/foundation/crypto/certificates.h"
#include "appliance/foundation/crypto/random.h"

namespace standby {

namespace {

namespace fs = std::filesystem;
namespace ssl = boost::asio::ssl;
using agentbox::UsageError;

constexpr std::chrono::days lifetime{3'652};

std::unique_ptr<ssl::context> tls(const crypto::CertifiedKey& own, const std::string& authority, const char* peer) {
  try {
    auto context = std::make_unique<ssl::context>(ssl::context::tls);
    SSL_CTX_set_min_proto_version(context->native_handle(), TLS1_3_VERSION);
    context->use_certificate(boost::asio::buffer(own.certificate), ssl::context::pem);
    context->use_private_key(boost::asio::buffer(own.key), ssl::context::pem);
    context->add_certificate_authority(boost::asio::buffer(authority));
    context->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
    context->set_verify_callback(ssl::host_name_verification(peer));
    return context;
  } catch (const boost::system::system_error& error) {
    throw UsageError(std::string("the certificates of the standby cannot be used: ") + error.code().message());
  }
}

}  // namespace

Invitation invite(const agentbox::DataFolder& folder, const std::string& master_key) {
  const agentbox::DataFolder own(folder_of(folder));
  own.prepare("folder of the standby");
  try {
    const auto authority = crypto::make_authority("agentbox standby", lifetime);
    const auto box = crypto::make_peer_certificate(authority, box_role, lifetime);
    const auto peer = crypto::make_peer_certificate(authority, standby_role, lifetime);
    agentbox::write_private_file(own.path() / "ca.key", authority.key);
    agentbox::write_private_file(own.path() / "box.key", box.key);
    agentbox::write_private_file(own.path() / "box.crt", box.certificate);
    agentbox::write_private_file(own.path() / "ca.crt", authority.certificate);
    return {.authority = authority.certificate,
            .certificate = peer.certificate,
            .key = peer.key,
            .masterKey = master_key.empty() ? std::string() : crypto::hex(master_key)};
  } catch (const UsageError&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw UsageError(std::string("the certificates of the standby were not made: ") + error.what());
  }
}

Invitation read_invitation(const fs::path& file) {
  const auto text = agentbox::read_folder_file(file);
  if (!text) throw UsageError("there is no invitation in " + file.string() + ": make one with agentbox standby-invite");
  try {
    return boost::json::value_to<Invitation>(boost::json::parse(*text));
  } catch (const std::exception&) {
    throw UsageError(file.string() + " is no invitation of agentbox standby-invite");
  }
}

void write_invitation(const fs::path& file, const Invitation& invitation) {
  agentbox::write_private_file(file, boost::json::serialize(boost::json::value_from(invitation)) + "\n");
}

std::unique_ptr<ssl::context> tls_of_box(const agentbox::DataFolder& folder) {
  const auto own = folder_of(folder);
  if (!fs::exists(own / "ca.crt")) return nullptr;
  const auto read = [](const fs::path& file) {
    auto text = agentbox::read_folder_file(file);
    if (!text) throw UsageError(file.string() + " is missing: make an invitation again with agentbox standby-invite");
    return std::move(*text);
  };
  return tls({.certificate = read(own / "box.crt"), .key = read(own / "box.key")}, read(own / "ca.crt"), standby_role);
}

std::unique_ptr<ssl::context> tls_of_standby(const Invitation& invitation) {
  return tls({.certificate = invitation.certificate, .key = invitation.key}, invitation.authority, box_role);
}

}  // namespace standby
