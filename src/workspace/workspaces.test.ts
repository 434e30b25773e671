import { workspacesContract } from "./contract.ts";
import { placeOf } from "./workspaces.test-help.ts";

workspacesContract("workspaces of a git repository", () => placeOf("repository"));
workspacesContract("workspaces of a folder without git", () => placeOf("folder"));
