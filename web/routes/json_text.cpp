// Strict JSON. Boost.JSON's own parser drops duplicate keys and cannot say where an error is, so this handler of its
// SAX parser tracks the position and builds the value.
#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>

#include "web/ascii.h"
#include "web/routes/fields.h"
#include "web/routes/json_number.h"
#include "web/utf8.h"

namespace web {
namespace {

namespace json = boost::json;

class Builder {
 public:
  static constexpr std::size_t max_object_size = json::object::max_size();
  static constexpr std::size_t max_array_size = json::array::max_size();
  static constexpr std::size_t max_key_size = json::string::max_size();
  static constexpr std::size_t max_string_size = json::string::max_size();

  // With `check_utf8` every string is checked; without it the whole text is known to be UTF-8.
  explicit Builder(bool check_utf8) : check_utf8_(check_utf8) { values_.reset(); }

  json::value release() { return values_.release(); }
  // The error beyond syntax, as the end of a sentence; empty if none.
  const std::string& complaint() const { return complaint_; }

  // The field being read, as "a.b[2]"; empty at the root. `levels` limits how far down it goes.
  std::string place(std::size_t levels = json_levels) const {
    std::string out;
    for (std::size_t i = 0; i < levels_.size() && i < levels; ++i) {
      const auto& level = levels_[i];
      const std::size_t end = i + 1 < levels_.size() ? levels_[i + 1].first_key : keys_.size();
      if (level.array) {
        out += '[' + std::to_string(level.index) + ']';
      } else if (end > level.first_key) {
        if (!out.empty()) out += '.';
        out += key(keys_[end - 1]);
      }
    }
    return std::string(utf8_prefix(out, 100));
  }

  bool on_document_begin(json::error_code&) { return true; }
  bool on_document_end(json::error_code&) { return true; }

  bool on_object_begin(json::error_code&) { return open(false); }
  bool on_array_begin(json::error_code&) { return open(true); }

  bool on_object_end(std::size_t n, json::error_code& error) {
    const auto first = keys_.begin() + static_cast<std::ptrdiff_t>(levels_.back().first_key);
    if (n > 1) {
      const auto less = [&](const Key& a, const Key& b) { return key(a) < key(b); };
      std::sort(first, keys_.end(), less);
      const auto equal = [&](const Key& a, const Key& b) { return key(a) == key(b); };
      const auto twice = std::adjacent_find(first, keys_.end(), equal);
      if (twice != keys_.end()) {
        std::swap(*twice, keys_.back());
        return refuse("is given more than once", error);
      }
    }
    if (first != keys_.end()) {
      const auto lowest = std::min_element(first, keys_.end(), [](auto& a, auto& b) { return a.offset < b.offset; });
      key_bytes_.resize(lowest->offset);
      keys_.erase(first, keys_.end());
    }
    levels_.pop_back();
    values_.push_object(n);
    return done();
  }
  bool on_array_end(std::size_t n, json::error_code&) {
    levels_.pop_back();
    values_.push_array(n);
    return done();
  }

  bool on_key_part(json::string_view part, std::size_t, json::error_code&) {
    values_.push_chars(part);
    key_bytes_.append(part.data(), part.size());
    return true;
  }
  bool on_key(json::string_view last, std::size_t size, json::error_code& error) {
    values_.push_key(last);
    key_bytes_.append(last.data(), last.size());
    keys_.push_back({key_bytes_.size() - size, size});
    if (check_utf8_ && !is_utf8(key(keys_.back()))) return refuse("is not a valid UTF-8 name", error);
    return true;
  }
  bool on_string_part(json::string_view part, std::size_t, json::error_code&) {
    values_.push_chars(part);
    if (check_utf8_) string_.append(part.data(), part.size());
    return true;
  }
  bool on_string(json::string_view last, std::size_t, json::error_code& error) {
    values_.push_string(last);
    if (check_utf8_) {
      string_.append(last.data(), last.size());
      if (!is_utf8(string_)) return refuse("is not valid UTF-8", error);
      string_.clear();
    }
    return done();
  }
  bool on_number_part(json::string_view, json::error_code&) { return true; }
  bool on_int64(std::int64_t number, json::string_view text, json::error_code&) {
    number == 0 && text.starts_with('-') ? values_.push_double(-0.0) : values_.push_int64(number);
    return done();
  }
  bool on_uint64(std::uint64_t number, json::string_view, json::error_code&) {
    return values_.push_uint64(number), done();
  }
  // Boost's double may be off by one in the last place. `text` is the whole number, as the parser gets all of the text
  // at once.
  bool on_double(double, json::string_view text, json::error_code& error) {
    const std::string_view digits(text.data(), text.size());
    const auto number = parse_json_double(digits);
    if (!number) return refuse("is out of range", error);
    if (digits.find_first_of(".eE") == std::string_view::npos && !keeps_digits(digits, *number))
      return refuse("must be a number within 64 bits: write a larger one as a text", error);
    return values_.push_double(*number), done();
  }
  bool on_bool(bool value, json::error_code&) { return values_.push_bool(value), done(); }
  bool on_null(json::error_code&) { return values_.push_null(), done(); }
  bool on_comment_part(json::string_view, json::error_code&) { return true; }
  bool on_comment(json::string_view, json::error_code&) { return true; }

 private:
  static constexpr std::size_t json_levels = max_json_depth + 1;

  struct Key {
    std::size_t offset, size;  // in key_bytes_
  };
  struct Level {
    bool array;
    std::size_t index;      // of the item being read
    std::size_t first_key;  // in keys_
  };

  std::string_view key(const Key& k) const { return std::string_view(key_bytes_).substr(k.offset, k.size); }

  bool open(bool array) {
    levels_.push_back({array, 0, keys_.size()});
    return true;
  }
  bool done() {
    if (!levels_.empty()) ++levels_.back().index;
    return true;
  }
  bool refuse(std::string complaint, json::error_code& error) {
    complaint_ = std::move(complaint);
    error = json::error::syntax;
    return false;
  }

  const bool check_utf8_;
  json::value_stack values_;
  std::vector<Level> levels_;
  std::vector<Key> keys_;  // of every open object, outermost first
  std::string key_bytes_;  // of keys_, and of the key being read
  std::string string_;     // the string being read, if it is checked
  std::string complaint_;
};

using Parser = json::basic_parser<Builder>;

Error explain(const Builder& builder, const json::error_code& error, std::string_view what) {
  auto place = builder.place();
  const std::string whole(what);
  const std::string subject = place.empty() ? whole : place;
  if (!builder.complaint().empty()) return invalid(subject + ' ' + builder.complaint());
  if (error == json::error::too_deep) {
    const auto top = builder.place(1);
    return invalid((top.empty() ? whole : top) + " is nested deeper than " + std::to_string(max_json_depth) +
                   " levels");
  }
  if (error == json::error::exponent_overflow) return invalid(subject + " is out of range");
  if (error == json::error::extra_data) return invalid(whole + " goes on after its JSON value");
  if (error == json::error::illegal_leading_surrogate || error == json::error::illegal_trailing_surrogate) {
    return invalid(subject + " has an unpaired surrogate");
  }
  const std::string at = place.empty() ? "" : " at " + place;
  if (error == json::error::incomplete) return invalid(whole + " is not complete JSON" + at);
  return invalid(whole + " is not valid JSON" + at);
}

}  // namespace

Result<json::value> parse_json(std::string_view text, std::string_view what) {
  const bool clean = is_utf8(text);
  Parser parser(json::parse_options{.max_depth = max_json_depth, .allow_invalid_utf8 = true}, !clean);
  json::error_code error;
  const auto read = parser.write_some(false, text.data(), text.size(), error);
  if (!error && read < text.size()) error = json::error::extra_data;
  if (error) return explain(parser.handler(), error, what);
  if (!clean) return invalid(std::string(what) + " is not valid UTF-8");
  return parser.handler().release();
}

Result<json::value> detail::json_body(const Request& request, bool may_be_empty) {
  if (request.body.empty()) {
    if (may_be_empty) return json::value(json::object());
    return invalid("Body is required: a JSON object");
  }
  return parse_json(request.body);
}

}  // namespace web
