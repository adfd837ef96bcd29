// The certificates by which a box and its standby know each other. They come from an authority that the box has for
// this alone, in standby/ of its data folder:
//
//   ca.crt, ca.key     the authority
//   box.crt, box.key   the box's own certificate
//
// Names in certificates are roles, not hosts: the box may be reached by any address.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <boost/describe.hpp>
#include <memory>
#include <string>

#include "appliance/foundation/data_folder.h"

namespace standby {

inline constexpr const char* box_role = "box.agentbox.internal";
inline constexpr const char* standby_role = "standby.agentbox.internal";

// Everything that a standby needs to follow a box, and to take its place: a secret.
struct Invitation {
  std::string authority, certificate, key;  // PEM
  std::string masterKey;                    // hex; empty: it comes from AGENTBOX_MASTER_KEY at the standby, too
};
BOOST_DESCRIBE_STRUCT(Invitation, (), (authority, certificate, key, masterKey))

// Makes a new authority, so that earlier invitations are no longer accepted. Throws agentbox::UsageError.
Invitation invite(const agentbox::DataFolder&, const std::string& master_key);
// Both throw agentbox::UsageError.
Invitation read_invitation(const std::filesystem::path&);
void write_invitation(const std::filesystem::path&, const Invitation&);

// TLS 1.3, which demands the other's certificate. The first is null before any invitation was made. Both throw
// agentbox::UsageError.
std::unique_ptr<boost::asio::ssl::context> tls_of_box(const agentbox::DataFolder&);
std::unique_ptr<boost::asio::ssl::context> tls_of_standby(const Invitation&);

}  // namespace standby
