#include "web/routes/free_form.h"

#include "web/routes/fields.h"

namespace web {
namespace {

namespace json = boost::json;
using detail::Controls;
using detail::Problem;
using detail::Where;

Problem check(const json::value& value, const Where& where);

Problem check(const json::object& object, const Where& where) {
  for (const auto& [name, value] : object) {
    const std::string_view key(name.data(), name.size());
    if (detail::check_text(key, 0, SIZE_MAX, Controls::refused, where))
      return detail::problem(where, "has a name with control characters");
    if (auto wrong = check(value, Where{&where, key})) return wrong;
  }
  return {};
}

Problem check(const json::array& array, const Where& where) {
  for (std::size_t i = 0; i < array.size(); ++i)
    if (auto wrong = check(array[i], Where{&where, {}, i})) return wrong;
  return {};
}

Problem check(const json::value& value, const Where& where) {
  if (const auto* object = value.if_object()) return check(*object, where);
  if (const auto* array = value.if_array()) return check(*array, where);
  if (const auto* text = value.if_string())
    return detail::check_text(std::string_view(text->data(), text->size()), 0, SIZE_MAX, Controls::line_breaks_and_tabs,
                              where);
  return {};
}

}  // namespace

Result<void> check_free_form(const json::object& object, std::string_view where) {
  if (auto wrong = check(object, Where{nullptr, where})) return invalid(std::move(*wrong));
  return {};
}

}  // namespace web
