#include "appliance/payments/transfers/views.h"

namespace transfers {

TransferView view(const Report& report) {
  const auto& transfer = report.transfer;
  TransferView view{.id = transfer.id,
                    .wallet = transfer.wallet,
                    .to = transfer.to,
                    .token = transfer.token,
                    .amount = payments::Usdc::of_micro(transfer.amount),
                    .memo = transfer.memo,
                    .network = transfer.network,
                    .state = state_of(report),
                    .transactionHash = {},
                    .block = {},
                    .reason = {},
                    .createdAt = transfer.created_at,
                    .updatedAt = transfer.updated_at};
  if (!transfer.reason.empty()) view.reason = transfer.reason;
  if (!report.transaction) return view;
  const auto& transaction = *report.transaction;
  if (!transaction.hash.empty())
    view.transactionHash = transaction.hash;
  else if (!transaction.attempts.empty())
    view.transactionHash = transaction.attempts.back().hash;
  view.block = transaction.block;
  if (!view.reason && !transaction.reason.empty()) view.reason = transaction.reason;
  return view;
}

}  // namespace transfers
