import type { DatabaseSync } from "node:sqlite";

/** Runs work in one transaction; if it throws, nothing of it is stored. */
export function transaction(database: DatabaseSync, work: () => void): void {
  database.exec("BEGIN");
  try {
    work();
    database.exec("COMMIT");
  } catch (error) {
    // Some errors, such as a full disk, have already ended it.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
