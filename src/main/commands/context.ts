/** What the definitions of commands share. Light: nothing of a command is loaded before it is called, so that --help stays fast. */
export interface Context {
  home(): string;
  /** For programs. */
  json(): boolean;
  /** Without a daemon: this process does the work, and it ends with it. */
  alone(): boolean;
  /** For the commands that are clients. */
  where(): { home: string; json: boolean; alone: boolean };
  /** It goes on when nobody reads what it says any more: a pipe that breaks does not end it. */
  outlive(): void;
  /** The exit code. */
  end(code: number): void;
}

/** The commands that are clients of the routes. */
export const asClient = () => import("../actions/as-client.ts");
