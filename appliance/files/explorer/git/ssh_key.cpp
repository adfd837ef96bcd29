#include "appliance/files/explorer/git/ssh_key.h"

#include "appliance/files/explorer/git/failure.h"

namespace git {

void start_ssh() {
  static const bool ready = ssh_init() == SSH_OK;
  if (!ready) throw Failure("ssh cannot be started");
}

SshKey read_ssh_key(const std::string& text) {
  start_ssh();
  // With null, OpenSSL would ask for a passphrase on the terminal.
  constexpr const char* no_passphrase = "";
  ssh_key key = nullptr;
  ssh_pki_import_privkey_base64(text.c_str(), no_passphrase, nullptr, nullptr, &key);
  return SshKey(key);
}

}  // namespace git
