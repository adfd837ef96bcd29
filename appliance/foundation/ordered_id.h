// Ids that sort by time.
#pragma once

#include <string>

#include "store/codec.h"

namespace agentbox {

// Milliseconds since the epoch as 13 digits, '-', 12 unique characters: those of one process ascend within a
// millisecond.
std::string ordered_id(store::Time at);

}  // namespace agentbox
