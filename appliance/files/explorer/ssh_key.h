#pragma once

#include <optional>
#include <string>

namespace explorer {

// Why the text is not usable as a private key, in a sentence that contains no part of it; nullopt if it is usable.
std::optional<std::string> problem_of_ssh_key(const std::string& text);

// True for a host key's fingerprint as ssh-keygen -l prints it: SHA256: and 43 characters.
bool is_host_key_fingerprint(const std::string& text);

}  // namespace explorer
