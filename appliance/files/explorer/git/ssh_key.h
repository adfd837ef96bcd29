// Private keys as libssh reads them.
#pragma once

#include <libssh/libssh.h>

#include <memory>
#include <string>
#include <type_traits>

namespace git {

// Once for the process, before anything else of libssh; later calls do nothing. Throws Failure.
void start_ssh();

struct FreeSshKey {
  void operator()(ssh_key key) const { ssh_key_free(key); }
};
using SshKey = std::unique_ptr<std::remove_pointer_t<ssh_key>, FreeSshKey>;

// A private key (Ed25519, ECDSA or RSA) in OpenSSH's form or in PEM, without a passphrase. Null when it is none.
SshKey read_ssh_key(const std::string& text);

}  // namespace git
