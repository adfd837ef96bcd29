// The requests that need more than their types: signing in, and proofs of the second factor.
import { t } from "../app/i18n";
import { ApiError, call } from "./client";
import type { Proof, RequestOptions } from "./types";

export const session = async () => (await call("GET /api/auth/session")).user ?? null;

// Whether the box only waits for the second factor.
export const wantsSecondFactor = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === "SECOND_FACTOR_REQUIRED";
// What the user's passkeys are asked for; null for users without one.
export const passkeyOptions = (error: ApiError) => (error.body.passkey ?? null) as RequestOptions | null;

export async function login(email: string, password: string, proof: Proof = {}) {
  try {
    await call("POST /api/auth/login", { body: { email, password, ...proof } });
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    if (error.code === "SECOND_FACTOR_REQUIRED" || proof.passkey) throw error;
    throw new ApiError(t(proof.code ? "error.wrong_code" : "error.wrong_password"), error.status, error.code);
  }
}

// A second factor that was wrong.
async function proving(answer: Promise<unknown>) {
  try {
    await answer;
  } catch (error) {
    if (!(error instanceof ApiError) || error.message !== "Invalid credentials.") throw error;
    throw new ApiError(t("error.wrong_code"), error.status, error.code);
  }
}

// Completes a sign-in by another method that waits for the second factor. Without a proof the error has the options for
// a passkey.
export const finishSignIn = (proof: Proof) => proving(call("POST /api/auth/second-factor", { body: { ...proof } }));
export const resetPassword = (token: string, password: string, proof: Proof) =>
  proving(call("POST /api/auth/reset-password", { body: { token, password, ...proof } }));
