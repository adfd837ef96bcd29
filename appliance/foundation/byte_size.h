// Amounts of disk space as people write them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace agentbox {

// "1048576", "512K", "100M", "2G", "1T", in powers of 1024; nothing for anything else and for more than 2^60.
std::optional<std::uint64_t> parse_byte_size(std::string_view text);

}  // namespace agentbox
