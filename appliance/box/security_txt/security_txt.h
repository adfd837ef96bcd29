// security.txt (RFC 9116): where to report vulnerabilities of this box.
#pragma once

#include <optional>
#include <string>

#include "appliance/foundation/settings/settings.h"
#include "store/store.h"

namespace security_txt {

// Without SECURITY_EXPIRES the text is always valid for this long.
inline constexpr std::chrono::days default_lifetime{180};

// Nothing without a SECURITY_CONTACT.
std::optional<std::string> text_of(const agentbox::Settings&, store::Time now);

}  // namespace security_txt
