// Moves a store from one master key to another.
#pragma once

#include <cstddef>
#include <string>

#include "store/store.h"

namespace store {

// The text that each store keeps sealed in its meta family, to recognize its master key.
inline constexpr auto master_key_check = "master_key_check", master_key_check_text = "agentbox";

// Seals every sealed field of the store under `new_key`, which `options.master_key` (or already the new key) opens, and
// returns how many it sealed. Until it returns, the store cannot be opened otherwise (refuse_half_sealed); if it is cut
// off, it goes on when it is called again with the same keys. Blocks. Throws Unavailable, also when the store belongs
// to neither key, and Corrupt when a field opens with neither.
std::size_t reseal(const Options& options, const std::string& new_key);

// Throws Unavailable if a call of reseal() was cut off.
void refuse_half_sealed(const Engine&);

}  // namespace store
