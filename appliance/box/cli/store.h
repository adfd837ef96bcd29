// `agentbox store`: the store's database in PostgreSQL; `agentbox migrate-store`.
#pragma once

#include <CLI/App.hpp>
#include <functional>

namespace agentbox::cli {

void add_store(CLI::App&, std::function<int()>& run);
void add_migrate_store(CLI::App&, std::function<int()>& run);

}  // namespace agentbox::cli
