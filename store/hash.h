// The hash of the store's tables in memory.
#pragma once

#include <cstdint>
#include <string_view>

namespace store {

// XXH3, 64 bits, all of them equally good. Not kept on disk.
std::uint64_t hash_of(std::string_view bytes);

}  // namespace store
