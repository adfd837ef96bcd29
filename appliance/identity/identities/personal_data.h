// The part of personal data that identities are.
#pragma once

#include "appliance/identity/personal_data/personal_data.h"
#include "store/store.h"

namespace identities {

personal_data::Part personal_data_of(const store::System&);

}  // namespace identities
