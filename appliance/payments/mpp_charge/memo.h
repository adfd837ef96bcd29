// The memo by which a transfer on Tempo belongs to one challenge, so that nobody else's transfer can be presented.
#pragma once

#include <string_view>

namespace mpp_charge {

// A word: "mpp" hashed (4 bytes), version 1, the realm hashed (10), the client (10, or zeros), the challenge's id
// hashed (7).
bool is_memo_of(std::string_view memo, std::string_view realm, std::string_view challenge_id);

}  // namespace mpp_charge
