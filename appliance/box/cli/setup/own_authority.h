// The certificate authority of a box without a public name, in the folder `tls` of its data folder:
//
//   ca.crt, ca.key           the root, for ten years: devices that trust it trust the box
//   server.crt, server.key   the box's own, for 397 days, which browsers accept at most
#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "appliance/foundation/data_folder.h"

namespace agentbox::cli {

struct OwnAuthority {
  explicit OwnAuthority(const DataFolder& folder)
      : root(folder.path() / "tls" / "ca.crt"),
        root_key(folder.path() / "tls" / "ca.key"),
        server(folder.path() / "tls" / "server.crt"),
        server_key(folder.path() / "tls" / "server.key") {}

  // Makes the root if there is none, and a certificate for these names. Throws UsageError.
  void certify(const std::vector<std::string>& names) const;
  // A new certificate for the same names. Throws UsageError, also if there is none.
  void renew() const;
  // Whether the settings use this certificate and it ends within 30 days.
  bool needs_renewal(const Settings&) const;

  // Of the root, as browsers show it.
  std::string fingerprint() const;
  std::chrono::sys_seconds expires_at() const;  // of the box's certificate

  const std::filesystem::path root, root_key, server, server_key;
};

}  // namespace agentbox::cli
