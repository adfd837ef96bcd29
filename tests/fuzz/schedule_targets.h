// What must hold for any schedule that a user writes, and any zone of the system. See targets.h.
#pragma once

#include <string_view>

namespace fuzz {

// An expression is refused with a sentence, or its times ascend, match themselves and lie where they were looked for.
void cron(std::string_view bytes);
// A file is no zone, or its changes ascend and every moment has a period that contains it.
void tzif(std::string_view bytes);

}  // namespace fuzz
