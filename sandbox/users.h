// The users that this process may give to its children.
#pragma once

#include <sys/types.h>

#include <optional>

namespace sandbox {

// Root with the capabilities for it: containers may have a root without.
bool may_change_user();

// Whether this process's user namespace has all of [first, first + count).
bool is_mapped(uid_t first, uid_t count = 1);

// `wanted`; where that is not mapped, nobody; nothing if there is no other user, or this process may not change users.
std::optional<uid_t> spare_user(uid_t wanted);

}  // namespace sandbox
