// Signatures of files as `ssh-keygen -Y sign -n NAMESPACE` makes them, with Ed25519 keys. Source: PROTOCOL.sshsig of
// OpenSSH.
#pragma once

#include <string_view>

namespace crypto {

// Whether `signature` ("-----BEGIN SSH SIGNATURE-----...") is one of `message` in this namespace by the key of
// `public_key`, a line "ssh-ed25519 AAAA... comment". False for everything else, and for keys and signatures of other
// kinds.
bool is_ssh_signature(std::string_view message, std::string_view signature, std::string_view public_key,
                      std::string_view name_space);

}  // namespace crypto
