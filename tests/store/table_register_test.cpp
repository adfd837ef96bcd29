// Two tables that would share bytes on disk are refused before the store is opened.
#include "store/table_register.h"

#include <gmock/gmock.h>

#include "tests/store/fixture.h"

namespace store_test {
namespace table_register_test {

using testing::HasSubstr;

store::TableInfo table(std::string family, std::uint8_t number, store::Access access = store::Access::general) {
  auto info = store::describe(notes);
  info.name = {std::move(family), number, access};
  return info;
}

std::string refusal(std::vector<store::TableInfo> tables) {
  try {
    const store::TableRegister refused(std::move(tables));
  } catch (const std::logic_error& error) {
    return error.what();
  }
  return "";
}

TEST(TableRegister, ANumberUsedTwiceIsRefusedWithBothNames) {
  EXPECT_EQ(refusal({table("teas", 5), table("milks", 6)}), "");
  EXPECT_THAT(refusal({table("teas", 5), table("others", 6), table("milks", 5)}),
              HasSubstr("teas and milks both use number 5"));
}

TEST(TableRegister, AFamilyUsedTwiceIsRefusedWithBothNumbers) {
  EXPECT_THAT(refusal({table("teas", 5), table("teas", 6)}), HasSubstr("5 and 6 both use the family teas"));
}

TEST(TableRegister, WhatTheStoreUsesItselfIsRefused) {
  EXPECT_THAT(refusal({table("index", 5)}), HasSubstr("the store itself"));
  EXPECT_THAT(refusal({table("teas", 0)}), HasSubstr("the store itself"));
}

TEST(TableRegister, TheStoreIsNotOpenedWithANumberUsedTwice) {
  const Folder folder;
  auto wanted = options(folder.path());
  wanted.tables.push_back(table("others", notes.name.number));
  EXPECT_THROW(store::Store::open(std::move(wanted)), std::logic_error);
  EXPECT_FALSE(std::filesystem::exists(folder.path()));
}

TEST(TableRegister, RowsGoByNumberAndFamiliesByOrder) {
  const store::TableRegister tables(
      {table("teas", 6, store::Access::by_history), store::describe(people), table("milks", 5, store::Access::by_key)});
  EXPECT_EQ(store::markdown(tables.rows()),
            "| number | family | access | owner |\n|---|---|---|---|\n"
            "| 5 | `milks` | by key | user |\n"
            "| 6 | `teas` | by history | user |\n"
            "| 201 | `people` | general | box |\n");
  std::string families;
  for (const auto& family : tables.families()) families.append(family.name).append(" ");
  EXPECT_EQ(families, "meta index counters teas people milks ");
}

}  // namespace table_register_test
}  // namespace store_test
