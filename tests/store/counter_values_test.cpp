#include "store/counter_values.h"

#include <gtest/gtest.h>

#include "tests/store/counter_fields_list.h"

namespace counter_values_test {

using namespace store_test;

TEST(CounterValues, ReturnsTheLatestValue) {
  store::CounterValues values;
  EXPECT_EQ(values.find("a"), nullptr);
  values.put("a", {1});
  values.put("a", {-7, 3});
  values.put(std::string("b\0c", 3), {2});
  ASSERT_NE(values.find("a"), nullptr);
  EXPECT_EQ(list(*values.find("a")), (List{-7, 3}));
  EXPECT_EQ(list(*values.find(std::string("b\0c", 3))), (List{2}));
  EXPECT_EQ(values.find("b"), nullptr);
}

TEST(CounterValues, EvictsRatherThanGrows) {
  store::CounterValues values;
  values.put("first", {1});
  for (int number = 0; number < 100'000; ++number) values.put("counter " + std::to_string(number), {number});
  EXPECT_EQ(values.find("first"), nullptr);
  ASSERT_NE(values.find("counter 99999"), nullptr);
  EXPECT_EQ(list(*values.find("counter 99999")), (List{99'999}));
}

}  // namespace counter_values_test
