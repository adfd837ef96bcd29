// The engine of stores that name no other: the one place outside its folder where it is chosen.
#pragma once

#include "store/engine.h"

namespace store {

const EngineKind& default_engine();

}  // namespace store
