#include "store/codec.h"

#include <charconv>
#include <cmath>
#include <stdexcept>

namespace store::codec {
namespace {

template <class Number>
void append_chars(std::string& out, Number number) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  out.append(digits, end);
}

const Sealer& sealer_of(const Field& field) {
  if (!field.place.sealer) throw std::logic_error("store: a sealed field needs the box's sealer: " + field.path());
  return *field.place.sealer;
}

// Exactly as it was written; Boost's parser may be off by one in a double's last place.
boost::json::value read_free_number(JsonReader& in) {
  const auto text = in.number_text();
  const auto read = [text](auto& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
  };
  std::int64_t whole = 0;
  std::uint64_t large = 0;
  double real = 0;
  if (text != "-0" && read(whole)) return whole;
  if (read(large)) return large;
  if (!read(real)) in.fail("ends a number beyond the range of doubles");
  return real;
}

}  // namespace

std::string Field::path() const {
  if (!up) return {};
  auto path_so_far = up->path();
  if (!path_so_far.empty() && !name.starts_with('[')) path_so_far.push_back('.');
  return path_so_far.append(name);
}

std::string open_sealed(std::string_view sealed, const Field& field) {
  return sealer_of(field).open(sealed, field.place.table, field.place.key, field.path());
}

void append_sealed(std::string& out, std::string_view clear, const Field& field) {
  append_json_string(out, sealer_of(field).seal(clear, field.place.table, field.place.key, field.path()));
}

boost::json::value read_free(JsonReader& in) {
  switch (in.first()) {
    case '{': {
      boost::json::object object;
      in.object([&](std::string_view name) {
        const boost::json::string key(name);
        object[key] = read_free(in);
      });
      return object;
    }
    case '[': {
      boost::json::array array;
      in.array([&] { array.push_back(read_free(in)); });
      return array;
    }
    case '"':
      return boost::json::string(in.string());
    case 't':
    case 'f':
      return in.boolean();
    case 'n':
      in.null();
      return nullptr;
    default:
      return read_free_number(in);
  }
}

void append_free(std::string& out, const boost::json::value& value) { out.append(boost::json::serialize(value)); }
void append_free(std::string& out, const boost::json::object& object) { out.append(boost::json::serialize(object)); }

void append_number(std::string& out, std::int64_t number) { append_chars(out, number); }
void append_number(std::string& out, std::uint64_t number) { append_chars(out, number); }
void append_number(std::string& out, double number) {
  if (!std::isfinite(number)) throw std::invalid_argument("store: a record cannot hold a number that is not finite");
  append_chars(out, number);
}

std::string element_name(std::size_t index) { return '[' + std::to_string(index) + ']'; }

}  // namespace store::codec
