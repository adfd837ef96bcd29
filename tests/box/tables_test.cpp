// The product's tables, and their list in docs/architecture.md.
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>

#include "appliance/box/capability_list.h"
#include "tests/support/paths.h"

namespace tables_test {

TEST(Tables, TheListInTheDocsIsTheRegisters) {
  std::ifstream file(paths::tests() / "../docs/architecture.md");
  const std::string docs{std::istreambuf_iterator<char>(file), {}};
  const auto list = store::markdown(store::TableRegister(agentbox::all_tables()).rows());
  EXPECT_THAT(docs, testing::HasSubstr(list)) << "docs/architecture.md needs this table:\n" << list;
}

}  // namespace tables_test
