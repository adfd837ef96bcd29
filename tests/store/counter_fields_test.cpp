// What is written of a counter is read again, in the form of today and in the one before.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "store/engine.h"
#include "tests/store/counter_fields_list.h"

namespace store_test {
namespace counter_fields_test {

using store::CounterFields;

TEST(CounterFieldsBytes, EveryFieldRoundTrips) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min(), most = std::numeric_limits<std::int64_t>::max();
  for (const CounterFields& fields :
       {CounterFields{}, CounterFields{0}, CounterFields{least, -1, 0, 1, most}, CounterFields{63, 64, -64, -65}})
    EXPECT_EQ(list(store::decode_counter(store::encode(fields))), list(fields));
  std::mt19937_64 random(5);
  for (int round = 0; round < 10'000; ++round) {
    CounterFields fields;
    for (auto count = random() % (CounterFields::most + 1); count > 0; --count)
      fields.push_back(static_cast<std::int64_t>(random() >> random() % 64) * (random() % 2 ? 1 : -1));
    ASSERT_EQ(list(store::decode_counter(store::encode(fields))), list(fields));
  }
}

TEST(CounterFieldsBytes, SmallFieldsAreShort) { EXPECT_EQ(store::encode({0, 1, -1, 63, -64}).size(), 6u); }

TEST(CounterFieldsBytes, FieldsOfSchema1AreRead) {
  const std::string bytes("v\0\0\0\0\0\0\1\2\377\377\377\377\377\377\377\376", 17);
  EXPECT_EQ(list(store::decode_counter(bytes)), (List{258, -2}));
}

TEST(CounterFieldsBytes, MalformedBytesAreRefused) {
  const auto whole = store::encode({1'000'000});
  constexpr auto too_many = CounterFields::most + 1;
  for (const auto& bytes :
       {whole.substr(0, whole.size() - 1), std::string(), std::string("x"), std::string("v1234567"),
        "c" + std::string(11, '\xff'), "c" + std::string(too_many, '\1'), "v" + std::string(8 * too_many, '\1')})
    EXPECT_THROW(store::decode_counter(bytes), store::Corrupt) << bytes;
}

}  // namespace counter_fields_test
}  // namespace store_test
