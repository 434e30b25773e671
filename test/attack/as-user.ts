/** node test/attack/as-user.ts UID: tries all holes as this user, and writes what each said as JSON. Started as root; everything is loaded by then. */
import { controls, holes } from "./holes.ts";
import { play } from "./stage.ts";

const user = Number(process.argv[2]);
process.setgroups!([]);
process.setgid!(user);
process.setuid!(user);
process.env.HOME = "/nonexistent";
process.stdout.write(JSON.stringify(await play([...controls, ...holes])));
