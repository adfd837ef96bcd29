import * as account from "../account";
import { Link } from "../parts/link";

export function Home() {
  return (
    <div class="column home">
      <h1>Agents that live on this box</h1>
      <p class="lead">
        This is an agentbox: one program on one machine that keeps your agents, runs each with a workspace of its own, and
        lets you talk to them. Nothing leaves the box unless its administrator says so.
      </p>
      <p>
        {account.user.value ? (
          <Link to="/dashboard" class="button primary">
            Open the dashboard
          </Link>
        ) : (
          <span class="actions start">
            <Link to="/login" class="button primary">
              Sign in
            </Link>
            <Link to="/login?new" class="button">
              Create an account
            </Link>
          </span>
        )}
      </p>
      <ul class="cards">
        <li>
          <h2>Talk</h2>
          <p>Each agent keeps its conversation and remembers what you tell it to.</p>
        </li>
        <li>
          <h2>Work</h2>
          <p>Agents summarize pages, and read and write files in a workspace under version control.</p>
        </li>
        <li>
          <h2>Persistent</h2>
          <p>Agents keep running and keep their state when the box restarts.</p>
        </li>
      </ul>
      <p class="quiet">
        Everything here can also be done over HTTP: <a href="/api/openapi.json">the OpenAPI document</a>.
      </p>
    </div>
  );
}
