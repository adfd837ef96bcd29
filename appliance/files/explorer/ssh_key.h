#pragma once

#include <optional>
#include <string>

namespace explorer {

// Why the text cannot serve as the box's private key: a sentence that holds nothing of it. Nothing: it can.
std::optional<std::string> problem_of_ssh_key(const std::string& text);

// Whether it is a host key's fingerprint as ssh-keygen -l prints it: SHA256: and 43 characters.
bool is_host_key_fingerprint(const std::string& text);

}  // namespace explorer
