#include "store/default_engine.h"

#include "store/rocks/rocks_engine.h"

namespace store {

const EngineKind& default_engine() { return rocks_engine; }

}  // namespace store
