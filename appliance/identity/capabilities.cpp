// The capabilities of this module. What each is built of is in the *_capabilities.cpp beside this file.
#include "appliance/identity/capabilities.h"

namespace security {
identity::Capability capability();
}

namespace audit {
identity::Capability capability();
}

namespace accounts {
identity::Capability capability();
}

namespace invites {
identity::Capability capability();
}

namespace groups {
identity::Capability capability();
}

namespace scim {
identity::Capability capability();
}

namespace keys {
identity::Capability capability();
}

namespace operator_keys {
identity::Capability capability();
}

namespace identities {
identity::Capability capability();
}

namespace mail {
identity::Capability capability();
}

namespace recovery {
identity::Capability capability();
}

namespace verification {
identity::Capability capability();
}

namespace sign_in {
identity::Capability capability();
}

namespace sign_in_methods {
identity::Capability capability();
}

namespace second_factor {
identity::Capability capability();
}

namespace wallet_sign_in {
identity::Capability capability();
}

namespace identity_provider {
identity::Capability capability();
}

namespace code_host {
identity::Capability capability();
}

namespace token_gating {
identity::Capability capability();
}

namespace social_identity {
identity::Capability capability();
}

namespace security_events {
identity::Capability capability();
}

namespace personal_data {
identity::Capability capability();
}

namespace identity {

// In the order in which they are built; they stop in reverse.
std::vector<Capability> capabilities() {
  return {
      ::security::capability(),
      ::audit::capability(),
      ::accounts::capability(),
      ::invites::capability(),
      ::groups::capability(),
      ::scim::capability(),
      ::keys::capability(),
      ::operator_keys::capability(),
      ::identities::capability(),
      ::mail::capability(),
      ::recovery::capability(),
      ::verification::capability(),
      ::sign_in::capability(),
      ::sign_in_methods::capability(),
      ::second_factor::capability(),
      ::wallet_sign_in::capability(),
      ::identity_provider::capability(),
      ::code_host::capability(),
      ::token_gating::capability(),
      ::social_identity::capability(),
      ::security_events::capability(),
      ::personal_data::capability(),
  };
}

}  // namespace identity
