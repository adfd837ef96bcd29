#include "appliance/identity/accounts/registration_policy.h"

namespace accounts {

namespace {

constexpr std::string_view closed_code = "REGISTRATION_CLOSED", invitation_code = "INVITATION_REQUIRED";

web::Error refused(std::string_view code, std::string message) {
  auto error = web::forbidden(std::move(message));
  error.code = code;
  return error;
}

web::Error closed() {
  return refused(closed_code, "Registration is closed on this box: ask its administrator for an account");
}
web::Error invitation_required() {
  return refused(invitation_code, "Registration on this box is by invitation: inviteCode is required");
}

RegistrationMode mode_named(std::string_view name) {
  if (name == "open") return RegistrationMode::open;
  return name == "invite" ? RegistrationMode::invite : RegistrationMode::closed;
}

}  // namespace

RegistrationPolicy::RegistrationPolicy(std::string_view mode, Invitations* invitations)
    : mode_(mode_named(mode)), invitations_(invitations) {}

web::Result<void> RegistrationPolicy::check(const std::optional<std::string>& code) const {
  if (mode_ == RegistrationMode::closed) return closed();
  if (!code && mode_ == RegistrationMode::open) return {};
  if (!code) return invitation_required();
  if (!invitations_) return invalid_invitation();
  return {};
}

web::Result<bool> RegistrationPolicy::admit(const std::optional<std::string>& code, store::UserId newcomer,
                                            store::Change& change) const {
  const auto checked = check(code);
  if (!checked) return checked.error();
  if (!code) return false;
  return invitations_->redeem(*code, newcomer, change);
}

web::Error invalid_invitation() { return refused(invitation_code, "inviteCode is not a valid invitation"); }

bool is_registration_refusal(const web::Error& error) {
  return error.code == closed_code || error.code == invitation_code;
}

}  // namespace accounts
