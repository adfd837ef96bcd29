#include "store/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace store {

std::uint64_t hash_of(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

}  // namespace store
