// Private keys as libssh reads them.
#pragma once

#include <libssh/libssh.h>

#include <memory>
#include <string>
#include <type_traits>

namespace git {

// Initializes libssh once per process. Throws Failure.
void start_ssh();

struct FreeSshKey {
  void operator()(ssh_key key) const { ssh_key_free(key); }
};
using SshKey = std::unique_ptr<std::remove_pointer_t<ssh_key>, FreeSshKey>;

// A private key (Ed25519, ECDSA or RSA) in OpenSSH or PEM format without a passphrase. Null if it is invalid.
SshKey read_ssh_key(const std::string& text);

}  // namespace git
