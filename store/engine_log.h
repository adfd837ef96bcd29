// Where the engines of this process write what their libraries report. Like the log of the process, there is one.
#pragma once

#include <functional>
#include <string>

namespace store {

enum class EngineSays { warning, error };
// Called on any thread; must not throw and must not use a store.
using EngineLog = std::function<void(EngineSays, const std::string& message)>;

// Nothing is written unless this was called. Before a store is opened.
void set_engine_log(EngineLog);
const EngineLog& engine_log();

}  // namespace store
